/* heap_parts.h -- state and functions that the files of the snapshot loader share. */
#ifndef MP_HEAP_PARTS_H
#define MP_HEAP_PARTS_H

#include <stdlib.h>

#include "heap.h"
#include "heap_stream.h"

#define MP_HEAP_MOST_ROOTS ((uint32_t)1 << 28)
#define MP_HEAP_RECENT 4096u    /* entries of the cache of recently used classes */

enum mp_heap_pass {
    MP_PASS_OBJECTS,
    MP_PASS_REFERENCES,         /* stores references in the heap */
    MP_PASS_EACH                /* passes references to a callback */
};

struct mp_heap_loading {
    struct mp_heap *heap;
    enum mp_heap_pass pass;
    struct mp_arena *arena;     /* owns memory needed only while loading */
    const char **texts;             uint32_t n_texts, texts_room;
    uint64_t n_slots;           /* total over all types */
    uint32_t types_room, sites_room, roots_room, classes_room, beginnings_room, stretches_room, keys_room, free_room;
    struct mp_map class_map;
    uint32_t *recent;           /* indexed by a hash: class number plus 1, or 0 */
    uint64_t objects_room, references_room, wide_room;
    uint64_t end;               /* address behind the last object */
    uint32_t n_objects;         /* objects read so far in this pass */
    uint64_t n_references;      /* references read so far in this pass */
    uint64_t address;           /* address of the last object */
    uint64_t slot;              /* lowest slot that its next reference may be in */
    bool ended;
    struct mp_heap_reference *waiting;  uint32_t n_waiting;     /* references whose targets are looked up together
                                                                   when the batch is full */
    uint32_t n_first;           /* objects whose entry in heap->first is set, in MP_PASS_REFERENCES */
    uint64_t kept_slot;         /* slot after that of the last stored reference, in MP_PASS_REFERENCES */
    mp_heap_take *take;         /* callback of MP_PASS_EACH */
    void *data;
};

/* Resizes LIST to ROOM entries of SIZE bytes. Ends the program if memory is exhausted. */
static inline void *
mp_heap_grown(void *list, uint64_t room, size_t size)
{
    return mp_need(realloc(list, (size_t)room * size));
}

static inline uint64_t
mp_heap_larger(uint64_t room)
{
    return room + room / 2 + 1024;
}

/* heap_objects.c */
void mp_heap_pass_begin(struct mp_heap_loading *load);
bool mp_heap_pass_end(struct mp_heap_loading *load, struct mp_error *error);
void mp_heap_take_object(struct mp_heap_loading *load, struct mp_cursor *cursor);
void mp_heap_take_more(struct mp_heap_loading *load, struct mp_cursor *cursor);

/* heap_references.c */
void mp_heap_references_begin(struct mp_heap_loading *load);
void mp_heap_references_end(struct mp_heap_loading *load);
void mp_heap_take_references(struct mp_heap_loading *load, struct mp_cursor *cursor);

/* heap_find.c. mp_heap_make_index() must run before mp_heap_find(). mp_heap_find_all() finds the targets of N <=
 * MP_HEAP_BATCH references by their addresses. */
void mp_heap_make_index(struct mp_heap *heap);
void mp_heap_find_all(const struct mp_heap *heap, struct mp_heap_reference *list, uint32_t n);

/* heap_tops.c. Makes the tops and their edges from the roots. */
void mp_heap_make_tops(struct mp_heap *heap);

#endif
