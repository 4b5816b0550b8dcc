/*
 * tally.h -- who holds memory and who allocates, from one look at a recording to the next.
 *
 * Ids of contexts and functions change from one reading of a live file to the next.  Here whatever was
 * met once keeps its id, so figures of two looks can be compared, and what a user has chosen or opened
 * stays so.  Nothing is read and nothing is drawn here.
 */
#ifndef MP_TALLY_H
#define MP_TALLY_H

#include "reporter/profile/tree.h"

enum mp_by {
    MP_BY_FUNCTION,             /* own: what is charged to it, see charge.h; within: while it ran */
    MP_BY_SITE,                 /* chains that allocated: of the tree's items those with figures of their own */
    MP_BY_TYPE,                 /* types of objects, sizes of blocks; within: the same as own */
    MP_BY_THREAD,               /* the same */
    MP_BY_TREE,                 /* callers, and what they call */
    MP_BYS
};

struct mp_tally_figures {
    uint64_t live, blocks;      /* bytes, and what they are in; of objects, all that is not known to be dead */
    uint64_t allocs, bytes;     /* allocated since recording began */
};

struct mp_tally_item {
    const char *name;
    uint32_t parent;            /* of the tree: the caller, of a smaller id; MP_NO_ID: there is none */
    uint32_t function;          /* of the tree: its item among functions; else MP_NO_ID */
    struct mp_tally_figures own, within;                /* at the last look */
    struct mp_tally_figures own_before, within_before;  /* at the one before */
};

struct mp_tally_list {
    struct mp_map keys;
    struct mp_tally_item *items;    /* by id; none ever goes */
    uint32_t n, room;
};

struct mp_tally {
    struct mp_tally_list lists[MP_BYS];     /* that of sites is empty: see mp_tally_of() */
    struct mp_tally_figures all, all_before;
    uint64_t time;              /* of the last look, ns since recording began */
    double seconds;             /* since the one before; 0: there is none */
    struct mp_arena *arena;     /* owns all of the above */
};

struct mp_tally_options {
    bool raw;                   /* charge the innermost functions, the language's own, too */
};

struct mp_tally *mp_tally_new(void);
void mp_tally_free(struct mp_tally *tally);     /* NULL is allowed */

/* Take the figures of TREE, made with `one_cut`, of a look at TIME.  Sizes are those of the view's bins, or
 * of its cell_bins where it has some. */
void mp_tally_take(struct mp_tally *tally, const struct mp_tree *tree,
                   const struct mp_tally_options *options, uint64_t time);

/* The list whose items BY shows. */
static inline const struct mp_tally_list *
mp_tally_of(const struct mp_tally *tally, enum mp_by by)
{
    return &tally->lists[by == MP_BY_SITE ? MP_BY_TREE : by];
}

/* What grew from BEFORE to NOW, 0 where a reading saw less. */
static inline uint64_t
mp_tally_grown(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

#endif
