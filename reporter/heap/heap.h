/*
 * heap.h -- a snapshot of a heap in memory: its objects, what refers to what, and its roots.
 *
 * The way of the data:  heap_stream (blocks, records) -> heap_load -> struct mp_heap -> reach, dominate, retained,
 * containers, heap_growth -> the tables of mprof heap.
 *
 * A graph of arrays; references between them are indices, MP_NO_ID for none.  Nodes 0 to n_objects - 1 are the
 * objects, in the ascending order of their addresses; behind them stand the tops, from which all begins: one for all
 * roots (the last node), one for each kind of root, each group of a kind, and each root, which is all records of one
 * kind, group and title.  An edge goes from all roots to kinds, from these to groups, to roots, to objects.
 *
 * An object takes 13 bytes and each reference 5.  An analysis takes 34 bytes an object at its peak where there are two
 * references an object, 39 where there are four (tests/bench/RESULTS-HEAP.md), and 4 for each container; that is why
 * addresses are offsets in stretches, type, site, size and whether it is dead are one number, its class, of which there
 * are few, and references are not kept while there are dominators, but read again.
 */
#ifndef MP_HEAP_H
#define MP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/arena.h"
#include "reporter/base/cursor.h"
#include "reporter/base/error.h"
#include "reporter/base/map.h"
#include "reporter/read/input.h"
#include "runtime/heap_format.h"

#define MP_HEAP_MOST_OBJECTS 0x5fffffffu        /* so that nodes, with all tops, are below 2^31 */

struct mp_heap_type {
    uint32_t shape;             /* enum mp_heap_shape */
    uint32_t owner;             /* the type whose objects those of this one are parts of; 0: of none */
    const char *name;
    const char **slots;         /* names of the first slots */
    uint32_t n_slots;
};

/* One call on the way to an allocation. */
struct mp_heap_site {
    uint64_t context;           /* of the recording; RAW form only */
    uint32_t caller;            /* 0: none known; a site with a lower number */
    uint32_t line;              /* 0: not known */
    const char *function, *file;        /* "": not known */
    bool internal;              /* the runtime's own, a wrapper, what starts the program: others are to be charged */
};

struct mp_heap_class {
    uint32_t type, site;
    uint64_t size;
    bool dead;
};

/* A stretch of memory in which objects are found by 32 bits. */
struct mp_heap_stretch {
    uint64_t base, end;         /* addresses: of its first object, behind its last */
    uint32_t first;             /* its first object */
    uint32_t index;             /* in mp_heap.index: [i], the last object at or before base + (i << shift) */
    unsigned shift;
};

struct mp_heap_root {
    uint32_t kind;              /* enum mp_heap_root_kind */
    const char *title, *group;
    uint64_t place, target;     /* addresses */
};

enum mp_heap_level { MP_TOP_ROOT, MP_TOP_GROUP, MP_TOP_KIND, MP_TOP_ALL };

struct mp_heap_top {
    enum mp_heap_level level;
    uint32_t kind;
    const char *title, *group;  /* "" where the level has none */
};

struct mp_heap_top_edge {
    uint32_t from, to;          /* nodes */
    uint8_t slot;               /* see mp_heap.slots */
};

/* The text of an object: how it begins, or what the object is called.  Ascending by object. */
struct mp_heap_beginning {
    uint32_t object;
    bool is_name;
    const char *text;
};

/* Keys of the entries that an object has, as MP_HEAP_KEYS has them, and valid.  Ascending by object and entry. */
struct mp_heap_keys {
    uint32_t object, size;
    const uint8_t *bytes;
};

struct mp_heap_free {           /* see MP_HEAP_FREE */
    uint64_t number, size, bytes;
    bool places;
};

struct mp_heap_wide {           /* a slot whose distance does not fit into mp_heap.slots */
    uint32_t reference, distance;
};

/* A reference: bit 7 weak, or left out by mp_heap_prefer_lasting(): it leads nowhere; 6 to the inside of the object, 0
 * to 5 the distance of its slot, less 1, to that of the one before it; or MP_SLOT_WIDE: it stands in `wide`. */
#define MP_REFERENCE_WEAK    0x80u
#define MP_REFERENCE_INSIDE  0x40u
#define MP_SLOT_WIDE         0x3fu

struct mp_heap {
    enum mp_heap_form form;
    uint64_t file_size;
    uint64_t facts[MP_FACTS];   /* 0: not known */
    const char *texts[MP_FACTS];        /* "": not known */
    struct mp_heap_type *types;     uint32_t n_types;   /* [0]: of no type */
    struct mp_heap_site *sites;     uint32_t n_sites;   /* [0]: none */
    struct mp_heap_class *classes;  uint32_t n_classes;
    struct mp_heap_root *roots;     uint32_t n_roots;
    struct mp_heap_top *tops;       uint32_t n_tops;
    struct mp_heap_top_edge *top_edges; uint32_t n_top_edges;   /* ascending by `from` */
    struct mp_heap_beginning *beginnings; uint32_t n_beginnings;
    struct mp_heap_keys *keys;      uint32_t n_keys;
    struct mp_heap_free *free;      uint32_t n_free;
    struct mp_heap_stretch *stretches; uint32_t n_stretches;
    uint32_t *index;
    uint32_t n_objects, n_nodes, n_references;
    uint32_t n_parts;           /* of the objects: see mp_heap_is_part() */
    uint64_t bytes;             /* of all objects */
    uint64_t nowhere;           /* references to addresses that are of no object, which are left out */
    uint32_t *offsets;          /* by object: from the base of its stretch */
    uint32_t *class_of;         /* by object */
    /* By node, n_nodes + 1 of them; NULL while mp_heap_forget_references() lasts. */
    uint32_t *first;
    uint32_t *to;               /* by reference: the node */
    uint8_t *slots;             /* by reference */
    struct mp_heap_wide *wide;      uint32_t n_wide;
    uint64_t *passing;          /* bit by node: see mp_heap_prefer_lasting(); NULL: not looked for, or none */
    struct mp_arena *arena;     /* owns what is not in a large array */
    struct mp_input input;      /* open, for mp_heap_recall_references() */
};

/* Read the snapshot PATH.  NULL and *ERROR on failure; else the caller frees it. */
struct mp_heap *mp_heap_load(const char *path, struct mp_error *error);

/* The same from the open file FD, which is closed, on failure, too; NAME is for messages. */
struct mp_heap *mp_heap_load_open(int fd, const char *name, struct mp_error *error);

/* The same from BYTES, which stay there as long as it. */
struct mp_heap *mp_heap_load_bytes(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error);

void mp_heap_free(struct mp_heap *heap);

/* Does the file PATH begin as a snapshot of a heap does? */
bool mp_heap_is_snapshot(const char *path);

/* Give back the memory of references, or of their slots alone; and read them again: false and *ERROR if the file is
 * another one now. */
void mp_heap_forget_references(struct mp_heap *heap);
void mp_heap_forget_slots(struct mp_heap *heap);
bool mp_heap_recall_references(struct mp_heap *heap, struct mp_error *error);

/* References one after the other, from the file: some at a time, by what refers ascending, with the edges of tops
 * behind them; `to` is MP_NO_ID where there is no object.  False and *ERROR: the file is another one now. */
#define MP_HEAP_BATCH 256u
struct mp_heap_reference {
    uint64_t address;           /* that is held; 0: of tops */
    uint32_t from, to, slot;
    bool weak, inside;
};
typedef void mp_heap_take(void *data, const struct mp_heap_reference *list, uint32_t n);
bool mp_heap_each_reference(struct mp_heap *heap, mp_heap_take *take, void *data, struct mp_error *error);

/* The object at ADDRESS, or that it is within; MP_NO_ID: none.  *INSIDE: it is not its beginning. */
uint32_t mp_heap_find(const struct mp_heap *heap, uint64_t address, bool *inside);

uint64_t mp_heap_address(const struct mp_heap *heap, uint32_t object);

/* Its text; NULL: there is none. */
const struct mp_heap_beginning *mp_heap_beginning(const struct mp_heap *heap, uint32_t object);

/* Those keys of a hash table that are in no slot, one after the other.
 *
 *     struct mp_heap_key key = mp_heap_first_key(heap, entries);
 *     while (mp_heap_next_key(&key))
 *         ... key.entry, key.kind, key.number or key.text ...
 */
struct mp_heap_key {
    const struct mp_heap_keys *at, *end;
    struct mp_cursor cursor;
    uint64_t entry;
    enum mp_heap_key_kind kind;
    int64_t number;             /* of MP_KEY_FIXNUM */
    const char *text;           /* of others; not terminated */
    uint32_t length;
};
struct mp_heap_key mp_heap_first_key(const struct mp_heap *heap, uint32_t entries);
bool mp_heap_next_key(struct mp_heap_key *key);

static inline const struct mp_heap_class *
mp_heap_class(const struct mp_heap *heap, uint32_t object)
{
    return &heap->classes[heap->class_of[object]];
}

/* The type that objects of TYPE are counted with, and whether an object is a part of another one, as the block with the
 * slots of a structure is: its bytes are then that one's, and it does not count as an object. */
static inline uint32_t
mp_heap_whole_type(const struct mp_heap *heap, uint32_t type)
{
    return heap->types[type].owner ? heap->types[type].owner : type;
}

static inline bool
mp_heap_is_part(const struct mp_heap *heap, uint32_t object)
{
    return heap->types[mp_heap_class(heap, object)->type].owner != 0;
}

/* Is a reference FROM a node TO another left out, as roots that last lead to the latter, only others to the former? */
static inline bool
mp_heap_is_left_out(const struct mp_heap *heap, uint32_t from, uint32_t to)
{
    return heap->passing && (heap->passing[from / 64] >> from % 64 & 1) && !(heap->passing[to / 64] >> to % 64 & 1);
}

/* Bytes of NODE; tops have none. */
static inline uint64_t
mp_heap_size(const struct mp_heap *heap, uint32_t node)
{
    return node < heap->n_objects ? mp_heap_class(heap, node)->size : 0;
}

static inline uint32_t
mp_heap_all_roots(const struct mp_heap *heap)
{
    return heap->n_nodes - 1;
}

/* The references of a node one after the other.
 *
 *     struct mp_heap_walk walk = mp_heap_walk(heap, node);
 *     while (mp_heap_next(heap, &walk))
 *         ... walk.to, walk.slot, walk.weak, walk.inside ...
 */
struct mp_heap_walk {
    uint32_t at, end, wide;
    uint32_t to;
    uint64_t slot;
    bool weak, inside;
};
struct mp_heap_walk mp_heap_walk(const struct mp_heap *heap, uint32_t node);
bool mp_heap_next(const struct mp_heap *heap, struct mp_heap_walk *walk);

/* Words for people, and as they stand in options and JSON: "symbol value", "value". */
const char *mp_heap_kind_words(uint32_t kind);
const char *mp_heap_kind_name(uint32_t kind);
const char *mp_heap_trigger_words(uint64_t trigger);

#endif
