/* SPDX-License-Identifier: MIT */
/*
 * profile.h -- a profile in memory. Readers (file/, import/) fill it, symbols/ adds names, and reports read it.
 *
 * reporter/profile/ owns this struct, its figures and the facts about its processes. It uses only reporter/base/,
 * reads no file, and prints nothing. All directories after it in tests/lint/rooms.txt call it.
 *
 * The profile owns everything in it. Cross-references are indices (ids). Readers check them, so later stages
 * need not. Strings are owned by the profile, are never NULL ("" if unknown) and contain no control characters,
 * because readers escape them.
 */
#ifndef MP_PROFILE_H
#define MP_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "counts.h"
#include "identity.h"
#include "mapped_memory.h"
#include "processes.h"
#include "resident.h"
#include "timeline.h"
#include "reporter/base/arena.h"
#include "reporter/base/error.h"
#include "reporter/base/map.h"
#include "runtime/format.h"
#include "runtime/sizeclass.h"

/* An ELF object of the process. An object that was loaded twice has two modules. */
struct mp_module {
    const char *path;           /* printable */
    const char *file;           /* path as in the file system, or NULL if it equals `path` */
    const char *name;           /* last component of path */
    uint64_t start, end, bias;  /* addresses in the process; 0 in profiles read from the sealed form */
    uint8_t build_id[32];
    uint32_t build_id_size;
    enum mp_module_file file_state;     /* in profiles read from the live form, what is known of its file: */
    uint64_t inode, size, mtime;
    bool unloaded;
    bool in_file;               /* whether frame offsets are offsets in the file; symbols/ converts them with the
                                   file's mapping */
    const char *problem;        /* why its names are unavailable: "missing", "changed (build-id ab12.., recorded
                                   cd34..)", "no symbols" (no frame got a name) ..., or "". Filled by symbols/ for
                                   modules with frames */
    const char *package;        /* if it has no symbols, the Debian package that would bring them, or NULL if unknown.
                                   Filled by mp_symbol_packages() */
};

/* Where a frame was in the source. A frame has a location for each function inlined at its address, innermost
 * first, and one for the function that contains them. */
struct mp_location {
    uint32_t function;
    uint32_t line;              /* line number, or 0 if unknown */
    const char *file;           /* source file, or "" if unknown */
    bool inlined;               /* inlined into the next location of the same frame */
};

/* The name that the language's runtime gives a function. Several functions may have the same name. */
struct mp_name {
    const char *name;           /* as the runtime prints it */
    const char *file;           /* source file, or "" if unknown */
    int64_t position;           /* offset in the file in characters, or -1 if unknown */
    bool dispatch;              /* whether it only dispatches calls and is not shown to users */
    bool builtin;               /* whether it belongs to the runtime */
};

struct mp_frame {
    uint32_t module;            /* MP_NO_ID if none */
    uint32_t mark;              /* enum mp_frame_mark, or 0 for a real frame */
    uint64_t offset;            /* address - bias of its module; without a module, the address */
    bool exact;                 /* whether a signal interrupted here, so that the instruction is at `offset` and
                                   not before it */
    bool runtime;               /* whether it is code of the language's runtime */
    bool interpreted;           /* represents an interpreted function; the frame has no module, and `offset` is no
                                   address. If `exact`, too, it represents the thread: mp_frame_is_thread() */
    bool unproved;              /* its caller was found by a frame pointer that no unwind information proves */
    bool tail;                  /* was restored by symbols/tail_calls.h: its function ended with a tail call, and
                                   `offset` is the address after that */
    bool label;                 /* merged profile: represents the processes of the chains that begin with it, see
                                   processes.h. `interpreted` and `exact` are also set, except in a part by
                                   process, where it is a function */
    uint32_t name;              /* index in mp_profile.names, or MP_NO_ID */
    uint32_t first_location, n_locations;   /* n >= 1 in every symbolised frame, including marks; all frames together
                                               have at most the profile's n_locations */
};

/* A context, one for each path. contexts[0] is the root (frame MP_NO_ID, parent 0). A context's id is greater
 * than its parent's. */
struct mp_context {
    uint32_t parent;
    uint32_t frame;
};

/* A kind of object, MP_KIND_LISP or greater. The list is sorted and has each kind once. */
struct mp_object_kind {
    uint32_t kind;
    uint32_t base;              /* the built-in kind that it belongs to; a built-in kind is its own base */
    const char *name;
    char category;              /* one of MP_CATEGORIES */
    uint64_t allocs, bytes;     /* if objects are sampled: all objects of a built-in kind and its classes, exactly,
                                   without the blocks that belong to them; else 0 */
};
#define MP_CATEGORIES "cfso"    /* cons, float, structure or vector, other */

/* The counts of one kind in one context. Cells are sorted by (context, kind), each pair once. They are most of the
 * memory of a profile: 96 bytes each on 64-bit machines, where a context has 8. Ids and sizes take 16, the figures of
 * MP_EACH_FIGURE 72, and the pointer 8. */
struct mp_cell {
    uint32_t context;
    uint32_t kind;              /* enum mp_kind, or one of mp_profile.kinds */
    uint32_t size_min, size_max;            /* bytes, saturated; unknown if the minimum exceeds the maximum */
    struct mp_basic_counts counts;
    struct mp_cell_rest *rest;  /* what few cells of C have, or NULL if there is nothing of that */
};

/* What most cells of Lisp and of samples have, and few cells of C: 192 bytes on 64-bit machines. Views share the rest
 * of their profile's cells. Only the code that created it, or that called mp_cell_own_rest(), may change it. */
struct mp_cell_rest {
    struct mp_further_counts counts;
    struct mp_lifetimes *lifetimes;         /* lifetimes of freed blocks, see lifetimes.h, or NULL if unknown */
};

struct mp_bin {
    uint64_t allocs, bytes, frees, freed;
    uint32_t first_type, n_types;           /* indices in mp_profile.types, filled by symbols/ */
};

/* Frees that reveal faults of the program, see enum mp_bad_free_kind. */
struct mp_bad_frees {
    const struct mp_profile *of;        /* profile to which the contexts belong; not a view */
    enum mp_sentinel sentinel;          /* whether overruns were looked for */
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
    struct mp_cell *samples;        uint32_t n_samples; /* sampled recording: the samples, see samples.h; cells are
                                                           then estimates, and only allocs and bytes of bins are
                                                           known, exactly */
    struct mp_counts *bin_counts;   /* sampled recording: estimates for the other figures of the MP_BINS bins; else
                                       NULL */
    struct mp_spread unmet;         /* sampled recording: uncertainty because blocks of some sizes were allocated, but
                                       none of them was sampled */
    struct mp_spread unmet_objects; /* the same of objects, if these are sampled */
    uint64_t owned_blocks, owned_bytes; /* if objects are sampled: blocks that belong to objects, exactly; else 0 */
    uint64_t unseen;                /* sampled recording: maximum number of blocks in a part of the program that has
                                       no sample */
    struct mp_bin bins[MP_BINS];
    struct mp_counts *cell_bins;    /* view: counts by size summed from cells, see bins.h; else NULL */
    const char **types;             uint32_t n_types;
    struct mp_name *names;          uint32_t n_names;
    struct mp_object_kind *kinds;   uint32_t n_kinds;
    const char **sources;           uint32_t n_sources;     /* view: source files whose line numbers were needed but
                                                               are unavailable, with the reason */
    const char **unlined;           uint32_t n_unlined;     /* view: source files of compiled functions of the
                                                               language of which no line is known */
    const char **skipped;           uint32_t n_skipped;     /* view: functions removed from its chains, see skip.h */
    uint32_t *restored_to;          /* by context before frames were restored (symbols/tail_calls.h): the context of
                                       what was counted there; NULL if none was restored */
    const uint32_t *through;        /* view: by context, the outermost function that was removed from the inner end of
                                       its chains, the one with most blocks if there are several, or MP_NO_ID. NULL if
                                       none was removed */
    const uint32_t *served;         /* view: by function, the number of functions that a wrapper known by what it does
                                       allocates for, or 0, see wrappers.h; NULL if these were not looked for */
    uint32_t *wrappers;             /* the result of mp_wrappers_find(), or NULL before its first call */
    struct mp_totals *totals;       /* the result of mp_profile_totals() since all is symbolised, or NULL before its
                                       first call */
    uint32_t *forms;                uint32_t n_forms;   /* contexts that lead to a recorded form; everything below
                                                           them was recorded by it. Ascending, each once */
    struct mp_mappings *mappings;   /* or NULL, as in a window, in a merged profile and in a part of it */
    struct mp_resident *account;     /* or NULL, as in a window, in a merged profile and in a part of it; it refers to
                                       `mappings` */
    struct mp_bad_frees *bad_frees; /* or NULL; always NULL in a window and in a part of a merged profile */
    struct mp_collections *collections;     /* collections of the language's heap, see collections.h, or NULL if
                                               unknown */
    struct mp_live_allocator allocator;     /* memory that malloc held at the end, see held_memory.h; held is 0 if
                                               unknown, as in a window and in a merged profile */
    uint64_t private_peak;          /* largest private resident memory of the process that was seen, less that at the
                                       beginning of the recording, bytes; 0 if unknown, as in a window and in a merged
                                       profile */
    struct mp_timeline *timeline;   /* course of the recording, see timeline.h, or NULL if none was recorded */
    const struct mp_processes *processes;   /* the merged processes, see processes.h, or NULL if the profile is not
                                               merged */
    const struct mp_window *window; /* part of the time that this profile covers, see window.h, or NULL for all */
    struct mp_profile *base;        /* view: the part that it was made from, which is freed with it, or NULL */
    bool symbolised;                /* whether functions, locations and types are filled */
    bool renamed;                   /* whether it has better names than its data file */
    bool lifetimes;                 /* whether lifetimes were recorded; in a merged profile, by some process */
    struct mp_arena *arena;         /* owns everything above */
};

/* Creates an empty profile, with the root context and an arena of its own. */
struct mp_profile *mp_profile_new(void);
void mp_profile_free(struct mp_profile *profile);

/* Makes TO, a new profile, share everything of FROM, which must outlive it. */
void mp_profile_share(struct mp_profile *to, const struct mp_profile *from);

/* Returns the context of FRAME called by PARENT, adding it if it is new. PROFILE must have capacity for it.
 * CONTEXTS maps all contexts made in this way. */
uint32_t mp_profile_context(struct mp_profile *profile, struct mp_map *contexts, uint32_t parent,
                            uint32_t frame);

/* Sets the kept figures of each cell, see mp_cell_set_kept(). This is the last step of every reader. */
void mp_profile_set_kept(struct mp_profile *profile);

/* Returns whether FIGURE is unknown in PROFILE. */
static inline bool
mp_is_unknown(const struct mp_profile *profile, enum mp_figure figure)
{
    return profile->meta.unknown & 1u << figure;
}

/* Returns whether the figures of META's profile are estimates. */
static inline bool
mp_is_estimated(const struct mp_meta *meta)
{
    return meta->sample_period > 0 || meta->foreign_period > 0;
}

/* Returns the kind of object numbered KIND, or NULL if the profile has none. */
const struct mp_object_kind *mp_profile_kind(const struct mp_profile *profile, uint32_t kind);

/* Returns the name of KIND, a size class of C, as "33 to 256 bytes". */
const char *mp_size_class_name(unsigned kind);

/* Returns the runtime's name of FRAME's function, or NULL. */
static inline const struct mp_name *
mp_frame_name(const struct mp_profile *profile, const struct mp_frame *frame)
{
    return frame->name < profile->n_names ? &profile->names[frame->name] : NULL;
}

/* Returns whether NAME is that of a function or a top-level form of the program, not of the runtime. */
static inline bool
mp_name_is_programs(const struct mp_name *name)
{
    return !name->dispatch &&
           (!name->builtin || (name->file[0] == '/' && strncmp(name->name, "top-level form", 14) == 0));
}

/* Returns the package of the function called NAME, in ARENA: "COMMON-LISP" and "COMMON-LISP-USER" for symbols that are
 * printed without one. Top-level forms and functions without a name have their file instead. */
const char *mp_name_package(const struct mp_name *name, struct mp_arena *arena);

/* Returns the number of FRAME's locations to be used, innermost first. The limit bounds time and memory by the
 * file's size. Only damaged files exceed it, because compilers inline fewer functions at one address. */
static inline uint32_t
mp_frame_locations(const struct mp_frame *frame)
{
    return frame->n_locations < 256 ? frame->n_locations : 256;
}

/* Returns whether FRAME names a thread. It is the outermost frame of the thread's chains. */
static inline bool
mp_frame_is_thread(const struct mp_frame *frame)
{
    return frame->mark == 0 && frame->interpreted && frame->exact && !frame->label;
}

/* Returns whether PROFILE is the sum of several processes, whose peaks add up to no real peak. */
static inline bool
mp_profile_is_sum(const struct mp_profile *profile)
{
    return profile->processes && profile->processes->n > 1;
}

/* Writes to TEXT which language's runtime the program has whose objects were not recorded, and the reason if it is
 * known. Returns false if there is none. */
#define MP_UNRECORDED_SIZE 256
bool mp_profile_unrecorded(const struct mp_profile *profile, char text[static MP_UNRECORDED_SIZE]);

/* Returns whether FRAME is a label, the outermost frame of chains in a merged profile. */
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

/* Returns the counters of CELL that few cells of C have. */
static inline const struct mp_further_counts *
mp_cell_further(const struct mp_cell *cell)
{
    static const struct mp_further_counts none;

    return cell->rest ? &cell->rest->counts : &none;
}

/* Returns all counters of CELL. */
static inline struct mp_counts
mp_cell_counts(const struct mp_cell *cell)
{
    return (struct mp_counts){.basic = cell->counts, .further = *mp_cell_further(cell)};
}

/* Adds the counters of CELL to TO. */
static inline void
mp_counts_add_cell(struct mp_counts *to, const struct mp_cell *cell)
{
    mp_counts_add_basic(&to->basic, &cell->counts);
    if (cell->rest)
        mp_counts_add_further(&to->further, &cell->rest->counts);
}

/* Returns the lifetimes of CELL's blocks, or NULL if they are unknown. */
static inline const struct mp_lifetimes *
mp_cell_lifetimes(const struct mp_cell *cell)
{
    return cell->rest ? cell->rest->lifetimes : NULL;
}

/* Returns whether CELL counts samples, or estimates from them, in the profile of META. */
static inline bool
mp_is_sampled(const struct mp_meta *meta, const struct mp_cell *cell)
{
    return meta->sample_period > 0 && (!mp_is_lisp(cell) || meta->objects_sampled);
}

/* Returns whether PROFILE has cells of objects of a language. */
bool mp_profile_has_objects(const struct mp_profile *profile);

/* Returns the number of further blocks that there may be in a part of PROFILE sampled with SPREAD. */
static inline uint64_t
mp_unseen(const struct mp_profile *profile, const struct mp_spread *spread)
{
    return spread->most > 0 ? 0 : profile->unseen;
}

/* Sums over all cells. */
struct mp_totals {
    struct mp_counts c, lisp;       /* kinds below MP_KIND_LISP; kinds from there on */
    struct mp_counts all;           /* both; in a sampled recording these are estimates, but the next four are
                                       exact */
    uint64_t allocs, bytes;
    uint64_t objects, object_bytes; /* the objects among these, and their bytes */
    uint64_t cut_allocs;            /* allocations whose chain is cut by CUT_NO_RULE or CUT_MEMORY */
    uint64_t cut_contexts;          /* number of distinct chains cut in this way */
    uint64_t depth_cut_allocs;      /* allocations whose chain is cut by request (CUT_DEPTH) */
    uint64_t unproved_allocs;       /* allocations whose chain has callers found by frame pointers without proof */
    uint64_t unproved_contexts;
    struct mp_spread unproved_spread;
    struct mp_spread cut_spread, depth_cut_spread;      /* variances of cut_allocs and depth_cut_allocs, if estimated */
    uint64_t cut_unseen, depth_cut_unseen;              /* maximum number of further such allocations, see
                                                           mp_unseen() */
    uint32_t depth_max;             /* number of frames of the longest chain */
};
void mp_profile_totals(const struct mp_profile *profile, struct mp_totals *totals);

#define MP_BUILD_ID_TEXT (2 * 32 + 1)   /* size of a build-id in hexadecimal, with its NUL */

/* Writes the build-id of the program or library PATH to TEXT, or "" if it is not known. */
void mp_profile_build_id(const struct mp_profile *profile, const char *path, char text[static MP_BUILD_ID_TEXT]);

#endif
