/* SPDX-License-Identifier: MIT */
#include "simulated_heap.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/arena.h"
#include "runtime/format.h"

#define UNIT         16u                        /* bytes */
#define SLOTS        (MP_PAGE / UNIT)
#define SMALL        (SLOTS / 2)                /* maximum units of an object that shares its page */
#define EXACT        32u                        /* up to this number of pages, each length of runs has its own list */
#define LONG         256u                       /* runs of this number of pages and more share one list */
#define EIGHT        8u                         /* number of lengths between EXACT and LONG that share a list */
#define LISTS        (EXACT + (LONG - EXACT) / EIGHT + 1)
#define OLD          (1u << 31)                 /* flag in a slot: the object has survived a collection */
#define NO_PAGE      UINT32_MAX
#define TREATMENTS   (MP_EVENT_UNCOLLECTABLE + 1)

enum state { IN_RUN, FREE, SHARED, LARGE };     /* IN_RUN: not the first page of a run or of a large object */

struct page {
    uint8_t state;              /* enum state */
    uint8_t treatment;          /* treatment of the objects in the page, if SHARED or LARGE */
    uint16_t units;             /* size of each object, if SHARED */
    uint32_t length;            /* pages of the run or object, if FREE or LARGE; also in the last page of a free run */
    uint32_t next, previous;    /* neighbours in the list of free runs; `next` also in the list of pages to reuse */
    uint32_t large;             /* the large object that begins in the page, if LARGE; encoded as in `slots` */
    uint32_t *slots;            /* 1 + object, with OLD if it is old; 0 if the slot is free. NULL if the page was never
                                   SHARED */
};

/* The places for objects of one size and treatment. */
struct class {
    uint32_t page, slot;        /* the page that is being filled, or NO_PAGE, and its next slot to be tried */
    uint32_t reuse;             /* first page of the list of pages with places of dead objects, or NO_PAGE */
    uint32_t *freed;            /* places of removed objects: SLOTS * page + slot */
    uint32_t n_freed, room;
};

struct mp_simulated_heap {
    struct page *pages;
    uint32_t n, room;
    uint32_t lists[LISTS + 1];                  /* first free run of each list */
    uint64_t free_pages[LISTS + 1];             /* pages in each list */
    uint64_t all_free;                          /* number of free pages */
    uint64_t large, most_large;                 /* pages of objects that are larger than a page: at present, maximum */
    struct class classes[TREATMENTS][SMALL + 1];
    uint32_t *where;                            /* by object: 1 + SLOTS * page + slot; 0 if it is not in the heap */
    uint64_t pointers, atomic;                  /* see struct mp_simulated_figures */
};

struct mp_simulated_heap *
mp_simulated_heap_new(uint32_t n)
{
    struct mp_simulated_heap *heap = mp_need(calloc(1, sizeof *heap));

    heap->where = mp_need(calloc((size_t)n + 1, sizeof *heap->where));
    for (unsigned i = 0; i <= LISTS; i++)
        heap->lists[i] = NO_PAGE;
    for (unsigned t = 0; t < TREATMENTS; t++)
        for (unsigned i = 0; i <= SMALL; i++)
            heap->classes[t][i].page = heap->classes[t][i].reuse = NO_PAGE;
    return heap;
}

void
mp_simulated_heap_free(struct mp_simulated_heap *heap)
{
    for (unsigned t = 0; t < TREATMENTS; t++)
        for (unsigned i = 0; i <= SMALL; i++)
            free(heap->classes[t][i].freed);
    for (uint32_t i = 0; i < heap->n; i++)
        free(heap->pages[i].slots);
    free(heap->where);
    free(heap->pages);
    free(heap);
}

struct mp_simulated_figures
mp_simulated_heap_figures(const struct mp_simulated_heap *heap)
{
    return (struct mp_simulated_figures){.size = (uint64_t)heap->n * MP_PAGE, .free = heap->all_free * MP_PAGE,
                                         .pointers = heap->pointers, .atomic = heap->atomic};
}

/* ------------------------------------------------------------------ free runs */

static unsigned
list_of(uint32_t pages)
{
    if (pages <= EXACT)
        return pages;
    return pages >= LONG ? LISTS : EXACT + (pages - EXACT) / EIGHT;
}

static void
link_run(struct mp_simulated_heap *heap, uint32_t at, uint32_t length)
{
    struct page *page = &heap->pages[at];
    const unsigned list = list_of(length);

    heap->pages[at + length - 1].length = length;
    heap->pages[at + length - 1].state = IN_RUN;
    page->state = FREE;
    page->length = length;
    page->previous = NO_PAGE;
    page->next = heap->lists[list];
    if (page->next != NO_PAGE)
        heap->pages[page->next].previous = at;
    heap->lists[list] = at;
    heap->free_pages[list] += length;
    heap->all_free += length;
}

static void
unlink_run(struct mp_simulated_heap *heap, uint32_t at)
{
    const struct page *page = &heap->pages[at];
    const unsigned list = list_of(page->length);

    if (page->previous != NO_PAGE)
        heap->pages[page->previous].next = page->next;
    else
        heap->lists[list] = page->next;
    if (page->next != NO_PAGE)
        heap->pages[page->next].previous = page->previous;
    heap->free_pages[list] -= page->length;
    heap->all_free -= page->length;
}

/* Frees LENGTH pages from AT on, and joins them with the free runs before and after them. */
static void
free_pages(struct mp_simulated_heap *heap, uint32_t at, uint32_t length)
{
    const uint32_t end = at + length;

    for (uint32_t i = at; i < end; i++)
        heap->pages[i].state = IN_RUN;
    if (end < heap->n && heap->pages[end].state == FREE) {
        unlink_run(heap, end);
        length += heap->pages[end].length;
        heap->pages[end].state = IN_RUN;
    }
    if (at > 0) {
        const struct page *before = &heap->pages[at - 1];
        const uint32_t first = before->state == FREE ? at - 1
                               : before->state == IN_RUN && before->length > 0 && before->length <= at
                                   ? at - before->length : at;

        if (first < at && heap->pages[first].state == FREE && heap->pages[first].length == at - first) {
            unlink_run(heap, first);
            length += at - first;
            at = first;
        }
    }
    link_run(heap, at, length);
}

void
mp_simulated_heap_grow(struct mp_simulated_heap *heap, uint32_t pages)
{
    const uint32_t first = heap->n;

    if (first + pages > heap->room) {
        heap->room = first + pages > 2 * heap->room ? first + pages : 2 * heap->room;
        heap->pages = mp_need(reallocarray(heap->pages, heap->room, sizeof *heap->pages));
    }
    heap->n += pages;
    memset(&heap->pages[first], 0, pages * sizeof *heap->pages);
    free_pages(heap, first, pages);
}

/* Takes PAGES pages from a run of LIST. Returns the first page, or NO_PAGE if no run is long enough. Skips a run that
 * is too long if the next run in the list fits better. */
static uint32_t
take_from(struct mp_simulated_heap *heap, unsigned list, uint32_t pages)
{
    for (uint32_t at = heap->lists[list]; at != NO_PAGE; at = heap->pages[at].next) {
        const uint32_t length = heap->pages[at].length, next = heap->pages[at].next;

        if (length < pages)
            continue;
        if (length > pages && next != NO_PAGE && heap->pages[next].length < length &&
            heap->pages[next].length >= pages)
            continue;
        unlink_run(heap, at);
        if (length > pages)
            link_run(heap, at + pages, length - pages);
        return at;
    }
    return NO_PAGE;
}

/* Returns the last list whose runs may be split. The runs of later lists are kept for large objects. Runs are kept as
 * long as they and the present large objects together have no more pages than large objects ever had at once. */
static unsigned
last_to_split(const struct mp_simulated_heap *heap)
{
    uint64_t pages = heap->large;

    for (unsigned list = LISTS; list > 0; list--) {
        pages += heap->free_pages[list];
        if (pages > heap->most_large)
            return list;
    }
    return 0;
}

static uint32_t
take_pages(struct mp_simulated_heap *heap, uint32_t pages, bool sparing)
{
    unsigned list = list_of(pages), last;
    uint32_t at = take_from(heap, list, pages);

    if (at != NO_PAGE)
        return at;
    last = sparing ? last_to_split(heap) : LISTS;
    for (list += list <= EXACT; list <= last && at == NO_PAGE; list++)
        at = take_from(heap, list, pages);
    return at;
}

/* ------------------------------------------------------------------ objects */

static void
put_in(struct mp_simulated_heap *heap, uint32_t object, uint32_t page, uint32_t slot)
{
    *(heap->pages[page].state == LARGE ? &heap->pages[page].large : &heap->pages[page].slots[slot]) = object + 1;
    heap->where[object] = SLOTS * page + slot + 1;
}

static bool
put_large(struct mp_simulated_heap *heap, uint32_t object, uint32_t units, unsigned treatment, bool sparing)
{
    const uint32_t pages = (units + SLOTS - 1) / SLOTS, at = take_pages(heap, pages, sparing);

    if (at == NO_PAGE)
        return false;
    for (uint32_t i = at; i < at + pages; i++) {
        heap->pages[i].state = IN_RUN;
        heap->pages[i].length = 0;
    }
    heap->pages[at].state = LARGE;
    heap->pages[at].length = pages;
    heap->pages[at].treatment = (uint8_t)treatment;
    put_in(heap, object, at, 0);
    if (pages > 1)
        heap->large += pages;
    if (heap->large > heap->most_large)
        heap->most_large = heap->large;
    return true;
}

/* Sets the page of CLASS that is filled next: one to reuse, or else a free one. Returns false if there is none. */
static bool
next_page(struct mp_simulated_heap *heap, struct class *class, uint32_t units, unsigned treatment, bool sparing)
{
    struct page *page;

    class->slot = 0;
    class->page = class->reuse;
    if (class->page != NO_PAGE) {
        class->reuse = heap->pages[class->page].next;
        return true;
    }
    class->page = take_pages(heap, 1, sparing);
    if (class->page == NO_PAGE)
        return false;
    page = &heap->pages[class->page];
    page->state = SHARED;
    page->length = 0;
    page->units = (uint16_t)units;
    page->treatment = (uint8_t)treatment;
    if (!page->slots)
        page->slots = mp_need(malloc(SLOTS * sizeof *page->slots));
    memset(page->slots, 0, SLOTS * sizeof *page->slots);
    return true;
}

bool
mp_simulated_heap_put(struct mp_simulated_heap *heap, uint32_t object, uint32_t units, unsigned treatment,
                      bool sparing)
{
    struct class *class;

    if (units == 0)
        units = 1;
    if (units > SMALL)
        return put_large(heap, object, units, treatment, sparing);
    class = &heap->classes[treatment][units];
    while (class->n_freed > 0) {
        const uint32_t place = class->freed[--class->n_freed];

        if (heap->pages[place / SLOTS].slots[place % SLOTS])
            continue;           /* the search of its page below has used it again already */
        put_in(heap, object, place / SLOTS, place % SLOTS);
        return true;
    }
    for (;;) {
        if (class->page != NO_PAGE)
            for (; class->slot < SLOTS / units; class->slot++)
                if (!heap->pages[class->page].slots[class->slot]) {
                    put_in(heap, object, class->page, class->slot++);
                    return true;
                }
        if (!next_page(heap, class, units, treatment, sparing))
            return false;
    }
}

static void
free_large(struct mp_simulated_heap *heap, uint32_t at)
{
    const uint32_t pages = heap->pages[at].length;

    if (pages > 1)
        heap->large -= pages;
    for (uint32_t i = at; i < at + pages; i++)
        heap->pages[i].length = 0;
    free_pages(heap, at, pages);
}

bool
mp_simulated_heap_take(struct mp_simulated_heap *heap, uint32_t object)
{
    const uint32_t place = heap->where[object] - 1, at = place / SLOTS;
    struct page *page = &heap->pages[at];
    struct class *class;

    if (heap->where[object] == 0)
        return false;
    heap->where[object] = 0;
    if (page->state == LARGE) {
        free_large(heap, at);
        return true;
    }
    page->slots[place % SLOTS] = 0;
    class = &heap->classes[page->treatment][page->units];
    class->freed = mp_grow(class->freed, class->n_freed, &class->room, sizeof *class->freed);
    class->freed[class->n_freed++] = place;
    return true;
}

/* ------------------------------------------------------------------ collections */

/* Removes the object in SLOT if it is dead. Returns whether it stays. */
static bool
stays(struct mp_simulated_heap *heap, uint32_t *slot, bool partial, bool (*is_dead)(const void *, uint32_t),
      const void *data)
{
    const uint32_t object = (*slot & ~OLD) - 1;

    if ((partial && *slot & OLD) || !is_dead(data, object)) {
        *slot |= OLD;
        return true;
    }
    heap->where[object] = 0;
    *slot = 0;
    return false;
}

static void
count_live(struct mp_simulated_heap *heap, const struct page *page, uint64_t bytes)
{
    *(page->treatment == MP_EVENT_ATOMIC ? &heap->atomic : &heap->pointers) += bytes;
}

static void
sweep_shared(struct mp_simulated_heap *heap, uint32_t at, uint32_t live)
{
    struct page *page = &heap->pages[at];
    struct class *class = &heap->classes[page->treatment][page->units];
    const uint32_t slots = SLOTS / page->units;

    if (live == 0) {
        free_pages(heap, at, 1);
        return;
    }
    count_live(heap, page, (uint64_t)live * page->units * UNIT);
    if (live <= slots * 7 / 8) {
        page->next = class->reuse;
        class->reuse = at;
    }
}

void
mp_simulated_heap_collect(struct mp_simulated_heap *heap, bool partial,
                          bool (*is_dead)(const void *data, uint32_t object), const void *data)
{
    heap->pointers = heap->atomic = 0;
    for (unsigned t = 0; t < TREATMENTS; t++)
        for (unsigned i = 0; i <= SMALL; i++) {
            heap->classes[t][i].page = heap->classes[t][i].reuse = NO_PAGE;
            heap->classes[t][i].n_freed = 0;
        }
    for (uint32_t at = 0; at < heap->n; at++) {
        struct page *page = &heap->pages[at];
        uint32_t live = 0;

        if (page->state == SHARED) {
            for (uint32_t i = 0; i < SLOTS / page->units; i++)
                live += page->slots[i] && stays(heap, &page->slots[i], partial, is_dead, data);
            sweep_shared(heap, at, live);
        } else if (page->state == LARGE) {
            const uint32_t pages = page->length;

            if (stays(heap, &page->large, partial, is_dead, data))
                count_live(heap, page, (uint64_t)pages * MP_PAGE);
            else
                free_large(heap, at);
            at += pages - 1;
        }
    }
}
