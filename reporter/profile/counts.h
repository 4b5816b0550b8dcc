/*
 * counts.h -- all figures of what was allocated somewhere: in a cell, on a chain, by a function, in
 * the whole program.
 *
 * Of C, allocs and frees are blocks of the malloc family.  Of Lisp they are objects; bytes are those
 * of the objects and of what belongs to them (their payload), which may be all that was allocated
 * here.  Frees are then the collector's: it has examined frees + kept_blocks objects.
 */
#ifndef MP_COUNTS_H
#define MP_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#define MP_AGES 3               /* how many collections were survived: 1, 2, 4 or more */

/* Variances of figures that are estimated from samples, see estimate.h.  Of what was allocated they are the
 * sums of those of what was freed and what is kept.  All 0: the figures are exact. */
struct mp_spread {
    float frees, freed, kept, kept_blocks, temporary, peak_bytes, peak_blocks;
    float most, most_bytes;     /* no variance, but the largest uncertainty of one sample */
};

enum mp_figure {
    MP_FIGURE_ALLOCS, MP_FIGURE_BYTES, MP_FIGURE_FREES, MP_FIGURE_FREED, MP_FIGURE_TEMPORARY,
    MP_FIGURE_PEAK_BYTES, MP_FIGURE_PEAK_BLOCKS, MP_FIGURE_KEPT, MP_FIGURE_KEPT_BLOCKS
};

struct mp_counts {
    uint64_t allocs, bytes, frees, freed;
    uint64_t temporary;         /* blocks freed before their thread allocated another */
    uint64_t crossed;           /* of C: blocks freed by another thread than had allocated them, at
                                   least; of a sampled recording it is not known, and 0 */
    uint64_t reallocs;          /* of C: blocks that realloc made of older ones, see struct mp_live_resized;
                                   of a sampled recording this and the following are not known, and 0; */
    uint64_t moved;             /* bytes of these that got another address; */
    uint64_t steps, steps_from, steps_by;       /* blocks of these that are larger than the older one, which
                                   the same call had allocated, bytes of the older, and bytes more */
    int64_t peak_bytes, peak_blocks;    /* live at the peak of the whole process; of a single cell
                                           that was read while the process ran, less than 0 */
    uint64_t kept, kept_blocks; /* bytes and blocks never freed; of Lisp, of what survived a
                                   collection and still lives; of a part of the time signed: window.h */

    /* Of Lisp only, else 0. */
    uint64_t requested;         /* bytes asked for */
    uint64_t survived[MP_AGES]; /* objects that survived >= 1, 2, 4 collections */
    uint64_t aged;              /* bytes that survived one */
    uint64_t aged_frees, aged_freed;        /* objects and bytes of them that died since */

    struct mp_spread spread;
};

/* Sums of a damaged file stick at the largest number instead of wrapping round. */
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

/* The same of what is kept, which in a part of the time may be less than 0, see window.h: then it is stored as
 * a signed number is. */
static inline uint64_t
mp_plus_kept(uint64_t a, uint64_t b)
{
    return (uint64_t)mp_plus_signed((int64_t)a, (int64_t)b);
}

/* Was anything allocated, or, in a part of the time, did anything shrink?  Blocks may be of no bytes, and
 * bytes may belong to objects that were allocated elsewhere. */
static inline bool
mp_counts_any(const struct mp_counts *counts)
{
    return counts->allocs > 0 || counts->bytes > 0 || counts->kept_blocks != 0 || counts->kept != 0;
}

void mp_spread_add(struct mp_spread *to, const struct mp_spread *from);
void mp_counts_add(struct mp_counts *to, const struct mp_counts *from);

/* Fill kept and kept_blocks, LISP or not, from the other figures, none of which is more than what it
 * is a part of, see mp_check_cells(). */
void mp_counts_set_kept(struct mp_counts *counts, bool lisp);

/* What rows are sorted by, and must have a share of to be shown; see sort.h. */
enum mp_sort {
    MP_SORT_BYTES, MP_SORT_OBJECTS, MP_SORT_KEPT, MP_SORT_PEAK, MP_SORT_TEMPORARY, MP_SORTS
};

static inline uint64_t
mp_counts_key(const struct mp_counts *counts, enum mp_sort sort)
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

/* Objects that no collection has examined yet. */
static inline uint64_t
mp_counts_new(const struct mp_counts *counts)
{
    return counts->allocs - counts->frees - counts->kept_blocks;
}

#endif
