/* SPDX-License-Identifier: MIT */
/*
 * join.h -- several runs on two sides as one profile, joined by names.
 *
 *     join = mp_join_new(&options);
 *     mp_join_add(join, profile, view, MP_BEFORE, "old.data");     // then free both
 *     mp_join_add(join, profile, view, MP_AFTER, "new.data");
 *     mp_join_finish(join, &error);
 *     ... join->profile, mp_join_run_of(kind of a cell) ...
 *     mp_join_free(join);
 *
 * The joined profile is a view that contains the functions (unite/match.h), contexts and kinds of all runs. It also
 * contains the cells of all runs. A cell that run r counted for kind k has the kind r << 16 | k. So the profile has
 * one tree for all runs, and a figure of a run is a sum over its cells.
 */
#ifndef MP_JOIN_H
#define MP_JOIN_H

#include "match.h"
#include "reporter/graph/bins.h"
#include "reporter/profile/profile.h"

#define MP_JOIN_MOST 0xfff0u    /* maximum number of runs */

struct mp_join_options {
    bool all_frames;            /* show functions that start main and threads, too */
    bool short_names;           /* shorten the names of functions, see short_names.h */
    bool raw;                   /* charge the innermost function even if it belongs to the Lisp runtime */
    bool by_cells;              /* compute bins of sizes from cells, see bins.h */
};

struct mp_join_module {
    uint32_t module;            /* in the joined profile, or MP_NO_ID if there is none */
    struct mp_counts counts;    /* charged to its functions, see charge.h */
};

struct mp_join_run {
    enum mp_side side;
    const char *label;          /* file name and, if only a part is compared, that part */
    struct mp_meta meta;
    bool part;                  /* only a part of the time: what was alive at one point in time (`alive`), or what
                                   happened between two */
    bool alive, exact;          /* see window.h */
    const char *from, *to;      /* ends of the window in words; NULL if the whole recording */
    struct mp_counts total;     /* of what is shown; estimated if the run was sampled */
    uint64_t allocs, bytes;     /* exact if everything is shown */
    uint64_t unseen;            /* as in struct mp_profile */
    bool lifetimes;             /* lifetimes of blocks are known */
    uint64_t short_bytes;       /* short-lived bytes, if lifetimes are known */
    uint64_t cut;               /* allocations whose chain was cut for a reason other than a requested depth */
    struct mp_counts *bins;     /* MP_CELL_BINS of them, see bins.h */
    const struct mp_join_module *modules;
    uint32_t n_modules;
    uint32_t *nameless;         /* modules without symbols, of the joined profile */
    uint32_t n_nameless;
};

struct mp_join {
    struct mp_join_options options;
    struct mp_profile *profile; /* the joined profile, or NULL before mp_join_finish() */
    struct mp_join_run *runs;   /* in the order of addition */
    uint32_t n_runs, n_of[MP_SIDES], room;
    struct mp_unite *unite;
    struct mp_arena *arena;     /* owns everything except the profile */
};

struct mp_join *mp_join_new(const struct mp_join_options *options);
void mp_join_free(struct mp_join *join);

/* Adds a run: VIEW, which is a view of PROFILE. Both can then be freed. The maximum is MP_JOIN_MOST runs. */
void mp_join_add(struct mp_join *join, const struct mp_profile *profile, struct mp_profile *view,
                 enum mp_side side, const char *label);

/* Creates the joined profile after all runs were added. Returns false and fills *ERROR if the runs have too many kinds
 * of objects. */
bool mp_join_finish(struct mp_join *join, struct mp_error *error);

/* Returns true if FIGURE is unknown for one of the runs. In a run of one point in time, allocs and bytes contain what
 * was alive, so they are known. */
static inline bool
mp_join_is_unknown(const struct mp_join *join, enum mp_figure figure)
{
    for (uint32_t i = 0; i < join->n_runs; i++) {
        const struct mp_join_run *run = &join->runs[i];
        bool alive = run->alive && (figure == MP_FIGURE_BYTES || figure == MP_FIGURE_ALLOCS);

        if (!alive && run->meta.unknown & 1u << figure)
            return true;
    }
    return false;
}

/* Return the run and the original kind of a cell's KIND in the joined profile. */
static inline uint32_t
mp_join_run_of(uint32_t kind)
{
    return kind >> 16;
}

static inline uint32_t
mp_join_kind_of(uint32_t kind)
{
    return kind & 0xffff;
}

/* Returns the short-lived bytes among COUNTS of KIND. For blocks this is OF_BLOCKS, from recorded lifetimes; for
 * objects, the bytes that the first collection found dead. */
static inline uint64_t
mp_join_short(uint32_t kind, const struct mp_counts *counts, uint64_t of_blocks)
{
    return mp_join_kind_of(kind) < MP_KIND_LISP ? of_blocks : counts->freed - counts->aged_freed;
}

/* Returns true if lifetimes of blocks are known for all runs. */
static inline bool
mp_join_has_lifetimes(const struct mp_join *join)
{
    bool has = join->n_runs > 0;

    for (uint32_t i = 0; i < join->n_runs; i++)
        has &= join->runs[i].lifetimes;
    return has;
}

/* Returns the first run of SIDE, which must exist. */
static inline const struct mp_join_run *
mp_join_first(const struct mp_join *join, enum mp_side side)
{
    const struct mp_join_run *run = join->runs;

    while (run->side != side)
        run++;
    return run;
}

#endif
