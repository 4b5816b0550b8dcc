/*
 * elf_file.h -- reads from an ELF file whether our library can be preloaded into it. Used by the monitor and the
 * reporter.
 */
#ifndef MP_ELF_FILE_H
#define MP_ELF_FILE_H

#include <stdbool.h>

#include "runtime/sanitizer.h"

struct mp_elf_file {
    bool has_64_bits;
    bool is_of_our_class;               /* has as many bits, 32 or 64, as this program; if false, the fields below
                                           are not set */
    bool is_for_our_machine;
    char linker[128];                   /* path of its dynamic linker; "" if none; may be cut */
    char first_library[MP_SANITIZER_NAME];      /* a library that it needs and that must be loaded first; "" if
                                                   none; may be cut */
};

/* Reads FD into *FILE. Returns false if it is not an ELF file or is damaged. Does not call malloc and uses half a
 * KiB of stack, because the monitor calls it in the child of a vfork. */
bool mp_elf_file_read(int fd, struct mp_elf_file *file);

#endif
