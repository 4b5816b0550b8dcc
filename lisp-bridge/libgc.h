/*
 * libgc.h -- the parts of libgc's structures that the bridge reads (libgc 8.2: gc_priv.h, gc_hdrs.h, finalize.c).
 *
 * libgc exports functions for most of what the bridge needs (mp_ecl.gc_*). For the rest, the functions below find
 * structures by words of libgc's variables. A structure is used only if its contents agree with what the exported
 * functions report about an object that the caller knows.
 */
#ifndef MP_LISP_LIBGC_H
#define MP_LISP_LIBGC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_GC_GRANULE   16u             /* alignment of blocks, and bytes per mark */
#define MP_GC_PAGE_BITS 12
#define MP_GC_PAGE      (1u << MP_GC_PAGE_BITS)     /* a large block has several pages, small blocks of one size share
                                                     * a page */
#define MP_GC_MARKS     (MP_GC_PAGE / MP_GC_GRANULE)

/* Requests of the same size, up to this limit, always get blocks of the same size. libgc fixes the sizes of its
 * GC_TINY_FREELISTS - 1 = 24 smallest kinds of blocks, multiples of a granule, when it starts. For larger requests
 * it may choose another size later (GC_extend_size_map(), misc.c). */
#define MP_GC_SMALL     368u

/* Kinds of blocks. */
enum mp_gc_kind { MP_GC_ATOMIC, MP_GC_NORMAL, MP_GC_UNCOLLECTABLE, MP_GC_ATOMIC_UNCOLLECTABLE };

/* Events of a collection (GC_EventType of gc/gc.h). */
enum mp_gc_event { MP_GC_EVENT_START = 0, MP_GC_EVENT_MARK_END = 2, MP_GC_EVENT_RECLAIM_END = 4,
                   MP_GC_EVENT_POST_STOP_WORLD = 7 };

/* ------------------------------------------------------------------ headers of pages */

/* struct hblkhdr. Unused members are unnamed. */
struct mp_gc_header {
    void *next, *previous;
    uintptr_t page;
    uint8_t kind, flags;
    uint16_t reclaimed;
    size_t size;                        /* bytes of each block */
    uintptr_t descriptor;
    const uint16_t *map;
    size_t n_marks;
    uint8_t marks[MP_GC_MARKS];         /* 0 or 1 for each granule; nonzero if a live block begins there */
};

/* Returns the header of PAGE, in which a block begins, or NULL if it cannot be found. Unless TRUSTED, memory is read
 * only by functions that tolerate invalid addresses, and the header must agree with the exported functions. libgc's
 * lock is held. */
const struct mp_gc_header *mp_gc_header(uintptr_t page, bool trusted);

/* ------------------------------------------------------------------ finalizers and weak links */

/* An element of a list of objects with finalizers (struct finalizable_object), or of weak links, which are words that
 * are cleared when an object dies (struct disappearing_link). Addresses are inverted, so that libgc does not see
 * them. */
struct mp_gc_entry {
    uintptr_t hidden;                   /* the object with the finalizer, or the address of the weak link */
    struct mp_gc_entry *next;
    union {
        struct {
            uintptr_t function, data;
            size_t size;                /* of the object */
            void *mark;
        } finalizer;
        uintptr_t hidden_object;        /* the object that a weak link refers to */
    };
};
#define MP_GC_FINALIZER_SIZE sizeof(struct mp_gc_entry)
#define MP_GC_LINK_SIZE      (offsetof(struct mp_gc_entry, hidden_object) + sizeof(uintptr_t))

enum mp_gc_table { MP_GC_FINALIZERS, MP_GC_LINKS, MP_GC_TABLES };

/* Finds the entry of a finalizer or link that the calling thread has just registered. KEY is the object with the
 * finalizer, or the address of the link. VALUE is the finalizer's function, or the object of the link. Stores the
 * hash table of all entries, which is also a block of libgc, in *TABLE. Returns NULL if the entry cannot be found.
 * Takes no lock, except to wait for a thread that enlarges the table. */
const struct mp_gc_entry *mp_gc_find_entry(enum mp_gc_table which, uintptr_t key, uintptr_t value,
                                           const void **table);

/* Returns the hash table of all entries, or NULL if no entry has been found yet. */
const void *mp_gc_entries(enum mp_gc_table which);

#endif
