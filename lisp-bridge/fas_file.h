/*
 * fas_file.h -- the bytes of a compiled Lisp file: its symbols, its code, its debug information.
 *
 * The file may have been written anew since it was loaded, and may be half written: it is read, not
 * mapped; nothing in it is believed without a look at its bounds; and of the process nothing is read.
 */
#ifndef MP_LISP_FAS_FILE_H
#define MP_LISP_FAS_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_fas {
    const uint8_t *map;         /* the file's bytes */
    size_t size;
    uintptr_t bias;             /* address in the process - address in the file */
    unsigned machine;           /* ELF e_machine */
    const Elf64_Phdr *segments;
    size_t n_segments;
    const Elf64_Sym *symbols;   /* of a stripped file those that are exported */
    size_t n;
    bool stripped;
    const char *strings;
    size_t strings_size;
    bool has_debug_info;
    const uint8_t *debug_info;  /* its bytes; NULL: there is none, or it is compressed */
    size_t debug_info_size;
};

/* Read the file PATH, loaded with BIAS.  False: it is none that is understood; nothing is held. */
bool mp_fas_open(struct mp_fas *fas, const char *path, uintptr_t bias);
void mp_fas_close(struct mp_fas *fas);

/* The name of SYMBOL if it is a function's; else "". */
const char *mp_fas_name(const struct mp_fas *fas, const Elf64_Sym *symbol);

/* The SIZE bytes at ADDRESS (of the file) as they will be in memory but for relocations; NULL: they
 * are not in the file.  Code that refers to its own section has no relocations. */
const uint8_t *mp_fas_bytes(const struct mp_fas *fas, uint64_t address, uint64_t size);

#endif
