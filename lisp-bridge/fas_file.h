/* SPDX-License-Identifier: MIT */
/*
 * fas_file.h -- reads symbols, code and debug information of a compiled Lisp file.
 *
 * The file may have been rewritten since it was loaded, and may be incomplete. So it is copied rather than mapped,
 * all offsets are checked, and no memory of the process is read.
 */
#ifndef MP_LISP_FAS_FILE_H
#define MP_LISP_FAS_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_fas {
    const uint8_t *map;         /* copy of the file */
    size_t size;
    uintptr_t bias;             /* address in the process minus address in the file */
    unsigned machine;           /* ELF e_machine */
    const Elf64_Phdr *segments;
    size_t n_segments;
    const Elf64_Sym *symbols;   /* exported symbols if the file is stripped */
    size_t n;
    bool stripped;
    uint64_t left_out, left_out_end;    /* mp_fas_name() leaves out functions between these addresses of the file */
    const char *strings;
    size_t strings_size;
    bool has_debug_info;
    const uint8_t *debug_info;  /* contents; NULL if missing or compressed */
    size_t debug_info_size;
};

/* Reads the file PATH, which was loaded with BIAS. Returns false if the format is not supported. Then there is
 * nothing to close. */
bool mp_fas_open(struct mp_fas *fas, const char *path, uintptr_t bias);
void mp_fas_close(struct mp_fas *fas);

/* Returns the name of SYMBOL if it is a function that is not left out, else "". */
const char *mp_fas_name(const struct mp_fas *fas, const Elf64_Sym *symbol);

/* Returns the SIZE bytes at the file's ADDRESS as they are in memory before relocation, or NULL if the file does not
 * contain them. Code that refers to its own section has no relocations. */
const uint8_t *mp_fas_bytes(const struct mp_fas *fas, uint64_t address, uint64_t size);

/* Reports folded functions of FAS to the monitor (mp_name_twin). fas.c gives functions at the same address keys of
 * their own. */
void mp_lisp_find_twins(const struct mp_fas *fas);

/* Reports only functions that remain as a jump. For libecl, which has many small functions from many files that are
 * equal by chance. */
void mp_lisp_find_jumps(const struct mp_fas *fas);

#endif
