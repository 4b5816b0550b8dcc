/*
 * heap.h -- objects of a collected heap: counted when they are made, and again when the collector
 * finds them dead.  What a language's bridge calls; as in monitor.h, none of it changes errno or
 * allocates with malloc.
 */
#ifndef MP_HEAP_H
#define MP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/language/language.h"

/* From now on LANGUAGE is recorded too, if it is the first.  0 or -errno. */
int mp_heap_open(const struct mp_language *language);

/* What the language is called has changed. */
void mp_heap_rename(void);

/* An object or block of SIZE bytes (REQUESTED were asked for) in the collected heap at BLOCK.  KIND
 * as in sizeclass.h; or MP_KIND_OF_OWNER + the kind of the thread's last object: payload, whose
 * owner the language tells.  The cell that counts it, 0: not recorded. */
#define MP_KIND_OF_OWNER 0x10000u
uint32_t mp_heap_alloc(const void *block, size_t size, size_t requested, unsigned kind,
                       const void *hook_frame);

/* An object or block at BLOCK for which REQUESTED bytes were asked, as this thread counted it; CELL 0: it was
 * not recorded. */
struct mp_heap_counted {
    const void *block;
    uint32_t cell, requested;
};

/* OBJECT turns out to be of KIND, and PAYLOAD, NULL: none, to be its. */
void mp_heap_change_kind(const struct mp_heap_counted *object, const struct mp_heap_counted *payload,
                         unsigned kind, const void *hook_frame);

/* The context of the objects that CELL counts. */
uint32_t mp_heap_context(uint32_t cell);

/* The context in which the object at BLOCK was made; 0: that was not recorded.  For who knows that a session is
 * active, and that the world stands still: without a lock. */
uint32_t mp_heap_site(const void *block);

/* Does the table say that there is a block at BLOCK that CELL counts? */
bool mp_heap_holds(const void *block, uint32_t cell);

/* BLOCK is freed by hand. */
void mp_heap_free(const void *block);

/* The collector has stopped the world: to be called before any thread goes on. */
void mp_heap_stopped(void);

/*
 * Before the program that the collector stopped goes on, or at least before it can be given again what
 * was collected: take all dead blocks out of the table.
 *
 * FIND_ALIVE: which of the blocks of a page of 4096 bytes are alive.  Bit I of OF and ALIVE stands for
 * the block that begins at PAGE + 16 * I; what ALIVE says where OF has no bit does not matter.
 */
struct mp_collector {
    bool (*is_alive)(const void *block);
    void (*find_alive)(uintptr_t page, const uint64_t of[4], uint64_t alive[4]);
    uint64_t began, ended;      /* when the collection did: ns of CLOCK_MONOTONIC; 0 not known */
};
/* False: nothing is recorded now, and the table still has what died. */
bool mp_heap_sweep(const struct mp_collector *collector);

/* Note in the file how much was allocated in the heap until now. */
void mp_heap_look(void);

/* A form begins to be recorded: the caller of the hook, and what belongs to the same ELF object or to
 * the runtime outwards from there, enter it for the function that it stands in. */
void mp_heap_form(const void *hook_frame);

/* Notes in the file whose objects are recorded, as in struct mp_live_header. */
void mp_heap_only_thread(uint32_t tid);

/* Sums since the recording began, of all threads or of the calling one alone; what is live after
 * the last collection is known of all threads together only.  Payload is not counted as objects.
 * If SESSION is 0, nothing is being recorded, or nothing can be recorded of this thread, and all else is 0.
 * The difference between two calls is exact if SESSION and LOST are the same in both. */
struct mp_heap_sums {
    uint64_t objects, bytes, live_objects, live_bytes;
    uint64_t lost;              /* allocations that could not be recorded, and, of the calling thread alone,
                                   how often another recorder than its own had to record */
    uint32_t session;           /* its number */
};

/* HOOK_FRAME is the frame of the caller's function, from which the thread enters the monitor. */
void mp_heap_totals(struct mp_heap_sums *sums, bool this_thread, const void *hook_frame);

/* Id of the calling thread's recorder in the present session, which it gets if it has none; 0: it cannot have
 * one.  Not while the thread pauses. */
uint32_t mp_heap_recorder(const void *hook_frame);

/* Where the function of the code at IP starts; 0: not known. */
uintptr_t mp_heap_function(uintptr_t ip);

/* The caller of CONTEXT's innermost frame, and in *IP that frame's address; 0: that was the last.
 * Frames that name a generic function or a thread are passed over. */
uint32_t mp_heap_outer(uint32_t context, uintptr_t *ip);

#endif
