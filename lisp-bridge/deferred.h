/* SPDX-License-Identifier: MIT */
/*
 * deferred.h -- defers objects whose class or name is unknown when they are allocated.
 *
 * An instance gets its class, and a function its name, right after its allocation. Such an object is first counted as
 * an INSTANCE or a function and put on its thread's waiting list. At the thread's next allocation it is examined
 * again and then counted with its class.
 */
#ifndef MP_LISP_DEFERRED_H
#define MP_LISP_DEFERRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ecl.h"
#include "runtime/compiler.h"
#include "runtime/heap/heap_record.h"

#define MP_DEFERRED_ROOM 4
#define MP_NAMED_ROOM  8

struct mp_deferred {
    struct mp_heap_counted object, payload;     /* payload: the slots, if they were allocated since */
    uint32_t stops;             /* mp_lisp_stops when the object was allocated, for mp_lisp_still_there() */
    int type;
    uint32_t looks;             /* number of examinations so far */
    uint32_t session;           /* mp_heap_sampled() when the object was allocated */
    uint32_t context;           /* context in which a function was allocated that is no sample; 0 if unknown */
    uint32_t size;              /* bytes of the object */
};

struct mp_lisp_thread {
    uintptr_t typed;            /* nonzero while our wrapper calls ecl_alloc_object() */
    uint32_t last_kind;         /* kind of the thread's last object */
    uint32_t n;                 /* number of waiting objects */
    uint32_t recording;         /* number of the recording that the thread has joined, or 0 */
    uint32_t joins;             /* number of join() calls without part() */
    struct mp_deferred waiting[MP_DEFERRED_ROOM];
    uintptr_t named[MP_NAMED_ROOM];     /* entries of recently named functions */
};

extern MP_HIDDEN MP_TLS struct mp_lisp_thread mp_lisp_thread;

/* Returns whether objects of TYPE must wait. TYPE is -1 if unknown. */
MP_INLINE bool
mp_deferred_needed(int type)
{
    return type == t_instance || type == t_cfun || type == t_cfunfixed || type == t_cclosure ||
           type < 0;
}

/* Puts OBJECT of SIZE bytes, which was counted in CELL, on the waiting list. If CELL is 0, the object was not recorded
 * or is no sample, but it waits, too, because it may be a function object, from which the function gets its name.
 * HOOK_FRAME is as in monitor.h. */
void mp_deferred_put(struct mp_lisp_thread *self, const void *object, int type, uint32_t cell,
                     size_t size, size_t requested, const void *hook_frame);

/* Returns whether the newest waiting object is an instance without slots. */
MP_INLINE bool
mp_deferred_needs_slots(const struct mp_lisp_thread *self)
{
    const struct mp_deferred *last = &self->waiting[self->n - 1];

    return self->n > 0 && last->type == t_instance && !last->payload.block;
}

/* If the newest waiting object is an instance without slots, notes that BLOCK, which was allocated next, has its slots,
 * and returns true. Otherwise returns false. */
bool mp_deferred_payload(struct mp_lisp_thread *self, const void *block, uint32_t cell,
                         size_t requested);

/* If the type of the newest waiting object was unknown, reads it from the object's header, and counts the object with
 * this type. */
void mp_deferred_resolve(struct mp_lisp_thread *self, const void *hook_frame);

/* Examines all waiting objects. Counts each object whose class is known now with its class, names each function whose
 * name is known now, and removes both from the list. */
void mp_deferred_look(struct mp_lisp_thread *self, const void *hook_frame);

#endif
