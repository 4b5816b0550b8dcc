/* SPDX-License-Identifier: MIT */
#include "graph_heap.h"

#include <errno.h>

#include "ecl.h"
#include "runtime/compiler.h"
#include "runtime/system/sys.h"

long
mp_graph_heap_open(struct mp_graph_heap *heap)
{
    uintptr_t low, high;

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
    return &chunk->pages[address % MP_GRAPH_CHUNK / MP_GC_PAGE];
}

MP_COLD bool
mp_graph_look_at_page(struct mp_graph_heap *heap, uintptr_t address)
{
    const uintptr_t page = address & ~(uintptr_t)(MP_GC_PAGE - 1);
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
        known->back = (uint32_t)((page - base) / MP_GC_PAGE);
    known->kind = (uint8_t)kind;
    if (base != page && !mp_graph_look_at_page(heap, base))
        return false;           /* mp_graph_find() and mp_graph_next() need the page where an object begins */
    known->known = 1;
    return true;
}

bool
mp_graph_next_page(struct mp_graph_heap *heap, struct mp_graph_walk *walk)
{
    uintptr_t page = walk->chunk ? walk->page + MP_GC_PAGE : heap->low;

    for (; page - heap->low < heap->span; page += MP_GC_PAGE) {
        struct mp_graph_chunk *chunk = heap->chunks[(page - heap->low) >> MP_GRAPH_CHUNK_BITS];
        const struct mp_graph_page *known = chunk ? page_of(chunk, page) : NULL;

        if (!chunk)
            page += MP_GRAPH_CHUNK - MP_GC_PAGE;
        else if (known->known && (known->size <= MP_GRAPH_SHARED || known->back == 0)) {
            *walk = (struct mp_graph_walk){ page, 0, known->size <= MP_GRAPH_SHARED ? (uint32_t)known->size
                                                                                    : MP_GC_PAGE, chunk };
            return true;
        }
    }
    return false;
}
