/*
 * collector.c -- after each collection, dead objects are taken out of the table.
 *
 * This is done at GC_EVENT_RECLAIM_END, the last thing of a collection: by then libgc has marked,
 * too, what finalizers keep alive.  libgc's lock is held, so nothing that is dead can be given out
 * again; the world goes on.  Mark bits are right until blocks are swept, which comes later; blocks
 * of memory without any live object have been given back, and GC_base() says so.  (libgc 8.2,
 * alloc.c, GC_finish_collection.)
 */
#include "collector.h"

#include <stdint.h>

#include "ecl.h"
#include "kinds.h"
#include "names.h"
#include "runtime/monitor.h"

#define RECLAIM_END 4           /* GC_EVENT_RECLAIM_END of gc/gc.h */

static void (*previous)(int);
static void (*told)(void);

/* Only a page where an object begins has mark bits. */
static bool
in_use(const void *block)
{
    const void *base = mp_ecl.gc_base((void *)(uintptr_t)block);

    return base && (((uintptr_t)base ^ (uintptr_t)block) & ~(uintptr_t)4095) == 0;
}

/* For objects that may lie in memory that was given back. */
static bool
alive(const void *object)
{
    return in_use(object) && mp_ecl.gc_is_marked(object);
}

static void
at_event(int event)
{
    const struct mp_collector collector = { in_use, alive, mp_ecl.gc_is_marked };
    void (*function)(void);

    if (previous)
        previous(event);
    if (event != RECLAIM_END)
        return;
    mp_heap_sweep(&collector);
    mp_lisp_forget_classes(alive);
    mp_lisp_forget_methods(alive);
    function = __atomic_load_n(&told, __ATOMIC_ACQUIRE);
    if (function)
        function();
}

void
mp_lisp_collector_tell(void (*function)(void))
{
    __atomic_store_n(&told, function, __ATOMIC_RELEASE);
}

void
mp_lisp_collector_set(bool on)
{
    if (on) {
        previous = mp_ecl.gc_get_event();
        if (previous == at_event)
            previous = NULL;
        mp_ecl.gc_set_event(at_event);
    } else if (mp_ecl.gc_get_event() == at_event) {
        mp_ecl.gc_set_event(previous);
    }
}
