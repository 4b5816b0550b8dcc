/* SPDX-License-Identifier: MIT */
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

/* Requests of the same size, up to this limit, always get blocks of the same size. libgc fixes the sizes of its
 * GC_TINY_FREELISTS - 1 = 24 smallest kinds of blocks, multiples of a granule, when it starts. For larger requests
 * it may choose another size later (GC_extend_size_map(), misc.c). */
#define MP_GC_SMALL     368u

/* Kinds of blocks. */
enum mp_gc_kind { MP_GC_ATOMIC, MP_GC_NORMAL, MP_GC_UNCOLLECTABLE, MP_GC_ATOMIC_UNCOLLECTABLE };

/* Events of a collection (GC_EventType of gc/gc.h). */
enum mp_gc_event { MP_GC_EVENT_START = 0, MP_GC_EVENT_MARK_END = 2, MP_GC_EVENT_RECLAIM_END = 4,
                   MP_GC_EVENT_POST_STOP_WORLD = 7 };

/* ------------------------------------------------------------------ marked objects */

/* For the end of a collection, between marking and sweeping, with libgc's lock held. mp_gc_is_in_use() returns whether
 * some object begins in OBJECT's page, so that the page has mark bits. mp_gc_is_marked() returns whether OBJECT is
 * marked. OBJECT may be in memory that libgc has released. */
bool mp_gc_is_in_use(const void *object);
bool mp_gc_is_marked(const void *object);

/* Finds the marked objects of a page (find_alive of struct mp_collector). */
void mp_gc_find_marked(uintptr_t page, const uint64_t of[4], uint64_t marked[4]);

/* Returns whether mp_gc_find_marked() now reads the marks of a whole page at once. At first it asks libgc for each
 * object. */
bool mp_gc_marks_are_read(void);

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
