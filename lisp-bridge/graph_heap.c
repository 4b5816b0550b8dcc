#include "graph_heap.h"

#include <errno.h>
#include <string.h>

#include "ecl.h"
#include "runtime/compiler.h"
#include "runtime/system/sys.h"

long
mp_graph_heap_open(struct mp_graph_heap *heap)
{
    uintptr_t low, high;

    if (!mp_ecl.gc_least || !mp_ecl.gc_greatest || !mp_ecl.gc_kind)
        return -ENOTSUP;
    low = *mp_ecl.gc_least & ~(MP_GRAPH_CHUNK - 1);
    high = (*mp_ecl.gc_greatest + MP_GRAPH_CHUNK) & ~(MP_GRAPH_CHUNK - 1);
    if (high <= low)
        return -ENOTSUP;
    heap->low = low;
    heap->span = high - low;
    heap->chunks = mp_sys_map_sparse((heap->span >> MP_GRAPH_CHUNK_BITS) * sizeof *heap->chunks);
    return heap->chunks ? 0 : -ENOMEM;
}

void
mp_graph_heap_close(struct mp_graph_heap *heap)
{
    const uintptr_t n = heap->span >> MP_GRAPH_CHUNK_BITS;

    for (uintptr_t i = 0; heap->chunks && i < n; i++)
        if (heap->chunks[i])
            mp_sys_unmap(heap->chunks[i], sizeof *heap->chunks[i]);
    if (heap->chunks)
        mp_sys_unmap(heap->chunks, n * sizeof *heap->chunks);
    heap->chunks = NULL;
}

static struct mp_graph_chunk *
chunk_at(struct mp_graph_heap *heap, uintptr_t address)
{
    struct mp_graph_chunk **chunk = &heap->chunks[(address - heap->low) >> MP_GRAPH_CHUNK_BITS];

    if (MP_UNLIKELY(!*chunk)) {
        *chunk = mp_sys_map_sparse(sizeof **chunk);
        heap->no_memory |= !*chunk;
    }
    return *chunk;
}

static struct mp_graph_page *
page_of(struct mp_graph_chunk *chunk, uintptr_t address)
{
    return &chunk->pages[address % MP_GRAPH_CHUNK / MP_GRAPH_PAGE];
}

MP_COLD bool
mp_graph_look_at_page(struct mp_graph_heap *heap, uintptr_t address)
{
    const uintptr_t page = address & ~(uintptr_t)(MP_GRAPH_PAGE - 1);
    const uintptr_t base = (uintptr_t)mp_ecl.gc_base((void *)page);
    struct mp_graph_chunk *chunk;
    struct mp_graph_page *known;
    size_t size = 0;
    int kind;

    if (!base || base > page || base < heap->low)
        return false;
    kind = mp_ecl.gc_kind((void *)base, &size);
    chunk = size > 0 ? chunk_at(heap, page) : NULL;
    if (!chunk || (size <= MP_GRAPH_SHARED && base != page))
        return false;
    known = page_of(chunk, page);
    known->size = size;
    if (size <= MP_GRAPH_SHARED)
        known->inverse = (uint32_t)((((uint64_t)1 << 32) + size - 1) / size);
    else
        known->back = (uint32_t)((page - base) / MP_GRAPH_PAGE);
    known->kind = (uint8_t)kind;
    known->known = 1;
    return base == page || mp_graph_look_at_page(heap, base);    /* mp_graph_next() looks where objects begin */
}

static inline bool
four_are_none(const uint16_t *types)
{
    uint64_t four;

    memcpy(&four, types, sizeof four);
    return four == 0;
}

/* The first typed granule of CHUNK at AT or after it. */
static bool
next_in(const struct mp_graph_chunk *chunk, uintptr_t at, uintptr_t *found)
{
    uintptr_t i = at % MP_GRAPH_CHUNK / MP_GRAPH_GRANULE;
    const uintptr_t per_page = MP_GRAPH_PAGE / MP_GRAPH_GRANULE;

    while (i < MP_GRAPH_CHUNK / MP_GRAPH_GRANULE) {
        if (i % per_page == 0 && !chunk->pages[i / per_page].known)
            i += per_page;
        else if (chunk->types[i])
            break;
        else if (i % 4 == 0 && four_are_none(&chunk->types[i]))
            i += 4;
        else
            i++;
    }
    if (i >= MP_GRAPH_CHUNK / MP_GRAPH_GRANULE)
        return false;
    *found = (at & ~(MP_GRAPH_CHUNK - 1)) + i * MP_GRAPH_GRANULE;
    return true;
}

bool
mp_graph_next(struct mp_graph_heap *heap, uintptr_t at, struct mp_graph_block *block)
{
    if (at < heap->low)
        at = heap->low;
    at = (at + MP_GRAPH_GRANULE - 1) & ~(uintptr_t)(MP_GRAPH_GRANULE - 1);
    while (at - heap->low < heap->span) {
        const struct mp_graph_chunk *chunk = heap->chunks[(at - heap->low) >> MP_GRAPH_CHUNK_BITS];

        if (chunk && next_in(chunk, at, &at))
            return mp_graph_find(heap, at, block);
        at = (at & ~(MP_GRAPH_CHUNK - 1)) + MP_GRAPH_CHUNK;
    }
    return false;
}
