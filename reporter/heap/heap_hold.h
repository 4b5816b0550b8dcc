/* SPDX-License-Identifier: MIT */
/*
 * heap_hold.h -- finds what holds one object and what the object retains, without counting the roots of the asker.
 *
 * A program that asks about one of its objects has a reference to the object on its own stack. This reference is a
 * useless answer, so the roots of the asking thread do not count.
 */
#ifndef MP_HEAP_HOLD_H
#define MP_HEAP_HOLD_H

#include "reach.h"

/* A range of addresses, from START to before END. */
struct mp_heap_range {
    uint64_t start, end;
};

/* Moves the roots of the asker to the end of HEAP's roots and keeps the order of all others. Roots in one of the N
 * address ranges OWN are the asker's, and, if N > 0, registers. Returns the number of the other roots. */
uint32_t mp_heap_part_roots(struct mp_heap *heap, const struct mp_heap_range *own, size_t n);

/* Makes tops for the first N roots only, and frees references. HEAP keeps all its roots. */
void mp_heap_use_roots(struct mp_heap *heap, uint32_t n);

struct mp_heap_step {
    const char *what;           /* title of the root, or type of the object and the beginning of its text */
    const char *by;             /* kind and group of the root; or the slot of the previous step that refers to the
                                   object */
    uint64_t address, bytes;    /* 0 for a root */
};

struct mp_heap_hold {
    struct mp_heap_sum retained;        /* the object, and everything that is reachable only through it */
    struct mp_heap_hold_way {
        struct mp_heap_step *steps;     /* from a root to the object */
        uint32_t n;
    } *ways;                    /* the shortest first, see disjoint.h */
    uint32_t n_ways;            /* 0: no root leads to the object */
    bool more;                  /* more paths exist than were asked for; then `cut` is not computed */
    struct mp_heap_step *cut;   /* references whose removal makes the object unreachable: who refers, by which slot */
    uint32_t n_cut;
    bool own;                   /* all paths begin with the asker's roots, because no other root leads to the object */
};

/* Finds what holds the object at ADDRESS in HEAP, as at most MOST paths. If MOST is 1, finds the shortest path. Roots
 * in one of the N address ranges OWN are ignored if others lead to the object. If N > 0, registers are ignored, too,
 * because only registers of the asking thread have no address. Replaces the tops of HEAP. HOLD refers to memory of
 * ARENA. Returns false and fills *ERROR if there is no such object or references cannot be read. */
bool mp_heap_hold(struct mp_heap *heap, uint64_t address, const struct mp_heap_range *own, size_t n, uint32_t most,
                  struct mp_arena *arena, struct mp_heap_hold *hold, struct mp_error *error);

#endif
