#include "graph.h"

#include <errno.h>
#include <string.h>

#include "ecl.h"
#include "graph_mark.h"
#include "graph_roots.h"
#include "graph_state.h"
#include "graph_types.h"
#include "graph_write.h"
#include "runtime/compiler.h"
#include "runtime/heap/heap_snapshot.h"
#include "runtime/session/session.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"

#define MAX_KEYS ((size_t)1 << 18)
#define MP_LISP_PATH 4352       /* bytes of a file's name, and more */

/* ------------------------------------------------------------------ the writer */

static void
facts(struct mp_graph *g, struct mp_stream *s)
{
    mp_stream_fact_text(s, MP_FACT_LANGUAGE, mp_stream_text(s, mp_ecl.name, strlen(mp_ecl.name)));
    mp_stream_fact(s, MP_FACT_HEAP, mp_ecl.gc_heap_size());
    mp_stream_fact(s, MP_FACT_FREE, mp_ecl.gc_free_bytes());
    mp_stream_fact(s, MP_FACT_ALLOCATED, mp_ecl.gc_total());
    mp_stream_fact(s, MP_FACT_SINCE_COLLECTION, mp_ecl.gc_since());
    mp_stream_fact(s, MP_FACT_COLLECTIONS, mp_ecl.gc_number());
    mp_stream_fact(s, MP_FACT_THREADS_WITHOUT_REGISTERS, g->threads_without_registers);
}

/* First what is certain: where a block is data of an object, its owner is to say so. */
static void
find_all(struct mp_graph *g)
{
    mp_graph_lisp_roots(g);
    mp_graph_environments(g);
    mp_graph_c_roots(g);
    g->only_marked = true;
    mp_graph_stacks(g);
    g->only_marked = false;
    mp_graph_finalizers(g);
}

static void
write_graph(struct mp_stream *stream, void *data)
{
    struct mp_graph *g = data;
    long result = mp_graph_heap_open(&g->heap);
    const size_t keys = MAX_KEYS * sizeof *g->keys;

    g->stream = stream;
    g->room = g->heap.span / MP_GRAPH_GRANULE / 2;
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
    if (g->to_do)
        mp_sys_unmap(g->to_do, g->room * sizeof *g->to_do);
    if (g->keys)
        mp_sys_unmap(g->keys, keys);
    mp_graph_heap_close(&g->heap);
}

/* ------------------------------------------------------------------ who asks for it */

#if defined __x86_64__
#define READ_REGISTERS(to) \
    __asm__ volatile("movq %%rbx, 0(%0)\n\tmovq %%rbp, 8(%0)\n\tmovq %%r12, 16(%0)\n\tmovq %%r13, 24(%0)\n\t" \
                     "movq %%r14, 32(%0)\n\tmovq %%r15, 40(%0)" : : "r"(to) : "memory")
#else
#define READ_REGISTERS(to) __builtin_unwind_init()
#endif

/* STOPPED: libgc has stopped all other threads. */
static MP_NOINLINE long
make(const struct mp_lisp_graph_wish *wish, bool stopped, char *path, size_t size)
{
    struct mp_graph *g = mp_sys_map_sparse(sizeof *g);
    const struct mp_heap_snapshot snapshot = {
        .trigger = wish->trigger, .name = wish->name, .file = wish->file, .in_place = wish->in_place,
        .wait = wish->wait, .passing = wish->passing, .write = write_graph, .data = g,
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
    mp_graph_look_at_threads(g);
    result = mp_heap_snapshot_make(&snapshot, path, size);
    mp_sys_unmap(g, sizeof *g);
    return result;
}

/* What is wanted of the next collection; libgc's lock guards what the collection does with it. */
static struct {
    const struct mp_lisp_graph_wish *wish;      /* NULL: nothing */
    char *path;
    size_t size;
    long result;
} wanted;
static uint32_t busy;

void
mp_lisp_graph_marked(void)
{
    static char due[MP_LISP_PATH];      /* libgc's lock is held */
    const struct mp_lisp_graph_wish *wish = __atomic_load_n(&wanted.wish, __ATOMIC_ACQUIRE);
    struct mp_lisp_graph_wish now;

    if (MP_LIKELY(!wish)) {
        if (mp_ecl.known && mp_heap_snapshot_is_due())
            make(&(struct mp_lisp_graph_wish){ .trigger = MP_TRIGGER_COLLECTION }, true, due, sizeof due);
        return;
    }
    now = *wish;
    now.wait = false;                   /* here the world would wait, too */
    wanted.result = make(&now, true, wanted.path, wanted.size);
    __atomic_store_n(&wanted.wish, NULL, __ATOMIC_RELEASE);
}

static long
collect(const struct mp_lisp_graph_wish *wish, char *path, size_t size)
{
    uint32_t unused = 0;

    if (!__atomic_compare_exchange_n(&busy, &unused, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return -EBUSY;
    wanted.path = path;
    wanted.size = size;
    wanted.result = -ECANCELED;
    __atomic_store_n(&wanted.wish, wish, __ATOMIC_RELEASE);
    mp_ecl.gc_collect();
    __atomic_store_n(&wanted.wish, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    return wanted.result;
}

long
mp_lisp_graph_make(const struct mp_lisp_graph_wish *wish, char *path, size_t size)
{
    long result;

    path[0] = '\0';
    if (!mp_ecl.known || !mp_ecl.gc_collect || !mp_ecl.gc_kind || !mp_ecl.symbols.size)
        return -ENOTSUP;
    if (mp_sandbox_is_shut())
        return -EPERM;
    if (!wish->collect && !wish->in_place)
        return make(wish, false, path, size);
    result = collect(wish, path, size);
    if (result == 0 && wish->wait && !wish->in_place)
        result = mp_heap_snapshot_wait(path);
    return result;
}

static long
make_for_others(enum mp_heap_trigger trigger, char *path, size_t size)
{
    char file[MP_LISP_PATH];
    const struct mp_lisp_graph_wish wish = { .trigger = trigger, .file = file };

    memcpy(file, path, size < sizeof file ? size : sizeof file);
    file[sizeof file - 1] = '\0';
    return mp_lisp_graph_make(&wish, path, size);
}

void
mp_lisp_graph_open(void)
{
    mp_heap_snapshot_open(make_for_others);
}
