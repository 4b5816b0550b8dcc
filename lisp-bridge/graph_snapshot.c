/* SPDX-License-Identifier: MIT */
#include "graph_snapshot.h"

#include <errno.h>
#include <string.h>

#include "ecl.h"
#include "graph_state.h"
#include "layout.h"
#include "runtime/compiler.h"
#include "runtime/heap/heap_snapshot.h"
#include "runtime/session/session.h"
#include "runtime/snapshot/snapshot_copy.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/sys_process.h"

/* ------------------------------------------------------------------ the writer */

static void
facts(struct mp_object_graph *g, struct mp_stream *s)
{
    mp_stream_fact_text(s, MP_FACT_LANGUAGE, mp_stream_text(s, mp_ecl.name, strlen(mp_ecl.name)));
    mp_stream_fact(s, MP_FACT_HEAP, mp_ecl.gc_heap_size());
    mp_stream_fact(s, MP_FACT_FREE, mp_ecl.gc_free_bytes());
    if (mp_ecl.gc_number() > 0)         /* before the first collection, free blocks are also marked */
        mp_stream_fact(s, MP_FACT_LIVE, g->live);
    mp_stream_fact(s, MP_FACT_ALLOCATED, mp_ecl.gc_total());
    mp_stream_fact(s, MP_FACT_SINCE_COLLECTION, mp_ecl.gc_since());
    mp_stream_fact(s, MP_FACT_COLLECTIONS, mp_ecl.gc_number());
    mp_stream_fact(s, MP_FACT_THREADS_WITHOUT_REGISTERS, g->threads_without_registers);
}

/* Finds all live objects. Certain references come first, so that data blocks get their types from their owners. */
static void
find_all(struct mp_object_graph *g)
{
    mp_graph_lisp_roots(g);
    mp_graph_environments(g);
    mp_graph_libgc(g);
    mp_graph_c_roots(g);
    g->only_marked = true;
    mp_graph_stacks(g);
    g->only_marked = false;
    mp_graph_finalizers(g);
}

static void
write_graph(struct mp_stream *stream, void *data)
{
    struct mp_object_graph *g = data;
    long result = mp_graph_heap_open(&g->heap);
    const size_t keys = MP_GRAPH_KEYS * sizeof *g->keys;

    g->stream = stream;
    g->room = g->heap.span / MP_GC_GRANULE / 2;
    g->keys = mp_sys_map_sparse(keys);
    g->to_do = result == 0 ? mp_sys_map_sparse(g->room * sizeof *g->to_do) : NULL;
    if (g->keys && g->to_do) {
        mp_graph_read_mappings(g);
        g->cons = mp_graph_fixed_type(g, MP_GRAPH_CONS);
        find_all(g);
        mp_graph_write(g);
        facts(g, stream);
        mp_stream_fact(stream, MP_FACT_MISSING_SITES, g->without_site);
    }
    if (!g->keys || !g->to_do || g->heap.no_memory)
        mp_stream_fail(stream, result < 0 ? result : -ENOMEM);
    if (g->too_many)
        mp_stream_fail(stream, -E2BIG);
    if (g->to_do)
        mp_sys_unmap(g->to_do, g->room * sizeof *g->to_do);
    if (g->keys)
        mp_sys_unmap(g->keys, keys);
    mp_graph_heap_close(&g->heap);
}

/* ------------------------------------------------------------------ requests for snapshots */

#if defined __x86_64__
#define READ_REGISTERS(to) \
    __asm__ volatile("movq %%rbx, 0(%0)\n\tmovq %%rbp, 8(%0)\n\tmovq %%r12, 16(%0)\n\tmovq %%r13, 24(%0)\n\t" \
                     "movq %%r14, 32(%0)\n\tmovq %%r15, 40(%0)" : : "r"(to) : "memory")
#else
#define READ_REGISTERS(to) __builtin_unwind_init()
#endif

/* Makes a snapshot. STOPPED means that libgc has stopped all other threads. */
static MP_NOINLINE long
make(const struct mp_lisp_graph_wish *wish, bool stopped, char *path, size_t size)
{
    struct mp_object_graph *g = mp_sys_map_sparse(sizeof *g);
    const struct mp_heap_snapshot snapshot = {
        .trigger = wish->trigger, .name = wish->name, .file = wish->file, .in_place = wish->in_place,
        .wait = wish->wait, .passing = wish->passing, .offer = wish->offer, .write = write_graph, .data = g,
    };
    long result;

    if (!g)
        return -ENOMEM;
    mp_graph_types_open();
    READ_REGISTERS(g->own);
    g->sp = (uintptr_t)__builtin_frame_address(0);
    g->has_sites = mp_session_active();
    g->stopped = stopped;
    g->in_place = wish->in_place;
    g->strings = wish->strings || mp_options.heap_strings;
    mp_graph_look_at_threads(g);
    result = mp_heap_snapshot_make(&snapshot, path, size);
    mp_sys_unmap(g, sizeof *g);
    return result;
}

/* ------------------------------------------------------------------ snapshots within a collection */

/* Request for a snapshot in the next collection. Its strings are copied here, because a throw may leave the requesting
 * call: it calls GC_gcollect(), which also runs finalizers of the program. */
static struct {
    uint64_t owner;             /* requesting process (upper 32 bits) and thread; 0 if there is no request */
    uint32_t waiting;           /* nonzero until the collection happens; libgc's callback writes it, too, with
                                   libgc's lock held */
    struct mp_lisp_graph_wish wish;
    char name[256], file[MP_HEAP_PATH_SIZE], path[MP_HEAP_PATH_SIZE];
    long result;
} wanted MP_LARGE;

void
mp_lisp_graph_marked(void)
{
    static MP_LARGE char due[MP_HEAP_PATH_SIZE]; /* guarded by libgc's lock */

    mp_copy_reap();
    if (MP_LIKELY(!__atomic_load_n(&wanted.waiting, __ATOMIC_ACQUIRE))) {
        if (mp_ecl.references_known && mp_heap_snapshot_is_due())
            make(&(struct mp_lisp_graph_wish){ .trigger = MP_TRIGGER_COLLECTION }, true, due, sizeof due);
        return;
    }
    if (wanted.owner >> 32 == (uint64_t)mp_sys_getpid())        /* a request of another process is the parent's, from
                                                                   before the fork */
        wanted.result = make(&wanted.wish, true, wanted.path, sizeof wanted.path);
    __atomic_store_n(&wanted.waiting, 0, __ATOMIC_RELEASE);
}

/* Returns the calling process and thread, as in `wanted.owner`. */
static uint64_t
myself(void)
{
    return (uint64_t)mp_sys_getpid() << 32 | (uint64_t)mp_sys_gettid();
}

/* Makes the calling thread the owner of `wanted`, unless there is another owner whose process and thread exist. */
static bool
own_wanted(void)
{
    const uint64_t me = myself();
    uint64_t owner = __atomic_load_n(&wanted.owner, __ATOMIC_ACQUIRE);

    if (owner >> 32 == me >> 32 && mp_sys_has_thread((uint32_t)owner))
        return false;
    if (!__atomic_compare_exchange_n(&wanted.owner, &owner, me, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&wanted.waiting, 0, __ATOMIC_RELEASE);
    return true;
}

void
mp_lisp_graph_left(void)
{
    if (__atomic_load_n(&wanted.owner, __ATOMIC_ACQUIRE) != myself())
        return;
    __atomic_store_n(&wanted.waiting, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&wanted.owner, 0, __ATOMIC_RELEASE);
}

/* Copies TEXT, which may be NULL, to ROOM and truncates it if necessary. */
static const char *
keep(char *room, size_t size, const char *text)
{
    const size_t length = text ? strlen(text) : 0;
    const size_t n = length < size ? length : size - 1;

    memcpy(room, text ? text : "", n);
    room[n] = '\0';
    return room;
}

static long
collect(const struct mp_lisp_graph_wish *wish, char *path, size_t size)
{
    long result;

    if (wish->file && strlen(wish->file) >= sizeof wanted.file)
        return -ENAMETOOLONG;
    if (!own_wanted())
        return -EBUSY;
    wanted.wish = *wish;
    wanted.wish.name = keep(wanted.name, sizeof wanted.name, wish->name);
    wanted.wish.file = keep(wanted.file, sizeof wanted.file, wish->file);
    wanted.wish.wait = false;           /* waiting within the collection would keep all threads stopped */
    wanted.result = -ECANCELED;
    wanted.path[0] = '\0';
    __atomic_store_n(&wanted.waiting, 1, __ATOMIC_RELEASE);
    mp_ecl.gc_collect();
    __atomic_store_n(&wanted.waiting, 0, __ATOMIC_RELEASE);
    result = wanted.result;
    keep(path, size, wanted.path);
    __atomic_store_n(&wanted.owner, 0, __ATOMIC_RELEASE);
    return result;
}

long
mp_lisp_graph_make(const struct mp_lisp_graph_wish *wish, char *path, size_t size)
{
    long result;

    path[0] = '\0';
    mp_layout_check();
    if (!mp_ecl.references_known || !mp_ecl.gc_shows_heap)
        return -ENOTSUP;
    if (mp_sandbox_is_shut())
        return -EPERM;
    if (wish->wait && !wish->in_place)
        mp_copy_wait_for_place();       /* a throw may have left copies that still write */
    if (!wish->collect && !wish->in_place)
        return make(wish, false, path, size);
    result = collect(wish, path, size);
    if (result == 0 && wish->wait && !wish->in_place)
        result = mp_heap_snapshot_wait(path);
    return result;
}

static long
make_for_others(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer, char *path, size_t size)
{
    const struct mp_lisp_graph_wish wish = { .trigger = trigger, .name = name, .offer = offer };

    return mp_lisp_graph_make(&wish, path, size);
}

void
mp_lisp_graph_open(void)
{
    mp_heap_snapshot_open(make_for_others);
}
