/* SPDX-License-Identifier: MIT */
/*
 * recorder.h -- the data with which one thread records: its calling-context tree, its counters, its caches of
 * chains.
 *
 * This directory owns what is recorded: contexts, cells, live blocks, peaks, samples and the time line. It knows
 * neither how chains are unwound nor when recording begins. A thread calls the functions of this directory in an
 * activation (session/activation.h) or while it holds the gate's lock.
 *
 * A recorder has one writer at a time, so it needs no lock. When its thread ends, the next new thread takes it
 * over with all its contents. If a signal handler interrupts the monitor and allocates, that allocation uses
 * another recorder, which is lent for its duration.
 */
#ifndef MP_RECORDER_H
#define MP_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "id_table.h"
#include "runtime/compiler.h"
#include "runtime/format.h"

/* A word of the stack that was read to step from a frame to its caller. */
struct mp_word {
    const uint64_t *address;
    uint64_t value;
};

/* A remembered frame of the last chain. See chain_memo.c. */
struct mp_cached_frame {
    uint64_t key;               /* return address, or another key of code_table.h */
    uint64_t sp, fp;            /* registers of the frame; fp is only valid if fp_live is not 0 */
    struct mp_word *words_end;  /* end of the words of this and all outer frames */
    uint32_t context;           /* context of the chain up to this frame; if chains are limited, of as many frames as
                                   the limit allows, or 0 if it was not looked up yet */
    uint32_t rule;
    uint32_t frame;             /* id of the frame */
    uint32_t fp_live;           /* not 0 if this frame or an outer one computes with fp */
};

/* A frame that the present walk has stepped through, innermost first. */
struct mp_stepped {
    uint64_t key, sp, fp;
    uint32_t rule, frame;
};

/* Memory of one stack that walks have read, in whole pages. It may have been unmapped since (stack_word.h). */
struct mp_stack_read {
    uint64_t low, high;         /* both 0 if nothing was read */
};

/* The last chain of one stack, outermost frame first. A thread that switches between stacks (coroutines, an
 * alternate signal stack) has one for each of the last few stacks. */
struct mp_memo {
    struct mp_cached_frame *frames; /* frames[-1] exists, with the highest possible sp and the context in which the
                                       outermost frame is called */
    struct mp_cached_frame *top;    /* innermost frame; frames - 1 if the memo is empty */
    struct mp_word *words;
    uint32_t room;              /* capacity in frames; the capacity in words is three times that */
    bool whole;                 /* there is memory, and all frames must be compared; if false, see chain_deep.h */
    uint32_t processor;         /* processor on which `noted` was read */
    uint32_t in_vain;           /* captures in a row for which the clock ruled out no frame, see chain_deep.h */
    uint64_t noted;             /* time stamp counter when the monitor finished the last capture; 0 before */
    uint64_t fresh;             /* number of frames of the present chain to compare, from the innermost on: those that
                                   may have changed since `noted`, or those within the limit (--depth) */
    uint64_t low, high;         /* lowest stack pointer that can be on this stack, and the stack pointer of the
                                   outermost frame; both 0 if unknown */
    struct mp_stack_read read;
};

#define MP_MEMOS 4

/* Dimensions of the cache of recent chains (chain_known.h). */
#define MP_KNOWN_SETS   64u
#define MP_KNOWN_WAYS   4u              /* tags of a set fit into one cache line of 64 bytes */
#define MP_KNOWN_GROUPS 24u             /* maximum number of groups of four words in a chain */
#define MP_KNOWN_ROUND  8u
#define MP_KNOWN_CELLS  8u
#define MP_KNOWN_MIXED  8u
#define MP_KNOWN_HEAP_CELLS 4u
#define MP_KNOWN_SEEN   1024u
#define MP_KNOWN_TURNS  3u
#define MP_KNOWN_PASS   63u             /* maximum number of chains skipped before one is stored */

struct mp_known_tag {
    uint64_t sp, key;           /* registers of the innermost frame; sp is 0 if unused, and is written last */
};

/* Places of words in the hook's page that also determine the set of a chain. They apply to chains whose innermost
 * frame has SP. */
struct mp_known_turns {
    uint64_t sp;                /* 0 if unused */
    uint16_t places[MP_KNOWN_TURNS];
};

/* Four words of the stack, and their distances from the hook's frame in words of 8 bytes. */
struct mp_known_group {
    uint64_t values[4];
    uint16_t places[4];
};

#define MP_KNOWN_MET    1u      /* it was found again since it was stored or spared */
#define MP_KNOWN_SPARED 2u      /* it was found again, but not since it was chosen to be replaced and was spared */

/* Words of frames of equal size that call each other from the same place, innermost frame first: recursion. All these
 * frames have the same return address. Others of their words have one value, or one that grows with the frame. */
struct mp_known_run {
    uint64_t values[3];         /* of the innermost frame's words */
    uint64_t growth;            /* added to values[2] for each further frame */
    uint32_t stride;            /* size of a frame in bytes */
    uint32_t rounds;            /* number of frames; if `narrow`, of MP_KNOWN_ROUND frames each */
    int32_t second, third;      /* distances in bytes of two other words from the return address; 0 if there is none */
    uint16_t place;             /* of the innermost return address, as in struct mp_known_group */
    bool narrow;                /* the return address is the only word of a frame */
};

/* The uniform cell that was used last for the sizes of one hash. */
struct mp_known_cell {
    int32_t size;               /* bytes of each block if mp_alloc_known() may count such small blocks in it; else -1 */
    uint32_t id;                /* 0 if unknown */
};

/* Flags of a mixed cell that is known for a range of sizes: some sizes of the range have uniform cells; the cell is
 * unknown, or its blocks are counted on the slow path only. */
#define MP_KNOWN_HAS_UNIFORM ((uint32_t)1 << 29)
#define MP_KNOWN_SLOW        ((uint32_t)1 << 30)

struct mp_known_chain {
    _Alignas(64) uint32_t context;      /* (the size is no power of 2, so that chains do not compete for the same
                                           cache sets) */
    uint8_t met;                /* 0 until the chain was found again since it was stored, then one of these values */
    bool has_run;
    bool aside;                 /* allocations go through mp_alloc_aside(), because the chain has a run or lifetimes are
                                   recorded */
    struct mp_known_cell cells[MP_KNOWN_CELLS];
    const struct mp_known_group *split; /* the run comes before this group; `end` if there is none */
    const struct mp_known_group *end;
    uint32_t mixed[MP_KNOWN_MIXED];     /* mixed cells used last, by range of sizes, with these flags */
    struct mp_known_group groups[MP_KNOWN_GROUPS];
    uint32_t heap_cells[MP_KNOWN_HEAP_CELLS];   /* uniform cells of a collected heap used last, by size; 0 if
                                                   unknown */
    struct mp_known_run run;
};

struct mp_known {
    _Alignas(64) struct mp_known_tag tags[MP_KNOWN_SETS * MP_KNOWN_WAYS];
    struct mp_known_chain chains[MP_KNOWN_SETS * MP_KNOWN_WAYS];        /* indexed like tags */
    struct mp_known_turns turns[MP_KNOWN_SETS];
    uint32_t seen[MP_KNOWN_SEEN];       /* recently captured contexts that were not in the cache, by their low bits */
    uint32_t victim;            /* way that was replaced last */
    uint32_t pass, passed;      /* number of chains that are skipped before one is stored; number that are still to
                                   be skipped */
};

/* Direct-mapped cache of recently found children. Its lines are hot where the tree's are not. */
struct mp_recent_child {
    uint64_t key;               /* parent << 32 | frame */
    uint32_t context;
};
#define MP_RECENT_BITS 9

/* Direct-mapped cache of recently found code (code_table.h), by key. */
struct mp_recent_code {
    uint64_t key;               /* 0 if unused */
    uint32_t rule, frame;
};
#define MP_RECENT_CODE_BITS 9

#define MP_NEAR_REGIONS 64u     /* size of the direct-mapped cache of regions of the block table (block_table.h) */

#define MP_RECENT_CELLS 256u    /* size of the direct-mapped cache of cells, by context, kind and size */

#define MP_RECENT_LIFETIMES 256u        /* size of the direct-mapped cache of records of lifetimes (lifetime.h), by
                                           cell */
struct mp_recent_lifetimes {
    uint32_t cell, id;          /* 0 if unused */
};

#define MP_LAST_POOLED ((const void *)1)        /* value of last_block if the last allocation is not a block of
                                                   malloc */

#define MP_BATCH_SOLE INT64_MAX         /* batch of the sole recorder if there is no trace */

/* Frees of a thread between two checks of what the block table can release, see block_trim.h. */
#define MP_FREES_BETWEEN_TRIMS 4096u

struct mp_recorder {
    /* hot fields */
    struct mp_live_recorder *live;
    struct mp_live_header *header;      /* header of its file; NULL after mp_recorder_recycle() */
    const void *last_block;     /* the thread's last allocation, freed or not; NULL if it was not recorded,
                                   MP_LAST_POOLED if it is in last_pooled */
    uint32_t frees_left;        /* frees until mp_trim_due() is called */
    uint32_t frees_later;       /* number of further frees until the next check of the table; usually 0, see trace.h */
    uint32_t frees_step;        /* distance of the last two checks, in frees */
    int64_t sample_left;        /* bytes until the next sample (sample.h); 0 in a complete recording */
    int64_t last_left;          /* value of sample_left after the last sample; still equal if nothing was allocated
                                   since */
    uint32_t sample_period;     /* mean distance of samples in bytes; 0 in a complete recording */
    uint32_t session;           /* number of the session in which a thread took the recorder (session.h) */
    uint32_t depth;             /* maximum number of frames of a chain; UINT32_MAX if unlimited */
    uint16_t quick_id;          /* `id`, or 0 if `unusual`; mp_free_quick() counts only in cells with this id */
    bool unusual;               /* samples are taken, or `timed`, or `logs`, or mp_sentinel_on */
    bool only_timed;            /* `unusual` for no other reason than `timed` */
    bool timed;                 /* lifetimes are recorded, see lifetime.h */
    bool logs;                  /* a log is written, see text_log.h */
    bool sole;                  /* the only recorder with a thread, see counter.h */
    /* for the peak, see counter.h */
    int64_t to_peak;            /* number of pending bytes beyond which there is a new peak; INT64_MAX unless this
                                   is the sole recorder */
    int64_t batch;              /* pending bytes above `batch` or below `low` are committed */
    int64_t low;                /* -batch; in the sole recorder, the distance to the lower bound of the trace */
    struct mp_live_trace *trace;        /* trace of the file; NULL if there was no space for it */
    uint64_t era;               /* era of its cells' stamps, see counter_cell.h */
    struct mp_memo *memo;       /* memo of the stack that the thread last used */
    int64_t batch_until;        /* minimum peak at which the batch may grow */
    uint32_t root;              /* context with which all chains of the thread begin; 0 if none */
    bool root_known;            /* the language has stated whether the thread has a `root` */

    /* reasons why live->pending_work has MP_PENDING_OWN */
    bool lent;                  /* lent for one activation, see session/nested.c */
    uint32_t lent_context;      /* context in which that activation allocated; 0 if none */
    uintptr_t lent_frame;       /* frame of the hook to which it was lent */
    uintptr_t outer;            /* `busy` of the interrupted activation */
    struct mp_recorder *below;  /* recorder lent to the same thread before and not yet returned */
    bool check;                 /* compare every chain with libunwind's */
    bool events;                /* events of a collected heap are logged, see events.h */
    uint64_t sample_random;     /* state of the random numbers that choose samples */
    uint64_t autosave_left;     /* allocations until the file is next written to disk; 0 if never */

    struct { const void *pool, *address; } last_pooled;

    uint32_t tree;              /* first branch of the root (cct.c) */
    uint32_t next_context, end_context, context_chunk;
    uint32_t last_child;        /* context that mp_cct_child() returned last; 0 if none */
    uint32_t first_cell, next_cell, end_cell, cell_chunk;
    uint32_t next_mixed, end_mixed;
    uint32_t next_former, end_former;
    uint32_t spare_former;      /* a reserved chunk for when no other is available; 0 if none */
    uint32_t next_resized, end_resized;
    uint32_t next_lifetimes, end_lifetimes;

    struct mp_memo memos[MP_MEMOS];
    uint32_t next_victim;
    struct mp_stepped *stepped;
    uint32_t stepped_room;
    uint64_t *keys;             /* frames listed by libunwind; stored here because the stack may be small */
    size_t keys_room;

    struct mp_id_table wide;    /* branches beyond a context's first few (cct.c) */
    struct mp_id_table folded;  /* contexts further out in which calls continue, by parent << 32 | frame */
    struct mp_id_table cells;   /* cells that count this recorder's blocks */
    struct mp_id_table foreign; /* cells that count the frees of other recorders' blocks, by those recorders' cells */
    struct mp_id_table resized; /* ids of the records of reallocated blocks; the key is context << 32 | kind */
    struct mp_id_table mappers; /* ids of the records of mapped memory; the key is context << 32 | kind */
    struct mp_id_table lifetimes; /* records of lifetimes, by context << 32 | kind */
    struct mp_id_table owners;  /* by context: kind of the objects that own its other blocks in a collected heap */

    uint32_t activation;        /* incremented when a memo is cleared, so that an activation that uses it notices */
    uint16_t id;
    struct mp_recorder *next;   /* next in the list of free recorders */
    struct mp_recorder *next_of_all;
    struct mp_recorder *next_ever;
    uintptr_t near_numbers[MP_NEAR_REGIONS];    /* numbers of the regions that follow; UINTPTR_MAX if unused */
    uint32_t *near_regions[MP_NEAR_REGIONS];
    uint32_t recent_cells[MP_RECENT_CELLS];
    struct mp_recent_lifetimes recent_lifetimes[MP_RECENT_LIFETIMES];
    struct mp_recent_child recent[1 << MP_RECENT_BITS];
    struct mp_recent_code recent_code[1 << MP_RECENT_CODE_BITS];
    struct mp_known known;
};

/* Takes a recorder for thread TID. It belonged to an ended thread, or is new. Returns NULL if there is no memory.
 * Lock held. */
struct mp_recorder *mp_recorder_take(uint32_t tid);

/* Returns the work that RECORDER's thread has to do besides recording (enum mp_pending_work), or 0. */
MP_INLINE uint32_t
mp_recorder_pending_work(const struct mp_recorder *recorder)
{
    return __atomic_load_n(&recorder->live->pending_work, __ATOMIC_RELAXED);
}

/* Makes RECORDER free for the next thread, because its own thread ends. Lock held. */
void mp_recorder_give(struct mp_recorder *recorder);

/* Makes the memory of RECORDER available for a new recorder. No thread uses RECORDER, and it belongs to an
 * earlier file, or is NULL. Lock held. */
void mp_recorder_recycle(struct mp_recorder *recorder);

/* Makes the memory of all recorders available for new ones. Called in the child of a fork, where the threads of
 * these recorders do not exist, and whose own thread has released its recorder. Lock held. */
void mp_recorder_inherited(void);

/* Forgets all recorders, because a new file begins, which has none yet. Threads keep recorders of the old file
 * until they notice the gate's new generation. Lock held. */
void mp_recorder_reset(void);

/* Ensures that RECORDER has an unused record of KIND. *NEXT to *END are the ids of its unused records. If it has none,
 * takes a chunk of COUNT records. Returns false if there is no space or RECORDER's file is no longer the present one.
 * Takes the lock unless the thread holds it, as when the collector's cells change. */
bool mp_recorder_has_record(const struct mp_recorder *recorder, enum mp_extent_kind kind, uint32_t *next,
                            uint32_t *end, uint32_t count);

/* Counts in the header of RECORDER's file that something was not recorded completely, for the reason WHY. */
void mp_recorder_missing(const struct mp_recorder *recorder, enum mp_missing why);

/* Returns whether RECORDER writes into the present file. It does not if mprof_stop() or mprof_restart() was
 * called while its thread was in the monitor. */
bool mp_recorder_is_current(const struct mp_recorder *recorder);

/* Returns the number of recorders that threads use, including lent ones. Without the lock, it may be outdated. */
unsigned mp_recorder_active(void);

/* Adds the pending bytes of recorders without a thread to HEADER's total. Lock held. */
void mp_recorder_collect(struct mp_live_header *header);

/* Returns the sum of the pending bytes of all recorders of the session. Without the lock, the sum may be
 * outdated. */
int64_t mp_recorder_pending(void);

/* Returns the sum of the batches of all recorders except the sole one. */
int64_t mp_recorder_batches(void);

/* Number and bytes of allocations. */
struct mp_allocated {
    uint64_t blocks, bytes;
};

/* Returns the malloc blocks counted in the bins of RECORDER, or of all recorders if NULL, and the objects that a
 * sampled recording counts. Lock held. */
struct mp_allocated mp_recorder_binned(const struct mp_recorder *recorder);

/* Returns the objects among these. Blocks that belong to objects add only bytes. Lock held. */
struct mp_allocated mp_recorder_objects(const struct mp_recorder *recorder);

/* Reserves a chunk of records of saved counters for each recorder, as far as there is space. Called before a
 * checkpoint, because a thread may be about to write such records when the file ends. Lock held. */
#define MP_FORMER_CHUNK 32u
void mp_recorder_reserve(void);

/* Makes each thread write the file to disk after every COUNT allocations, or never if COUNT is 0. Lock held. */
void mp_recorder_autosave(uint64_t count);

/* Clears the caches of chains and code, because code has changed or another stack is used. */
void mp_recorder_forget_chains(struct mp_recorder *recorder);

#endif
