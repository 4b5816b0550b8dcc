/* SPDX-License-Identifier: MIT */
/*
 * changes.h -- what differs between the sides of a join: by function, chain, type, module or size.
 *
 * An item has its figures in each run. If a side has several runs, its figure is their median. The median of an even
 * number of runs is the mean of the middle two, rounded down.
 *
 * A difference is more than chance in these cases:
 *
 * - One exact recording on each side: every difference is real.
 * - Several runs on a side: a difference exceeds the noise if two conditions hold. All runs of one side are smaller
 *   than all runs of the other, and the difference of the medians is larger than the largest difference between two
 *   runs of one side. The first condition is the extreme value of the statistic of Mann and Whitney (Annals of
 *   Mathematical Statistics 18, 1947, pages 50 to 60). Regardless of the distribution, n and m runs that do not really
 *   differ are in such an order at most once in C(n + m, n) / 2 times, see mp_chance(). The second condition makes
 *   this even rarer.
 * - One run on each side, at least one of them sampled: the difference has a 95 % interval, computed from the intervals
 *   of the sides (estimate.h) by the method of Zou and Donner for differences (Statistics in Medicine 27, 2008,
 *   pages 1693 to 1702).
 */
#ifndef MP_CHANGES_H
#define MP_CHANGES_H

#include "reporter/unite/join.h"

enum mp_changes_by { MP_BY_FUNCTION, MP_BY_CHAIN, MP_BY_TYPE, MP_BY_MODULE, MP_BY_SIZE, MP_CHANGES_BY };

/* Names on the command line. */
extern const char *const mp_changes_names[MP_CHANGES_BY];

enum mp_became {
    MP_SAME,
    MP_NEW,                     /* nothing was counted before */
    MP_GONE,                    /* nothing was counted after */
    MP_GROWN, MP_SHRUNK
};

/* The figure of a side is that of its only run, or the median of its runs. */
struct mp_difference {
    int64_t before, after, change;
    bool unknown;               /* a run lacks the figure */
    bool estimated;             /* the change is between low and high with 95 % confidence */
    int64_t low, high;
    uint64_t noise;             /* largest difference between runs of one side; 0 if each side has one run */
    bool certain;               /* the change exceeds the noise, or its interval does not contain 0, or it is exact */
};

struct mp_changed {
    const char *name;           /* "" if mp_changes_name() must create it */
    uint32_t id;                /* id of the function or tree node, or the size; else MP_NO_ID */
    enum mp_became became;
    struct mp_difference cost;  /* the figure that rows are sorted by */
    struct mp_difference other; /* number of blocks if cost is in bytes, bytes if cost counts blocks */
    struct mp_difference within;        /* for a function: cost including everything that it called */
    struct mp_counts *counts;   /* by run */
    struct mp_short {           /* known by function, chain and type; sums of all runs of a side */
        uint64_t bytes, of;     /* short-lived bytes, and all bytes allocated */
    } young[MP_SIDES];
};

struct mp_changes {
    const struct mp_join *join;
    enum mp_changes_by by;
    enum mp_sort cost;
    struct mp_changed *list;    /* certain changes first, then by size of the change, largest first */
    uint32_t n, room;
    uint32_t n_changed;         /* number of items that changed; they precede the others */
    struct mp_changed total;
    struct mp_tree *tree;       /* tree of the joined profile, if by function or chain; else NULL */
    uint32_t chain;             /* number of functions of a chain that are compared, or 0 for all */
    struct mp_arena *arena;
};

struct mp_changes *mp_changes_new(const struct mp_join *join, enum mp_changes_by by, enum mp_sort cost,
                                  uint32_t chain);
void mp_changes_free(struct mp_changes *changes);

/* Returns the name of ITEM. The text belongs to ITEM or is allocated in the arena of CHANGES. */
const char *mp_changes_name(struct mp_changes *changes, const struct mp_changed *item);

/* Returns the difference of a figure with VALUES by run. COUNTS, by run, are used for the intervals of estimates;
 * NULL if the values are exact. */
struct mp_difference mp_difference(const struct mp_join *join, const int64_t *values,
                                   const struct mp_counts *counts, enum mp_figure figure);

/* Returns the difference of FIGURE in COUNTS, by run. */
struct mp_difference mp_difference_of(const struct mp_join *join, const struct mp_counts *counts,
                                      enum mp_figure figure);

/* Returns the run of SIDE whose total of FIGURE is nearest to the side's median. If several are, returns the first. */
uint32_t mp_typical_run(const struct mp_join *join, enum mp_side side, enum mp_figure figure);

/* Returns the figure for `other`: the number of blocks if COST is in bytes, bytes if it counts blocks. */
enum mp_figure mp_other_figure(enum mp_sort cost);

/* Returns the number N such that, if the sides do not really differ, a difference exceeds the noise in at most one of N
 * cases. Returns 0 if each side has one run. */
double mp_chance(const struct mp_join *join);

/* Returns CHANGE without its sign. */
static inline uint64_t
mp_change_size(int64_t change)
{
    return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

#endif
