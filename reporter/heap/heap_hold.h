/*
 * heap_hold.h -- who holds one object, and what goes with it, without some of the roots: those of who asks.
 *
 * A program that asks for an object refers to it by asking: that is no answer.
 */
#ifndef MP_HEAP_HOLD_H
#define MP_HEAP_HOLD_H

#include "reach.h"

/* Addresses of words, from START to before END. */
struct mp_heap_range {
    uint64_t start, end;
};

struct mp_heap_step {
    const char *what;           /* of a root its title, of an object its type, and how its text begins */
    const char *by;             /* of a root its kind and its group, of an object the slot of the one before it */
    uint64_t address, bytes;    /* of a root 0 */
};

struct mp_heap_hold {
    struct mp_heap_sum retained;        /* the object, and what is reached from it and without it is not */
    struct mp_heap_hold_way {
        struct mp_heap_step *steps;     /* from a root */
        uint32_t n;
    } *ways;                    /* a shortest one first; see disjoint.h */
    uint32_t n_ways;            /* 0: no root leads to it */
    bool more;                  /* there are more ways than were asked for; else, if several were: */
    struct mp_heap_step *cut;   /* the references to be cleared: what refers, and by which slot */
    uint32_t n_cut;
    bool own;                   /* ways begin with roots that do not count: no other leads there */
};

/* What holds the object at ADDRESS in HEAP: at most MOST ways, of which there is none or one if MOST is 1.  Roots
 * whose words are in one of the N ranges OWN do not count, and if there are any, neither do registers: only those of
 * the thread that asked stand in no word.  HEAP has other tops then, and ARENA owns what HOLD refers to.  False and
 * *ERROR: there is no object. */
bool mp_heap_hold(struct mp_heap *heap, uint64_t address, const struct mp_heap_range *own, size_t n, uint32_t most,
                  struct mp_arena *arena, struct mp_heap_hold *hold, struct mp_error *error);

#endif
