/*
 * join.h -- several runs on two sides as one profile, joined by names.
 *
 *     join = mp_join_new(&options);
 *     mp_join_add(join, profile, view, MP_BEFORE, "old.data");       // and free both
 *     mp_join_add(join, profile, view, MP_AFTER, "new.data");
 *     mp_join_finish(join);
 *     ... join->profile, mp_join_run_of(cell) ...
 *     mp_join_free(join);
 *
 * The joined profile is a view like any other, with the functions (match.h), contexts and kinds that any run
 * has.  It has the cells of all runs: what run r counted of kind k is a cell of the kind r << 16 | k.  So the
 * tree of the profile is that of all runs, and each figure of each run is a sum of its cells.
 */
#ifndef MP_JOIN_H
#define MP_JOIN_H

#include "match.h"
#include "reporter/profile/bins.h"
#include "reporter/profile/profile.h"

#define MP_JOIN_MOST 0xfff0u    /* runs */

struct mp_join_options {
    bool all_frames;            /* what starts main and threads, too */
    bool short_names;           /* of functions, see short_names.h */
    bool raw;                   /* charge innermost functions, also those of the language's runtime */
    bool by_cells;              /* sizes as cells tell them, see bins.h */
};

struct mp_join_module {
    uint32_t module;            /* in the joined profile; MP_NO_ID: none */
    struct mp_counts counts;    /* what its functions are charged with, see charge.h */
};

struct mp_join_run {
    enum mp_side side;
    const char *label;          /* its file, and which part of it */
    struct mp_meta meta;
    bool part;                  /* of the time: `alive`, what lived at one moment, or what happened between two */
    bool alive, exact;          /* see window.h */
    const char *from, *to;      /* of that, for people; NULL: of all */
    struct mp_counts total;     /* of what is shown; of a sampled run */
    uint64_t allocs, bytes;     /* these are exact, if all is shown */
    uint64_t unseen;            /* as of the profile */
    bool lifetimes;             /* how long blocks lived is known */
    uint64_t short_bytes;       /* then: of what lived a short time */
    uint64_t cut;               /* allocations whose chain is cut, for whatever reason but the depth wanted */
    struct mp_counts *bins;     /* MP_CELL_BINS of them, see bins.h */
    const struct mp_join_module *modules;
    uint32_t n_modules;
    const char **nameless;      /* modules that have no names, as the joined profile calls them */
    uint32_t n_nameless;
};

struct mp_join_types {
    const char **names;         /* of a size */
    uint32_t n, room;
};

struct mp_join {
    struct mp_join_options options;
    struct mp_profile *profile; /* owns all texts, lists and tables here */
    struct mp_join_run *runs;   /* in the order in which they were added */
    uint32_t n_runs, n_of[MP_SIDES], room;
    struct mp_join_types types[MP_BINS];
    struct mp_joiner *joiner;   /* until it is finished */
};

struct mp_join *mp_join_new(const struct mp_join_options *options);
void mp_join_free(struct mp_join *join);

/* One more run, VIEW of PROFILE; both can be freed then.  There may be MP_JOIN_MOST. */
void mp_join_add(struct mp_join *join, const struct mp_profile *profile, struct mp_profile *view,
                 enum mp_side side, const char *label);

/* All runs were added: make the joined profile. */
void mp_join_finish(struct mp_join *join);

/* Is FIGURE not known of one of the runs?  Of a moment, what lived then stands in the place of what was allocated. */
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

/* Of a cell of the joined profile. */
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

/* Of what COUNTS has of KIND, the bytes that lived a short time: of blocks OF_BLOCKS, as was recorded; of objects those
 * that the first collection found dead. */
static inline uint64_t
mp_join_short(uint32_t kind, const struct mp_counts *counts, uint64_t of_blocks)
{
    return mp_join_kind_of(kind) < MP_KIND_LISP ? of_blocks : counts->freed - counts->aged_freed;
}

/* Is it known of all runs how long blocks lived? */
static inline bool
mp_join_has_lifetimes(const struct mp_join *join)
{
    bool has = join->n_runs > 0;

    for (uint32_t i = 0; i < join->n_runs; i++)
        has &= join->runs[i].lifetimes;
    return has;
}

/* The first run of SIDE. */
static inline const struct mp_join_run *
mp_join_first(const struct mp_join *join, enum mp_side side)
{
    const struct mp_join_run *run = join->runs;

    while (run->side != side)
        run++;
    return run;
}

#endif
