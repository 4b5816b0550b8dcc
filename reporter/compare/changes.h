/*
 * changes.h -- what differs between the sides of a join: by function, chain, type, module or size.
 *
 * An item has its figures in each run.  Where a side has several runs, its figure is their median (of an even
 * number the mean of the middle two, without fraction).
 *
 * Is a difference more than chance?
 *
 * - Of recordings that are exact, one on each side, every difference is what it is.
 * - Where a side has several runs, a difference exceeds the noise if no run of the one side lies between, or
 *   equals, runs of the other, and the difference of the medians is more than the largest difference between
 *   two runs of one side.  The former is the extreme value of the statistic of Mann and Whitney (Annals of
 *   Mathematical Statistics 18, 1947, pages 50 to 60): n and m runs that do not differ are met in such an
 *   order once in C(n + m, n) / 2 times at most, mp_chance(), whatever they are distributed like.  The latter
 *   makes it rarer.
 * - Where there is one run on each side, and one is sampled, the difference has a 95 % interval, that of Zou
 *   and Donner for differences (Statistics in Medicine 27, 2008, pages 1693 to 1702), made of those of the
 *   sides (estimate.h).
 */
#ifndef MP_CHANGES_H
#define MP_CHANGES_H

#include "join.h"

enum mp_changes_by { MP_BY_FUNCTION, MP_BY_CHAIN, MP_BY_TYPE, MP_BY_MODULE, MP_BY_SIZE, MP_CHANGES_BY };

/* How they are called on the command line. */
extern const char *const mp_changes_names[MP_CHANGES_BY];

enum mp_became {
    MP_SAME,
    MP_NEW, MP_GONE,            /* nothing of it was counted before, or after */
    MP_GROWN, MP_SHRUNK
};

/* Figures of a side are those of its runs, or their median. */
struct mp_difference {
    int64_t before, after, change;
    bool unknown;               /* a run does not tell the figure */
    bool estimated;             /* the change lies between these with 95 % confidence: */
    int64_t low, high;
    uint64_t noise;             /* largest difference between runs of one side; 0 where each has one */
    bool certain;               /* it exceeds the noise, or its interval has no 0; or there is neither */
};

struct mp_changed {
    const char *name;           /* "": it gets one from mp_changes_name() */
    uint32_t id;                /* function, node of the tree, size; else MP_NO_ID */
    enum mp_became became;
    struct mp_difference cost;  /* what rows are sorted by, */
    struct mp_difference other; /* of bytes the blocks, of blocks the bytes */
    struct mp_difference within;        /* of a function: cost with all that it called */
    struct mp_counts *counts;   /* by run */
    struct mp_short {           /* of all runs of a side, by function, chain and type: bytes that lived a short time, */
        uint64_t bytes, of;     /* of so many that were allocated */
    } young[MP_SIDES];
};

struct mp_changes {
    const struct mp_join *join;
    enum mp_changes_by by;
    enum mp_sort cost;
    struct mp_changed *list;    /* sorted: first what is certain; then what changed most */
    uint32_t n, room;
    uint32_t n_changed;         /* those before the ones that are the same */
    struct mp_changed total;
    struct mp_tree *tree;       /* of the joined profile: by function or chain; else NULL */
    uint32_t chain;             /* callers that are told apart; 0: all */
    struct mp_arena *arena;
};

struct mp_changes *mp_changes_new(const struct mp_join *join, enum mp_changes_by by, enum mp_sort cost,
                                  uint32_t chain);
void mp_changes_free(struct mp_changes *changes);

/* The text of an item.  In the arena of CHANGES. */
const char *mp_changes_name(struct mp_changes *changes, const struct mp_changed *item);

/* A difference of a figure of all runs, by run; ESTIMATED as above for COUNTS by run, or NULL: they are exact. */
struct mp_difference mp_difference(const struct mp_join *join, const int64_t *values,
                                   const struct mp_counts *counts, enum mp_figure figure);

/* Of a figure of counts, by run. */
struct mp_difference mp_difference_of(const struct mp_join *join, const struct mp_counts *counts,
                                      enum mp_figure figure);

/* The run of SIDE whose total of FIGURE is nearest the side's median; the first such. */
uint32_t mp_typical_run(const struct mp_join *join, enum mp_side side, enum mp_figure figure);

/* The figure that goes with COST: of bytes blocks, of blocks bytes. */
enum mp_figure mp_other_figure(enum mp_sort cost);

/* In how many times one such order of runs is met by chance; 0: each side has one. */
double mp_chance(const struct mp_join *join);

/* Fill the list with what there is by CHANGES->by, and its figures in each run: for changes.c. */
void mp_changes_collect(struct mp_changes *changes);

#endif
