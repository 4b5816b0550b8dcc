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

#include "error.h"
#include "runtime/format.h"
#include "runtime/sizeclass.h"

#define MP_NO_ID UINT32_MAX

/* How the profiled process stood when the file was read. */
enum mp_ending {
    MP_END_RUNNING,             /* still running */
    MP_END_EXITED,              /* exit(status), or status not known (-1) */
    MP_END_SIGNAL,              /* killed by signal `status` (known only through mprof run) */
    MP_END_KILLED,              /* gone without exit(): killed, or crashed */
    MP_END_EXEC,                /* replaced itself by another program, which is not in this file */
    MP_END_STOPPED,             /* mprof_stop() */
    MP_END_FULL                 /* recording stopped early: see stop_errno */
};

struct mp_meta {
    const char *program;        /* path of the executable */
    const char **arguments;     /* argv; n_arguments of them */
    uint32_t n_arguments;
    bool arguments_cut;         /* argv was longer than what is stored */
    const char *monitor;        /* version that recorded */
    uint32_t pid, ppid;
    uint32_t machine;           /* ELF e_machine */
    uint64_t start_realtime;    /* ns since 1970 */
    uint64_t duration;          /* ns, from the start of recording; 0 not known */
    enum mp_ending ending;
    int32_t status;             /* exit status or signal number; -1 not known */
    uint32_t stop_errno;        /* MP_END_FULL: why */
    uint32_t unwinder;          /* enum mp_unwinder */
    uint32_t depth;             /* --depth, 0 = unlimited */
    uint32_t recorders, threads;/* how many at once at most; how many in all */
    uint64_t missing[MP_MISS_KINDS];
    uint64_t programs_started, processes_forked, nested;
    int64_t peak_bytes, peak_blocks;
    uint64_t peak_slack;        /* bytes; 0: the peak is exact */
    uint64_t live_file_size;    /* bytes of the live form; 0 not known */
};

/* An ELF object of the process, one for each time it was loaded. */
struct mp_module {
    const char *path;
    const char *name;           /* last component of path */
    uint64_t start, end, bias;  /* addresses in the process (live form only; else 0) */
    uint8_t build_id[32];
    uint32_t build_id_size;
    bool unloaded;
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
};

/* Where a frame was in the source: a frame has one location for each inlined function at its
 * address and one for the function that holds them; the innermost comes first. */
struct mp_location {
    uint32_t function;
    uint32_t line;              /* 0 not known */
    const char *file;           /* "" not known */
    bool inlined;               /* inlined into the next location of the same frame */
};

struct mp_frame {
    uint32_t module;            /* MP_NO_ID: in no module */
    uint32_t mark;              /* enum mp_frame_mark, or 0: a real frame */
    uint64_t offset;            /* address - bias of its module (or the address itself) */
    bool exact;                 /* a signal interrupted here: the instruction is at offset, not before */
    uint32_t first_location, n_locations;   /* n >= 1 after symbolisation, for every frame, marks too */
};

/* contexts[0] is the root (frame MP_NO_ID, parent 0).  parent < own id. One node for each path. */
struct mp_context {
    uint32_t parent;
    uint32_t frame;
};

/* Sums of one context and one kind.  Sorted by (context, kind), each pair once. */
struct mp_cell {
    uint32_t context;
    uint32_t kind;              /* enum mp_kind */
    uint64_t allocs, bytes, frees, freed, temporary;
    int64_t peak_bytes, peak_blocks;        /* live at the peak of the whole process */
    uint32_t size_min, size_max;            /* bytes, saturated; min > max: not known */
};

struct mp_bin {
    uint64_t allocs, bytes, frees, freed;
    uint32_t first_type, n_types;           /* in mp_profile.types; filled by symbols */
};

struct mp_profile {
    struct mp_meta meta;
    struct mp_module *modules;      uint32_t n_modules;
    struct mp_function *functions;  uint32_t n_functions;
    struct mp_location *locations;  uint32_t n_locations;
    struct mp_frame *frames;        uint32_t n_frames;
    struct mp_context *contexts;    uint32_t n_contexts;
    struct mp_cell *cells;          uint32_t n_cells;
    struct mp_bin bins[MP_BINS];
    const char **types;             uint32_t n_types;
    bool symbolised;                /* functions, locations and types are filled */
    struct mp_arena *arena;         /* owns all of the above */
};

/* Memory that lives as long as the profile.  mp_arena_alloc() aborts with a message when there is
 * none: the reporter has nothing better to do.  Memory is zeroed. */
struct mp_arena;
struct mp_arena *mp_arena_new(void);
void *mp_arena_alloc(struct mp_arena *arena, size_t size);
char *mp_arena_strdup(struct mp_arena *arena, const char *text);
char *mp_arena_printf(struct mp_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mp_arena_free(struct mp_arena *arena);

/* An empty profile (root context only) with an arena of its own. */
struct mp_profile *mp_profile_new(void);
void mp_profile_free(struct mp_profile *profile);

/* Sums over all cells. */
struct mp_totals {
    uint64_t allocs, bytes, frees, freed, temporary;
    uint64_t kept_blocks, kept;     /* allocs - frees, bytes - freed */
    uint64_t cut_allocs;            /* allocations whose chain is cut by CUT_NO_RULE or CUT_MEMORY */
    uint64_t cut_contexts;          /* distinct such chains */
    uint64_t depth_cut_allocs;      /* cut by request (CUT_DEPTH) */
    uint32_t depth_max;             /* frames of the longest chain */
};
void mp_profile_totals(const struct mp_profile *profile, struct mp_totals *totals);

#endif
