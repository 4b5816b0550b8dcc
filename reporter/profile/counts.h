/* SPDX-License-Identifier: MIT */
/*
 * counts.h -- the counters of a set of allocations, such as those of a cell, a chain, a function or the whole
 * program.
 *
 * For C, allocs and frees count blocks of the malloc family. For Lisp they count objects, and bytes include an
 * object's payload, which is memory that belongs to it but was allocated separately. A context may have payload
 * only. Objects are freed by the collector, which has examined frees + kept_blocks of them.
 */
#ifndef MP_COUNTS_H
#define MP_COUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MP_AGES 3               /* ages in collections survived: at least 1, 2 and 4 */

/* Variances of figures estimated from samples, see estimate.h. The variance of allocated blocks or bytes is that
 * of the freed ones plus that of the kept ones and that of the new ones, which are objects that no collection has
 * examined yet. If all are 0, the figures are exact. */
struct mp_spread {
    float frees, freed, kept, kept_blocks, new_blocks, new_bytes, temporary, peak_bytes, peak_blocks;
    float most, most_bytes;     /* not variances: the largest uncertainty of a single sample */
};

/* The registry of figures, in the order of exports. Each has an enumerator MP_FIGURE_NAME, a member of struct
 * mp_counts, and the members of struct mp_figure_kind. Kept figures and those at the peak are sums of signed numbers.
 * Each figure may be unknown, see struct mp_meta. */
#define MP_EACH_FIGURE(FIGURE)                                                                    \
    FIGURE(ALLOCS, allocs, "allocs", false, "blocks are allocated")                               \
    FIGURE(BYTES, bytes, "bytes", true, "bytes are allocated")                                    \
    FIGURE(FREES, frees, "frees", false, "blocks are freed")                                      \
    FIGURE(FREED, freed, "freed_bytes", true, "bytes are freed")                                  \
    FIGURE(KEPT_BLOCKS, kept_blocks, "kept", false, "blocks are kept")                            \
    FIGURE(KEPT, kept, "kept_bytes", true, "bytes are kept")                                      \
    FIGURE(TEMPORARY, temporary, "temporary", false, "blocks are temporary")                      \
    FIGURE(PEAK_BLOCKS, peak_blocks, "peak", false, "blocks live at the peak")                    \
    FIGURE(PEAK_BYTES, peak_bytes, "peak_bytes", true, "bytes live at the peak")

#define MP_FIGURE_ENUMERATOR(name, member, key, bytes, what) MP_FIGURE_##name,
enum mp_figure { MP_EACH_FIGURE(MP_FIGURE_ENUMERATOR) MP_FIGURES };

extern const struct mp_figure_kind {
    const char *key;            /* name in JSON, CSV and SQL */
    bool bytes;                 /* counts bytes, otherwise blocks */
    const char *what;           /* human-readable text that follows the number */
} mp_figures[MP_FIGURES];       /* indexed by enum mp_figure */

/* The figures of MP_EACH_FIGURE, which every cell has. */
#define MP_BASIC_COUNTS                                                                                              \
    uint64_t allocs, bytes, frees, freed;                                                                            \
    uint64_t temporary;         /* blocks freed before their thread allocated another */                             \
    int64_t peak_bytes, peak_blocks;    /* live at the peak of the whole process; may be negative in a single cell   \
                                           read while the process ran */                                             \
    uint64_t kept, kept_blocks; /* bytes and blocks never freed; for Lisp, objects that survived a collection and    \
                                   are alive; signed in a window (window.h) */
struct mp_basic_counts {
    MP_BASIC_COUNTS
};

/* Counters that are all 0 in most cells of C. */
#define MP_FURTHER_COUNTS                                                                                            \
    uint64_t crossed;           /* C only: minimum number of blocks freed by a thread that did not allocate them; 0  \
                                   (unknown) if sampled */                                                           \
    uint64_t reallocs;          /* C only: blocks that realloc made from older ones, see struct mp_live_resized;     \
                                   this and the next two lines are 0 (unknown) if sampled */                         \
    uint64_t moved;             /* bytes of blocks that realloc moved to another address */                          \
    uint64_t steps, steps_from, steps_by;       /* reallocated blocks that grew, and whose predecessor came from the \
                                                   same call; bytes of the predecessors; bytes added */              \
    uint64_t compared, larger;  /* C only: blocks that were compared with the block before them of their context and \
                                   kind, and those that are larger; both are 0 where this is unknown */              \
    uint64_t replaced, replaced_bytes;  /* C only: the blocks and bytes beyond the maximum that was live at a time;  \
                                           a minimum, and 0 where this is unknown */                                 \
    /* the next four lines: Lisp only; 0 for C */                                                                    \
    uint64_t requested;         /* bytes requested */                                                                \
    uint64_t survived[MP_AGES]; /* objects that survived at least 1, 2 and 4 collections */                          \
    uint64_t aged;              /* bytes that survived at least one */                                               \
    uint64_t aged_frees, aged_freed;    /* objects that survived at least one and died later, and their bytes */     \
    struct mp_spread spread;
struct mp_further_counts {
    MP_FURTHER_COUNTS
};

/* All counters. `basic` and `further` are names for the members that precede them. */
struct mp_counts {
    union {
        struct { MP_BASIC_COUNTS };
        struct mp_basic_counts basic;
    };
    union {
        struct { MP_FURTHER_COUNTS };
        struct mp_further_counts further;
    };
};

/* Returns A + B. On overflow returns the largest number, because a damaged file may contain any figures. */
static inline uint64_t
mp_plus(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline int64_t
mp_plus_signed(int64_t a, int64_t b)
{
    int64_t sum;

    return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}

/* Adds kept bytes or blocks, which are stored as signed numbers because they may be negative in a window
 * (window.h). */
static inline uint64_t
mp_plus_kept(uint64_t a, uint64_t b)
{
    return (uint64_t)mp_plus_signed((int64_t)a, (int64_t)b);
}

/* Returns whether anything was allocated, or shrank within a window. Blocks may have 0 bytes, and bytes may
 * belong to objects that were allocated elsewhere. */
static inline bool
mp_basic_any(const struct mp_basic_counts *counts)
{
    return counts->allocs > 0 || counts->bytes > 0 || counts->kept_blocks != 0 || counts->kept != 0;
}

static inline bool
mp_counts_any(const struct mp_counts *counts)
{
    return mp_basic_any(&counts->basic);
}

/* Returns whether FIGURE is kept bytes or blocks, which may be negative in a window (window.h). */
static inline bool
mp_figure_is_kept(enum mp_figure figure)
{
    return figure == MP_FIGURE_KEPT || figure == MP_FIGURE_KEPT_BLOCKS;
}

/* Returns FIGURE of COUNTS. Figures that are never negative are converted from unsigned numbers. */
int64_t mp_basic_figure(const struct mp_basic_counts *counts, enum mp_figure figure);

static inline int64_t
mp_counts_figure(const struct mp_counts *counts, enum mp_figure figure)
{
    return mp_basic_figure(&counts->basic, figure);
}

/* Returns whether the figures of SPREAD are exact, as all are without sampling. */
static inline bool
mp_spread_is_exact(const struct mp_spread *spread)
{
    static const struct mp_spread exact;

    return memcmp(spread, &exact, sizeof exact) == 0;
}

void mp_spread_add(struct mp_spread *to, const struct mp_spread *from);
void mp_counts_add_basic(struct mp_basic_counts *to, const struct mp_basic_counts *from);
void mp_counts_add_further(struct mp_further_counts *to, const struct mp_further_counts *from);

static inline void
mp_counts_add(struct mp_counts *to, const struct mp_counts *from)
{
    mp_counts_add_basic(&to->basic, &from->basic);
    mp_counts_add_further(&to->further, &from->further);
}

/* The figure by which rows are sorted. Rows whose share of the figure is too small are hidden. See sort.h. */
enum mp_sort {
    MP_SORT_BYTES, MP_SORT_OBJECTS, MP_SORT_KEPT, MP_SORT_PEAK, MP_SORT_TEMPORARY, MP_SORTS
};

static inline uint64_t
mp_basic_key(const struct mp_basic_counts *counts, enum mp_sort sort)
{
    switch (sort) {
    case MP_SORT_OBJECTS:
        return counts->allocs;
    case MP_SORT_KEPT:
        return (int64_t)counts->kept < 0 ? -counts->kept : counts->kept;
    case MP_SORT_PEAK:
        return counts->peak_bytes > 0 ? (uint64_t)counts->peak_bytes : 0;
    case MP_SORT_TEMPORARY:
        return counts->temporary;
    default:
        return counts->bytes;
    }
}

static inline uint64_t
mp_counts_key(const struct mp_counts *counts, enum mp_sort sort)
{
    return mp_basic_key(&counts->basic, sort);
}

/* Returns COUNTS as if only the blocks or bytes of SORT had been allocated and all were kept. `bytes` is then
 * the value of the figure, even if it counts blocks. Negative peaks become 0. */
struct mp_counts mp_counts_only(const struct mp_counts *counts, enum mp_sort sort);
/* Returns the number of blocks live at the peak; 0 if a single cell's is negative. */
static inline uint64_t
mp_counts_blocks_at_peak(const struct mp_counts *counts)
{
    return counts->peak_blocks > 0 ? (uint64_t)counts->peak_blocks : 0;
}

/* Returns the number of objects that no collection has examined yet. */
static inline uint64_t
mp_counts_new(const struct mp_counts *counts)
{
    return counts->allocs - counts->frees - counts->kept_blocks;
}

#endif
