#include "graph_heap.h"

#include <errno.h>

#include "ecl.h"
#include "runtime/compiler.h"
#include "runtime/system/sys.h"

#define HALF_A_PAGE (MP_GRAPH_PAGE / 2)

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

/* Ask libgc what the page of ADDRESS is. */
static MP_COLD bool
look_at_page(struct mp_graph_heap *heap, uintptr_t address)
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
    if (!chunk || (size <= HALF_A_PAGE && base != page))
        return false;
    known = page_of(chunk, page);
    known->size = size;
    known->back = (uint32_t)((page - base) / MP_GRAPH_PAGE);
    known->kind = (uint8_t)kind;
    known->known = 1;
    return base == page || look_at_page(heap, base);    /* mp_graph_next() looks where objects begin */
}

bool
mp_graph_find(struct mp_graph_heap *heap, uintptr_t address, struct mp_graph_block *block)
{
    const uintptr_t page = address & ~(uintptr_t)(MP_GRAPH_PAGE - 1);
    struct mp_graph_chunk *chunk;
    const struct mp_graph_page *known;

    if (address - heap->low >= heap->span)
        return false;
    chunk = heap->chunks[(address - heap->low) >> MP_GRAPH_CHUNK_BITS];
    if (MP_UNLIKELY(!chunk || !page_of(chunk, page)->known)) {
        if (!look_at_page(heap, page))
            return false;
        chunk = heap->chunks[(address - heap->low) >> MP_GRAPH_CHUNK_BITS];
    }
    known = page_of(chunk, page);
    if (known->size <= HALF_A_PAGE)
        block->base = address - (uint32_t)(address - page) % (uint32_t)known->size;
    else
        block->base = page - (uintptr_t)known->back * MP_GRAPH_PAGE;
    if (address - block->base >= known->size ||
        (known->size <= HALF_A_PAGE && block->base + known->size > page + MP_GRAPH_PAGE))
        return false;
    block->size = known->size;
    block->kind = known->kind;
    if (block->base < heap->low || !(chunk = chunk_at(heap, block->base)))
        return false;
    block->type = &chunk->types[block->base % MP_GRAPH_CHUNK / MP_GRAPH_GRANULE];
    return true;
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
        else
            i++;
    }
    *found = (at & ~(MP_GRAPH_CHUNK - 1)) + i * MP_GRAPH_GRANULE;
    return i < MP_GRAPH_CHUNK / MP_GRAPH_GRANULE;
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
