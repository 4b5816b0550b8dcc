/*
 * binary.h -- an open program or library, and what was read of it.
 *
 * module.c opens it and closes it, and loads it when its answers do not do; each reader keeps its
 * part of it here.  ELF and DWARF are hostile input: no recursion, no loop without a bound by the
 * size of the file.
 */
#ifndef MP_SYMBOLS_BINARY_H
#define MP_SYMBOLS_BINARY_H

#include <elfutils/libdwfl.h>
#include <sys/types.h>

#include "answers.h"
#include "lines.h"
#include "spans.h"
#include "texts.h"

struct mp_binary {
    uint32_t module;            /* id; the first one of those that are the same file */
    const char *name;           /* of the module */
    bool program;               /* the program itself, not a library */
    struct mp_arena *arena;     /* of everything that is read from the file */
    const char *problem;        /* "" or why its debug information could not be read, or not all */
    struct mp_texts texts;      /* names, in the arena */
    struct mp_answers answers;
    struct mp_spans code;       /* executable segments; value: index of the program header */

    /* the file, by module.c */
    const char *path;           /* as it was opened */
    uint8_t build_id[32];       /* as it was recorded */
    uint32_t build_id_size;
    dev_t device;
    ino_t inode;
    int fd;                     /* until it is loaded; -1 */
    int debug_fd;               /* its debug file, until it is loaded; -1 */
    struct mp_binary *next;     /* of files that are kept open, see mp_symbols_keep_files() */
    const char *cache_name;     /* by cache.c: the answers' file there; NULL: there is no cache */

    enum { MP_NOT_LOADED, MP_LOADED, MP_NOT_LOADABLE } state;   /* all below is there, or not */
    bool places;                /* where variables are can be asked */
    bool has_debug, zstd;       /* there is debug information, readable or not; compressed so */
    Dwfl *dwfl;
    Dwfl_Module *dwfl_module;
    Elf *elf;                   /* main file */
    struct mp_elf *symbols;     /* by elf_symbols.c; NULL: not needed yet */
    struct mp_fdes *fdes;       /* by fde.c; NULL: not needed yet */
    int common_fd;              /* copy of dwz's common file, until `common` has it; -1: none */

    /* debug information, by dwarf_units.c */
    Dwarf *dwarf;               /* NULL: there is none */
    Dwarf *common;              /* NULL: it needs none */
    uint64_t bias;              /* offset in the module - address in DWARF */
    bool is_split;              /* part of it is in .dwo files */
    struct mp_units *units;     /* there is debug information: never NULL */
    struct mp_lines lines;

    /* by dwarf_names.c: functions that were met */
    struct mp_map dies;         /* addresses of their DIEs */
    uint32_t *knowns;           /* the function of each of them, or MP_NO_ID */
    uint32_t knowns_room;
};

#endif
