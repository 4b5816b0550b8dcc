/* SPDX-License-Identifier: MIT */
/*
 * collector.c -- removes dead objects from the tables after each collection.
 *
 * This happens at GC_EVENT_RECLAIM_END, the last event of a collection. By then libgc has also marked objects that
 * are kept for their finalizers. libgc's lock is held, so the memory of dead objects cannot be reused meanwhile,
 * although the threads run. Mark bits are valid until blocks are swept, which happens later. Blocks without any live
 * object have already been released, and GC_base() returns NULL for them. (libgc 8.2, alloc.c, GC_finish_collection.)
 */
#include "collector.h"

#include <time.h>

#include "alive.h"
#include "ecl.h"
#include "graph_snapshot.h"
#include "kinds.h"
#include "layout.h"
#include "libgc.h"
#include "names.h"
#include "runtime/compiler.h"
#include "runtime/heap/heap_record.h"
#include "runtime/language/name.h"
#include "runtime/system/gate.h"
#include "runtime/system/sys.h"

static uint64_t began;          /* start of the current collection; guarded by libgc's lock */
static void (*previous)(int);
static void (*told)(void);

/* Removes dead objects from all tables. */
static void
forget(void)
{
    const struct mp_collector collector = { mp_gc_is_marked, mp_gc_find_marked, began,
                                            mp_sys_clock(CLOCK_MONOTONIC) };
    bool swept = mp_heap_sweep(&collector);
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold)) {
        mp_lisp_forget_classes(mp_gc_is_marked);
        mp_lisp_forget_methods(mp_gc_is_marked);
        mp_name_forget_dead(mp_gc_is_marked);
        mp_lisp_tables_are_clean(swept);
    }
    mp_gate_unlock(&hold);
}

static void
at_event(int event)
{
    void (*function)(void);

    if (previous)
        previous(event);
    if (event == MP_GC_EVENT_START)     /* 0 for an incremental collection, because most of the time since its beginning
                                           is not spent in it */
        began = mp_ecl.gc_is_incremental && mp_ecl.gc_is_incremental() ? 0 : mp_sys_clock(CLOCK_MONOTONIC);
    if (event == MP_GC_EVENT_POST_STOP_WORLD) {
        mp_lisp_stops++;
        mp_heap_stopped();
    }
    if (event == MP_GC_EVENT_MARK_END)
        mp_lisp_graph_marked();
    if (event != MP_GC_EVENT_RECLAIM_END)
        return;
    mp_layout_check();
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
