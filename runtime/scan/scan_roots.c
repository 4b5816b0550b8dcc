/* SPDX-License-Identifier: MIT */
#include "scan_roots.h"

#include <string.h>

#include "runtime/decimal.h"
#include "runtime/store/store.h"
#include "runtime/system/dynamic.h"
#include "runtime/system/place.h"
#include "runtime/system/sys.h"
#include "scan_mapped.h"
#include "scan_pointers.h"

#define HEAP_SIZE    ((uintptr_t)64 << 20)      /* bytes and alignment of the heaps of glibc's further arenas */
#define TLS_MOST     ((uintptr_t)65536)         /* bytes that are scanned on each side of a thread's descriptor */

/* Properties of an address range of words. */
struct words {
    enum mp_heap_root_kind kind;
    uint32_t group;
    bool beginnings;            /* only pointers to the beginning of a block count */
    bool whole;                 /* pointers into a block count as pointers to its beginning */
    enum mp_scan_to to;         /* objects of libgc to which words lead */
};

/* ------------------------------------------------------------------ words */

static void
write_word(const struct mp_scan_roots *roots, const struct words *are, uintptr_t place, uint64_t word)
{
    const uintptr_t target = mp_scan_pointer(roots->blocks, roots->maps, word);
    uintptr_t beginning;

    if (!target) {
        mp_scan_collected_reach(roots->collected, word, are->to);
        return;
    }
    beginning = mp_scan_blocks_at(roots->blocks, target)->address;
    if (!are->beginnings || beginning == word)
        mp_stream_root(roots->out, are->kind, 0, are->group, place, are->whole ? beginning : target);
}

/* Writes the words from START to END that are outside of blocks and of libgc's memory. */
static void
write_words(const struct mp_scan_roots *roots, const struct words *are, uintptr_t start, uintptr_t end)
{
    const uint64_t *words;
    size_t n;

    for (start = (start + 7) & ~(uintptr_t)7; start + 8 <= end; start += n * 8) {
        const struct mp_scan_block *block;
        uintptr_t stop = end;

        n = 0;
        start = mp_scan_touched(roots->memory, start, end);
        if (mp_scan_collected_has(roots->collected, start, &stop)) {
            start = stop;
            continue;
        }
        block = mp_scan_blocks_above(roots->blocks, start);
        if (block && block->address < stop)
            stop = block->address > start ? block->address : start;
        if (stop == start && block) {
            start = (block->address + block->size + 7) & ~(uintptr_t)7;
            continue;
        }
        if (start + 8 > stop) {
            if (stop < end)
                n = 1;
            else
                break;
            continue;
        }
        words = mp_scan_read(roots->memory, start, stop, &n);
        for (size_t i = 0; words && i < n; i++)
            write_word(roots, are, start + i * 8, words[i]);
    }
}

/* ------------------------------------------------------------------ threads */

static uint32_t
thread_text(const struct mp_scan_roots *roots, uint32_t tid)
{
    char text[32] = "thread ", digits[MP_DECIMAL_SIZE];

    strcat(text, mp_decimal(tid, digits));
    return mp_stream_text(roots->out, text, strlen(text));
}

/* Writes the vector of thread-local storage, to whose second entry the DESCRIPTOR points. */
static void
write_vector(const struct mp_scan_roots *roots, const struct words *are, uintptr_t descriptor)
{
    const struct mp_scan_block *block;
    uint64_t word;

    if (!mp_scan_peek(descriptor + mp_scan_descriptor_vector(), &word, sizeof word))
        return;
    block = mp_scan_blocks_at(roots->blocks, word);
    if (block && word == block->address + 16)
        write_word(roots, are, 0, block->address);
}

/* Writes the registers of THREAD, and the addresses of its stack and of its descriptor as if they were registers,
 * because the stack may be in a block of the program. */
static void
write_registers(const struct mp_scan_roots *roots, const struct mp_scan_thread *thread)
{
    const struct words stack = { .kind = MP_ROOT_STACK, .group = thread_text(roots, thread->tid) };

    for (uint32_t i = 0; i < thread->n_registers; i++)
        write_word(roots, &stack, 0, thread->registers[i]);
    write_word(roots, &stack, 0, thread->sp);
    write_word(roots, &stack, 0, thread->descriptor);
    write_vector(roots, &stack, thread->descriptor);
}

/* Writes the stack of THREAD in MAP. The thread's descriptor is above it. */
static void
write_stack(const struct mp_scan_roots *roots, const struct mp_scan_map *map, const struct mp_scan_thread *thread)
{
    const uintptr_t from = thread->sp >= map->start && thread->sp < map->end ? thread->sp : map->start;
    const uint32_t group = thread_text(roots, thread->tid);
    const struct words stack = { .kind = MP_ROOT_STACK, .group = group };
    const struct words storage = { .kind = MP_ROOT_THREAD, .group = group };
    const uintptr_t at = thread->descriptor > from && thread->descriptor < map->end ? thread->descriptor : map->end;

    write_words(roots, &stack, from, at);
    write_words(roots, &storage, at, map->end);
}

/* Writes the contents of MAP, which contains the descriptors of several threads, their stacks and other data. Where
 * each stack begins is unknown. */
static void
write_stacks(const struct mp_scan_roots *roots, const struct mp_scan_map *map)
{
    struct words are = { .kind = MP_ROOT_STACK };
    const struct mp_scan_thread *thread;
    uintptr_t at = map->start, from = at;

    while ((thread = mp_scan_threads_in(roots->threads, from, map->end))) {
        are.group = thread_text(roots, thread->tid);
        write_words(roots, &are, at, thread->descriptor & ~(uintptr_t)7);
        at = thread->descriptor & ~(uintptr_t)7;
        from = thread->descriptor + 1;
    }
    are.kind = MP_ROOT_THREAD;
    write_words(roots, &are, at, map->end);
}

/* Writes the stack of the first thread, whose descriptor is elsewhere. */
static void
write_first_stack(const struct mp_scan_roots *roots, const struct mp_scan_map *map)
{
    const struct mp_scan_thread *first = NULL;

    for (uint32_t i = 0; i < roots->threads->n; i++)
        if (roots->threads->list[i].sp >= map->start && roots->threads->list[i].sp < map->end)
            first = &roots->threads->list[i];
    write_words(roots, &(struct words){ .kind = MP_ROOT_STACK, .group = first ? thread_text(roots, first->tid) : 0 },
                first ? first->sp : map->start, map->end);
}

/* Writes the descriptors of threads that do not run. The descriptor of a thread that is just being created has the
 * thread's argument, and that of a thread that has not been joined has its result. Of a descriptor in glibc's cache,
 * only the vector of thread-local storage is in use, which the next thread on that stack gets. */
static void
write_idle(const struct mp_scan_roots *roots)
{
    const struct words are = { .kind = MP_ROOT_THREAD, .group = mp_stream_text(roots->out, "ended threads", 13) };

    for (uint32_t i = 0; i < roots->descriptors->n; i++) {
        const struct mp_scan_descriptor *one = &roots->descriptors->list[i];

        if (one->runs)
            continue;
        write_vector(roots, &are, one->address);
        if (one->list == MP_SCAN_USED)
            write_words(roots, &are, one->address, one->address + mp_scan_descriptor_size());
    }
}

/* ------------------------------------------------------------------ mappings */

/* Returns the end of the heap at START if it belongs to one of glibc's further arenas, and 0 otherwise. Such a heap
 * begins with the address of its arena and the size of the heap. The first heap of an arena has the arena behind these
 * words. */
static uintptr_t
end_of_heap(const struct mp_scan_roots *roots, uintptr_t start)
{
    uint64_t arena, size;

    if (!mp_scan_word(roots->memory, start, &arena) || !mp_scan_word(roots->memory, start + 16, &size))
        return 0;
    return arena % HEAP_SIZE >= 32 && arena % HEAP_SIZE <= 256 && size > 0 && size <= HEAP_SIZE && size % 4096 == 0
               ? start + size : 0;
}

/* Writes the memory in MAP that the program mapped itself. Called if the allocator is not glibc's and nothing else
 * shows who owns the memory. */
static void
write_mapped(const struct mp_scan_roots *roots, const struct mp_scan_map *map)
{
    const struct words are = { .kind = MP_ROOT_OTHER, .group = mp_stream_text(roots->out, "mapped memory", 13) };
    uintptr_t at = map->start, stop;

    for (; mp_scan_mapped_next(&at, map->end, &stop); at = stop)
        write_words(roots, &are, at, stop);
}

/* Writes the memory in MAP, except for glibc's heaps. MAP belongs to the first thread or to no known owner. */
static void
write_anonymous(const struct mp_scan_roots *roots, const struct mp_scan_map *map)
{
    const struct words are = { .kind = MP_ROOT_OTHER, .group = mp_stream_text(roots->out, "mapped memory", 13) };
    uintptr_t from = map->start, at = map->start & ~(HEAP_SIZE - 1);

    if (!mp_scan_threads_in(roots->threads, map->start, map->end) &&
        mp_scan_descriptors_idle(roots->descriptors, map->start, map->end))
        return;
    if (!mp_scan_has_chunks()) {
        write_mapped(roots, map);
        return;
    }
    for (; at < map->end; at += HEAP_SIZE) {
        uintptr_t end = end_of_heap(roots, at);

        if (end > from) {               /* a heap may consist of mappings with different flags, so it may begin in
                                           an earlier mapping */
            write_words(roots, &are, from, at);
            from = end;
        }
    }
    write_words(roots, &are, from, map->end);
}

/* Writes the thread-local storage of THREAD, which may be anywhere in MAP. THREAD is the first thread, or one whose
 * stack the program allocated. */
static void
write_storage(const struct mp_scan_roots *roots, const struct mp_scan_map *map, const struct mp_scan_thread *thread)
{
    const struct words are = { .kind = MP_ROOT_THREAD, .group = thread_text(roots, thread->tid) };
    uintptr_t low = thread->descriptor - TLS_MOST, high = thread->descriptor + TLS_MOST;

    write_words(roots, &are, low > map->start ? low : map->start, high < map->end ? high : map->end);
}

static bool
begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static const char *
name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void
write_data(const struct mp_scan_roots *roots, const struct mp_scan_map *map, const char *path)
{
    const char *name = name_of(path);
    struct words are = { .kind = MP_ROOT_GLOBAL, .group = mp_stream_text(roots->out, path, strlen(path)) };

    are.beginnings = map->path[0] == '/' && (begins(name, "libc.so") || begins(name, "libc-2."));
    are.whole = begins(name, "ld-linux");      /* the loader aligns some of its blocks itself */
    are.to = mp_scan_collected_owns(roots->collected, map->start) ? MP_SCAN_TO_POINTERS : MP_SCAN_TO_ALL;

    if (!begins(name, "libmprof"))
        write_words(roots, &are, map->start, map->end);
}

/* Writes memory or a file in MAP that others may share. Does not read the memory of devices. */
static void
write_shared(const struct mp_scan_roots *roots, const struct mp_scan_map *map)
{
    const bool named = !begins(map->path, "/dev/zero") && !begins(map->path, "/SYSV");
    const char *name = named ? map->path : "shared memory";
    const struct words are = { .kind = MP_ROOT_OTHER, .group = mp_stream_text(roots->out, name, strlen(name)) };

    if (mp_scan_maps_is_device(map))
        return;
    mp_scan_memory_shared(roots->memory, true);
    write_words(roots, &are, map->start, map->end);
    mp_scan_memory_shared(roots->memory, false);
}

static void
write_mapping(const struct mp_scan_roots *roots, const struct mp_scan_map *map)
{
    const struct mp_scan_thread *thread = mp_scan_threads_in(roots->threads, map->start, map->end);

    if (!map->readable || !map->writable || strcmp(map->path, "[heap]") == 0 ||
        mp_place_was_next(map->start, map->end) || mp_store_overlaps(map->start, map->end))
        return;
    if (strcmp(map->path, "[stack]") == 0)
        write_first_stack(roots, map);
    else if (map->shared)
        write_shared(roots, map);
    else if (map->path[0] == '/')
        write_data(roots, map, map->path);
    else if (thread && mp_scan_threads_in(roots->threads, thread->descriptor + 1, map->end))
        write_stacks(roots, map);
    else if (thread && thread->tid != (uint32_t)mp_sys_getppid())
        write_stack(roots, map, thread);
    else {
        write_anonymous(roots, map);
        if (thread && !mp_scan_has_chunks())
            write_storage(roots, map, thread);
    }
}

/* Writes the zeroed variables of the module whose file is mapped in BEFORE. They are at the beginning of MAP, the next
 * mapping, which has no file. Removes them from MAP. */
static void
write_zeroed(const struct mp_scan_roots *roots, struct mp_scan_map *map, const struct mp_scan_map *before)
{
    const uintptr_t end = mp_dynamic_end(before->end - 1);
    struct mp_scan_map zeroed = *map;

    if (end <= map->start || !map->readable || !map->writable)
        return;
    map->start = zeroed.end = end < map->end ? end : map->end;
    write_data(roots, &zeroed, before->path);
}

void
mp_scan_roots_write(const struct mp_scan_roots *roots)
{
    const struct mp_scan_map *before = NULL;

    for (uint32_t i = 0; i < roots->threads->n; i++)
        write_registers(roots, &roots->threads->list[i]);
    write_idle(roots);
    for (uint32_t i = 0; i < roots->maps->n; i++) {
        struct mp_scan_map map = roots->maps->list[i];

        if (before && before->path[0] == '/' && before->end == map.start && map.path[0] == '\0')
            write_zeroed(roots, &map, before);
        if (map.start < map.end)
            write_mapping(roots, &map);
        before = &roots->maps->list[i];
    }
}

void
mp_scan_roots_write_collected(const struct mp_scan_roots *roots)
{
    struct words are = { .kind = MP_ROOT_OTHER };
    struct mp_scan_range object;

    while (mp_scan_collected_take(roots->collected, &object, &are.to)) {
        if (!are.group)
            are.group = mp_stream_text(roots->out, "objects of libgc", 16);
        for (uintptr_t at = object.start; at + 8 <= object.end; at += 8)
            write_word(roots, &are, at, *(const uint64_t *)at);
    }
}
