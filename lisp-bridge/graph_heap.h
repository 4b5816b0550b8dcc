/*
 * graph_heap.h -- libgc's blocks, by address, for a snapshot of the heap: which block is at an address, and of what
 * type it was found to be.  For one thread that the world stands still for: that of a copy of the process, or any
 * while libgc has stopped the others.  Nothing is allocated, no lock is taken.
 */
#ifndef MP_LISP_GRAPH_HEAP_H
#define MP_LISP_GRAPH_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"

#define MP_GRAPH_CHUNK_BITS 22u
#define MP_GRAPH_CHUNK      ((uintptr_t)1 << MP_GRAPH_CHUNK_BITS)
#define MP_GRAPH_PAGE       4096u       /* libgc's own unit: an object has a few, or shares one with its like */
#define MP_GRAPH_PAGES      (MP_GRAPH_CHUNK / MP_GRAPH_PAGE)
#define MP_GRAPH_GRANULE    16u

/* libgc's kinds of blocks. */
enum { MP_GRAPH_ATOMIC, MP_GRAPH_NORMAL, MP_GRAPH_UNCOLLECTABLE, MP_GRAPH_ATOMIC_UNCOLLECTABLE };

struct mp_graph_page {
    uint64_t size;              /* of its objects; more than half a page: it is one object's alone */
    union {
        uint32_t back;          /* pages before this one that are of the same object */
        uint32_t inverse;       /* shared: 2^32 / size, rounded up, by which a distance below 4096 is divided */
    };
    uint8_t known;              /* 0: not looked at yet */
    uint8_t kind;
};

struct mp_graph_chunk {
    uint16_t types[MP_GRAPH_CHUNK / MP_GRAPH_GRANULE];  /* of the object that begins there; 0: not found yet */
    struct mp_graph_page pages[MP_GRAPH_PAGES];
};

struct mp_graph_heap {
    uintptr_t low, span;        /* addresses of the heap, whole chunks */
    struct mp_graph_chunk **chunks;
    bool no_memory;             /* blocks were left out */
};

struct mp_graph_block {
    uintptr_t base;
    uint64_t size;
    uint16_t *type;
    uint8_t kind;
};

/* 0, or -errno: libgc does not tell where its heap is, or there is no memory.  And: give all memory back. */
long mp_graph_heap_open(struct mp_graph_heap *heap);
void mp_graph_heap_close(struct mp_graph_heap *heap);

/* Is what the page of ADDRESS, which is in the heap's span, has found out now? */
bool mp_graph_look_at_page(struct mp_graph_heap *heap, uintptr_t address);

#define MP_GRAPH_SHARED (MP_GRAPH_PAGE / 2)     /* at most: a page has several such blocks */

/* The block that ADDRESS is in; it may be one that is free. */
MP_INLINE bool
mp_graph_find(struct mp_graph_heap *heap, uintptr_t address, struct mp_graph_block *block)
{
    const uintptr_t at = address - heap->low, page = address % MP_GRAPH_CHUNK / MP_GRAPH_PAGE;
    struct mp_graph_chunk *chunk;
    const struct mp_graph_page *known;

    if (at >= heap->span)
        return false;
    chunk = heap->chunks[at >> MP_GRAPH_CHUNK_BITS];
    if (MP_UNLIKELY(!chunk || !chunk->pages[page].known)) {
        if (!mp_graph_look_at_page(heap, address))
            return false;
        chunk = heap->chunks[at >> MP_GRAPH_CHUNK_BITS];
    }
    known = &chunk->pages[page];
    block->size = known->size;
    block->kind = known->kind;
    if (MP_LIKELY(known->size <= MP_GRAPH_SHARED)) {
        const uint32_t size = (uint32_t)known->size, offset = (uint32_t)(address % MP_GRAPH_PAGE);
        const uint32_t begins = (uint32_t)((uint64_t)offset * known->inverse >> 32) * size;

        block->base = address - offset + begins;
        block->type = &chunk->types[block->base % MP_GRAPH_CHUNK / MP_GRAPH_GRANULE];
        return begins + size <= MP_GRAPH_PAGE;
    }
    block->base = (address & ~(uintptr_t)(MP_GRAPH_PAGE - 1)) - (uintptr_t)known->back * MP_GRAPH_PAGE;
    chunk = heap->chunks[(block->base - heap->low) >> MP_GRAPH_CHUNK_BITS];
    block->type = &chunk->types[block->base % MP_GRAPH_CHUNK / MP_GRAPH_GRANULE];
    return address - block->base < known->size;
}

/* Where a walk over typed blocks is: in the page at `page`, which has blocks of `size`, at `at` of its bytes. */
struct mp_graph_walk {
    uintptr_t page;
    uint32_t at, size;
    struct mp_graph_chunk *chunk;
};

/* The page after that of WALK that has blocks, or begins one; its first block is not looked for.  False: none. */
bool mp_graph_next_page(struct mp_graph_heap *heap, struct mp_graph_walk *walk);

/* The next typed block, ascending; false: there is none.  A walk that is all 0 begins with the first. */
MP_INLINE bool
mp_graph_next(struct mp_graph_heap *heap, struct mp_graph_walk *walk, struct mp_graph_block *block)
{
    do {
        for (; walk->at + walk->size <= MP_GRAPH_PAGE && walk->size > 0; walk->at += walk->size) {
            const uintptr_t base = walk->page + walk->at;
            uint16_t *type = &walk->chunk->types[base % MP_GRAPH_CHUNK / MP_GRAPH_GRANULE];
            const struct mp_graph_page *known;

            if (*type == 0)
                continue;
            known = &walk->chunk->pages[base % MP_GRAPH_CHUNK / MP_GRAPH_PAGE];
            *block = (struct mp_graph_block){ base, known->size, type, known->kind };
            walk->at += walk->size;
            return true;
        }
    } while (mp_graph_next_page(heap, walk));
    return false;
}

/* Does a typed block begin at ADDRESS, which may be in its first granule?  Its type, else 0. */
MP_INLINE uint16_t
mp_graph_type_at(const struct mp_graph_heap *heap, uintptr_t address)
{
    const uintptr_t at = address - heap->low;
    const struct mp_graph_chunk *chunk = at < heap->span ? heap->chunks[at >> MP_GRAPH_CHUNK_BITS] : NULL;

    return chunk ? chunk->types[address % MP_GRAPH_CHUNK / MP_GRAPH_GRANULE] : 0;
}

static inline bool
mp_graph_has_pointers(const struct mp_graph_block *block)
{
    return block->kind == MP_GRAPH_NORMAL || block->kind == MP_GRAPH_UNCOLLECTABLE;
}

#endif
