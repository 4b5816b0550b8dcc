/*
 * recorder.h -- what one thread records with: its calling-context tree, its counters, its memory
 * of the last chain.
 *
 * A recorder has one writer at a time, so nothing in it is locked or atomic.  When its thread
 * ends, the next new thread takes it over, trees, counters and all.  An allocation in a signal
 * handler that interrupted the monitor itself gets another recorder for as long as it lasts.
 */
#ifndef MP_RECORDER_H
#define MP_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct_wide.h"
#include "cell_table.h"
#include "id_map.h"
#include "runtime/compiler.h"
#include "runtime/format.h"

/* A word of the stack that was read to step from a frame to its caller. */
struct mp_word {
    const uint64_t *address;
    uint64_t value;
};

/* One remembered frame of the last chain.  See chain_memo.c. */
struct mp_cached_frame {
    uint64_t key;               /* return address, or another key of code_table.h */
    uint64_t sp, fp;            /* its registers (fp only means something with MP_CACHED_FP_LIVE) */
    struct mp_word *words_end;  /* of the words of this frame and all outer ones */
    uint32_t context;           /* of the chain up to here */
    uint32_t rule;
    uint32_t frame;             /* id */
    uint32_t flags;             /* MP_CACHED_* */
};
#define MP_CACHED_FP_LIVE 0xffu         /* not 0: this frame or an outer one computes with fp */
#define MP_CACHED_OWN  0x100u           /* all from here outwards is on the thread's own stack; */
#define MP_CACHED_AWAY 0x200u           /* some is not, or not known to be; neither: nobody asked yet */

/* A frame that the present walk has stepped through, innermost first. */
struct mp_stepped {
    uint64_t key, sp, fp;
    uint32_t rule, frame;
};

/* The last chain of one stack, outermost frame first.  A thread that switches between stacks
 * (coroutines, an alternate signal stack) keeps one for each of the last few. */
struct mp_memo {
    struct mp_cached_frame *frames; /* frames[-1] is there, with the highest sp of all */
    struct mp_cached_frame *top;    /* the innermost frame; frames - 1: none */
    struct mp_word *words;
    uint32_t room;              /* frames; there are three times as many words */
    bool whole;                 /* there is room, and all frames are to be compared; else: */
    uint32_t processor;         /* on which the chain was captured last, when its counter was */
    uint32_t in_vain;           /* see chain_deep.h */
    uint64_t noted;             /* ticks when the monitor was done with it; 0: it is not yet */
    uint64_t fresh;             /* frames that may have changed since, of the present chain */
    uint64_t low, high;         /* stack pointers seen: lowest (see chain_stack.h), and the outermost frame's */
};

#define MP_MEMOS 4

/* Chains met lately: see chain_known.h. */
#define MP_KNOWN_SETS   64u
#define MP_KNOWN_WAYS   4u              /* the tags of a set lie in one line of 64 bytes */
#define MP_KNOWN_GROUPS 25u             /* of four words, of one chain at most */
#define MP_KNOWN_CELLS  4u
#define MP_KNOWN_SEEN   1024u
#define MP_KNOWN_TURNS  3u
#define MP_KNOWN_PASS   63u             /* chains are passed over for one that is kept, at most */

struct mp_known_tag {
    uint64_t sp, key;           /* of the innermost frame; sp 0: none.  sp is written last */
};

/* By these words, which are in the hook's page, chains are found whose innermost frame has SP: */
struct mp_known_turns {
    uint64_t sp;                /* 0: unused */
    uint16_t places[MP_KNOWN_TURNS];
};

/* Words of the stack; their places in words of 8 bytes, from the frame of the hook. */
struct mp_known_group {
    uint64_t values[4];
    uint16_t places[4];
};

struct mp_known_chain {
    _Alignas(64) uint32_t context;      /* (the size is no power of 2, so that cache lines are not shared) */
    uint32_t met;               /* 1: since it was kept */
    int32_t cells[MP_KNOWN_CELLS];      /* its last ones, by size; 0: not yet known; - as in mp_quick_keep() */
    uint32_t heap_cells[MP_KNOWN_CELLS];        /* its last uniform ones of a collected heap, by size */
    const struct mp_known_group *end;
    struct mp_known_group groups[MP_KNOWN_GROUPS];
};

struct mp_known {
    _Alignas(64) struct mp_known_tag tags[MP_KNOWN_SETS * MP_KNOWN_WAYS];
    struct mp_known_chain chains[MP_KNOWN_SETS * MP_KNOWN_WAYS];        /* by number of the tag */
    struct mp_known_turns turns[MP_KNOWN_SETS];
    uint32_t seen[MP_KNOWN_SEEN];       /* contexts met that were not known, by their low bits */
    uint32_t victim;            /* the way that was taken last */
    uint32_t pass, passed;      /* chains to be passed over before the next one is kept, and then again */
};

/* A child found lately: a direct-mapped cache, whose lines are hot where the tree's are not. */
struct mp_recent_child {
    uint64_t key;               /* parent << 32 | frame */
    uint32_t context;
};
#define MP_RECENT_BITS 9

/* Code that was met on a chain lately, as code_table.h has it: likewise, by key. */
struct mp_recent_code {
    uint64_t key;               /* 0: none */
    uint32_t rule, frame;
};
#define MP_RECENT_CODE_BITS 9

#define MP_RECENT_CELLS 256u    /* cells found lately: likewise, by context, kind and size */

#define MP_RECENT_LIFETIMES 256u        /* by cell, see lifetime.h */
struct mp_recent_lifetimes {
    uint32_t cell, id;          /* 0: none */
};

#define MP_LAST_POOLED ((const void *)1)        /* no block of malloc's */

#define MP_BATCH_SOLE INT64_MAX         /* the batch of the sole recorder, if there is no trace */

/* Frees of a thread between two looks at what the object table can give back, see block_trim.h. */
#define MP_FREES_BETWEEN_TRIMS 4096u

struct mp_recorder {
    /* hot */
    struct mp_live_recorder *live;
    struct mp_live_header *header;      /* of the file that it holds; NULL: recycled */
    const void *last_block;     /* the thread's last allocation, freed or not; NULL: not a block that was
                                   recorded; MP_LAST_POOLED: the object in last_pooled */
    uint32_t frees_left;        /* until mp_trim_due(); the last time it was set to: */
    uint32_t frees_step;
    int64_t sample_left;        /* bytes up to the next sample, see sample.h; 0 where all is recorded */
    int64_t last_left;          /* that, when the last sample was recorded: nothing was allocated since */
    uint32_t sample_period;     /* mean distance of samples, bytes; 0: all is recorded */
    uint32_t session;           /* that it was taken in: see session.h */
    bool unusual;               /* samples are taken, or */
    bool timed;                 /* lifetimes noted, see lifetime.h, or */
    bool logs;                  /* lines are written: see log.h */
    bool sole;                  /* it is the only one that has a thread: see counter.h */
    /* of the peak, see counter.h */
    int64_t to_peak;            /* more pending bytes are a new peak; INT64_MAX unless it is the sole one */
    int64_t batch, floor;       /* more pending bytes, or fewer, are committed; floor is `low`,
                                   or INT64_MAX where it is unusual */
    int64_t low;                /* -batch; of the sole recorder the distance to the trace's lower bound */
    struct mp_live_trace *trace;        /* of the file; NULL: there was no room for it */
    uint64_t era;               /* of its cells' stamps, see counter_cell.h */
    struct mp_memo *memo;       /* the stack that the thread was on */
    int64_t batch_until;        /* the peak from which on the batch may be larger */
    uint32_t root;              /* context that all chains of the thread begin with; 0: none */
    bool root_known;            /* the language has said whether there is one */
    uint64_t stack_base;        /* where a thread that is not the first has its outermost frame; 0: not known */

    /* why live->pending_work has MP_PENDING_OWN */
    bool lent;                  /* for one activation only: see nested_recorder.c */
    uint32_t lent_context;      /* what that activation allocated in; 0: nothing */
    uintptr_t lent_frame;       /* of the hook that it was lent to */
    uintptr_t outer;            /* busy of the activation that was interrupted */
    struct mp_recorder *below;  /* lent to the same thread before, and not yet given back */
    bool check;                 /* every chain is to be compared with libunwind's */
    uint64_t sample_random;     /* state of the numbers that samples are chosen by */
    uint64_t autosave_left;     /* allocations until the next push to the disk; 0: never */

    struct { const void *pool, *address; } last_pooled;

    uint32_t tree;              /* the first branch of the root, see cct.c */
    uint32_t next_context, end_context, context_chunk;
    uint32_t first_cell, next_cell, end_cell, cell_chunk;
    uint32_t next_mixed, end_mixed;
    uint32_t next_former, end_former;
    uint32_t spare_former;      /* a chunk for when no other can be had; 0: none */
    uint32_t next_resized, end_resized;
    uint32_t next_lifetimes, end_lifetimes;

    struct mp_memo memos[MP_MEMOS];
    uint32_t next_victim;
    struct mp_stepped *stepped;
    uint32_t stepped_room;
    uint64_t *keys;             /* what libunwind listed: not on the stack, which may be small */
    size_t keys_room;

    struct mp_cct_wide wide;    /* branches beyond a context's first few */
    struct mp_id_map folded;    /* contexts further out that calls go back to: by parent << 32 | frame */
    struct mp_cell_table cells; /* that count its blocks */
    struct mp_id_map foreign;   /* that count the frees of other recorders' blocks: by their cells */
    struct mp_id_map resized;   /* records of what realloc made: by context << 32 | kind; */
    struct mp_id_map lifetimes; /* of how long blocks lived: likewise */
    struct mp_id_map owners;    /* kinds that own blocks of a collected heap which are no objects: by context */

    uint32_t activation;        /* raised when a memo is thrown away under an activation's feet */
    uint16_t id;
    struct mp_recorder *next;   /* free list */
    struct mp_recorder *next_of_all;
    struct mp_recorder *next_ever;
    uint32_t recent_cells[MP_RECENT_CELLS];
    struct mp_recent_lifetimes recent_lifetimes[MP_RECENT_LIFETIMES];
    struct mp_recent_child recent[1 << MP_RECENT_BITS];
    struct mp_recent_code recent_code[1 << MP_RECENT_CODE_BITS];
    struct mp_known known;
};

/* Take a recorder for thread TID: an ended thread's, or a new one; NULL: no memory.  Lock held. */
struct mp_recorder *mp_recorder_take(uint32_t tid);

/* Has RECORDER's thread anything to do besides recording? */
MP_INLINE uint32_t
mp_recorder_pending_work(const struct mp_recorder *recorder)
{
    return __atomic_load_n(&recorder->live->pending_work, __ATOMIC_RELAXED);
}

/* Give RECORDER back.  Lock held. */
void mp_recorder_give(struct mp_recorder *recorder);

/* No thread uses RECORDER, NULL or of an earlier file, any more: its memory may serve another one.  Lock
 * held. */
void mp_recorder_recycle(struct mp_recorder *recorder);

/* In the child of a fork, whose thread has given its own up: the memory of all recorders may serve others,
 * because the threads that had them are not in this process.  Lock held. */
void mp_recorder_inherited(void);

/* A file begins: it has no recorders.  Those that a thread still has stay with it until it looks up.  Lock
 * held. */
void mp_recorder_reset(void);

/* Count in RECORDER's file WHY something is not recorded, or not as it should be. */
void mp_recorder_missing(const struct mp_recorder *recorder, enum mp_missing why);

/* Does RECORDER still write into the present file?  Not if mprof_stop() or mprof_restart() came
 * while its thread was in the monitor. */
bool mp_recorder_is_current(const struct mp_recorder *recorder);

/* How many are taken by threads now (lent ones count too).  Lock held. */
unsigned mp_recorder_active(void);

/* Add what recorders without a thread have pending to HEADER's totals.  Lock held. */
void mp_recorder_collect(struct mp_live_header *header);

/* Bytes of all recorders of the session that are not yet in the header's total. */
int64_t mp_recorder_pending(void);

/* Sum of the batches of all recorders but the sole one. */
int64_t mp_recorder_batches(void);

/* What was allocated. */
struct mp_allocated {
    uint64_t blocks, bytes;
};

/* Blocks of malloc's that are counted in the bins of RECORDER; NULL: of all recorders.  Lock held. */
struct mp_allocated mp_recorder_binned(const struct mp_recorder *recorder);

/* A checkpoint comes: let each recorder have a spare chunk of records of former counters, as far as there is
 * room.  When the file ends, a thread may just be about to write some.  Lock held. */
#define MP_FORMER_CHUNK 32u
void mp_recorder_lay_by(void);

/* Push the file to the disk every COUNT allocations of a thread; 0: never.  Lock held. */
void mp_recorder_autosave(uint64_t count);

/* Forget the remembered chains and code: code has changed, or the stack is not what it was. */
void mp_recorder_forget_chains(struct mp_recorder *recorder);

#endif
