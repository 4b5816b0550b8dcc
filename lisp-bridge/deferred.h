/*
 * deferred.h -- the second look: objects whose class or name is known only after they were made.
 *
 * An instance gets its class, and a function its name, right after it was allocated.  Such an object
 * is remembered and looked at again at its thread's next allocation; then it is counted with its
 * class.  Until then it counts as an INSTANCE.
 */
#ifndef MP_LISP_DEFERRED_H
#define MP_LISP_DEFERRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ecl.h"
#include "runtime/compiler.h"
#include "runtime/heap/heap.h"

#define MP_DEFERRED_ROOM 4
#define MP_NAMED_ROOM  8

struct mp_deferred {
    struct mp_heap_counted object, payload;     /* payload: its slots, if they were allocated since */
    uint32_t stops;             /* mp_lisp_stops when it was made: libgc does not see `object` */
    int type;
    uint32_t looks;             /* how often it was looked at, and left here */
};

struct mp_lisp_thread {
    uintptr_t typed;            /* ecl_alloc_object() is being called by our wrapper */
    uint32_t last_kind;         /* of the last object */
    uint32_t n;                 /* objects that wait */
    uint32_t recording;         /* number of the recording that the thread has joined, 0: none; */
    uint32_t joins;             /* how often */
    struct mp_deferred waiting[MP_DEFERRED_ROOM];
    uintptr_t named[MP_NAMED_ROOM];     /* functions that were named lately */
};

extern MP_HIDDEN MP_TLS struct mp_lisp_thread mp_lisp_thread;

/* Does an object of TYPE (-1: not known) need a second look? */
MP_INLINE bool
mp_deferred_needed(int type)
{
    return type == t_instance || type == t_cfun || type == t_cfunfixed || type == t_cclosure ||
           type < 0;
}

/* OBJECT, which was counted in CELL, waits. */
void mp_deferred_put(struct mp_lisp_thread *self, const void *object, int type, uint32_t cell,
                     size_t requested);

/* BLOCK was allocated next: the slots of the last object, if that is an instance.  False: it is not. */
bool mp_deferred_payload(struct mp_lisp_thread *self, const void *block, uint32_t cell,
                         size_t requested);

/* Where the type of the last that waits was not known, its header says it by now: it is counted so. */
void mp_deferred_resolve(struct mp_lisp_thread *self, const void *hook_frame);

/* Look at all that wait: those whose class or name is there by now are counted with it, and wait no more. */
void mp_deferred_look(struct mp_lisp_thread *self, const void *hook_frame);

#endif
