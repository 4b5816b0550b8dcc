/* SPDX-License-Identifier: MIT */
/*
 * binary.h -- opens the file of a profile's module, verifies that it is the file that ran, and holds the data read
 * from it.
 *
 * libdwfl combines the file, its debug file and the symbols of .gnu_debugdata. It gets private copies of the files
 * (private_copy.h), which binary.c finds.
 *
 * Each reader keeps its part of the data in struct mp_binary. ELF and DWARF are untrusted input, so readers do not
 * recurse, and budget.h bounds their time and memory.
 */
#ifndef MP_SYMBOLS_BINARY_H
#define MP_SYMBOLS_BINARY_H

#include <elfutils/libdwfl.h>
#include <sys/types.h>

#include "answers.h"
#include "budget.h"
#include "dwarf_check.h"
#include "spans.h"
#include "symbols.h"
#include "texts.h"

/* Reads line tables with bounded memory. libdw keeps each line table that it has read until its handle is closed. A
 * C++ unit takes some megabytes, and a program such as clang has thousands of units. Tables are therefore read through
 * a second handle, which is closed and reopened when it holds too many. */
struct mp_lines {
    Dwarf *first;               /* the caller's handle; NULL = read all tables through the unit's own handle */
    Dwarf *common;              /* dwz's common file, owned by the caller, or NULL */
    Dwarf *second;
    struct mp_line_tables tables;
};

struct mp_binary {
    uint32_t module;            /* id in the profile; for several loads of one file, the first one's */
    const char *name;           /* of the module */
    bool program;               /* it is the program itself, not a library */
    struct mp_arena *arena;     /* owns everything read from the file */
    const char *problem;        /* "" or why its debug information could not be read completely */
    struct mp_account account;  /* entered while the file is open, but not while it is kept */
    struct mp_texts texts;      /* names, in the arena */
    struct mp_answers answers;
    struct mp_spans code;       /* executable segments; value: index of the program header */

    /* the file, used by binary.c */
    const char *path;           /* path by which it was opened */
    uint8_t build_id[32];       /* as recorded in the profile */
    uint32_t build_id_size;
    dev_t device;
    ino_t inode;
    int fd;                     /* descriptor until the file is loaded, then -1 */
    int debug_fd;               /* descriptor of its debug file until that is loaded, or -1 */
    struct mp_binary *next;     /* next file in the list of kept files, see mp_symbols_keep_files() */
    const char *cache_name;     /* name of the answers' file in the cache, used by cache.c; NULL = no cache */

    enum { MP_NOT_LOADED, MP_LOADED, MP_NOT_LOADABLE } state;   /* whether the following data was loaded */
    bool places;                /* locations of variables are loaded too */
    bool has_debug, zstd;       /* there is debug information, even if unreadable; it is compressed by zstd, and not
                                   unpacked */
    Dwfl *dwfl;
    Dwfl_Module *dwfl_module;
    Elf *elf;                   /* of the main file */
    int code_fd;                /* descriptor of the file itself, from which machine_code.c reads its code, or -1 */
    struct mp_code_piece *piece;        /* used by machine_code.c; NULL until first needed */
    struct mp_elf *symbols;     /* used by elf_symbols.c; NULL until first needed */
    struct mp_fdes *fdes;       /* used by elf_symbols.c; NULL until first needed */
    int common_fd;              /* copy of dwz's common file, or -1 */

    /* debug information, used by dwarf_units.c */
    Dwarf *dwarf;               /* NULL = no debug information */
    Dwarf *common;              /* NULL = no common file needed */
    uint64_t bias;              /* offset in the module - address in DWARF */
    bool is_split;              /* part of the debug information is in .dwo files */
    struct mp_units *units;     /* not NULL if `dwarf` is not NULL */
    struct mp_lines lines;

    /* functions met so far, used by lookup.c */
    struct mp_map dies;         /* addresses of the functions' DIEs */
    uint32_t *knowns;           /* function of each DIE in `answers`, or MP_NO_ID */
    uint32_t knowns_room;
};

/* Opens the file of MODULE and verifies that it is the recorded one, by its build-id. If no build-id was recorded,
 * checks that the N_ADDRESSES (sorted) are in its code. Returns NULL on failure, with the reason in *PROBLEM, in
 * the profile's arena. */
struct mp_binary *mp_binary_open(const struct mp_profile *profile,
                                 const struct mp_symbol_options *options, uint32_t module,
                                 const uint64_t *addresses, uint32_t n_addresses,
                                 const char **problem);
/* Returns a descriptor of the file of MODULE, which the caller closes, or -1. */
int mp_binary_file(const struct mp_profile *profile, uint32_t module, struct mp_arena *arena);

void mp_binary_close(struct mp_binary *binary);

/* Reads symbols and debug information, once. Returns false if that fails, with the reason in `problem`. */
bool mp_binary_load(struct mp_binary *binary);

#endif
