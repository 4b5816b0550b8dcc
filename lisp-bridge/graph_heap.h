/* SPDX-License-Identifier: MIT */
/*
 * graph_heap.h -- finds libgc's blocks by address and stores their types, for snapshots of the heap. Used by one
 * thread while nothing else runs: in a copy of the process, or while libgc has stopped the other threads. Allocates
 * nothing in the heap and takes no lock.
 */
#ifndef MP_LISP_GRAPH_HEAP_H
#define MP_LISP_GRAPH_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libgc.h"
#include "runtime/compiler.h"

#define MP_GRAPH_CHUNK_BITS 22u
#define MP_GRAPH_CHUNK      ((uintptr_t)1 << MP_GRAPH_CHUNK_BITS)
#define MP_GRAPH_PAGES      (MP_GRAPH_CHUNK / MP_GC_PAGE)

struct mp_graph_page {
    uint64_t size;              /* bytes of each object in the page; if more than half a page, the page belongs to one
                                 * object only */
    union {
        uint32_t back;          /* large object: number of pages before this one that belong to it */
        uint32_t inverse;       /* small objects: 2^32 / size, rounded up, for dividing offsets below 4096 */
    };
    uint8_t known;              /* 0 if the page was not examined yet */
    uint8_t kind;
};

struct mp_graph_chunk {
    uint16_t types[MP_GRAPH_CHUNK / MP_GC_GRANULE];  /* type of the object that begins in each granule; 0 if none
                                                         * was found yet */
    struct mp_graph_page pages[MP_GRAPH_PAGES];
};

struct mp_graph_heap {
    uintptr_t low, span;        /* address range of the heap, in whole chunks */
    struct mp_graph_chunk **chunks;
    bool no_memory;             /* whether blocks were left out for lack of memory */
};

struct mp_graph_block {
    uintptr_t base;
    uint64_t size;
    uint16_t *type;
    uint8_t kind;
};

/* mp_graph_heap_open() returns 0, or -errno if libgc does not export the bounds of its heap or memory is lacking.
 * mp_graph_heap_close() releases all memory. */
long mp_graph_heap_open(struct mp_graph_heap *heap);
void mp_graph_heap_close(struct mp_graph_heap *heap);

/* Examines the page of ADDRESS, which must be within the heap's span. Returns false if it contains no objects. */
bool mp_graph_look_at_page(struct mp_graph_heap *heap, uintptr_t address);

#define MP_GRAPH_SHARED (MP_GC_PAGE / 2)     /* maximum size of objects that share a page */

/* Finds the block that contains ADDRESS. The block may be free. */
MP_INLINE bool
mp_graph_find(struct mp_graph_heap *heap, uintptr_t address, struct mp_graph_block *block)
{
    const uintptr_t at = address - heap->low, page = address % MP_GRAPH_CHUNK / MP_GC_PAGE;
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
        const uint32_t size = (uint32_t)known->size, offset = (uint32_t)(address % MP_GC_PAGE);
        const uint32_t begins = (uint32_t)((uint64_t)offset * known->inverse >> 32) * size;

        block->base = address - offset + begins;
        block->type = &chunk->types[block->base % MP_GRAPH_CHUNK / MP_GC_GRANULE];
        return begins + size <= MP_GC_PAGE;
    }
    block->base = (address & ~(uintptr_t)(MP_GC_PAGE - 1)) - (uintptr_t)known->back * MP_GC_PAGE;
    chunk = heap->chunks[(block->base - heap->low) >> MP_GRAPH_CHUNK_BITS];
    block->type = &chunk->types[block->base % MP_GRAPH_CHUNK / MP_GC_GRANULE];
    return address - block->base < known->size;
}

/* Position of a walk over typed blocks: byte `at` of the page at `page`, which contains blocks of `size` bytes. */
struct mp_graph_walk {
    uintptr_t page;
    uint32_t at, size;
    struct mp_graph_chunk *chunk;
};

/* Advances WALK to the next page that contains small objects or the beginning of a large one. Returns false at the
 * end. */
bool mp_graph_next_page(struct mp_graph_heap *heap, struct mp_graph_walk *walk);

/* Finds the next typed block, in ascending order. Returns false at the end. A zeroed WALK starts at the first block. */
MP_INLINE bool
mp_graph_next(struct mp_graph_heap *heap, struct mp_graph_walk *walk, struct mp_graph_block *block)
{
    do {
        for (; walk->at + walk->size <= MP_GC_PAGE && walk->size > 0; walk->at += walk->size) {
            const uintptr_t base = walk->page + walk->at;
            uint16_t *type = &walk->chunk->types[base % MP_GRAPH_CHUNK / MP_GC_GRANULE];
            const struct mp_graph_page *known;

            if (*type == 0)
                continue;
            known = &walk->chunk->pages[base % MP_GRAPH_CHUNK / MP_GC_PAGE];
            *block = (struct mp_graph_block){ base, known->size, type, known->kind };
            walk->at += walk->size;
            return true;
        }
    } while (mp_graph_next_page(heap, walk));
    return false;
}

/* Returns the type of the block that begins in the granule of ADDRESS, or 0. */
MP_INLINE uint16_t
mp_graph_type_at(const struct mp_graph_heap *heap, uintptr_t address)
{
    const uintptr_t at = address - heap->low;
    const struct mp_graph_chunk *chunk = at < heap->span ? heap->chunks[at >> MP_GRAPH_CHUNK_BITS] : NULL;

    return chunk ? chunk->types[address % MP_GRAPH_CHUNK / MP_GC_GRANULE] : 0;
}

static inline bool
mp_graph_has_pointers(const struct mp_graph_block *block)
{
    return block->kind == MP_GC_NORMAL || block->kind == MP_GC_UNCOLLECTABLE;
}

#endif
