/*
 * elf_file.h -- what an ELF file says of whether our library can be preloaded into it; for monitor and
 * reporter.
 */
#ifndef MP_ELF_FILE_H
#define MP_ELF_FILE_H

#include <stdbool.h>

#include "runtime/sanitizer.h"

struct mp_elf_file {
    bool has_64_bits;
    bool is_of_our_class;               /* 32 or 64 bits as we are; if not, nothing below is known */
    bool is_for_our_machine;
    char linker[128];                   /* the dynamic linker that it asks for; "": none */
    char first_library[MP_SANITIZER_NAME];      /* that it needs, and that must be the first of all;
                                                   "": none; both are cut if there is no room */
};

/* Read them from FD.  False: it is no ELF file, or damaged.  No malloc, and half a KiB on the
 * stack: the monitor calls this in the child of a vfork. */
bool mp_elf_file_read(int fd, struct mp_elf_file *file);

#endif
