/* SPDX-License-Identifier: MIT */
/*
 * answers.h -- the functions, lines and types that a program or library file yields for addresses.
 *
 * Answers do not depend on a profile. `mprof run` therefore reads a file once for the many data files of a run, and
 * cache.h keeps the answers from one run to the next.
 *
 * Addresses are offsets in the module (ELF p_vaddr space). All strings are in `arena`, which the answers do not
 * own.
 */
#ifndef MP_SYMBOLS_ANSWERS_H
#define MP_SYMBOLS_ANSWERS_H

#include <elfutils/libdw.h>

#include "reporter/base/map.h"

#define MP_NO_START UINT64_MAX

/* A type that a function mentions. */
struct mp_mention {
    const char *name;           /* with namespaces */
    uint32_t size;              /* in bytes; 0 = only declared there */
};

/* A function of the file. */
struct mp_known_function {
    const char *key;            /* identity within its module */
    const char *name;           /* without parameters */
    const char *parameters;     /* as in struct mp_function, or NULL */
    const char *alias;          /* better name, from ELF symbols; or NULL */
    const char *file;           /* source file; "" = unknown */
    bool declared;              /* `file` comes from a declaration in the debug information */
    bool lambda;
    bool mentions_read;
    uint32_t line;              /* line of the declaration; 0 = unknown */
    uint32_t language;          /* DW_LANG_...; 0 = unknown */
    uint32_t clone;             /* as in struct mp_function */
    uint64_t start;             /* address of its code; 0 = unknown */
    uint32_t id;                /* function in the present profile; MP_NO_ID = not added yet */
    Dwarf_Die die;              /* addr is NULL if there is no DIE or the file is not loaded */
    uint32_t n_mentions;
    struct mp_mention *mentions;
};

/* A call, inlined or not. */
struct mp_place {
    uint32_t known;
    uint32_t line;              /* 0 = unknown */
    const char *file;           /* source file of the line */
};

/* The calls at an address, innermost first; the last one is not inlined. Without any, the address has no name. */
struct mp_answer {
    uint64_t address;
    uint64_t start;             /* start of the function by unwind tables, or MP_NO_START */
    uint32_t first, count;      /* range of places */
    const char *file;           /* source file of the line, for a frame without places */
    uint32_t line;
    uint64_t target;            /* address that the call instruction which ends at the next address calls directly, or
                                   0 if there is none or it is unknown */
};

/* The tail calls that lead from a call to the function that is seen next on a chain, outermost first, as a range of
 * mp_answers.tail_ends. The range is empty if they are not certain. */
struct mp_tail_path {
    uint32_t first, count;
};

#define MP_CATALOG_MOST  (2u << 20)     /* maximum bytes of names */
#define MP_CATALOG_FIRST 8u             /* number of types kept of each size */

/* The types of a module by name and size. Contains all types unless there are too many. Otherwise it contains the
 * types whose names are asked for, and for a program the first types of each size by mp_catalog_before(). */
struct mp_catalog {
    bool walked;                /* the debug information was walked for the catalog since the file was opened */
    bool whole;                 /* contains all types */
    bool has_first;             /* contains the first types of each size */
    struct mp_map names;        /* names asked for, of types that functions mention where they are only declared */
    uint32_t n_known;           /* number of names, from the first on, whose types with all sizes are in the list */
    struct mp_map map;          /* keys: "SIZE NAME" */
    struct mp_mention *list;
    uint32_t room;
    uint64_t bytes;             /* total length of the names in the list */
};

struct mp_answers {
    struct mp_arena *arena;
    struct mp_map addresses;    /* the number of a key is the index of its answer */
    struct mp_answer *list;
    struct mp_known_function *knowns;
    struct mp_place *places;
    struct mp_catalog catalog;
    struct mp_map tail_keys;    /* address after the call, and start of the function that is seen next or
                                   MP_NO_START; the number of a key is the index of its path */
    struct mp_tail_path *tails;
    uint64_t *tail_ends;        /* addresses after tail calls */
    uint32_t room, n_knowns, knowns_room, n_places, places_room, tails_room, n_tail_ends, tail_ends_room;
    bool changed;               /* contains answers that the cache does not have */
};

/* Makes ANSWERS empty. */
void mp_answers_init(struct mp_answers *answers, struct mp_arena *arena);

uint32_t mp_known_add(struct mp_answers *answers, const struct mp_known_function *known);    /* returns its index */
void mp_place_add(struct mp_answers *answers, const struct mp_place *place);
/* Adds an answer for ADDRESS without places and returns it. Places added next belong to it. */
struct mp_answer *mp_answer_add(struct mp_answers *answers, uint64_t address);

/* Returns the index of the path of tail calls from the call that ends at ADDRESS to the function at GOAL, or
 * MP_NO_ID. */
uint32_t mp_tail_path_find(const struct mp_answers *answers, uint64_t address, uint64_t goal);
/* Adds a path and returns its index. Ends added next belong to it. */
uint32_t mp_tail_path_add(struct mp_answers *answers, uint64_t address, uint64_t goal);
void mp_tail_end_add(struct mp_answers *answers, uint64_t end);

void mp_answers_forget_ids(struct mp_answers *answers);     /* call before another profile */

/* Adds NAME to the names of types that the catalog must contain with all their sizes. */
void mp_catalog_ask(struct mp_answers *answers, const char *name);
/* Adds the type NAME of SIZE bytes, unless the catalog has it. NAME is not copied. */
void mp_catalog_add(struct mp_answers *answers, const char *name, uint32_t size);
bool mp_catalog_is_internal(const char *name);  /* whether NAME is in std:: or reserved for the implementation */
bool mp_catalog_before(const char *name, const char *other);    /* whether NAME comes before OTHER: internal names
                                                                   last, then alphabetically */
bool mp_catalog_has(const struct mp_catalog *catalog, const char *name, uint32_t size);

#endif
