/*
 * legacy_names.h -- names that a text of heap profilers has itself, by address.
 *
 *     0x000055d70e6c9167 grow--inlined            the section of symbols that pprof --raw puts before a profile
 *     # 0x4b3c33 main.grow+0x53 /tmp/g.go:4       the comments that Go puts behind a chain, with tabs between
 */
#ifndef MP_IMPORT_LEGACY_NAMES_H
#define MP_IMPORT_LEGACY_NAMES_H

#include "maker.h"
#include "reporter/base/map.h"

struct mp_legacy_name;

struct mp_legacy_names {
    struct mp_arena *arena;
    struct mp_map addresses;    /* has the arena, too */
    struct mp_map functions, plain;     /* names of symbols, with and without pprof's suffix; have the arena, too */
    uint32_t *n_functions, n_room;      /* by id of `plain`: functions that differ in the suffix only */
    struct mp_legacy_name **list; uint32_t room;        /* by address: innermost inlined function first */
    uint64_t last;              /* address of the last comment; 0: a line of another sort was between */
    struct mp_legacy_name **end;        /* where the next function of that address goes */
    bool comments;              /* there were some */
};

/* Takes a line of the section of symbols.  Other lines are left out. */
void mp_legacy_names_symbol(struct mp_legacy_names *names, const char *line, size_t length);

/* Takes a line of a profile, which need not be a comment of Go. */
void mp_legacy_names_comment(struct mp_legacy_names *names, const char *line, size_t length);

/* Gives FRAME, which a call returned to at ADDRESS, its names.  False: there are none. */
bool mp_legacy_names_apply(const struct mp_legacy_names *names, uint64_t address, struct mp_maker *maker,
                           uint32_t frame);

/* Returns whether the call that returned to ADDRESS has names. */
bool mp_legacy_names_has(const struct mp_legacy_names *names, uint64_t address);

#endif
