/* heap_parts.h -- how a snapshot is read: what the files of its loader share. */
#ifndef MP_HEAP_PARTS_H
#define MP_HEAP_PARTS_H

#include "heap.h"
#include "heap_stream.h"

#define MP_HEAP_MOST_ROOTS ((uint32_t)1 << 28)
#define MP_HEAP_RECENT 4096u    /* classes, of those met lately */

enum mp_heap_pass { MP_PASS_OBJECTS, MP_PASS_REFERENCES };

struct mp_heap_loading {
    struct mp_heap *heap;
    uint32_t version;           /* of the file */
    enum mp_heap_pass pass;
    struct mp_arena *arena;     /* of what is needed while it lasts */
    const char **texts;             uint32_t n_texts, texts_room;
    uint64_t n_slots;           /* of all types */
    uint32_t types_room, sites_room, roots_room, classes_room, beginnings_room, stretches_room;
    struct mp_map class_map;
    uint32_t *recent;           /* by a hash: a class, plus 1 */
    uint64_t objects_room, references_room, wide_room;
    uint64_t end;               /* address behind the last object */
    uint32_t n_objects;         /* so far, in this pass, */
    uint64_t n_references;      /* as they are written */
    uint64_t address;           /* of the last object, */
    uint64_t slot;              /* the next one that a reference of it may be in, */
    uint64_t kept_slot;         /* and of those that are kept */
    bool ended;
};

/* heap_objects.c */
bool mp_heap_pass_begin(struct mp_heap_loading *load);
bool mp_heap_pass_end(struct mp_heap_loading *load, struct mp_error *error);
void mp_heap_take_object(struct mp_heap_loading *load, struct mp_cursor *cursor);
void mp_heap_take_more(struct mp_heap_loading *load, struct mp_cursor *cursor);

/* heap_find.c: so that mp_heap_find() works. */
void mp_heap_make_index(struct mp_heap *heap);

/* heap_tops.c: tops, and their edges. */
void mp_heap_make_tops(struct mp_heap *heap);

#endif
