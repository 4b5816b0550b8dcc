/* SPDX-License-Identifier: MIT */
/*
 * simulated_heap.h -- the heap of libgc 8.2 without its contents: which object is where, and which pages are free.
 *
 * Works as libgc does (allchblk.c, malloc.c, reclaim.c). A page of 4096 bytes has objects of one size and treatment.
 * Objects of more than half a page have pages of their own. Free pages form runs, which are in lists by their length.
 * After a collection, pages without live objects are free. In other pages, the places of dead objects are used again,
 * unless more than 7/8 of the page is live.
 */
#ifndef MP_SIMULATED_HEAP_H
#define MP_SIMULATED_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#define MP_PAGE 4096u           /* bytes */

struct mp_simulated_heap;

/* Returns an empty heap without pages, for objects that are numbered from 0 to N - 1. */
struct mp_simulated_heap *mp_simulated_heap_new(uint32_t n);
void mp_simulated_heap_free(struct mp_simulated_heap *heap);

/* Adds PAGES free pages. */
void mp_simulated_heap_grow(struct mp_simulated_heap *heap, uint32_t pages);

/* Puts OBJECT, which has UNITS * 16 bytes and the TREATMENT (enum mp_event), into the heap. If SPARING, keeps large
 * runs of free pages for large objects, as libgc does when it is time for a collection. Returns false if there is no
 * space. */
bool mp_simulated_heap_put(struct mp_simulated_heap *heap, uint32_t object, uint32_t units, unsigned treatment,
                           bool sparing);

/* Removes OBJECT. Returns false if the heap does not contain it. */
bool mp_simulated_heap_take(struct mp_simulated_heap *heap, uint32_t object);

/* Removes all objects for which IS_DEAD returns true. If PARTIAL, keeps objects that survived an earlier collection. */
void mp_simulated_heap_collect(struct mp_simulated_heap *heap, bool partial,
                               bool (*is_dead)(const void *data, uint32_t object), const void *data);

/* Figures in bytes. */
struct mp_simulated_figures {
    uint64_t size, free;        /* of all pages, and of free pages */
    uint64_t pointers, atomic;  /* of objects that survived the last collection, with pointers and without */
};
struct mp_simulated_figures mp_simulated_heap_figures(const struct mp_simulated_heap *heap);

#endif
