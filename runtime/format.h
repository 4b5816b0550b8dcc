/* SPDX-License-Identifier: MIT */
/*
 * format.h -- the layout of both forms of an mprof data file.
 *
 * The monitor writes the LIVE form into a MAP_SHARED file while the program runs. It has fixed-size records in
 * extents, in native byte order, and its counters are updated in place. A reader can read it at any time: after
 * SIGKILL, and while the program runs.
 *
 * The reporter converts it to the SEALED form, which has symbols and is compact and portable (second half of this
 * file).
 *
 * man/mprof-data.5 describes both forms completely, and promises which files stay readable. What an earlier release
 * would skip (a new section) or ignore keeps the version. Any other change of a layout raises its version, and a
 * recording of the last release, which later readers must read, is added to tests/data.
 */
#ifndef MP_FORMAT_H
#define MP_FORMAT_H

#include <stdint.h>

/* ------------------------------------------------------------------ live form */

#define MP_LIVE_MAGIC    "MPROFLIV"     /* 8 bytes, no NUL */
#define MP_LIVE_VERSION  1u
#define MP_LIVE_VERSION_OBJECTS 2u      /* a sampled recording in which the objects of a language are sampled, too.
                                           Nothing else differs from version 1 */
#define MP_LIVE_IS_VERSION(version) ((version) == MP_LIVE_VERSION || (version) == MP_LIVE_VERSION_OBJECTS)
#define MP_BYTE_ORDER    0x01020304u
#define MP_MAX_EXTENTS   340u
#define MP_HEADER_SIZE   16384u         /* sizeof(struct mp_live_header), asserted in runtime/ */
#define MP_LIVE_FIRST_SIZE 114688u      /* bytes of a new file; a small program needs no more */
#define MP_BINS          1026u          /* bins 0 to 1024: blocks of exactly so many bytes; bin 1025: all larger
                                           blocks */
#define MP_BIN_LARGE     1025u

/* The records that an extent contains. Ids number the records of one kind through all extents. Id 0 is never
 * used, so an all-zero record has not been written yet. The first id in a file need not be 1. Unless stated otherwise,
 * the records of MP_EXT_MODULES are struct mp_live_module, and so on. */
enum mp_extent_kind {
    MP_EXT_NONE = 0,
    MP_EXT_STRINGS,             /* bytes of NUL-terminated strings; a string's id is its byte offset */
    MP_EXT_MODULES,
    MP_EXT_FRAMES,
    MP_EXT_CONTEXTS,            /* slots of 4 bytes, see MP_CONTEXT_RUN */
    MP_EXT_CELLS,
    MP_EXT_MIXED,
    MP_EXT_RECORDERS,
    MP_EXT_NAMES,
    MP_EXT_OBJECT_KINDS,        /* struct mp_live_kind */
    MP_EXT_AGES,
    MP_EXT_MARKS,
    MP_EXT_FORMER,
    MP_EXT_RESIZED,
    MP_EXT_LIFETIMES,
    MP_EXT_TRACE,               /* a file has one record */
    MP_EXT_EVENTS,
    MP_EXT_MAPPERS,
    MP_EXT_RANGES,
    MP_EXT_KINDS
};

struct mp_live_extent {
    uint32_t kind;              /* enum mp_extent_kind; 0 if the slot is unused; written last */
    uint32_t first;             /* id of the first record */
    uint32_t count;             /* number of records */
    uint32_t record_size;       /* bytes */
    uint64_t offset;            /* file offset of the first record, bytes, a multiple of 4096 */
};

/* State of the recording. writer.h finds out whether a process in state RUNNING is still alive. */
enum mp_live_state {
    MP_STATE_RUNNING = 1,       /* recording, or killed while recording */
    MP_STATE_EXITED,            /* exit() or _exit() was called; counters may still have changed after it */
    MP_STATE_EXEC,              /* the process replaced its program by exec */
    MP_STATE_STOPPED,           /* recording ended by mprof_stop() */
    MP_STATE_FULL,              /* recording ended early; stop_errno has the reason, often a full disk */
    MP_STATE_SNAPSHOT           /* a copy of the file, made while the process was recording */
};

/* Requests of another process to the monitor, in struct mp_live_control of the header. */
enum mp_request {
    MP_REQUEST_NONE = 0,
    MP_REQUEST_STOP,            /* end this recording */
    MP_REQUEST_START,           /* end this recording and begin another one in a new file */
    MP_REQUEST_TAKEN,           /* set by the monitor: a thread is carrying out the request */
    MP_REQUEST_CHECKPOINT,      /* call mprof_checkpoint(); older monitors answer -EINVAL */
    /* Requests for a snapshot (heap_format.h). */
    MP_REQUEST_NUMBERED = 7,    /* snapshot of the heap into FILE.NUMBER.heap; -EBUSY if another one is being
                                   written */
    MP_REQUEST_LEAKS,           /* snapshot of malloc's blocks into an unnamed file, see struct mp_live_offer */
    MP_REQUEST_HEAP             /* snapshot of the language's objects, or of malloc's blocks if there is no
                                   language, into an unnamed file */
};

/* The requesting process writes `file`, then `request`, and then sets MP_PENDING_REQUEST in all recorders. The
 * next thread that enters the monitor sets `request` to MP_REQUEST_TAKEN, carries the request out, writes
 * `answer`, and sets `request` to 0. Until the request is taken, the requesting process may set `request` to 0
 * and make another request. The monitor reads requests until the process begins another file. */
struct mp_live_control {
    uint32_t listens;           /* 1 while the monitor accepts requests */
    uint32_t request;           /* enum mp_request */
    int32_t  answer;            /* result of the last request: 0 or -errno */
    uint32_t followed;          /* 1 if the process began another recording, in `file` */
    char     file[4096];        /* for START, absolute path, or "" for FILE.PID; for CHECKPOINT, its name */
};

/* The unnamed file that holds a snapshot which another process requested. The requesting process opens and checks
 * /proc/PID/fd/DESCRIPTOR, and then sets `number` to 0. The writer keeps the file locked (flock(2)) until it is
 * complete, and open until `number` changes, but at most for another 30 seconds. */
struct mp_live_offer {
    uint32_t number;            /* number of the offer; 0 if nothing is offered or the offer was taken */
    uint32_t pid;               /* process that writes the file, a child of the recorded process */
    uint32_t descriptor;        /* the file's descriptor in process `pid` */
};

enum mp_unwinder { MP_UNWIND_RULES = 0, MP_UNWIND_LIBUNWIND, MP_UNWIND_FP };

/* Reasons why records or chains are incomplete. The header has a counter for each, and reports show it. */
enum mp_missing {
    MP_MISS_DROPPED = 0,        /* number of allocations not recorded because memory ran out */
    MP_MISS_FOREIGN_FREE,       /* number of frees of blocks that belong to an earlier recording of this process or
                                   its ancestors */
    MP_MISS_UNKNOWN_FREE,       /* number of frees of addresses that no recorded allocation returned */
    MP_MISS_OPERATOR_NEW,       /* 1 if the allocator has its own operator new, which bypasses malloc; the number of
                                   its allocations is unknown */
    MP_MISS_MALLOC,             /* 1 if the program calls a malloc of its own; the number of its allocations is
                                   unknown */
    MP_MISS_FOLDED,             /* 1 if the user had recursion folded, so that chains lack repeated calls */
    MP_MISS_UNSEEN_FREE,        /* number of frees that were not seen before the block's address was allocated
                                   again, or that could not be recorded (the block counts as kept) */
    MP_MISS_LIBRARY,            /* 1 if a loaded library has or may have a malloc of its own; the number of its
                                   allocations is unknown */
    MP_MISS_KINDS = 8
};

/* What became of the search for lost blocks at the end of the process, with an error number in the bits above
 * MP_LEAKS_BITS. */
enum mp_leaks_state {
    MP_LEAKS_UNWANTED = 0,
    MP_LEAKS_WANTED,            /* the end of the process was not seen */
    MP_LEAKS_DONE,
    MP_LEAKS_PARTIAL,           /* not every block was recorded */
    MP_LEAKS_FILTER,            /* the process had a seccomp filter */
    MP_LEAKS_DAEMON,            /* the process ended in daemon(3), and its child went on */
    MP_LEAKS_PROC,              /* error number: /proc could not be read */
    MP_LEAKS_READ,              /* the process could not read its own memory */
    MP_LEAKS_FILE,              /* error number: the snapshot could not be written */
    MP_LEAKS_COPY,              /* error number: the copy of the process that searches could not be made */
    MP_LEAKS_SEARCH,            /* error number, or 0 if unknown: the copy of the process ended early */
    MP_LEAKS_STATES
};
#define MP_LEAKS_BITS 8

/* Frees that reveal faults of the program. Each context with such frees of one kind has an entry in `places`. Beyond
 * MP_MAX_BAD_FREES entries, or some thousand frees of one kind, only `counts` is updated. Sampled recordings do
 * not detect faults. */
enum mp_bad_free_kind {
    MP_FREED_AGAIN = 0,         /* double free: the memory was not allocated again in between */
    MP_FREED_INSIDE,            /* free of an address inside a live block, not at its beginning */
    MP_FREED_UNKNOWN,           /* free of an address that no recorded allocation returned (MP_MISS_UNKNOWN_FREE):
                                   memory of another allocator, or a block older than the recording */
    MP_FREED_OVERRUN,           /* free or realloc of a block that was written beyond its end; see enum mp_sentinel */
    MP_FREED_MISMATCHED,        /* free, delete or delete[] of a block that another kind of function made; see enum
                                   mp_sentinel */
    MP_BAD_FREES
};
#define MP_MAX_BAD_FREES 48u

struct mp_live_bad_free {
    uint32_t kind;              /* enum mp_bad_free_kind */
    uint32_t context;           /* context of the free, of MP_FREED_OVERRUN the one of the allocation; 0 if unknown */
    uint64_t count;             /* number of frees; 0 if the entry is unused; written last */
};

struct mp_live_bad_frees {
    uint64_t counts[MP_BAD_FREES];
    struct mp_live_bad_free places[MP_MAX_BAD_FREES];
};

/* Whether overruns and mismatches are looked for (MP_FREED_OVERRUN, MP_FREED_MISMATCHED). */
enum mp_sentinel {
    MP_SENTINEL_OFF = 0,
    MP_SENTINEL_ON,
    MP_SENTINEL_NONE,           /* asked for, but impossible (allocator, samples); merged: not in all processes */
    MP_SENTINEL_END
};

/* Frame ids below MP_FRAME_FIRST are marks instead of addresses. A context whose frame is a mark is a child of
 * the root. It is the parent of all chains that were cut for the reason that the mark names. */
enum mp_frame_mark {
    MP_FRAME_CUT_DEPTH = 1,     /* outer callers omitted by --depth=N or --no-call-graph */
    MP_FRAME_CUT_NO_RULE,       /* the outermost frame shown has no unwind information */
    MP_FRAME_CUT_MEMORY,        /* the monitor had no memory for the whole chain */
    MP_FRAME_LAST_MARK = MP_FRAME_CUT_MEMORY,
    MP_FRAME_FIRST = 16
};

#define MP_LANGUAGE_UNRECORDED ", not recorded: "

#define MP_MAX_FORMS 255u
#define MP_SOME_THREADS UINT32_MAX
#define MP_SAMPLE_AS_SAID UINT32_MAX
#define MP_USUAL_SAMPLE ((uint32_t)512 << 10)
#define MP_MAX_SAMPLE ((uint32_t)1 << 26)       /* maximum sampling period, bytes */

/* Memory that malloc had taken from the system when the program ended, from glibc's own statistics. */
struct mp_live_allocator {
    uint64_t held;              /* bytes taken from the system; 0 if unknown */
    uint64_t mapped;            /* bytes of `held` in blocks with mappings of their own */
    uint64_t free;              /* bytes of `held` in free chunks, not counting threads' caches */
    uint64_t resident;          /* resident bytes of the process, as counted by the kernel; 0 if unknown */
};

/* Memory that the program and its libraries map themselves, by functions of libc. */
enum mp_mapped_kind {
    MP_MAPPED_PRIVATE = 1,      /* anonymous private memory */
    MP_MAPPED_SHARED,           /* anonymous shared memory */
    MP_MAPPED_FILE,             /* a file, shared or private */
    MP_MAPPED_BREAK,            /* sbrk(2), brk(2) */
    MP_MAPPED_OTHER,            /* moved by mremap(2) from an address where nothing was recorded */
    MP_MAPPED_ALLOCATOR,        /* mapped by the library that defines malloc; not in the sums of the header, and with
                                   context 0 */
    MP_MAPPED_KINDS
};

/* The sums of what the program has mapped. Written under the gate's lock. */
struct mp_live_mappings {
    uint64_t mapped, peak;      /* bytes mapped now; maximum, unless `mapped` is larger */
    uint64_t peak_monotonic;    /* ns, CLOCK_MONOTONIC, when the peak ended; 0 if there was none yet */
    uint64_t missing;           /* number of calls that could not be recorded */
    uint32_t peaks;             /* number of peaks; see struct mp_live_mapper */
    uint32_t n_ranges;          /* ranges in use */
    uint64_t changes;           /* odd while ranges are being changed */
    uint64_t own_start, own_end;        /* addresses of the monitor's own memory; 0, 0 if unknown */
};

#define MP_LABELS_SIZE 2048u    /* maximum size of MPROF_LABELS and a NUL, bytes; longer ones are ignored */

struct mp_live_header {
    char     magic[8];
    uint32_t version;
    uint32_t byte_order;        /* MP_BYTE_ORDER in the writer's byte order */
    uint32_t header_size;       /* MP_HEADER_SIZE */
    uint32_t machine;           /* ELF e_machine of the program: 62 x86-64, 183 aarch64 */
    uint32_t page_size;         /* bytes */
    uint32_t state;             /* enum mp_live_state */

    uint32_t pid, ppid;
    uint64_t start_ticks;       /* field 22 of /proc/PID/stat; distinguishes the process from later ones with the
                                   same pid */
    uint64_t start_realtime;    /* ns since 1970, beginning of the recording */
    uint64_t start_monotonic;   /* ns, CLOCK_MONOTONIC, beginning of the recording */
    uint64_t end_monotonic;     /* ns, CLOCK_MONOTONIC, when `state` left RUNNING; 0 before */
    int32_t  exit_status;       /* exit status that the parent receives; -1 if unknown */
    uint32_t stop_errno;        /* errno of the failure in state MP_STATE_FULL */

    uint32_t unwinder;          /* enum mp_unwinder */
    uint32_t depth;             /* maximum frames recorded of each chain; 0 if unlimited */
    uint32_t program;           /* string: path of the executable */
    uint32_t arguments;         /* string area: n_arguments strings of argv, one after the other */
    uint32_t n_arguments;
    uint32_t arguments_cut;     /* 1: not all arguments are stored */
    uint32_t monitor;           /* string: version of the monitor */
    uint32_t n_extents;         /* slots of `extents` in use; written after the slot */

    uint64_t missing[MP_MISS_KINDS];    /* enum mp_missing */
    uint64_t programs_started;          /* programs started without profiling by exec in this process or its forked
                                           children */
    uint64_t processes_forked;          /* number of fork() calls */
    uint64_t nested;                    /* hooks called in signal handlers that interrupted the monitor */

    /* The garbage-collected heap of a language, if there is one. */
    uint32_t language;                  /* string: name and version of the language's runtime, "ECL 21.2.1", or the
                                           name of one that could not be recorded, followed by
                                           MP_LANGUAGE_UNRECORDED and the reason; 0 if none */
    uint32_t one_thread;                /* tid of the only thread whose objects are recorded; 0 if all threads'
                                           are; MP_SOME_THREADS if several threads' are, or all threads' for part
                                           of the time */
    uint64_t collections;               /* collections that ended while recording */
    uint64_t heap_before, heap_now;     /* bytes ever allocated in that heap, counted by the runtime: at the
                                           beginning of the recording, and last read; 0 if unknown */

    /* Peak. The recorders' pending_bytes are not yet included in live_bytes. */
    _Alignas(64) uint64_t epoch;        /* increased by every new peak and checkpoint, see MP_EPOCH_PEAK */
    int64_t  live_bytes;                /* committed live bytes */
    int64_t  peak_bytes;                /* maximum of live_bytes */
    uint64_t peak_slack;                /* bytes, upper bound of the error of peak_bytes; 0 if exact */
    uint64_t peak_monotonic;            /* ns, CLOCK_MONOTONIC, when the peak was last raised; 0 if unknown */
    uint64_t file_size;                 /* bytes of the file in use */

    _Alignas(64) struct mp_live_control control;

    /* Contexts in which forms of Lisp that record (with-profiling) were entered. Contexts below one of them
     * belong to that form; it and its ancestors are only the path to it. n_forms is written after the context.
     * Further forms are not noted once n_forms is MP_MAX_FORMS. */
    uint32_t n_forms;
    uint32_t forms[MP_MAX_FORMS];

    uint64_t run_id[2];         /* random id of the mprof run that started the program; 0, 0 if none did */
    uint64_t run_start_ticks;   /* start time (field 22 of /proc/PID/stat) of process run_pid, which will seal the
                                   file */
    uint64_t pid_namespace;     /* pid namespace of `pid`: inode of /proc/PID/ns/pid; 0 if unknown */
    uint32_t run_pid;           /* pid of that mprof run, in its own namespace */
    uint32_t run_reserved;

    uint32_t checkpoints_left_out;      /* checkpoints omitted because the maximum number was reached */
    uint32_t first_collection;  /* marks of collections with smaller ids have been merged into later ones */
    uint32_t former_lost;       /* first checkpoint from which on some cells lack records of MP_EXT_FORMER; 0 if
                                   none */

    uint32_t sample_wanted;     /* sample_period of the recording that MP_REQUEST_START begins, or
                                   MP_SAMPLE_AS_SAID for the period with which the process was started */

    uint32_t host;              /* string: host name; 0 if unknown */
    uint32_t lifetimes;         /* 1 if lifetimes of blocks are recorded, see struct mp_live_lifetimes */
    uint32_t collector_divisor; /* free space divisor of the collector at its last collection; 0 if unknown */
    uint32_t collector_flags;   /* enum mp_collector_flag */

    _Alignas(8) struct mp_live_allocator allocator;
    struct mp_live_offer offer;
    uint32_t snapshots;         /* largest NUMBER of this recording's FILE.NUMBER.heap; 0 if none */
    _Alignas(8) struct mp_live_bad_frees bad_frees;
    uint64_t events_missing;    /* number of events for which there was no space in MP_EXT_EVENTS */
    uint32_t sentinel;          /* enum mp_sentinel */
    uint32_t follows;           /* 1 if started programs are to be profiled, too (mprof run --follow) */
    uint64_t private_before, private_end;   /* private resident bytes of the process at the beginning and end of the
                                               recording; 0 if unknown */
    uint64_t inode;             /* inode of this file; another one belongs to a copy of the file */
    uint64_t scan_offset, scan_size;    /* place in this file of the snapshot FILE.NUMBER.heap of the end, bytes, if it
                                           could not be written beside the file; 0, 0 if there is none */
    uint32_t leaks;             /* enum mp_leaks_state and an error number */
    _Alignas(8) struct mp_live_mappings mappings;
    uint32_t labels;            /* string: the labels that the user gave the run, MPROF_LABELS; 0 if none */

    uint8_t reserved[8192 - 360 - sizeof(struct mp_live_control) - 4 - 4 * MP_MAX_FORMS - 88 -
                     sizeof(struct mp_live_allocator) - sizeof(struct mp_live_offer) - 4 -
                     sizeof(struct mp_live_bad_frees) - 8 - 16 - 8 - 4 - sizeof(struct mp_live_mappings) - 4];

    /* Processes that have installed a seccomp filter and record no more: this one and its forked children. */
    uint32_t processes_shut;            /* number of such processes */
    uint32_t not_recorded;              /* number of children that they forked afterwards */
    uint32_t unreached;                 /* number of forked children that could neither create a file nor reach mprof
                                           run */
    uint32_t unreached_error;           /* errno of the last such child */
    uint32_t unwanted;                  /* 1 if mprof run removes this file, because such a child started a
                                           program that is not profiled */

    /* Mean distance of samples in a sampled recording, bytes of allocation; 0 if every allocation is recorded.
     * In a sampled recording bins count the allocated blocks of each size, but no frees. Cells
     * of kinds below MP_KIND_LISP count samples, and all samples of a cell have one size. So do cells of all other
     * kinds in version 2, where `objects` of the recorders count all objects. The figures of the peak
     * are estimates of its bytes. The field is next to `extents` because they are useless without it: a program
     * that overwrites the beginning of the file damages neither. */
    uint32_t sample_period;
    struct mp_live_extent extents[MP_MAX_EXTENTS];
};

/* An ELF object with code that occurs on a chain. An object that is loaded again has another record. */
struct mp_live_module {
    uint64_t start, end;        /* mapped addresses; the record is valid if end != 0 */
    uint64_t bias;              /* address in the process less p_vaddr */
    uint32_t path;              /* string; empty if unknown */
    uint32_t unloaded;          /* 1: unloaded by dlclose */
    uint8_t  build_id[32];
    uint32_t build_id_size;     /* bytes; 0 if there is no build-id */
    uint32_t file;              /* enum mp_module_file */
    uint64_t inode, size;       /* inode number and bytes of the file; 0 if unknown */
    uint64_t mtime;             /* time of its last modification, ns since 1970; 0 if unknown */
    uint32_t reserved[8];
};

/* What is known of the file of a module. */
enum mp_module_file {
    MP_FILE_UNKNOWN = 0,        /* the file was not examined, or could not be */
    MP_FILE_KNOWN,              /* inode, size and mtime are those of the file at `path` when the record was written. If
                                   there is no build-id, it was the mapped file */
    MP_FILE_GONE                /* there was no file any more at `path`, or another one than the mapped file */
};

/* A code address that occurs on a chain. It is a return address, so the call instruction contains ip - 1. If a
 * signal interrupted the frame, ip is the interrupted instruction itself. */
struct mp_live_frame {
    uint64_t ip;                /* address in the process */
    uint32_t module;            /* 0 if the code is in no module (generated code) */
    uint32_t flags;             /* MP_LIVE_FRAME_*; VALID is written last */
};
/* A frame with SIGNAL and a name that no context refers to only gives the language's name of the function that
 * starts at ip. Readers use it if debug information shows that the function was inlined into others. */
#define MP_LIVE_FRAME_VALID   1u
#define MP_LIVE_FRAME_SIGNAL  2u        /* interrupted by a signal: look up ip, not ip - 1 */
#define MP_LIVE_FRAME_RUNTIME 4u        /* code of the language's runtime: libecl, libgc */
#define MP_LIVE_FRAME_INTERPRETED 8u    /* a function that the interpreter runs; the frame replaces the
                                           interpreter's. ip identifies the function and is no address. With
                                           SIGNAL: the thread itself, as outermost frame */
#define MP_LIVE_FRAME_UNPROVED 16u      /* the caller is found by a frame pointer that no unwind information proves */
#define MP_LIVE_FRAME_NAME_SHIFT 8      /* bits 8-31: id of the frame's struct mp_live_name; 0 if none. May be set
                                           after VALID */

/* Name of a function, given by the language's runtime. */
struct mp_live_name {
    uint32_t name;              /* string, as the runtime prints it: "(SETF FOO)" */
    uint32_t file;              /* string: source file that defines the function; 0 if unknown */
    int64_t  position;          /* characters from the beginning of the file; -1 if unknown */
    uint32_t flags;             /* MP_LIVE_NAME_*; VALID is written last */
    uint32_t reserved[3];
};
#define MP_LIVE_NAME_VALID    1u
#define MP_LIVE_NAME_DISPATCH 2u        /* a dispatch function, which only passes calls on; hidden from users */
#define MP_LIVE_NAME_BUILTIN  4u        /* a function of the runtime itself */

/* A kind of object that is not one of C's size classes. */
struct mp_live_kind {
    uint32_t name;              /* string: "CONS", or the name of a class */
    uint16_t kind;              /* as in struct mp_live_cell */
    uint16_t base;              /* built-in kind that it belongs to ("STRUCTURE"); its own number if it is built-in */
    uint8_t  category;          /* column of a breakdown: 'c', 'f', 's' or 'o'; 0 if the record is unused; written
                                   last */
    uint8_t  reserved[7];
};

/* A context is a call chain: a frame and the context that called it. Trees of different threads may contain equal
 * chains; the reader merges them by path.
 *
 * Contexts are stored in runs of slots of 4 bytes. A run begins with a header of one slot, MP_CONTEXT_RUN with
 * the id of an older context, 0 for the root. Then follow frame ids: the older context called the first frame,
 * and each frame called the next one. The id of a context is the number of the slot with its frame. The run ends
 * at an unwritten slot (0) or at the next header. The following slots contain main, main > parse, main > parse >
 * list (23) and main > parse > item (25).
 *
 *     slot     20        21     22     23     24         25     26
 *     holds    run | 0   main   parse  list   run | 22   item   0 */
#define MP_CONTEXT_RUN 0x80000000u

/* Counters of blocks of one context and kind. Only one recorder writes them. All blocks of a *uniform* cell have
 * one size. A *mixed* cell counts blocks of any size, and its bytes are in a struct mp_live_mixed. A cell never
 * changes from one to the other. A context, kind and size may have several cells, of which only the sum is
 * meaningful. If another thread frees a block, its recorder counts the free in a cell of its own with the same
 * context. So `allocs - frees` of one cell may be negative. No counter wraps: a cell is full when `allocs` or
 * `slack` has a bit of MP_CELL_FULL, and the next block is counted in another cell.
 *
 * At the last peak the cell had `saved` live blocks if `stamp` belongs to that peak, i.e. if the sum of the
 * recorder's `era` and `stamp` has the same peak part as the header's epoch. Otherwise it had as many as now. */
struct mp_live_cell {
    uint32_t context;           /* written last; 0 if the record is unused */
    uint16_t kind;              /* see sizeclass.h; MP_CELL_MIXED is added if mixed */
    uint16_t recorder;
    uint32_t size;              /* bytes of each block; in a mixed cell the id of its struct mp_live_mixed */
    uint32_t allocs, frees;     /* numbers of blocks */
    union {
        uint32_t temporary;     /* kinds of C: blocks freed by the thread that allocated them before its next
                                   allocation */
        uint32_t slack;         /* kinds from MP_KIND_LISP on, in uniform cells: bytes that the objects occupy
                                   beyond what was requested */
    };
    uint32_t stamp;             /* low half of the epoch of the last change, before which `saved` was written; the
                                   peak part is 0 if that epoch belongs to another era */
    int32_t  saved;             /* live blocks when `stamp` was written */
};

/* An epoch consists of two counts: bits MP_EPOCH_MARKS are the number of checkpoints, and the bits above are the
 * number of peaks. Epochs with 0 peaks in their low half are skipped. */
#define MP_EPOCH_MARKS 0xffffu          /* mask of the number of checkpoints, and its maximum */
#define MP_EPOCH_PEAK  0x10000u         /* increment for one more peak */

#define MP_CELL_MIXED 0x4000u           /* flag in `kind` */
#define MP_CELL_FULL  0xc0000000u
#define MP_CELL_SIZES 3u                /* number of sizes that have uniform cells, for each context and kind */

/* Bytes of the blocks of a mixed cell. All fields are 0 when the cell is created. */
struct mp_live_mixed {
    uint64_t bytes, freed;
    union {
        uint64_t requested;     /* kinds from MP_KIND_LISP on: requested bytes; `bytes` is what the objects occupy */
        uint64_t most_bytes;    /* kinds of C: the maximum of `bytes - freed` */
    };
    int64_t  saved_bytes;       /* live bytes, written together with `saved` of the cell */
    uint32_t size_min, size_max;/* bytes of the smallest and largest block, at most 2^32 - 1; min > max if there
                                   are no blocks */
    uint32_t uniform[MP_CELL_SIZES];    /* sizes with uniform cells; only the monitor uses them */
    uint32_t last;              /* kinds of C: size of the newest block, bytes, at most 2^32 - 1; only the monitor uses
                                   it */
    uint32_t larger;            /* kinds of C: number of blocks that are larger than the block before them */
    uint32_t most_blocks;       /* kinds of C: the maximum of the cell's `allocs - frees`. This, `larger` and
                                   `most_bytes` are 0 if they were not recorded, as in a sampled recording */
};

/* A cell with MP_KIND_PAYLOAD in its kind counts blocks that belong to objects of that kind (slots of an
 * instance, data of a vector). Their bytes are added to the kind's bytes, but the blocks are not counted as
 * objects. */

/* Ages of collected objects of one context and kind. Counts objects that survived at least one collection, and
 * how many of them died later. Written under the gate's lock. */
struct mp_live_ages {
    uint32_t context;           /* written last; 0 if the record is unused */
    uint16_t kind;              /* kind from MP_KIND_LISP on; MP_KIND_PAYLOAD is added for blocks that belong to
                                   objects */
    uint16_t reserved;
    uint64_t survived[3];       /* objects that survived at least one, two, four collections */
    uint64_t aged;              /* bytes of the objects in survived[0] */
    uint64_t aged_frees, aged_freed;    /* objects of survived[0] that died since, and their bytes */
    uint32_t size;              /* in a sampled recording: bytes of each object, MP_AGES_ANY_SIZE if they differ */
    uint32_t reserved_too;
};
#define MP_AGES_ANY_SIZE UINT32_MAX

enum mp_collector_flag { MP_COLLECTOR_INCREMENTAL = 1 };

/* Event at a point in time. Marks of one kind are sorted by time. */
enum mp_mark_kind {
    MP_MARK_CHECKPOINT = 1,     /* mprof_checkpoint() */
    MP_MARK_COLLECTION,         /* end of a collection, or of several successive ones */
    MP_MARK_SNAPSHOT            /* a copy of the file was made because of a signal (MPROF_SIGNAL) */
};
#define MP_MARK_NAME 256u       /* maximum stored bytes of a checkpoint's name; an incomplete last character is
                                   removed */
struct mp_live_mark {
    uint32_t kind;              /* enum mp_mark_kind; 0 if the record is unused; written last */
    uint32_t name;              /* string: name of the checkpoint */
    uint64_t monotonic;         /* ns, CLOCK_MONOTONIC */
    uint32_t number;            /* checkpoint: its number, from 1 on, as in epochs; collection: number of
                                   collections whose sums, first or last values follow */
    uint32_t tid;               /* thread in which it happened */
    uint64_t pause;             /* collection: ns that it took */
    uint64_t heap_before, heap_after;   /* collection: live bytes of recorded objects before and after it */
    uint64_t heap_size;         /* collection: bytes that the heap had taken from the system, the maximum of
                                   several */
    uint64_t allocated;         /* collection: bytes ever allocated in the heap at its end; 0 if unknown */
};

/* Counters of a cell at checkpoint `number`, saved before the cell's first change after it. The counters that a
 * cell had at a checkpoint are in its first record for this checkpoint or a later one. If there is no such
 * record, the cell has not changed since. A cell created after a checkpoint begins with a record of zeros. */
struct mp_live_former {
    uint32_t cell;              /* id; 0 if the record is unused; written last */
    uint16_t number;            /* number of the checkpoint */
    uint16_t reserved;
    uint32_t allocs, frees, temporary;  /* as in struct mp_live_cell */
    uint32_t reserved_too;
    uint64_t bytes, freed;
};

/* Live bytes over time. A point is written when the live bytes leave the interval [low, high] around the last point.
 * Half the width of the interval is 1/MP_TRACE_PARTS of the peak, but at least MP_TRACE_STEP bytes. While points
 * belong to the last span, the interval includes that span (trace.h). Points are grouped into spans of time, each of
 * which keeps its lowest and highest point. When all spans are in use, adjacent spans whose points differ by less
 * than half the interval are joined. If that frees too few spans, `spacing` is doubled, and spans closer than that
 * are joined, until enough are free. A reader skips a span that is not later than the one before it: the process may
 * have been killed while it joined spans. */
#define MP_TRACE_PARTS 64
#define MP_TRACE_STEP  1024
#define MP_TRACE_SPANS 510u
#define MP_TRACE_SPACING 10000u         /* initial `spacing`, ns */

struct mp_live_span {
    uint64_t low_time;          /* time of the lowest point, ns since recording began */
    int64_t  low;               /* live bytes at that time */
    uint64_t high_time;         /* time of the highest point, which may be the lowest point too */
    int64_t  high;
};

struct mp_live_trace {
    int64_t  low, high;         /* interval of live bytes within which no point is written */
    uint64_t spacing;           /* minimum ns from the first point of a span to the first point of the next */
    uint64_t time;              /* time of the last point, ns since recording began */
    uint32_t n;                 /* number of spans in use */
    uint32_t holder;            /* id of the recorder that is writing; 0 if none */
    uint32_t passes;            /* number of points that get the time of the point before them until the clock is
                                   read again */
    uint32_t passed;            /* points since the clock was last read */
    uint8_t  reserved[16384 - 48 - sizeof(struct mp_live_span) * MP_TRACE_SPANS];
    struct mp_live_span spans[MP_TRACE_SPANS];
};

/* Blocks of one context and kind that realloc made from recorded older blocks, counted by one recorder. The cells
 * count these calls as a free and an allocation. Not written in sampled recordings. */
struct mp_live_resized {
    uint32_t context;           /* written last; 0 if the record is unused */
    uint16_t kind;              /* sizeclass.h */
    uint16_t reserved;
    uint64_t reallocs;          /* number of blocks */
    uint64_t moved;             /* bytes copied: sum of the smaller size of both blocks, where the address changed */
    uint64_t steps;             /* number of blocks larger than their older block, if the same call allocated both:
                                   the innermost frames of both contexts are equal */
    uint64_t steps_from, steps_by;      /* older sizes of the blocks counted in `steps`, bytes, and bytes by which
                                           they grew */
    uint64_t reserved_too[2];
};

/* Lifetimes of blocks of one context and kind that the thread of one recorder freed. Recorded if header.lifetimes
 * is set. A lifetime is the number of bytes that the process allocated between the block's allocation and its
 * free. Bucket i counts blocks that lived less than 1 << MP_LIFETIME_BITS(i) bytes and belong to no earlier
 * bucket. The last bucket also counts all longer lifetimes. Blocks whose free was not seen, or whose time of
 * birth could not be stored, are not counted. */
#define MP_LIFETIMES 15u
#define MP_LIFETIME_BITS(bucket) (5u + 2u * (bucket))  /* 32, 128, 512 bytes, ... 32 KiB, ... 2 GiB */
#define MP_LIFETIMES_SHORT 6u           /* number of buckets for less than 32 KiB */
struct mp_live_lifetimes {
    uint32_t context;           /* written last; 0 if the record is unused */
    uint16_t kind;              /* sizeclass.h */
    uint16_t reserved;
    uint64_t blocks[MP_LIFETIMES], bytes[MP_LIFETIMES];
    uint64_t reserved_too;
};

/* Events in a collected heap (mprof run --record). The ids of the records have the order of the events. A record of
 * zeros before other records stands for an event whose record was not written. */
enum mp_event {
    MP_EVENT_ATOMIC = 1,        /* an object without pointers was allocated at address `where`; the value is its size
                                   in units of 16 bytes */
    MP_EVENT_POINTERS,          /* the same, for an object that may contain pointers */
    MP_EVENT_UNCOLLECTABLE,     /* the same, for a block that the collector never frees */
    MP_EVENT_FREE,              /* the object at address `where` was freed by the program */
    MP_EVENT_DEAD,              /* a collection found objects dead: bit I of `where` is the object that begins at
                                   MP_EVENT_SPAN * value + 16 * I */
    MP_EVENT_FIGURE,            /* a figure of the collection that is about to end; the value is enum
                                   mp_event_figure */
    MP_EVENT_COLLECTED          /* a collection ended; the value is the free space divisor (0 if unknown), and
                                   `where` is enum mp_collector_flag */
};
enum mp_event_figure {
    MP_EVENT_PAUSE,             /* ns that the collection took; 0 if unknown */
    MP_EVENT_HEAP,              /* bytes that the heap takes from the system */
    MP_EVENT_ALLOCATED,         /* bytes ever allocated in the heap, recorded or not */
    MP_EVENT_FIGURES
};
#define MP_EVENT_BITS 3u
#define MP_EVENT_SPAN ((uint64_t)1024)

struct mp_live_event {
    uint64_t what;              /* enum mp_event in the low MP_EVENT_BITS, and a value; written last */
    uint64_t where;
};

/* What calls with one context mapped, of one kind. All memory of a call that maps something counts as new, also what
 * mremap(2) moved or kept in place. At the last peak, `saved` bytes were mapped if `stamp` is the number of peaks in
 * the header, else as many as now. Written under the gate's lock. */
struct mp_live_mapper {
    uint32_t context;           /* 0 if unknown */
    uint16_t kind;              /* enum mp_mapped_kind; 0 if the record is unused; written last */
    uint16_t reserved;
    uint64_t calls, bytes;      /* number of calls, and bytes that they mapped */
    uint64_t unmapped;          /* bytes of these that were unmapped, or replaced by a later mapping */
    uint64_t discarded;         /* bytes that madvise(2) released, counted at each call; they remain mapped */
    uint64_t saved;             /* bytes mapped before the first change after a peak */
    uint32_t stamp;             /* number of peaks when `saved` was written */
    uint32_t reserved_too[3];
};

/* A range of addresses that is mapped. The first mappings.n_ranges records of the file are in use, sorted by address.
 * Ranges do not overlap. A copy is invalid if the header's `changes` is odd or has changed
 * meanwhile. */
struct mp_live_range {
    uint64_t start, end;
    uint32_t mapper;            /* id of its struct mp_live_mapper */
    uint32_t reserved;
};

/* Number of malloc's blocks of one size in mixed cells. The reader adds the blocks in uniform cells. */
struct mp_live_bin {
    uint64_t allocs, frees;     /* blocks of exactly this size, or of more than 1024 bytes in bin 1025 */
};

/* Objects of one built-in kind, or of all classes that belong to it, whether they are samples or not. All are 0 if
 * objects are not sampled. One recorder's figures may be negative, because an object's kind may be discovered later. */
struct mp_live_objects {
    uint64_t allocs, bytes;
};
#define MP_OBJECT_TYPES 128u

enum mp_pending_work {
    MP_PENDING_OWN = 1,         /* the monitor has work to do */
    MP_PENDING_REQUEST = 2,     /* the header's control.request has to be read */
    MP_PENDING_CALL = 4         /* the program's function has to be called: mprof_set_callback() */
};

/* A recorder belongs to one thread at a time. When that thread has ended, another thread takes it over. */
struct mp_live_recorder {
    uint32_t in_use;            /* 1: valid record (never reset) */
    uint32_t tid;               /* thread that owns the recorder; 0 if none */
    uint32_t threads;           /* number of threads that have owned it */
    uint32_t pending_work;      /* enum mp_pending_work: what its thread has to do besides recording */
    int64_t  pending_bytes;     /* live bytes not yet added to the header's live_bytes */
    uint64_t large_bytes, large_freed;  /* bytes of blocks in bin 1025 */
    struct mp_live_bin bins[MP_BINS];
    uint64_t era;               /* high half of the epochs of its cells, whose stamps are the low half */
    uint64_t thread_pointer;    /* address in the thread's stack, where libc describes the thread; 0 for the main
                                   thread, or if there is none */
    struct mp_live_objects objects[MP_OBJECT_TYPES];    /* by kind less MP_KIND_LISP; the first element counts blocks
                                                           that belong to objects */
    uint8_t  unused[20480 - 56 - sizeof(struct mp_live_bin) * MP_BINS -
                    sizeof(struct mp_live_objects) * MP_OBJECT_TYPES];
};

/* ---------------------------------------------------------------- sealed form
 *
 * A header of MP_SEALED_HEADER_SIZE bytes, the content, which may be deflated, and a CRC-32 of all bytes before it. The
 * content is a series of sections. man/mprof-data.5 describes the header and the encoding of each section; the files
 * reporter/file/sealed_*.c encode and decode them. The fields have the same meaning as in struct mp_profile
 * (reporter/profile/profile.h).
 *
 * The tags of sections ascend. Sections up to MP_SEC_NEEDED occur exactly once. Those up to MP_SEC_OF_RUNTIME occur all
 * together, or not at all if the program had no language runtime. Each later section occurs only if it contains
 * something. A reader skips tags that it does not know. */

#define MP_SEALED_MAGIC        "MPROFDAT"   /* 8 bytes, no NUL */
#define MP_SEALED_VERSION      1u
#define MP_SEALED_VERSION_OBJECTS 2u        /* there is a section MP_SEC_OBJECTS_COUNTED */
#define MP_SEALED_HEADER_SIZE  32u
#define MP_SEALED_CRC_SIZE     4u
#define MP_SEALED_MAX_CONTENT  ((uint64_t)1 << 30)  /* bytes; readers refuse larger contents */

enum mp_sealed_flag { MP_SEALED_DEFLATED = 1 };

enum mp_sealed_section {
    MP_SEC_STRINGS = 1,         /* the strings to which other sections refer by number; string 0 is "" */
    MP_SEC_META,                /* facts about the process: struct mp_meta */
    MP_SEC_MODULES,
    MP_SEC_FUNCTIONS,
    MP_SEC_LOCATIONS,           /* lines of functions, including inlined ones */
    MP_SEC_FRAMES,
    MP_SEC_CONTEXTS,
    MP_SEC_CELLS,
    MP_SEC_TYPES,               /* names of the types of C */
    MP_SEC_BINS,                /* blocks of malloc by exact size */
    MP_SEC_NEEDED = MP_SEC_BINS,
    MP_SEC_RUNTIME,             /* the language's runtime and its heap */
    MP_SEC_NAMES,               /* the runtime's names of functions */
    MP_SEC_FRAME_NAMES,         /* the runtime's name of each frame */
    MP_SEC_KINDS,               /* kinds of objects */
    MP_SEC_OBJECTS,             /* figures of cells that only objects have */
    MP_SEC_OF_RUNTIME = MP_SEC_OBJECTS,
    MP_SEC_FORMS,               /* contexts in which recorded forms were entered */
    MP_SEC_RUN,                 /* run_id of struct mp_live_header */
    MP_SEC_UNUSED,              /* no release has written it; readers skip it */
    MP_SEC_SAMPLES,             /* sampling period. If it is present, cells of C count samples, with one cell for each
                                   size of a context and kind, and bins have no frees */
    MP_SEC_TIME,                /* the time line. In a sampled recording its changes are estimates */
    MP_SEC_CROSSED,             /* cells with blocks that were not freed by the thread that allocated them */
    MP_SEC_RESIZED,             /* cells with blocks that realloc made from older ones */
    MP_SEC_ALSO_UNUSED,
    MP_SEC_PROCESSES,           /* the host; in a merged file also all processes and their labels */
    MP_SEC_LIFETIMES,           /* cells with lifetimes of blocks */
    MP_SEC_COLLECTIONS,         /* collections of the language's heap */
    MP_SEC_ALLOCATOR,           /* struct mp_live_allocator */
    MP_SEC_TEMPORARY,           /* temporary blocks of the changes in MP_SEC_TIME */
    MP_SEC_BAD_FREES,           /* faulty frees and their places */
    MP_SEC_OPTIONS,             /* `follows` and `leaks` of struct mp_live_header */
    MP_SEC_PRIVATE,             /* maximum of the private resident bytes that was seen, less those at the beginning */
    MP_SEC_UNPROVED,            /* frames with MP_LIVE_FRAME_UNPROVED */
    MP_SEC_UNRECORDED,          /* processes of the run that were not recorded */
    MP_SEC_IDENTITY,            /* what identifies each function: names, files, kind and language */
    MP_SEC_TAIL,                /* frames that were restored after tail calls */
    MP_SEC_ORDER,               /* cells whose blocks were compared with those before them */
    MP_SEC_MAPPINGS,            /* what the program mapped */
    MP_SEC_RESIDENT,            /* what the resident memory of the process consists of */
    MP_SEC_LABELS,              /* labels of the run; in a merged file also those of each process */
    MP_SEC_OBJECTS_COUNTED,     /* numbers and bytes of all objects, by kind. If it is present, cells of objects count
                                   samples as those of C do */
    MP_SEC_END
};

/* Order in which MP_SEC_CONTEXTS stores contexts. */
enum mp_sealed_order {
    MP_ORDER_DEPTH_FIRST = 0,   /* as the steps of a walk through the tree (reporter/file/sealed_tree.c) */
    MP_ORDER_ANY                /* as a parent and a frame for each context */
};

/* Flags of a cell in MP_SEC_CELLS. They state which figures are stored. */
enum mp_sealed_cell {
    MP_CELL_UNIFORM = 1,        /* all blocks have one size; bytes are blocks times size */
    MP_CELL_FREES = 2,          /* some blocks are freed, but not all */
    MP_CELL_ALL_FREED = 4,      /* all blocks are freed: frees = allocs, freed = bytes */
    MP_CELL_TEMPORARY = 8,      /* some blocks are temporary */
    MP_CELL_PEAK = 16,          /* live blocks at the peak are neither none nor the kept ones */
    MP_CELL_PEAK_KEPT = 32,     /* live blocks at the peak are the kept ones */
    MP_CELL_FLAGS = 64
};

/* Flags of a bin in MP_SEC_BINS: the bytes are stored, because they are not blocks times size; types are stored. */
enum mp_sealed_bin { MP_BIN_BYTES = 1, MP_BIN_TYPES = 2, MP_BIN_FLAGS = 4 };

#endif
