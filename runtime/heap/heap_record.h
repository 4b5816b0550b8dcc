/* SPDX-License-Identifier: MIT */
/*
 * heap_record.h -- records objects of a collected heap. An object is counted when it is made and again when the
 * collector finds it dead. As in monitor.h, none of these functions changes errno or allocates with malloc.
 *
 * This directory owns the live objects of one collected heap: their table, their ages and the snapshots of them. It
 * uses all other directories of the monitor except scan/. Only the language's bridge and module call it.
 */
#ifndef MP_COLLECTED_HEAP_H
#define MP_COLLECTED_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/language/language.h"

/* Records LANGUAGE from now on. Returns 0, or -EPERM if the lock is unavailable. */
int mp_heap_open(const struct mp_language *language);

/* Notes in the present file and later ones that the language NAME cannot be recorded, unless another language is
 * recorded. NAME ends with the reason (MP_LANGUAGE_UNRECORDED) and must stay valid. */
void mp_heap_unrecorded(const char *name);

/* Notes in the file that the language's own name or version has changed. */
void mp_heap_rename(void);

/* Records an object, or payload of an object, of SIZE bytes at BLOCK in the collected heap. The program asked for
 * REQUESTED bytes. KIND is a kind of sizeclass.h for an object. For payload it is MP_KIND_OF_OWNER plus the kind of the
 * thread's last object, and the language finds the owner's kind. Returns the cell that counts the object, or 0 if the
 * object was not recorded or is no sample. */
#define MP_KIND_OF_OWNER 0x10000u
uint32_t mp_heap_alloc(const void *block, size_t size, size_t requested, unsigned kind,
                       const void *hook_frame);

/* An object or block at `block` that this thread has counted in `cell`. The program asked for `requested` bytes. `cell`
 * is 0 if the object was not recorded. */
struct mp_heap_counted {
    const void *block;
    uint32_t cell, requested;
};

/* Moves OBJECT, whose kind was discovered, to a cell of KIND. Also moves its payload PAYLOAD, which may be NULL. */
void mp_heap_change_kind(const struct mp_heap_counted *object, const struct mp_heap_counted *payload,
                         unsigned kind, const void *hook_frame);

/* Moves an object of SIZE bytes from the figures of kind FROM to those of TO (sample.h), because its kind was
 * discovered. This thread counted the object when mp_heap_sampled() was SESSION. Does nothing in another session. */
void mp_heap_change_counted(uint32_t session, size_t size, unsigned from, unsigned to);

/* Returns the number of the present session if it is sampled, else 0. */
uint32_t mp_heap_sampled(void);

/* Returns the context of the callers of HOOK_FRAME, or 0 if it is unknown. */
uint32_t mp_heap_here(const void *hook_frame);

/* Returns the context of the objects that CELL counts. */
uint32_t mp_heap_context(uint32_t cell);

/* Returns the context in which the object at BLOCK was made, or 0 if that was not recorded. Takes no lock. The
 * caller guarantees that a session is active and that the world is stopped. */
uint32_t mp_heap_site(const void *block);

/* Returns whether the table has a block at BLOCK that CELL counts. */
bool mp_heap_holds(const void *block, uint32_t cell);

/* Records that BLOCK is freed explicitly. */
void mp_heap_free(const void *block);

/* Prepares a sweep. Called when the collector has stopped the world, before any thread continues. */
void mp_heap_stopped(void);

/*
 * Asks COLLECTOR about all blocks in the table and takes the dead ones out. Called before the program that the
 * collector stopped continues, or at least before a block can be allocated in the memory of a dead one.
 *
 * find_alive() finds which blocks of a page of 4096 bytes are alive. Bit I of `of` and of `alive` belongs to the
 * block that begins at PAGE + 16 * I. `of` has the blocks in the table. The bits of `alive` for other places do not
 * matter.
 */
struct mp_collector {
    bool (*is_alive)(const void *block);
    void (*find_alive)(uintptr_t page, const uint64_t of[4], uint64_t alive[4]);
    uint64_t began, ended;      /* start and end of the collection, ns of CLOCK_MONOTONIC; 0 if unknown */
};
/* Returns false if nothing is being recorded; the dead blocks then stay in the table. */
bool mp_heap_sweep(const struct mp_collector *collector);

/* Writes to the file how much has been allocated in the heap so far. */
void mp_heap_look(void);

/* Notes that the recording of a form begins. The form is entered through the hook's caller and further frames
 * outwards that belong to the same ELF object or to the runtime. The next frame outwards is the function that
 * contains the form. */
void mp_heap_form(const void *hook_frame);

/* Notes in the file that only objects of thread TID are recorded, as in struct mp_live_header. */
void mp_heap_only_thread(uint32_t tid);

/* Sums since the recording began, of all threads or only of the calling one. Live objects and bytes are as of the last
 * collection, and are known only for all threads together. In a sampled recording they are estimates. Payload is not
 * counted as objects. If `session` is 0, nothing is being recorded, or nothing can be recorded of this thread, and all
 * other members are 0. The difference between the sums of two calls is exact if `session` and `lost` are the same in
 * both. */
struct mp_heap_sums {
    uint64_t objects, bytes, live_objects, live_bytes;
    uint64_t lost;              /* allocations that could not be recorded; for the calling thread alone, also how
                                   often another recorder than its own had to record */
    uint32_t session;           /* number of the session */
};

/* Writes the sums to *SUMS. HOOK_FRAME is the frame address of the function from which the thread enters the
 * monitor. */
void mp_heap_totals(struct mp_heap_sums *sums, bool this_thread, const void *hook_frame);

/* Returns the id of the calling thread's recorder in the present session. If the thread has no recorder yet, assigns
 * one. Returns 0 if that is impossible. Not called while the thread is paused. */
uint32_t mp_heap_recorder(const void *hook_frame);

/* Returns the start of the function with the code at IP, or 0 if it is unknown. */
uintptr_t mp_heap_function(uintptr_t ip);

/* Returns the caller of CONTEXT's innermost frame, or 0 if it has no caller. Stores that frame's address in *IP.
 * Skips frames that name a generic function or a thread. */
uint32_t mp_heap_outer(uint32_t context, uintptr_t *ip);

#endif
