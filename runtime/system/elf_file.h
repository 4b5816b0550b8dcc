/* SPDX-License-Identifier: MIT */
/*
 * elf_file.h -- reads the properties of an ELF file by which mprof decides whether it can preload libmprof.so into it.
 * Used by the monitor and the reporter.
 */
#ifndef MP_ELF_FILE_H
#define MP_ELF_FILE_H

#include <stdbool.h>

#include "runtime/sanitizer.h"

struct mp_elf_file {
    bool has_64_bits;
    bool is_of_our_class;               /* it has the word size of this program, 32 or 64 bits; if false, the
                                           fields below are not set */
    bool is_for_our_machine;
    char linker[128];                   /* path of the dynamic linker, perhaps cut; "" if none */
    char first_library[MP_SANITIZER_NAME];      /* a needed library that must be loaded before all others, perhaps
                                                   cut; "" if none */
    bool contains_sanitizer;            /* a sanitizer's runtime is linked into the file itself */
};

/* Reads the ELF file that FD refers to, and fills *FILE. Returns false if the file is no ELF file or is damaged.
 * Does not call malloc and uses less than a KiB of stack, because the monitor calls it in the child of a vfork. */
bool mp_elf_file_read(int fd, struct mp_elf_file *file);

#endif
