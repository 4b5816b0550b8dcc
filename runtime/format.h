/*
 * format.h -- the two forms of an mprof data file: the only definition of both.
 *
 * LIVE form: what the monitor keeps in a MAP_SHARED file while the program runs.  Fixed-size
 * records in extents, native byte order, counters updated in place.  It is whole at every
 * moment: after SIGKILL, and while another process reads it.
 *
 * SEALED form: what the reporter makes of it: symbolised, compact, portable (see the second half).
 *
 * Whoever changes a layout bumps the version and leaves an old file in tests/data/ that must
 * go on being readable.  man/mprof-data.5 describes both for other people.
 */
#ifndef MP_FORMAT_H
#define MP_FORMAT_H

#include <stdint.h>

/* ------------------------------------------------------------------ live form */

#define MP_LIVE_MAGIC    "MPROFLIV"     /* 8 bytes, no NUL */
#define MP_LIVE_VERSION  4u
#define MP_LIVE_OLDEST   1u             /* what readers still read: reporter/read/live_old.h */
#define MP_BYTE_ORDER    0x01020304u
#define MP_MAX_EXTENTS   340u
#define MP_HEADER_SIZE   16384u         /* sizeof(struct mp_live_header), asserted in runtime */
#define MP_BINS          1026u          /* 0..1024 bytes exactly; bin 1025: all above */
#define MP_BIN_LARGE     1025u

/* What an extent holds.  A record's id counts over all extents of its kind; id 0 is never used,
 * so that a zeroed (not yet written) record is recognised.  Ids of a file need not start at 1. */
enum mp_extent_kind {
    MP_EXT_NONE = 0,
    MP_EXT_STRINGS,             /* bytes; id = byte offset; NUL-terminated strings */
    MP_EXT_MODULES,             /* struct mp_live_module */
    MP_EXT_FRAMES,              /* struct mp_live_frame */
    MP_EXT_CONTEXTS,            /* slots of 4 bytes, see MP_CONTEXT_RUN */
    MP_EXT_CELLS,               /* struct mp_live_cell */
    MP_EXT_MIXED,               /* struct mp_live_mixed; tails of cells before version 3 */
    MP_EXT_RECORDERS,           /* struct mp_live_recorder */
    MP_EXT_NAMES,               /* struct mp_live_name */
    MP_EXT_OBJECT_KINDS,        /* struct mp_live_kind */
    MP_EXT_AGES,                /* struct mp_live_ages; none in version 1 */
    MP_EXT_MARKS,               /* struct mp_live_mark; from version 4 on, as are: */
    MP_EXT_FORMER,              /* struct mp_live_former */
    MP_EXT_RESIZED,             /* struct mp_live_resized */
    MP_EXT_LIFETIMES,           /* struct mp_live_lifetimes */
    MP_EXT_TRACE,               /* struct mp_live_trace, of which a file has one */
    MP_EXT_KINDS
};

struct mp_live_extent {
    uint32_t kind;              /* enum mp_extent_kind; written last: 0 = slot not in use */
    uint32_t first;             /* id of the first record */
    uint32_t count;             /* number of records */
    uint32_t record_size;       /* bytes */
    uint64_t offset;            /* of the first record in the file, a multiple of 4096 */
};

/* How recording stands.  Whether a RUNNING process is still alive, writer.h tells. */
enum mp_live_state {
    MP_STATE_RUNNING = 1,       /* recording, or killed while recording */
    MP_STATE_EXITED,            /* exit() or _exit() was called; counters still moved after it */
    MP_STATE_EXEC,              /* the process replaced itself by another program */
    MP_STATE_STOPPED,           /* mprof_stop() */
    MP_STATE_FULL,              /* no more space for the file, or no memory: recording stopped */
    MP_STATE_SNAPSHOT           /* a copy, made while the process was recording */
};

/* What another process asks the monitor to do, by writing into the header: see struct mp_live_control. */
enum mp_request {
    MP_REQUEST_NONE = 0,
    MP_REQUEST_STOP,            /* end this recording */
    MP_REQUEST_START,           /* end it, and begin another in a file of its own */
    MP_REQUEST_TAKEN,           /* a thread does now what was asked for */
    MP_REQUEST_CHECKPOINT,      /* mprof_checkpoint(), now; older monitors answer -EINVAL */
    /* Begin to write a snapshot (heap_format.h).  With 5 and 6 earlier versions stated the names of files. */
    MP_REQUEST_NUMBERED = 7,    /* of the heap, into FILE.NUMBER.heap; -EBUSY: another one is being written */
    MP_REQUEST_LEAKS,           /* of the blocks of malloc, into a file without a name: struct mp_live_offer */
    MP_REQUEST_HEAP             /* the same of the heap: of the language's objects, or else of these blocks */
};

/* Who asks writes `file`, then `request`, then sets MP_PENDING_REQUEST in all recorders.  A thread
 * that comes by the monitor makes it MP_REQUEST_TAKEN, does it, writes `answer`, and then 0 into
 * `request`.  Until it is taken, whoever asked may put 0 back, and ask for something else.  The
 * header listens until the process begins another file. */
struct mp_live_control {
    uint32_t listens;           /* 1: the monitor looks here */
    uint32_t request;           /* enum mp_request */
    int32_t  answer;            /* to the last request: 0 or -errno */
    uint32_t followed;          /* 1: the process began another recording, in `file` */
    char     file[4096];        /* START: path, absolute; "": FILE.PID.  CHECKPOINT: its name */
};

/* The file without a name into which a snapshot is written that another process asked for.  That one opens, and checks,
 * /proc/PID/fd/DESCRIPTOR, and puts 0 into `number`.  The file is locked (flock(2)) until it is whole, and open until
 * `number` is another one, or for half a minute more. */
struct mp_live_offer {
    uint32_t number;            /* of the offer; 0: there is none, or it was taken */
    uint32_t pid;               /* the process that writes it, a child of the one that is recorded */
    uint32_t descriptor;        /* there */
};

enum mp_unwinder { MP_UNWIND_RULES = 0, MP_UNWIND_LIBUNWIND, MP_UNWIND_FP };

/* Why a record or a chain is not whole; each is counted in the header and shown in the report. */
enum mp_missing {
    MP_MISS_DROPPED = 0,        /* allocations not recorded at all (no memory for them) */
    MP_MISS_FOREIGN_FREE,       /* frees of blocks that were allocated before or outside recording */
    MP_MISS_UNKNOWN_FREE,       /* frees of addresses that were never seen since the start */
    MP_MISS_OPERATOR_NEW,       /* 1: the allocator has an operator new of its own, which bypasses
                                   malloc: nobody knows how many allocations that was */
    MP_MISS_MALLOC,             /* 1: the program has a malloc of its own, which it calls: the same */
    MP_MISS_FOLDED,             /* 1: recursion was folded by request: chains lack repeated calls */
    MP_MISS_UNSEEN_FREE,        /* frees that were not seen: the block's address was allocated again; or
                                   that could not be recorded: the block counts as kept */
    MP_MISS_LIBRARY,            /* 1: a library was loaded that has, or may have, another malloc than the
                                   program: the same */
    MP_MISS_KINDS = 8
};

/* Frees that are faults of the program.  Each place of a recording that does one has an entry; beyond
 * MP_MAX_BAD_FREES places, and some thousand frees of a kind, only `counts` goes on.  Not found where recording is
 * sampled. */
enum mp_bad_free_kind {
    MP_FREED_AGAIN = 0,         /* of memory that was freed already, and not allocated again since */
    MP_FREED_INSIDE,            /* of an address within a live block that is not its own */
    MP_FREED_UNKNOWN,           /* of an address that was never seen since the start (MP_MISS_UNKNOWN_FREE): foreign
                                   memory, or a block from before the recording */
    MP_BAD_FREES
};
#define MP_MAX_BAD_FREES 48u

struct mp_live_bad_free {
    uint32_t kind;              /* enum mp_bad_free_kind */
    uint32_t context;           /* that freed; 0: not known */
    uint64_t count;             /* 0: not in use; written last */
};

struct mp_live_bad_frees {
    uint64_t counts[MP_BAD_FREES];
    struct mp_live_bad_free places[MP_MAX_BAD_FREES];
};

/* Frame ids below MP_FRAME_FIRST are marks, not addresses.  A context with a cut mark, directly
 * under the root, is the parent of every chain that was cut for that reason. */
enum mp_frame_mark {
    MP_FRAME_CUT_DEPTH = 1,     /* --depth=N or --no-call-graph: outer callers left out by request */
    MP_FRAME_CUT_NO_RULE,       /* no unwind information for the outermost frame shown */
    MP_FRAME_CUT_MEMORY,        /* the monitor had no memory for the whole chain */
    MP_FRAME_LAST_MARK = MP_FRAME_CUT_MEMORY,
    MP_FRAME_FIRST = 16
};

#define MP_MAX_FORMS 255u
#define MP_SOME_THREADS UINT32_MAX
#define MP_SAMPLE_AS_SAID UINT32_MAX
#define MP_USUAL_SAMPLE ((uint32_t)512 << 10)
#define MP_MAX_SAMPLE ((uint32_t)1 << 26)       /* bytes: larger periods are not asked for */

/* What malloc had of the system when the program ended, by its own count; glibc's tells. */
struct mp_live_allocator {
    uint64_t held;              /* bytes; 0: not known */
    uint64_t mapped;            /* of these, in blocks that are mappings of their own; */
    uint64_t free;              /* in chunks that are free, those that threads keep for themselves not counted */
    uint64_t resident;          /* bytes of the process in memory, as the kernel counts; 0: not known */
};

struct mp_live_header {
    char     magic[8];
    uint32_t version;
    uint32_t byte_order;        /* MP_BYTE_ORDER as the writer stores it */
    uint32_t header_size;       /* MP_HEADER_SIZE */
    uint32_t machine;           /* ELF e_machine of the program: 62 x86-64, 183 aarch64 */
    uint32_t page_size;         /* bytes */
    uint32_t state;             /* enum mp_live_state */

    uint32_t pid, ppid;
    uint64_t start_ticks;       /* field 22 of /proc/PID/stat: tells it from a later process with its pid */
    uint64_t start_realtime;    /* ns since 1970 when recording began */
    uint64_t start_monotonic;   /* ns, CLOCK_MONOTONIC */
    uint64_t end_monotonic;     /* ns, when `state` left RUNNING; 0 before */
    int32_t  exit_status;       /* what exit() hands to the parent; -1 not known */
    uint32_t stop_errno;        /* MP_STATE_FULL: why */

    uint32_t unwinder;          /* enum mp_unwinder */
    uint32_t depth;             /* frames kept of each chain; 0 = all */
    uint32_t program;           /* string: path of the executable */
    uint32_t arguments;         /* string area: argc strings, one after the other */
    uint32_t n_arguments;
    uint32_t arguments_cut;     /* 1: not all of them are stored */
    uint32_t monitor;           /* string: version of the monitor */
    uint32_t n_extents;         /* slots in use, written after the slot */

    uint64_t missing[MP_MISS_KINDS];    /* enum mp_missing */
    uint64_t programs_started;          /* exec by this process or a forked child, not profiled */
    uint64_t processes_forked;          /* children by fork() */
    uint64_t nested;                    /* hooks in signal handlers that interrupted the monitor */

    /* A garbage-collected heap beside malloc's, if there is one. */
    uint32_t language;                  /* string: the runtime that owns it, "ECL 21.2.1"; 0: none */
    uint32_t one_thread;                /* tid of the only thread whose objects are recorded, 0: all threads,
                                           MP_SOME_THREADS: several, or all, but not all the time */
    uint64_t collections;               /* finished while recording */
    uint64_t heap_before, heap_now;     /* bytes ever allocated in it, as its runtime counts: when
                                           recording began, and last looked at; 0 not known */

    /* Peak.  A recorder's pending bytes are not yet in live_bytes. */
    _Alignas(64) uint64_t epoch;        /* raised with every new peak and checkpoint: see MP_EPOCH_PEAK */
    int64_t  live_bytes;                /* committed */
    int64_t  peak_bytes;                /* largest committed live_bytes */
    uint64_t peak_slack;                /* bytes: bound of the error of peak_bytes; 0 = exact */
    uint64_t peak_monotonic;            /* ns when the peak was last raised; 0 not known */
    uint64_t file_size;                 /* bytes in use */

    _Alignas(64) struct mp_live_control control;

    /* Contexts in which a form was entered that began to record, or joined others that do: what is
     * below them is the form's, they and their callers are the way to it.  n_forms is written after
     * the context; beyond MP_MAX_FORMS none is noted. */
    uint32_t n_forms;
    uint32_t forms[MP_MAX_FORMS];

    /* All 0 in files of older versions. */
    uint64_t run_id[2];         /* random: the mprof run that started the program; 0, 0: none did */
    uint64_t run_start_ticks;   /* of the process run_pid, which will seal the file */
    uint64_t pid_namespace;     /* in which `pid` counts: inode of /proc/PID/ns/pid; 0 not known */
    uint32_t run_pid;           /* that mprof run, in its own namespace */
    uint32_t run_reserved;

    uint32_t checkpoints_left_out;      /* asked for when there was no room for another one */
    uint32_t first_collection;  /* marks of collections with smaller ids are merged into later ones */
    uint32_t former_lost;       /* from this checkpoint on, cells lack former counters; 0: none does */

    uint32_t sample_wanted;     /* with MP_REQUEST_START: sample_period of the new recording;
                                   MP_SAMPLE_AS_SAID: as the process was told when it was started */

    uint32_t host;              /* string: the machine's name; 0 not known */
    uint32_t lifetimes;         /* 1: how long blocks live is recorded: struct mp_live_lifetimes */
    uint32_t collector_divisor; /* free space divisor of the collector, at its last collection; 0 not known */
    uint32_t collector_flags;   /* enum mp_collector_flag */

    _Alignas(8) struct mp_live_allocator allocator;
    struct mp_live_offer offer;
    uint32_t snapshots;         /* the largest NUMBER of a FILE.NUMBER.heap that this recording has; 0: none */
    _Alignas(8) struct mp_live_bad_frees bad_frees;

    uint8_t reserved[8192 - 320 - sizeof(struct mp_live_control) - 4 - 4 * MP_MAX_FORMS - 88 -
                     sizeof(struct mp_live_allocator) - sizeof(struct mp_live_offer) - 4 -
                     sizeof(struct mp_live_bad_frees)];

    /* Processes that shut themselves off with a seccomp filter: this one and its forked children. */
    uint32_t processes_shut;            /* how many */
    uint32_t not_recorded;              /* children that they forked since */
    uint32_t unwanted;                  /* 1: this file is to be removed: such a child became a program
                                           that is not profiled */

    /* A sampled recording, from version 3 on: the mean distance of samples, bytes of allocation; 0: every
     * allocation is recorded.  Then bins say how many blocks of each size were allocated, and nothing of
     * frees, cells of kinds below MP_KIND_LISP count samples, each cell of one size, and the figures of the
     * peak are estimates of its bytes.  It stands beside the extents, which are of no use without it: a
     * program that writes over the beginning of the file leaves both. */
    uint32_t sample_period;
    struct mp_live_extent extents[MP_MAX_EXTENTS];
};

/* An ELF object that had code on a chain.  One record per load: loaded again is a new record. */
struct mp_live_module {
    uint64_t start, end;        /* addresses mapped; valid record if end != 0 */
    uint64_t bias;              /* address = bias + p_vaddr */
    uint32_t path;              /* string; empty: unknown */
    uint32_t unloaded;          /* 1: dlclosed since */
    uint8_t  build_id[32];
    uint32_t build_id_size;     /* 0: none */
    uint32_t reserved[15];
};

/* One code address on some chain; the outermost caller's side of a call, so the call instruction
 * is at ip - 1, except in the frame that a signal interrupted (ip itself). */
struct mp_live_frame {
    uint64_t ip;                /* address in the process */
    uint32_t module;            /* 0: in no module (generated code) */
    uint32_t flags;             /* MP_LIVE_FRAME_* ; VALID written last */
};
/* A frame that no context has, with SIGNAL and a name, only says what the language calls the function
 * that starts at ip: debug information may tell that it was copied into others (inlined). */
#define MP_LIVE_FRAME_VALID   1u
#define MP_LIVE_FRAME_SIGNAL  2u        /* interrupted by a signal: look up ip, not ip - 1 */
#define MP_LIVE_FRAME_RUNTIME 4u        /* code of the language's runtime: libecl, libgc */
#define MP_LIVE_FRAME_INTERPRETED 8u    /* a function that the interpreter runs; ip is no address but
                                           tells it from others; stands for the interpreter's frame.
                                           With SIGNAL: no function, but the thread: outermost */
#define MP_LIVE_FRAME_NAME_SHIFT 8      /* bits 8-31: id of its struct mp_live_name, 0: none.  May be
                                           set later than VALID */

/* What the language's runtime calls a function. */
struct mp_live_name {
    uint32_t name;              /* string, as its printer writes it: "(SETF FOO)" */
    uint32_t file;              /* string: where it was defined, 0 not known */
    int64_t  position;          /* in the file, characters; -1 not known */
    uint32_t flags;             /* MP_LIVE_NAME_*; VALID written last */
    uint32_t reserved[3];
};
#define MP_LIVE_NAME_VALID    1u
#define MP_LIVE_NAME_DISPATCH 2u        /* passes a call on; not for people */
#define MP_LIVE_NAME_BUILTIN  4u        /* the runtime's own function */

/* A kind of object other than C's size classes. */
struct mp_live_kind {
    uint32_t name;              /* string: "CONS", or the name of a class */
    uint16_t kind;              /* as in cells */
    uint16_t base;              /* the built-in kind that it is one of ("STRUCTURE"); itself: built-in */
    uint8_t  category;          /* c f s o: the column of a breakdown; written last, 0 = not in use */
    uint8_t  reserved[7];
};

/* A context is a chain: its frame, called by its parent.  Trees of different threads hold equal
 * chains twice; the reader merges by path.
 *
 * Contexts stand in runs of slots of 4 bytes.  A run begins with a header, MP_CONTEXT_RUN and the
 * id of a context that was there before, 0 for the root; then come ids of frames, the first
 * called by that context, each other one by the context before it.  The id of a context is that
 * of its frame's slot.  A slot that is not written (0) ends a run; so does the next header.
 *
 *     slot     20        21     22     23     24         25     26
 *     holds    run | 0   main   parse  list   run | 22   item   0
 *
 * are main, main > parse, main > parse > list (23) and main > parse > item (25). */
#define MP_CONTEXT_RUN 0x80000000u

/* Counters of blocks of one context and one kind, written by one recorder only.  A cell is *uniform*: all
 * its blocks have one size; or *mixed*: they have any, and what they are in bytes stands in a record of its
 * own.  A cell is from the beginning what it is, and there may be several of the same context, kind and
 * size: only their sum makes sense.  So it does of a block that is freed by another thread, which is
 * counted in a cell of the freeing recorder, with the same context: `allocs - frees` of a single cell may
 * be negative.  No counter wraps: with a bit of MP_CELL_FULL in `allocs` or `slack` the cell is full, and
 * the next block is counted in another one.
 *
 * The peak: live blocks (and bytes) of the cell at the last peak are what was saved if the cell has its
 * stamp, which is so if the era of its recorder and `stamp`, added, say the same of the peak as the header's
 * epoch; else what lives now. */
struct mp_live_cell {
    uint32_t context;           /* written last; 0 = not in use */
    uint16_t kind;              /* sizeclass.h; with MP_CELL_MIXED */
    uint16_t recorder;
    uint32_t size;              /* of each block, bytes; of a mixed cell the id of its struct mp_live_mixed */
    uint32_t allocs, frees;     /* blocks */
    union {
        uint32_t temporary;     /* of C kinds: freed by their own thread before its next allocation */
        uint32_t slack;         /* of kinds from MP_KIND_LISP on, unless mixed: bytes of which the program
                                   did not ask for, but the objects occupy them */
    };
    uint32_t stamp;             /* the low half of the epoch in which it changed last, before which it was
                                   saved; without the part of the peak: that is of another era */
    int32_t  saved;             /* live blocks */
};

/* An epoch is two counts: of peaks, and below it, in MP_EPOCH_MARKS, of the checkpoints so far.  The low half
 * of an epoch never has 0 peaks; what both halves of it say of checkpoints is the same. */
#define MP_EPOCH_MARKS 0x3ffu           /* the bits of checkpoints, and how many there are at most */
#define MP_EPOCH_PEAK  0x400u           /* one more peak; so it was 1 before version 4, without checkpoints */

#define MP_CELL_MIXED 0x4000u           /* added to `kind` */
#define MP_CELL_FULL  0xc0000000u
#define MP_CELL_SIZES 3u                /* sizes of a context and kind that have a cell each */

/* What the blocks of a mixed cell are in bytes.  Zeroed when the cell is made. */
struct mp_live_mixed {
    uint64_t bytes, freed;
    uint64_t requested;         /* of kinds from MP_KIND_LISP on: bytes that were asked for, of which
                                   `bytes` are what the objects really occupy */
    int64_t  saved_bytes;       /* live bytes, with `saved` */
    uint32_t size_min, size_max;/* of the blocks, bytes, saturated at 2^32 - 1; min > max: none */
    uint32_t uniform[MP_CELL_SIZES];    /* sizes that have cells of their own (the monitor's own) */
    uint32_t reserved[3];
};

/* A cell whose kind has MP_KIND_PAYLOAD counts blocks that belong to objects of the kind (slots, data of
 * a vector), each beside its object: their bytes are the kind's, their number is not. */

/* How old the objects of one context and one kind became, which the collector frees: those that
 * survived at least one collection, and what became of them.  Written under the gate's lock. */
struct mp_live_ages {
    uint32_t context;           /* written last; 0 = not in use */
    uint16_t kind;              /* from MP_KIND_LISP on; with MP_KIND_PAYLOAD: blocks beside them */
    uint16_t reserved;
    uint64_t survived[3];       /* objects: one collection or more, two or more, four or more */
    uint64_t aged;              /* bytes of survived[0] */
    uint64_t aged_frees, aged_freed;    /* objects and bytes of these that died since */
    uint64_t reserved_too;
};

enum mp_collector_flag { MP_COLLECTOR_INCREMENTAL = 1 };

/* What happened at one moment.  Marks of one kind ascend by time. */
enum mp_mark_kind {
    MP_MARK_CHECKPOINT = 1,     /* mprof_checkpoint() */
    MP_MARK_COLLECTION,         /* of a garbage-collected heap, its end; or several, one after the other */
    MP_MARK_SNAPSHOT            /* a signal has had a copy made (MPROF_SIGNAL) */
};
#define MP_MARK_NAME 256u       /* bytes of a checkpoint's name that are kept; a cut character is left out */
struct mp_live_mark {
    uint32_t kind;              /* enum mp_mark_kind; written last: 0 = not in use */
    uint32_t name;              /* string: the program's word for a checkpoint */
    uint64_t monotonic;         /* ns, CLOCK_MONOTONIC */
    uint32_t number;            /* of a checkpoint: from 1 on, as epochs count them; of a collection: how
                                   many they are, of which what follows is the sum, or the first and last */
    uint32_t tid;               /* the thread that was there */
    uint64_t pause;             /* of a collection: ns that it took; */
    uint64_t heap_before, heap_after;   /* bytes of its recorded objects that lived, */
    uint64_t heap_size;         /* bytes that the heap took of the system, of several the most, */
    uint64_t allocated;         /* and bytes ever allocated in it, all at the end; 0: not known */
};

/* What a cell had counted at a checkpoint, and since the cell's record before this one.  A cell that changes
 * first writes down what it had at the last checkpoint, if its stamp is of an earlier one; so at a checkpoint
 * a cell had what the first of its records says that is of this checkpoint or a later one, and, if there is
 * none, what it has now.  A cell that is made after a checkpoint begins with a record of zeros. */
struct mp_live_former {
    uint32_t cell;              /* id; written last: 0 = not in use */
    uint16_t number;            /* of the checkpoint */
    uint16_t reserved;
    uint32_t allocs, frees, temporary;  /* as in struct mp_live_cell */
    uint32_t reserved_too;
    uint64_t bytes, freed;
};

/* The live bytes over time.  A point is written whenever the live bytes have left the interval [low, high] around the
 * last point, whose half width is 1/MP_TRACE_PARTS of the peak, but at least MP_TRACE_STEP bytes.  Points lie in
 * spans: of the points in a span the lowest and the highest are kept.  When all spans are in use, neighbours whose
 * points differ by less than the half width become one span; if that saves too little, `spacing` doubles until enough
 * of those that lie within it have become one.  A reader that meets a span which is not later than the
 * span before it skips it, because the process may have been killed while spans were joined. */
#define MP_TRACE_PARTS 64
#define MP_TRACE_STEP  1024
#define MP_TRACE_SPANS 510u
#define MP_TRACE_SPACING 10000u         /* ns, at first */

struct mp_live_span {
    uint64_t low_time;          /* ns since recording began, of the lowest point; */
    int64_t  low;               /* its live bytes */
    uint64_t high_time;         /* the same of the highest point, which may be the same point */
    int64_t  high;
};

struct mp_live_trace {
    int64_t  low, high;         /* the interval, live bytes */
    uint64_t spacing;           /* ns from the first point of a span to the first of the next, at least */
    uint64_t time;              /* ns, of the last point */
    uint32_t n;                 /* spans in use */
    uint32_t holder;            /* id of the recorder that is writing; 0: none */
    uint32_t passes;            /* points that take their time from the one before them, instead of the clock, */
    uint32_t passed;            /* and those since the clock was read */
    uint8_t  reserved[16384 - 48 - sizeof(struct mp_live_span) * MP_TRACE_SPANS];
    struct mp_live_span spans[MP_TRACE_SPANS];
};

/* Blocks of one context and kind that realloc made of older blocks, which were recorded; of one recorder.  To
 * the cells these are frees and allocations like others.  Not written in a sampled recording. */
struct mp_live_resized {
    uint32_t context;           /* written last; 0 = not in use */
    uint16_t kind;              /* sizeclass.h */
    uint16_t reserved;
    uint64_t reallocs;          /* blocks */
    uint64_t moved;             /* bytes: where the new block got another address, the smaller of both sizes */
    uint64_t steps;             /* blocks that are larger than the older one, which the same call had
                                   allocated: the innermost frames of both contexts are the same; */
    uint64_t steps_from, steps_by;      /* bytes that these had, and by which they became larger */
    uint64_t reserved_too[2];
};

/* How long blocks of one context and kind lived that one recorder's thread has freed, if that was asked for
 * (header.lifetimes): in bytes that the process allocated between, the block's own not counted.  In bucket i are
 * those that lived less than 1 << MP_LIFETIME_BITS(i) bytes and are in no bucket before it; in the last one those
 * that lived longer.  A block whose free was not seen, or whose birth could not be noted, is in none. */
#define MP_LIFETIMES 15u
#define MP_LIFETIME_BITS(bucket) (5u + 2u * (bucket))  /* 32, 128, 512 bytes, ... 32 KiB, ... 2 GiB */
#define MP_LIFETIMES_SHORT 6u           /* buckets of less than 32 KiB */
struct mp_live_lifetimes {
    uint32_t context;           /* written last; 0 = not in use */
    uint16_t kind;              /* sizeclass.h */
    uint16_t reserved;
    uint64_t blocks[MP_LIFETIMES], bytes[MP_LIFETIMES];
    uint64_t reserved_too;
};

/* Blocks of malloc that are counted in mixed cells, by size: those of uniform cells the reader adds. */
struct mp_live_bin {
    uint64_t allocs, frees;     /* blocks of exactly this size; bin 1025: larger than 1024 */
};

enum mp_pending_work {
    MP_PENDING_OWN = 1,         /* the monitor's own business */
    MP_PENDING_REQUEST = 2,     /* look at the header's control.request */
    MP_PENDING_CALL = 4         /* call the program's function: mprof_set_callback() */
};

/* How deep the own stack of a thread was at its deepest recorded allocation, from the outermost frame of the
 * chain to the function that allocated: MP_STACK_UNITs in the upper half, and the id of the chain's context,
 * 0: that is not known.  With MP_STACK_AWAY: it allocated on other stacks too (coroutines, signal handlers'),
 * or on what was not known to be its own, which is not counted. */
#define MP_STACK_UNIT  8u               /* bytes */
#define MP_STACK_AWAY  0x80000000u

/* Such threads of one recorder that have ended, and began with the same function. */
struct mp_live_stack {
    uint64_t deepest;           /* the deepest of them, as above */
    uint32_t start;             /* context of that function; 0: others, when there was no room */
    uint32_t threads;           /* written last; 0 = not in use */
};
#define MP_STACK_STARTS 64u

/* A recorder belongs to one thread at a time; a later thread takes an ended thread's over. */
struct mp_live_recorder {
    uint32_t in_use;            /* 1: valid record (never goes back) */
    uint32_t tid;               /* the thread that has it, 0: none */
    uint32_t threads;           /* how many threads have had it */
    uint32_t pending_work;      /* enum mp_pending_work: what its thread is to do besides recording */
    int64_t  pending_bytes;     /* live bytes, not yet added to the header's total */
    uint64_t large_bytes, large_freed;  /* bytes of bin 1025 */
    struct mp_live_bin bins[MP_BINS];
    uint64_t era;               /* of the stamps of its cells: the high half of their epochs */

    /* All 0 in files of older versions, and where chains are not walked to their ends by rules.  Who reads
     * copies these before `stacks`: if more threads than stacks_ended stand there, `stack` is one of them. */
    uint32_t stacks_ended;      /* threads in `stacks` */
    uint32_t stacks_reserved;
    uint64_t stack;             /* of the thread that has it, or had it last; 0: none is known */
    struct mp_live_stack stacks[MP_STACK_STARTS];
    uint8_t  pad[20480 - 64 - sizeof(struct mp_live_bin) * MP_BINS -
                 sizeof(struct mp_live_stack) * MP_STACK_STARTS];
};

/* ---------------------------------------------------------------- sealed form
 *
 *   byte 0   magic             8 bytes
 *        8   version           u32, little-endian as every number here
 *       12   flags             u32: enum mp_sealed_flag
 *       16   size of content   u64
 *       24   stored size       u64: of the content as it stands in the file
 *       32   content           deflated (RFC 1951, no zlib header) or as it is
 *            CRC-32            u32, of all bytes before it
 *
 * The content is a series of sections: tag, length of the body in bytes, body.  Tags ascend.
 * Those of version 1 are there, each once; those of version 2 all or none, the latter in the
 * file of a program without a language's runtime; those behind them (forms since version 2, samples
 * since version 4, the others since version 3) where they say something; a reader passes over tags that
 * it does not know, as older ones of versions 3 and 4 do with the time line.
 *
 * Numbers in it are varints (LEB128); "signed" ones are zigzag-coded first.  An array is stored
 * by columns: one field of all elements, then the next field.  A reference is signed: the
 * difference to the reference above it in the column, -1 before the first; -1 is also what "none"
 * counts as.  The fields' meaning is that of struct mp_profile (reporter/profile/profile.h).
 */

#define MP_SEALED_MAGIC        "MPROFDAT"   /* 8 bytes, no NUL */
#define MP_SEALED_VERSION      4u           /* of sampled recordings; others are written as: */
#define MP_SEALED_EXACT        3u           /* so that older readers take them, and refuse the former */
#define MP_SEALED_HEADER_SIZE  32u
#define MP_SEALED_CRC_SIZE     4u
#define MP_SEALED_MAX_CONTENT  ((uint64_t)1 << 30)  /* more is refused: a bound for readers */

enum mp_sealed_flag { MP_SEALED_DEFLATED = 1 };

enum mp_sealed_section {
    MP_SEC_STRINGS = 1,         /* count, then NUL-terminated strings; string 0 is "", not stored */
    MP_SEC_META,                /* struct mp_meta in the order of sealed_encode.c */
    MP_SEC_MODULES,             /* count; path, build-id (size, bytes), unloaded, problem */
    MP_SEC_FUNCTIONS,           /* count; name, module, start (signed difference) */
    MP_SEC_LOCATIONS,           /* count; function, line (signed difference), file, inlined */
    MP_SEC_FRAMES,              /* count; 2 * mark + exact, module, offset (signed difference),
                                   first location less the end of the last frame's (signed),
                                   number of locations */
    MP_SEC_CONTEXTS,            /* count without the root, enum mp_sealed_order; parents, frames */
    MP_SEC_CELLS,               /* count; see enum mp_sealed_cell */
    MP_SEC_TYPES,               /* count; string */
    MP_SEC_BINS,                /* count of those that are not all zero; see enum mp_sealed_bin */
    MP_SEC_VERSION_1 = MP_SEC_BINS,     /* the last of version 1 */
    MP_SEC_RUNTIME,             /* name, one_thread, collections, heap_before, heap_now */
    MP_SEC_NAMES,               /* count; name, file, position + 1, 2 * builtin + dispatch */
    MP_SEC_FRAME_NAMES,         /* of each frame: 2 * interpreted + runtime, name */
    MP_SEC_KINDS,               /* count; kind (less the last one's, less 1; 16 less before the
                                   first), base less 16, name, category as its place in "cfso" */
    MP_SEC_OBJECTS,             /* of each cell of a kind from 16 on: bytes less requested (signed),
                                   survived, aged, aged_frees, aged_freed */
    MP_SEC_VERSION_2 = MP_SEC_OBJECTS,  /* the last of version 2; those behind it may be missing */
    MP_SEC_FORMS,               /* count; contexts (difference), ascending: see struct mp_live_header */
    MP_SEC_RUN,                 /* run_id of struct mp_live_header: two numbers of 8 bytes */
    MP_SEC_PLAIN,               /* of each function: enum mp_sealed_plain; the plain names of those that
                                   have another; of each function: file or none */
    MP_SEC_SAMPLES,             /* the mean distance of samples, see sample_period of struct mp_live_header:
                                   then cells of kinds below MP_KIND_LISP count samples, there is one for
                                   each size of a context and kind, by ascending size, and bins have no
                                   frees.  From version 4 on */
    MP_SEC_TIME,                /* struct mp_timeline (reporter/profile/timeline.h): interval, left_out;
                                   points: count; time (difference), live, live_lisp, blocks, allocs,
                                   bytes, resident (signed differences that wrap); moments, one after the
                                   other: see enum mp_sealed_moment; changes of all moments: contexts,
                                   kinds, allocs, bytes, frees, freed.  Of a sampled recording changes are
                                   estimates, as cells that are made of samples */
    MP_SEC_CROSSED,             /* of cells that have blocks freed by other threads than had allocated
                                   them, at least: count; cells (difference), ascending, the first plus 1;
                                   blocks */
    MP_SEC_RESIZED,             /* of cells with blocks that realloc made of older ones: count; cells as
                                   above; reallocs, moved, steps, steps_from, steps_by of struct
                                   mp_live_resized */
    MP_SEC_STACKS,              /* struct mp_stack: count; contexts (difference), ascending; threads; 2 * deepest
                                   + away.  At the first, context 0 may be */
    MP_SEC_PROCESSES,           /* host; number of processes that the file was merged of, 0: it was not; else
                                   enum mp_label_level, files left out; labels: count, frames (less the last
                                   one's, less 1); then one process after the other: as MP_SEC_META, as
                                   MP_SEC_RUNTIME, host, data file, mean distance of samples, samples, the
                                   numbers of struct mp_process_sums, 2 * damaged + time line left out, label
                                   plus 1 or 0 */
    MP_SEC_LIFETIMES,           /* if lifetimes were recorded.  Of cells with blocks that were freed and have
                                   one: count; cells as of MP_SEC_CROSSED; which buckets of struct
                                   mp_live_lifetimes are not 0, a sum of 1 << bucket; of these: blocks; bytes */
    MP_SEC_COLLECTIONS,         /* count; divisor, incremental; times (difference), numbers less 1, pauses,
                                   before, after, heap sizes (signed difference that wraps), allocated (difference):
                                   struct mp_collection (reporter/profile/collections.h) */
    MP_SEC_ALLOCATOR,           /* if it is known: held, mapped, free, resident of struct mp_live_allocator */
    MP_SEC_TEMPORARY,           /* if the time line knows what was temporary: how many changes it has; of each */
    MP_SEC_BAD_FREES,           /* if there are some: counts by enum mp_bad_free_kind; places: count; of each
                                   kind, context, count */
    MP_SEC_END
};

/* What a function's plain name is. */
enum mp_sealed_plain {
    MP_PLAIN_SAME = 0,          /* its name */
    MP_PLAIN_OTHER,
    MP_PLAIN_UNKNOWN,
    MP_PLAIN_END
};

/* A moment: kind (enum mp_moment_kind), time (difference), name, flags; with CHANGES: their number; of a
 * collection: pause, heap_before + 1, heap_after + 1 (0: not known). */
enum mp_sealed_moment { MP_SEALED_EXACTLY = 1, MP_SEALED_CHANGES = 2, MP_SEALED_MOMENT_FLAGS = 4 };

/* How the parents of contexts 1, 2, ... are stored. */
enum mp_sealed_order {
    MP_ORDER_DEPTH_FIRST = 0,   /* steps up from the context before: 0 = it is the parent */
    MP_ORDER_ANY                /* own id - 1 - parent */
};

/* Columns of cells: context (difference), kind, flags (below), allocs, then with UNIFORM the size,
 * else bytes, size_min, size_max; with FREES: frees, and unless UNIFORM freed; with TEMPORARY:
 * temporary; with PEAK: peak_blocks, and unless UNIFORM peak_bytes (both signed). */
enum mp_sealed_cell {
    MP_CELL_UNIFORM = 1,        /* all blocks have one size: bytes are blocks times that */
    MP_CELL_FREES = 2,          /* some, not all are freed */
    MP_CELL_ALL_FREED = 4,      /* frees = allocs, freed = bytes */
    MP_CELL_TEMPORARY = 8,
    MP_CELL_PEAK = 16,          /* neither nothing nor what is kept was live at the peak */
    MP_CELL_PEAK_KEPT = 32,     /* what was live at the peak is what is kept */
    MP_CELL_FLAGS = 64
};

/* A bin: size (less the last one's, less 1), flags (below), allocs, frees; with BYTES: bytes,
 * freed, else blocks times the size; with TYPES: first_type, n_types. */
enum mp_sealed_bin { MP_BIN_BYTES = 1, MP_BIN_TYPES = 2, MP_BIN_FLAGS = 4 };

#endif
