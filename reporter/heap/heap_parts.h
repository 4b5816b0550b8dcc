/* heap_parts.h -- how a snapshot is read: what the files of its loader share. */
#ifndef MP_HEAP_PARTS_H
#define MP_HEAP_PARTS_H

#include <stdlib.h>

#include "heap.h"
#include "heap_stream.h"

#define MP_HEAP_MOST_ROOTS ((uint32_t)1 << 28)
#define MP_HEAP_RECENT 4096u    /* classes, of those met lately */

enum mp_heap_pass {
    MP_PASS_OBJECTS,
    MP_PASS_REFERENCES,         /* are kept */
    MP_PASS_EACH                /* are given to who asked */
};

struct mp_heap_loading {
    struct mp_heap *heap;
    uint32_t version;           /* of the file */
    enum mp_heap_pass pass;
    struct mp_arena *arena;     /* of what is needed while it lasts */
    const char **texts;             uint32_t n_texts, texts_room;
    uint64_t n_slots;           /* of all types */
    uint32_t types_room, sites_room, roots_room, classes_room, beginnings_room, stretches_room, keys_room, free_room;
    struct mp_map class_map;
    uint32_t *recent;           /* by a hash: a class, plus 1 */
    uint64_t objects_room, references_room, wide_room;
    uint64_t end;               /* address behind the last object */
    uint32_t n_objects;         /* so far, in this pass, */
    uint64_t n_references;      /* as they are written */
    uint64_t address;           /* of the last object, */
    uint64_t slot;              /* the next one that a reference of it may be in, */
    bool ended;
    struct mp_heap_reference *waiting;  uint32_t n_waiting;     /* until there are enough to look for at once */
    uint32_t n_first;           /* of MP_PASS_REFERENCES: objects whose first reference is known, */
    uint64_t kept_slot;         /* and the next slot of the last of them */
    mp_heap_take *take;         /* of MP_PASS_EACH */
    void *data;
};

/* An array with room for so many. */
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

/* heap_find.c: so that mp_heap_find() works; the same for many, MP_HEAP_BATCH at most, by their addresses. */
void mp_heap_make_index(struct mp_heap *heap);
void mp_heap_find_all(const struct mp_heap *heap, struct mp_heap_reference *list, uint32_t n);

/* heap_tops.c: tops, and their edges. */
void mp_heap_make_tops(struct mp_heap *heap);

#endif
