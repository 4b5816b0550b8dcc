/*
 * answers.h -- what a file tells of addresses, as data.
 *
 * An answer is the same for every profile: functions by what makes them themselves, lines, types
 * that functions mention.  So `mprof run` asks the file once for the many data files of a run, and
 * the cache keeps answers from one run to the next (cache.h).
 *
 * Addresses are offsets in the module (ELF p_vaddr space).  All strings are in `arena`, which the
 * answers do not own.
 */
#ifndef MP_SYMBOLS_ANSWERS_H
#define MP_SYMBOLS_ANSWERS_H

#include <elfutils/libdw.h>

#include "reporter/base/map.h"

#define MP_NO_START UINT64_MAX

/* A type that a function mentions. */
struct mp_mention {
    const char *name;           /* with namespaces */
    uint32_t size;              /* bytes; 0: it is only declared there */
};

/* A function, as its file tells it. */
struct mp_known {
    const char *key;            /* what makes it itself, in its module */
    const char *name;           /* without parameters */
    const char *full;           /* with them; NULL: the same */
    const char *alias;          /* NULL, or what it is called rather */
    const char *file;           /* source file; "" not known */
    bool declared;              /* the debug information declares it in `file` */
    bool mentions_read;
    uint64_t start;             /* 0 not known */
    uint32_t id;                /* function of the present profile; MP_NO_ID: not taken yet */
    Dwarf_Die die;              /* addr NULL: there is none, or the file is not loaded */
    uint32_t n_mentions;
    struct mp_mention *mentions;
};

/* A call, inlined or not. */
struct mp_place {
    uint32_t known;
    uint32_t line;              /* 0 not known */
    const char *file;           /* of the line */
};

/* Places of an address, innermost first, the last one is not inlined.  None: it has no name. */
struct mp_answer {
    uint64_t address;
    uint64_t start;             /* of the function, by unwind tables, or MP_NO_START */
    uint32_t first, count;      /* of places */
    const char *file;           /* of the line of a frame without places */
    uint32_t line;
};

#define MP_CATALOG_MOST  (2u << 20)     /* bytes of names */
#define MP_CATALOG_FIRST 8u             /* types of each size */

/* Types by name and size, of a module: all if there are not too many, else those whose names are asked
 * for, and of each size those that come first by mp_catalog_before(). */
struct mp_catalog {
    bool walked;                /* since the file was opened, the debug information was walked for it */
    bool whole;                 /* has all */
    bool has_first;             /* has the first of each size */
    struct mp_map names;        /* asked for: of types that functions mention, and that are only declared there */
    uint32_t n_known;           /* of these, so many, the first ones, are all in the list with all sizes */
    struct mp_map map;          /* keys: "SIZE NAME" */
    struct mp_mention *list;
    uint32_t room;
    uint64_t bytes;             /* of the names in the list */
};

struct mp_answers {
    struct mp_arena *arena;
    struct mp_map addresses;    /* a key's number is the index of its answer */
    struct mp_answer *list;
    struct mp_known *knowns;
    struct mp_place *places;
    struct mp_catalog catalog;
    uint32_t room, n_knowns, knowns_room, n_places, places_room;
    bool changed;               /* there is more than in the cache */
};

/* Make ANSWERS empty. */
void mp_answers_init(struct mp_answers *answers, struct mp_arena *arena);

uint32_t mp_known_add(struct mp_answers *answers, const struct mp_known *known);    /* its index */
void mp_place_add(struct mp_answers *answers, const struct mp_place *place);
/* The answer for ADDRESS, without places; it takes those that are added next. */
struct mp_answer *mp_answer_add(struct mp_answers *answers, uint64_t address);
void mp_answers_forget_ids(struct mp_answers *answers);     /* another profile begins */

void mp_catalog_ask(struct mp_answers *answers, const char *name);
void mp_catalog_add(struct mp_answers *answers, const char *name, uint32_t size);
bool mp_catalog_is_internal(const char *name);  /* std::anything, or a name of compilers and libraries */
bool mp_catalog_before(const char *name, const char *other);    /* others than those, then the alphabet */
bool mp_catalog_has(const struct mp_catalog *catalog, const char *name, uint32_t size);

#endif
