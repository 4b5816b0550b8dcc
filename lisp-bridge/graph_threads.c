/* SPDX-License-Identifier: MIT */
/*
 * graph_threads.c -- roots in threads' environments (bindings, frames, values) and on their stacks.
 *
 * /proc shows the stack pointer of another thread while it is in a system call. If the thread was running, all
 * resident pages of its stack are scanned, which may include dead values. Registers of other threads are known only
 * within a collection, because the collector saves them on the stacks when it stops the world.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "graph_snapshot.h"
#include "graph_state.h"
#include "print_object.h"
#include "runtime/decimal.h"
#include "runtime/system/sys.h"
#include "runtime/system/sys_process.h"

/* ------------------------------------------------------------------ before the copy is made */

/* Returns the stack pointer in the text of /proc/self/task/TID/syscall. The text is "NUMBER ARGUMENTS... SP PC", or
 * "running", for which 0 is returned. */
static uintptr_t
stack_pointer(const char *text)
{
    uintptr_t numbers[16];
    unsigned n = 0;

    for (const char *at = strstr(text, "0x"); at && n < 16; at = strstr(at, "0x")) {
        at += 2;
        numbers[n++] = mp_take_hex(&at);
    }
    return n >= 2 ? numbers[n - 2] : 0;
}

static void
look_at_thread(struct mp_object_graph *g, const char *tid)
{
    static const char before[] = "/proc/self/task/", after[] = "/syscall";
    char path[64], text[256];
    struct mp_graph_stack *stack = &g->stacks[g->n_stacks];
    const size_t length = strlen(tid);
    long fd, n;

    g->too_many |= g->n_stacks == MP_GRAPH_STACKS;
    if (g->n_stacks == MP_GRAPH_STACKS || length > 12)
        return;
    memcpy(path, before, sizeof before - 1);
    memcpy(path + sizeof before - 1, tid, length);
    memcpy(path + sizeof before - 1 + length, after, sizeof after);
    stack->tid = 0;
    for (size_t i = 0; i < length; i++)
        stack->tid = stack->tid * 10 + (uint32_t)(tid[i] - '0');
    stack->sp = 0;
    fd = mp_sys_open(path, O_RDONLY, 0);
    n = fd < 0 ? 0 : mp_sys_read((int)fd, text, sizeof text - 1);
    if (fd >= 0)
        mp_sys_close((int)fd);
    text[n > 0 ? n : 0] = '\0';
    stack->sp = stack_pointer(text);
    g->n_stacks++;
}

void
mp_graph_look_at_threads(struct mp_object_graph *g)
{
    struct name { uint64_t inode, offset; uint16_t size; uint8_t type; char name[]; } *entry;
    char *const buffer = g->buffer.text;
    long fd = mp_sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0), n;
    const uint32_t own = (uint32_t)mp_sys_gettid();

    if (fd < 0)
        return;
    while ((n = mp_sys_read_directory((int)fd, buffer, sizeof g->buffer.text)) > 0)
        for (char *at = buffer; at < buffer + n; at += entry->size) {
            entry = (void *)at;
            if (entry->name[0] >= '0' && entry->name[0] <= '9')
                look_at_thread(g, entry->name);
        }
    mp_sys_close((int)fd);
    for (uint32_t i = 0; i < g->n_stacks; i++)
        if (g->stacks[i].tid == own)
            g->stacks[i--] = g->stacks[--g->n_stacks];
}

/* ------------------------------------------------------------------ environments */

/* Returns the environment to which a word of PROCESS points and which points back to PROCESS, or NULL. */
static struct cl_env_struct *
environment_of(struct mp_object_graph *g, cl_object process)
{
    const uintptr_t *words = (const uintptr_t *)process;

    for (unsigned i = 1; i < MP_PROCESS_WORDS; i++) {
        if (!mp_graph_is_readable(g, (uintptr_t)process, (i + 1) * sizeof *words))
            break;
        if (words[i] % sizeof(void *) == 0 && mp_graph_is_readable(g, words[i], mp_ecl.at.env_size) &&
            MP_MEMBER(words[i], env_own_process) == process)
            return (void *)words[i];
    }
    return NULL;
}

static uint32_t
name_of(struct mp_object_graph *g, cl_object process)
{
    char room[256];
    struct mp_text text = mp_text_begin(room, sizeof room);

    mp_text_print(&text, process->process.name);
    return mp_stream_text(g->stream, room, strlen(room));
}

struct part {
    const char *title;
    uintptr_t start, end;
};
enum { BINDINGS, FRAMES, LISP_STACK, ENVIRONMENT, PARTS };

/* Finds the memory from which a thread with the environment ENV refers to objects, except its C stack and the values
 * of its bound variables. */
static void
find_parts(const struct cl_env_struct *env, struct part parts[PARTS])
{
    parts[BINDINGS] = (struct part){ "bindings", MP_ADDRESS(env, env_bds_org),
                                     MP_ADDRESS(env, env_bds_top) + MP_BDS_FRAME };
    parts[FRAMES] = (struct part){ "frames", MP_ADDRESS(env, env_frs_org),
                                   MP_ADDRESS(env, env_frs_top) + MP_FRS_FRAME };
    parts[LISP_STACK] = (struct part){ "Lisp stack", MP_ADDRESS(env, env_stack), MP_ADDRESS(env, env_stack_top) };
    parts[ENVIRONMENT] = (struct part){ "environment", (uintptr_t)env, (uintptr_t)env + mp_ecl.at.env_size };
}

static bool
is_usable(struct mp_object_graph *g, const struct part *part)
{
    return part->start && part->end > part->start && mp_graph_is_readable(g, part->start, part->end - part->start);
}

/* Adds the values of variables bound in this thread as roots. Values of symbols without a package share one title. The
 * vector that contains all values gets a type without references, so that only the roots retain the values. */
static void
values(struct mp_object_graph *g, uint32_t thread, const struct cl_env_struct *env)
{
    cl_object *const all = (cl_object *)MP_ADDRESS(env, env_bindings);
    const cl_index n = MP_ADDRESS(env, env_bindings_size);
    struct mp_graph_block block;

    if (!all || !mp_graph_is_readable(g, (uintptr_t)all, n * sizeof *all))
        return;
    for (cl_index i = 0; i < n; i++) {
        const uint32_t *known = (uintptr_t)all[i] - g->heap.low < g->heap.span && i < MP_GRAPH_BINDINGS
                                    ? mp_graph_key(g, MP_GRAPH_KEY_BINDING, i) : NULL;

        mp_graph_root(g, MP_ROOT_VALUE, known && *known ? *known : mp_graph_text(g, "variables without package"),
                      thread, (uintptr_t)&all[i], (uintptr_t)all[i]);
    }
    if (mp_graph_find(&g->heap, (uintptr_t)all, &block) && block.base == (uintptr_t)all)
        *block.type = mp_graph_fixed_type(g, MP_GRAPH_VALUES);
}

/* Adds the values that variables had before they were bound. ECL restores such a value when the binding ends. */
static void
shadowed(struct mp_object_graph *g, uint32_t thread, const struct part *bindings)
{
    const struct ecl_bds_frame *at = (const void *)bindings->start, *end = (const void *)bindings->end;

    if (!is_usable(g, bindings))
        return;
    for (; at < end; at++) {
        uint32_t *title = mp_graph_is_symbol(g, at->symbol)
                              ? mp_graph_key(g, MP_GRAPH_KEY_SHADOWED, (uintptr_t)at->symbol) : NULL;
        char room[512];
        struct mp_text text = mp_text_begin(room, sizeof room);

        if (title && !*title) {
            mp_graph_binding(g, at->symbol);
            mp_text_print(&text, at->symbol);
            mp_text_put(&text, ", shadowed");
            *title = mp_stream_text(g->stream, room, strlen(room));
        }
        mp_graph_root(g, MP_ROOT_THREAD, mp_graph_text(g, bindings->title), thread, (uintptr_t)&at->symbol,
                      (uintptr_t)at->symbol);
        mp_graph_root(g, MP_ROOT_VALUE, title && *title ? *title : mp_graph_text(g, bindings->title), thread,
                      (uintptr_t)&at->value, (uintptr_t)at->value);
    }
}

static void
environment(struct mp_object_graph *g, cl_object process)
{
    struct cl_env_struct *env = environment_of(g, process);
    struct part parts[PARTS];
    uint32_t thread;

    if (!env)
        return;
    thread = name_of(g, process);
    find_parts(env, parts);
    shadowed(g, thread, &parts[BINDINGS]);
    values(g, thread, env);
    for (unsigned i = FRAMES; i < PARTS; i++)
        if (is_usable(g, &parts[i]))
            mp_graph_root_words(g, MP_ROOT_THREAD, mp_graph_text(g, parts[i].title), thread, parts[i].start,
                                parts[i].end);
}

void
mp_graph_environments(struct mp_object_graph *g)
{
    for (uint32_t i = 0; i < g->n_processes; i++)
        environment(g, g->processes[i]);
}

/* ------------------------------------------------------------------ places of the calling thread */

static bool
is_one_of(cl_object symbol, cl_object symbols)
{
    for (; ECL_CONSP(symbols); symbols = ECL_CONS_CDR(symbols))
        if (ECL_CONS_CAR(symbols) == symbol)
            return true;
    return false;
}

/* Adds the global value of SYMBOL and its value in this thread. */
static void
own_values(const struct cl_env_struct *env, cl_object symbol, void (*add)(void *data, uintptr_t start, uintptr_t end),
           void *data)
{
    const cl_index index = MP_ADDRESS(symbol, symbol_binding);
    const uintptr_t value = (uintptr_t)&symbol->symbol.value;

    add(data, value, value + sizeof symbol);
    if (index < MP_ADDRESS(env, env_bindings_size)) {
        const uintptr_t own = MP_ADDRESS(env, env_bindings) + index * sizeof symbol;

        add(data, own, own + sizeof symbol);
    }
}

void
mp_graph_own_places(void *symbols, void (*add)(void *data, uintptr_t start, uintptr_t end), void *data)
{
    const struct cl_env_struct *env = mp_ecl.threads_known ? mp_ecl.process_env() : NULL;
    struct part parts[PARTS];

    if (!env)
        return;
    find_parts(env, parts);
    add(data, parts[ENVIRONMENT].start, parts[ENVIRONMENT].end);
    add(data, parts[LISP_STACK].start, MP_ADDRESS(env, env_stack_limit));
    add(data, parts[FRAMES].start, parts[FRAMES].end);
    for (cl_object at = symbols; ECL_CONSP(at); at = ECL_CONS_CDR(at))
        own_values(env, ECL_CONS_CAR(at), add, data);
    for (uintptr_t at = parts[BINDINGS].start; at < parts[BINDINGS].end; at += MP_BDS_FRAME)
        if (is_one_of(((const struct ecl_bds_frame *)at)->symbol, symbols))
            add(data, at, at + MP_BDS_FRAME);
}

/* ------------------------------------------------------------------ stacks */

/* Returns the first page of M that is in memory. */
static uintptr_t
first_resident(const struct mp_graph_mapping *m)
{
    uint8_t pages[512];
    uintptr_t at = m->start;

    while (at < m->end) {
        uintptr_t size = m->end - at < sizeof pages * 4096 ? m->end - at : sizeof pages * 4096;

        if (mp_sys_resident((void *)at, size, pages) < 0)
            return m->start;
        for (uintptr_t i = 0; i < size / 4096; i++)
            if (pages[i] & 1)
                return at + i * 4096;
        at += size;
    }
    return m->end;
}

static void
stack(struct mp_object_graph *g, uint32_t thread, uintptr_t from, uintptr_t to)
{
    const uint32_t title = mp_graph_text(g, "stack");

    mp_graph_root_words(g, MP_ROOT_STACK, title, thread, from, to);
    for (uintptr_t at = (from + 7) & ~(uintptr_t)7; at + 8 <= to; at += 8) {
        const uintptr_t word = *(const uintptr_t *)at;
        struct mp_graph_block block;

        /* Add only data whose owner is unknown. Other data needs no second root. */
        if (word - g->heap.low >= g->heap.span || mp_graph_refers(g, word, &block) ||
            !mp_graph_find(&g->heap, word, &block) || *block.type || !mp_graph_visit_any(g, word))
            continue;
        mp_stream_root(g->stream, MP_ROOT_STACK, title, thread, at, word);
        mp_graph_follow(g);
    }
}

static bool
is_unreadable(uintptr_t address)
{
    char byte;

    return mp_sys_peek(address, &byte, sizeof byte) == -EFAULT;
}

/* Returns the part of M that is the stack with the origin BASE. Stacks that lie side by side may be one mapping. Guard
 * pages between them, which later versions of libc make by madvise(), are in it, but cannot be read. */
static struct mp_graph_mapping
part_of(const struct mp_graph_mapping *m, uintptr_t base)
{
    struct mp_graph_mapping part = *m;

    part.start = (base - 1) & ~(uintptr_t)4095;
    part.end = part.start + 4096;
    while (part.start > m->start && !is_unreadable(part.start - 1))
        part.start -= 4096;
    while (part.end < m->end && !is_unreadable(part.end))
        part.end += 4096;
    return part;
}

/* Returns the end of the used part of the stack M with the origin BASE. */
static uintptr_t
end_of_stack(struct mp_object_graph *g, const struct mp_graph_mapping *m, uintptr_t base, bool *own)
{
    *own = g->sp >= m->start && g->sp < base;
    if (*own)
        return g->sp;
    for (uint32_t i = 0; i < g->n_stacks; i++)
        if (g->stacks[i].sp >= m->start && g->stacks[i].sp < base)
            return g->stacks[i].sp - 128;       /* the red zone below the stack pointer */
    return first_resident(m);
}

static void
stack_of(struct mp_object_graph *g, cl_object process)
{
    struct cl_env_struct *env = environment_of(g, process);
    const uintptr_t base = env ? MP_ADDRESS(env, env_cs_org) : 0;
    const struct mp_graph_mapping *m = base ? mp_graph_mapping(g, base - 1) : NULL;
    struct mp_graph_mapping part;
    uint32_t thread;
    uintptr_t from;
    bool own;

    if (!m || !m->readable)
        return;
    thread = name_of(g, process);
    part = part_of(m, base);
    from = end_of_stack(g, &part, base, &own);
    stack(g, thread, from, part.end);
    if (own)
        for (unsigned i = 0; i < sizeof g->own / sizeof *g->own; i++)
            mp_graph_root(g, MP_ROOT_STACK, mp_graph_text(g, "register"), thread, 0, g->own[i]);
    else if (!g->stopped)
        g->threads_without_registers++;
}

void
mp_graph_stacks(struct mp_object_graph *g)
{
    for (uint32_t i = 0; i < g->n_processes; i++)
        stack_of(g, g->processes[i]);
}
