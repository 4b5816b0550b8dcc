/*
 * profile.h -- a profile in memory: what every reader fills and every report reads.
 *
 * The way of the data:  reader_live / reader_sealed -> struct mp_profile -> symbols -> reducer,
 * tables, seal.  The profile owns everything in it; cross-references are indices (ids), checked
 * by the reader, so that later stages need not doubt them.  Strings are owned by the profile,
 * never NULL ("" when unknown), and free of control characters (readers escape them).
 */
#ifndef MP_PROFILE_H
#define MP_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counts.h"
#include "processes.h"
#include "timeline.h"
#include "reporter/base/arena.h"
#include "reporter/base/error.h"
#include "reporter/base/map.h"
#include "runtime/format.h"
#include "runtime/sizeclass.h"


/* An ELF object of the process, one for each time it was loaded. */
struct mp_module {
    const char *path;           /* fit to be printed */
    const char *file;           /* as the file system has it; NULL: the same */
    const char *name;           /* last component of path */
    uint64_t start, end, bias;  /* addresses in the process (live form only; else 0) */
    uint8_t build_id[32];
    uint32_t build_id_size;
    bool unloaded;
    bool in_file;               /* offsets of its frames are places in the file, until symbols has read where
                                   the file's parts are mapped */
    const char *problem;        /* "" or why its names could not be had: "missing", "changed
                                   (build-id ab12.., recorded cd34..)", "no symbols" (no frame got a
                                   name) ...; filled by symbols for modules with frames */
};

/* A function of the program: one declaration (or one start, without debug information) in one
 * file; see symbols.h.  A file that was loaded twice has its functions once. */
struct mp_function {
    const char *name;           /* for people: demangled; unique within the profile, so
                                   "program!init" where two share a name */
    uint32_t module;            /* MP_NO_ID: none (generated code, marks) */
    uint64_t start;             /* offset in the module (address - bias); 0 if not known */
    const char *plain;          /* the same name in every profile: demangled, but without what made
                                   `name` unique; NULL: not known */
    const char *file;           /* source file that declares it; NULL: not known */
    uint32_t label;             /* the label of processes that it shows, plus 1, see process_part.h; 0: none */
};

/* Where a frame was in the source: a frame has one location for each inlined function at its
 * address and one for the function that holds them; the innermost comes first. */
struct mp_location {
    uint32_t function;
    uint32_t line;              /* 0 not known */
    const char *file;           /* "" not known */
    bool inlined;               /* inlined into the next location of the same frame */
};

/* What the language's runtime calls a function; several may have one name. */
struct mp_name {
    const char *name;           /* as its printer writes it */
    const char *file;           /* "" not known */
    int64_t position;           /* in the file, characters; -1 not known */
    bool dispatch;              /* passes a call on; not for people */
    bool builtin;               /* the runtime's own */
};

struct mp_frame {
    uint32_t module;            /* MP_NO_ID: in no module */
    uint32_t mark;              /* enum mp_frame_mark, or 0: a real frame */
    uint64_t offset;            /* address - bias of its module (or the address itself) */
    bool exact;                 /* a signal interrupted here: the instruction is at offset, not before */
    bool runtime;               /* code of the language's runtime */
    bool interpreted;           /* stands for its interpreter; in no module, and offset is no address;
                                   if it is exact, too, it stands for the thread: mp_frame_is_thread() */
    bool label;                 /* of a merged profile: tells from which processes the chains are that begin
                                   with it, see processes.h; interpreted and exact, too, but in a part by
                                   process, where it is a function */
    uint32_t name;              /* in mp_profile.names; MP_NO_ID: none */
    uint32_t first_location, n_locations;   /* n >= 1 after symbolisation, for every frame, marks too */
};

/* contexts[0] is the root (frame MP_NO_ID, parent 0).  parent < own id. One node for each path. */
struct mp_context {
    uint32_t parent;
    uint32_t frame;
};

/* A kind of object from MP_KIND_LISP on.  Sorted, each once. */
struct mp_object_kind {
    uint32_t kind;
    uint32_t base;              /* the built-in kind that it is one of; itself: built-in */
    const char *name;
    char category;              /* one of MP_CATEGORIES */
};
#define MP_CATEGORIES "cfso"    /* cons, float, structure or vector, other */


/* What was allocated in one context of one kind.  Sorted by (context, kind), each pair once. */
struct mp_cell {
    uint32_t context;
    uint32_t kind;              /* enum mp_kind, or one of mp_profile.kinds */
    uint32_t size_min, size_max;            /* bytes, saturated; min > max: not known */
    struct mp_counts counts;
    struct mp_lifetimes *lifetimes;         /* of those that were freed, see lifetimes.h; NULL: none is known */
};

struct mp_bin {
    uint64_t allocs, bytes, frees, freed;
    uint32_t first_type, n_types;           /* in mp_profile.types; filled by symbols */
};

/* How deep the own stacks of threads were, at their deepest recorded allocations.  Sorted by context, each once. */
struct mp_stack {
    uint32_t context;           /* of the deepest of these allocations; 0 not known */
    uint32_t threads;           /* how many they are of */
    uint64_t deepest;           /* bytes, from the outermost frame to that of the function which allocated */
    bool away;                  /* some of them allocated on other stacks, too, or on what was not known to be
                                   their own: that is not counted */
};

/* Frees that are faults of the program: see enum mp_bad_free_kind. */
struct mp_bad_frees {
    const struct mp_profile *of;        /* whose contexts these are: not those of a view */
    uint64_t counts[MP_BAD_FREES];
    struct mp_bad_free {
        uint32_t kind, context;
        uint64_t count;
    } *places;
    uint32_t n;
};

struct mp_profile {
    struct mp_meta meta;
    struct mp_module *modules;      uint32_t n_modules;
    struct mp_function *functions;  uint32_t n_functions;
    struct mp_location *locations;  uint32_t n_locations;
    struct mp_frame *frames;        uint32_t n_frames;
    struct mp_context *contexts;    uint32_t n_contexts;
    struct mp_cell *cells;          uint32_t n_cells;
    struct mp_cell *samples;        uint32_t n_samples; /* of a sampled recording: see samples.h; there
                                       cells are estimates, and of bins allocs and bytes are exact and all
                                       that is known, */
    struct mp_counts *bin_counts;   /* but for these estimates, MP_BINS of them; else NULL */
    struct mp_spread unmet;         /* what the blocks may be of sizes of which none was met */
    uint64_t unseen;                /* of a sampled recording, blocks: a part of the program of which there
                                       is no sample has not more */
    struct mp_bin bins[MP_BINS];
    struct mp_counts *cell_bins;    /* of a view: what cells tell of sizes, see bins.h; else NULL */
    const char **types;             uint32_t n_types;
    struct mp_name *names;          uint32_t n_names;
    struct mp_object_kind *kinds;   uint32_t n_kinds;
    const char **sources;           uint32_t n_sources;     /* of a view: those whose lines were
                                                               wanted and cannot be told, and why */
    const char **skipped;           uint32_t n_skipped;     /* of a view: functions that are no part
                                                               of its chains, see skip.h */
    uint32_t *forms;                uint32_t n_forms;   /* contexts: what is below them was recorded
                                       by a form, which they are the way to; ascending, each once */
    struct mp_stack *stacks;        uint32_t n_stacks;  /* none: not known, as in a part of the time */
    struct mp_bad_frees *bad_frees; /* NULL: none, as in a part of the time and of several processes */
    struct mp_collections *collections;     /* of the language's heap, see collections.h; NULL: not known */
    struct mp_live_allocator allocator;     /* what malloc held in the end, see allocator.h; held 0: not known,
                                       as in a part of the time and of several processes */
    struct mp_timeline *timeline;   /* how it went, see timeline.h; NULL: nobody wrote that down */
    const struct mp_processes *processes;   /* that it was merged of, see processes.h; NULL: it was not */
    const struct mp_window *window; /* the part of a recording that this is, see window.h; NULL: all of it */
    struct mp_profile *base;        /* of a view: it is one of this part, which is freed with it; or NULL */
    bool symbolised;                /* functions, locations and types are filled */
    bool lifetimes;                 /* how long blocks live was recorded, of a merged one in some process */
    struct mp_arena *arena;         /* owns all of the above */
};

/* An empty profile (root context only) with an arena of its own. */
struct mp_profile *mp_profile_new(void);
void mp_profile_free(struct mp_profile *profile);

/* Let TO, a new profile, have all that FROM has, which must outlive it. */
void mp_profile_share(struct mp_profile *to, const struct mp_profile *from);

/* The context of FRAME called by PARENT in PROFILE, which has room; new ones are in CONTEXTS, which has all that
 * were made so. */
uint32_t mp_profile_context(struct mp_profile *profile, struct mp_map *contexts, uint32_t parent,
                            uint32_t frame);

/* Fill what is kept of each cell, see mp_counts_set_kept(): the last step of every reader. */
void mp_profile_set_kept(struct mp_profile *profile);

/* Is FIGURE not known of PROFILE? */
static inline bool
mp_is_unknown(const struct mp_profile *profile, enum mp_figure figure)
{
    return profile->meta.unknown & 1u << figure;
}

/* Are figures of what META tells of estimates? */
static inline bool
mp_is_estimated(const struct mp_meta *meta)
{
    return meta->sample_period > 0 || meta->foreign_period > 0;
}

/* The kind of object numbered KIND; NULL: not in the profile. */
const struct mp_object_kind *mp_profile_kind(const struct mp_profile *profile, uint32_t kind);

/* "33 to 256 bytes": of KIND, a size class of C. */
const char *mp_size_class_name(unsigned kind);

/* What the runtime calls the function of FRAME; NULL: nothing. */
static inline const struct mp_name *
mp_frame_name(const struct mp_profile *profile, const struct mp_frame *frame)
{
    return frame->name < profile->n_names ? &profile->names[frame->name] : NULL;
}

/* Is FUNCTION known by its place alone, "libfoo.so+0x1234"? */
bool mp_function_is_nameless(const struct mp_profile *profile, const struct mp_function *function);

/* How many of FRAME's locations count, the innermost: more than compilers inline at one address are in
 * damaged files only, and left out, so that time and memory are bounded by the file's size. */
static inline uint32_t
mp_frame_locations(const struct mp_frame *frame)
{
    return frame->n_locations < 256 ? frame->n_locations : 256;
}

/* Outermost on the chains of a thread that has a name. */
static inline bool
mp_frame_is_thread(const struct mp_frame *frame)
{
    return frame->mark == 0 && frame->interpreted && frame->exact && !frame->label;
}

/* Is it the sum of several processes, whose peaks are no peak of all? */
static inline bool
mp_profile_is_sum(const struct mp_profile *profile)
{
    return profile->processes && profile->processes->n > 1;
}

/* Outermost on the chains of a merged profile. */
static inline bool
mp_frame_is_label(const struct mp_frame *frame)
{
    return frame->label && frame->interpreted;
}

static inline bool
mp_is_lisp(const struct mp_cell *cell)
{
    return cell->kind >= MP_KIND_LISP;
}

/* How many more blocks there may be in a part of PROFILE that was sampled with SPREAD. */
static inline uint64_t
mp_unseen(const struct mp_profile *profile, const struct mp_spread *spread)
{
    return spread->most > 0 ? 0 : profile->unseen;
}

/* Sums over all cells. */
struct mp_totals {
    struct mp_counts c, lisp;       /* of kinds below and from MP_KIND_LISP on */
    struct mp_counts all;           /* of a sampled recording estimates, for which these are exact: */
    uint64_t allocs, bytes;
    uint64_t cut_allocs;            /* allocations whose chain is cut by CUT_NO_RULE or CUT_MEMORY */
    uint64_t cut_contexts;          /* distinct such chains */
    uint64_t depth_cut_allocs;      /* cut by request (CUT_DEPTH) */
    struct mp_spread cut_spread, depth_cut_spread;      /* of these two, if they are estimates, and */
    uint64_t cut_unseen, depth_cut_unseen;              /* how many more there may be: mp_unseen() */
    uint32_t depth_max;             /* frames of the longest chain */
};
void mp_profile_totals(const struct mp_profile *profile, struct mp_totals *totals);

#endif
