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

#include "ecl.h"
#include "kinds.h"
#include "methods.h"
#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "runtime/system/gate.h"

/* Of gc/gc.h, GC_EventType. */
#define RECLAIM_END     4
#define POST_STOP_WORLD 7

uint32_t mp_lisp_stops;

static uint32_t clean;          /* stops up to which the tables hold no dead objects.  Gate. */
static uint32_t unswept;        /* stops at the last collection that the object table missed.  Gate. */

static void (*previous)(int);
static void (*told)(void);

/* Only a page where an object begins has mark bits. */
static bool
in_use(const void *block)
{
    const void *base = mp_ecl.gc_base((void *)(uintptr_t)block);

    return base && (((uintptr_t)base ^ (uintptr_t)block) & ~(uintptr_t)4095) == 0;
}

/* For objects that may lie in memory that was given back.  To be asked between the end of marking
 * and RECLAIM_END only. */
static bool
is_marked(const void *object)
{
    return in_use(object) && mp_ecl.gc_is_marked(object);
}

bool
mp_lisp_is_alive(const void *object)
{
    return clean == __atomic_load_n(&mp_lisp_stops, __ATOMIC_RELAXED) || is_marked(object);
}

static MP_COLD bool
was_kept(void *const *pointer, uint32_t stops, uint32_t cell)
{
    struct mp_gate_hold hold;
    bool kept;

    mp_gate_lock(&hold);
    kept = (int32_t)(stops - unswept) >= 0 && mp_heap_holds(*pointer, cell) &&
           mp_lisp_is_alive(*pointer);
    mp_gate_unlock(&hold);
    return kept;
}

void *
mp_lisp_still_there(void *const *pointer, uint32_t stops, uint32_t cell)
{
    void *object = *(void *const volatile *)pointer;    /* before the world may be stopped */

    __asm__ volatile("" : "+r"(object) : : "memory");
    if (MP_UNLIKELY(__atomic_load_n(&mp_lisp_stops, __ATOMIC_RELAXED) != stops) &&
        !was_kept(pointer, stops, cell))
        return NULL;
    __asm__ volatile("" : "+r"(object) : : "memory");
    return object;
}

/* Everything that was remembered of dead objects is forgotten. */
static void
forget(void)
{
    const struct mp_collector collector = { in_use, is_marked, mp_ecl.gc_is_marked };
    bool swept = mp_heap_sweep(&collector);
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);
    mp_lisp_forget_classes(is_marked);
    mp_lisp_forget_methods(is_marked);
    mp_name_forget_dead(is_marked);
    clean = mp_lisp_stops;
    if (!swept)
        unswept = clean;
    mp_gate_unlock(&hold);
}

static void
at_event(int event)
{
    void (*function)(void);

    if (previous)
        previous(event);
    if (event == POST_STOP_WORLD)
        mp_lisp_stops++;
    if (event != RECLAIM_END)
        return;
    forget();
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
mp_lisp_collector_open(void)
{
    if (mp_ecl.gc_get_event() == at_event)
        return;
    previous = mp_ecl.gc_get_event();
    mp_ecl.gc_set_event(at_event);
}
