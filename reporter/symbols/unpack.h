/*
 * unpack.h -- decompresses compressed ELF sections.
 *
 * libelf would inflate them into memory that it keeps, a gigabyte for a library like LLVM. In a copy (file_copy.h)
 * they are part of a file, whose pages can be released.
 *
 * Only zlib sections in 64-bit files of this machine's byte order are unpacked; libelf handles the rest. libdeflate
 * takes a quarter of zlib's time and is loaded at run time if it is installed.
 */
#ifndef MP_SYMBOLS_UNPACK_H
#define MP_SYMBOLS_UNPACK_H

#include <gelf.h>
#include <stdbool.h>

/* A compressed section. */
struct mp_packed {
    uint64_t place;             /* file offset of its header */
    uint64_t from, size;        /* range of the compressed bytes in the file */
    uint64_t to, whole, align;  /* offset, size and alignment of the content in the copy; the caller sets `to` */
};

/* Reads the compression header of the section with HEADER, which is at PLACE in the ELF file FD. Returns false if
 * the section cannot be unpacked here. */
bool mp_packed_read(int fd, const GElf_Ehdr *ehdr, const GElf_Shdr *header, uint64_t place,
                    struct mp_packed *packed);

/* Unpacks the section to the file TO, and changes its header there, which was a copy of FD's. TO must be private
 * and large enough. Returns false and leaves the header unchanged if the section is damaged. */
bool mp_packed_unpack(int fd, int to, const struct mp_packed *packed);

#endif
