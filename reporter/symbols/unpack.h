/*
 * unpack.h -- sections that are compressed, without the compression.
 *
 * libelf would inflate them into memory that it keeps, all of them: a gigabyte for a library like
 * LLVM.  In a copy (file_copy.h) they lie in a file whose pages can be given back.
 *
 * What is deflated by zlib, in files of this machine's own byte order and of 64 bits, is unpacked
 * here; the rest is left as it is, and to libelf.  libdeflate does it in a quarter of the time
 * where it is installed; it is not linked, because it need not be there.
 */
#ifndef MP_SYMBOLS_UNPACK_H
#define MP_SYMBOLS_UNPACK_H

#include <gelf.h>
#include <stdbool.h>

/* A section that is compressed. */
struct mp_packed {
    uint64_t place;             /* of its header, in the file */
    uint64_t from, size;        /* of the compressed bytes */
    uint64_t to, whole, align;  /* of what they are, in the copy; `to` is the caller's */
};

/* Is the section with HEADER, at PLACE in the ELF file FD, one that can be unpacked? */
bool mp_packed_read(int fd, const GElf_Ehdr *ehdr, const GElf_Shdr *header, uint64_t place,
                    struct mp_packed *packed);

/* Unpack it into the file TO, which nobody else has and which is large enough, and make its header
 * there say so; the header is of FD's until then.  False: it is damaged, and the header as it was. */
bool mp_packed_unpack(int fd, int to, const struct mp_packed *packed);

#endif
