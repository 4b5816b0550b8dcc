/* SPDX-License-Identifier: MIT */
/*
 * heap.h -- a snapshot of a heap in memory: its objects, their references, and its roots.
 *
 * reporter/heap/ owns snapshots of heaps: it reads and seals them, and computes who holds what and what grew. It asks
 * no process for them. Commands, the page, mprof run, reporter/verdict/ and reporter/api.h call it.
 *
 * Data flows from heap_stream (blocks and records) through heap_load to struct mp_heap, then to the analyses in
 * reach, dominate, retained, containers and heap_growth, and from there to the tables of mprof heap.
 *
 * The graph consists of arrays. References are indices, and MP_NO_ID means none. Nodes 0 to n_objects - 1 are the
 * objects, sorted by address. They are followed by the tops, which are artificial nodes above the objects: one for
 * each root, one for each group of a kind, one for each kind of root, and one for all roots, which is the last node.
 * A root stands for all root records with the same kind, group and title. Edges lead from all roots to kinds, from
 * kinds to groups, from groups to roots, and from roots to objects.
 *
 * An object takes 13 bytes and each reference 5 bytes. At its peak, an analysis takes 34 bytes an object if there are
 * two references an object, or 39 bytes if there are four (tests/bench/RESULTS.md), and 4 bytes for each container. To
 * save memory, an object's address is stored as an offset in a segment, which is an address range. Type, site, size and
 * "dead" are combined into one number, the class, because there are few different combinations. While dominators are in
 * memory, references are not, and are read again when needed.
 */
#ifndef MP_HEAP_HEAP_H
#define MP_HEAP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/arena.h"
#include "reporter/base/cursor.h"
#include "reporter/base/error.h"
#include "reporter/base/map.h"
#include "reporter/file/input.h"
#include "runtime/heap_format.h"

#define MP_HEAP_MOST_OBJECTS 0x5fffff00u        /* keeps node numbers, including tops, below 2^31 */

struct mp_heap_type {
    uint32_t shape;             /* enum mp_heap_shape */
    uint32_t owner;             /* type of the objects that contain objects of this type as parts, or 0 if objects of
                                   this type are not parts */
    const char *name;
    const char **slots;         /* names of the first n_slots slots */
    uint32_t n_slots;
};

/* One call in the chain of calls that led to an allocation. */
struct mp_heap_site {
    uint64_t context;           /* context in the recording; RAW form only */
    uint32_t caller;            /* site of the caller, or 0 if unknown; no chain of callers is circular */
    uint32_t line;              /* 0 if unknown */
    const char *function, *file;        /* "" if unknown */
    bool internal;              /* a function of the runtime, a wrapper or start-up code, so that its caller is
                                   charged instead */
};

/* What many objects have in common. */
struct mp_heap_class {
    uint32_t type, site;
    uint64_t size;
    bool dead;
};

/* An address range in which the offsets of objects fit into 32 bits. */
struct mp_heap_segment {
    uint64_t base, end;         /* address of its first object; address behind its last object */
    uint32_t first;             /* index of its first object */
    uint32_t index;             /* its entries in mp_heap.index begin here; entry i is the last object at or before
                                   base + (i << shift) */
    unsigned shift;
};

struct mp_heap_root {
    uint32_t kind;              /* enum mp_heap_root_kind */
    const char *title, *group;
    uint64_t place, target;     /* address of the root's word, or 0; address in that word */
};

enum mp_heap_level { MP_TOP_ROOT, MP_TOP_GROUP, MP_TOP_KIND, MP_TOP_ALL };

struct mp_heap_top {
    enum mp_heap_level level;
    uint32_t kind;
    const char *title, *group;  /* "" if the level has none */
};

struct mp_heap_top_edge {
    uint32_t from, to;          /* nodes */
    uint8_t slot;               /* as in mp_heap.slots */
};

/* The first characters of an object's text, or its name. The array is sorted by object. */
struct mp_heap_beginning {
    uint32_t object;
    bool is_name;
    const char *text;
};

/* Keys of an object's entries that are not objects, encoded as in MP_HEAP_KEYS and validated. The array is sorted by
 * object and entry. */
struct mp_heap_keys {
    uint32_t object, size;
    const uint8_t *bytes;
};

struct mp_heap_free {           /* free memory, see MP_HEAP_FREE */
    uint64_t number, size, bytes;
    bool places;
};

/* A reference for which the number of slots skipped does not fit into mp_heap.slots. The array is sorted by
 * reference. */
struct mp_heap_wide {
    uint32_t reference, distance;       /* distance: the number of slots skipped */
};

/* An entry of mp_heap.slots describes one reference. Bit 7: the reference is weak, or mp_heap_prefer_lasting() left
 * it out; it is not followed. Bit 6: it leads to the inside of the object. Bits 0 to 5: the number of slots skipped
 * since the object's reference before it, or MP_SLOT_WIDE if that number is stored in `wide`. */
#define MP_REFERENCE_WEAK    0x80u
#define MP_REFERENCE_INSIDE  0x40u
#define MP_SLOT_WIDE         0x3fu

struct mp_heap {
    enum mp_heap_form form;
    uint64_t file_size;
    uint64_t facts[MP_FACTS];   /* by enum mp_heap_fact; 0 if unknown or a text */
    const char *texts[MP_FACTS];        /* by enum mp_heap_fact; "" if unknown or a number */
    struct mp_heap_type *types;     uint32_t n_types;   /* [0]: no type */
    struct mp_heap_site *sites;     uint32_t n_sites;   /* [0]: no site */
    struct mp_heap_class *classes;  uint32_t n_classes;
    struct mp_heap_root *roots;     uint32_t n_roots;
    struct mp_heap_top *tops;       uint32_t n_tops;
    struct mp_heap_top_edge *top_edges; uint32_t n_top_edges;   /* sorted by `from` */
    struct mp_heap_beginning *beginnings; uint32_t n_beginnings;
    struct mp_heap_keys *keys;      uint32_t n_keys;
    struct mp_heap_free *free;      uint32_t n_free;
    struct mp_heap_segment *segments; uint32_t n_segments;
    uint32_t *index;
    uint32_t n_objects, n_nodes, n_references;
    uint32_t n_whole;           /* number of objects that are not parts of others, see mp_heap_is_part() */
    uint64_t bytes;             /* total size of all objects */
    uint64_t nowhere;           /* number of references that were dropped because no object is at their address */
    uint32_t *offsets;          /* by object: offset from the base of its segment */
    uint32_t *class_of;         /* by object: its class */
    /* By node, n_nodes + 1 entries: index of its first reference. NULL after mp_heap_forget_references(). */
    uint32_t *first;
    uint32_t *to;               /* by reference: the target node */
    uint8_t *slots;             /* by reference: slot and flags, see MP_REFERENCE_WEAK */
    struct mp_heap_wide *wide;      uint32_t n_wide;
    uint64_t *passing;          /* bit by node: only stacks and threads lead to it, see mp_heap_prefer_lasting();
                                   NULL if not computed or not needed */
    struct mp_arena *arena;     /* owns everything except the large arrays */
    struct mp_input input;      /* the file, kept open for mp_heap_recall_references() */
};

/* Loads the snapshot PATH. Returns NULL and fills *ERROR on failure. The caller frees the heap. */
struct mp_heap *mp_heap_load(const char *path, struct mp_error *error);

/* Like mp_heap_load(), but reads the open file FD. Closes FD, on failure immediately, otherwise with the heap. NAME
 * is used in messages. */
struct mp_heap *mp_heap_load_open(int fd, const char *name, struct mp_error *error);

/* Like mp_heap_load(), but reads the SIZE bytes at BYTES, which must outlive the heap. NAME is used in messages. */
struct mp_heap *mp_heap_load_bytes(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error);

void mp_heap_free(struct mp_heap *heap);

/* Returns whether the file PATH begins with the magic number of a heap snapshot. */
bool mp_heap_is_snapshot(const char *path);

/* Free the references, or only their slots. mp_heap_recall_references() reads references again if they are not in
 * memory; it returns false and fills *ERROR if they cannot be read or the file has changed. */
void mp_heap_forget_references(struct mp_heap *heap);
void mp_heap_forget_slots(struct mp_heap *heap);
bool mp_heap_recall_references(struct mp_heap *heap, struct mp_error *error);

/* Reads the references from the file and passes them to TAKE in batches of at most MP_HEAP_BATCH. They are sorted by
 * source, and the edges of tops follow those of objects. `to` is MP_NO_ID if there is no object at the address.
 * Returns false and fills *ERROR if the file cannot be read or has changed. */
#define MP_HEAP_BATCH 256u
struct mp_heap_reference {
    uint64_t address;           /* address that is referred to; 0 for edges of tops */
    uint32_t from, to, slot;
    bool weak, inside;
};
typedef void mp_heap_take(void *data, const struct mp_heap_reference *list, uint32_t n);
bool mp_heap_each_reference(struct mp_heap *heap, mp_heap_take *take, void *data, struct mp_error *error);

/* Returns the object that contains ADDRESS, or MP_NO_ID if none does. Sets *INSIDE if ADDRESS is not the object's
 * first byte. */
uint32_t mp_heap_find(const struct mp_heap *heap, uint64_t address, bool *inside);

uint64_t mp_heap_address(const struct mp_heap *heap, uint32_t object);

/* Returns the text of OBJECT, or NULL if the snapshot contains no text of it. */
const struct mp_heap_beginning *mp_heap_beginning(const struct mp_heap *heap, uint32_t object);

/* Iterates over the keys of a hash table that are not objects and therefore in no slot.
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
    int64_t number;             /* for MP_KEY_FIXNUM */
    const char *text;           /* for other kinds; not terminated by 0 */
    uint32_t length;
};
struct mp_heap_key mp_heap_first_key(const struct mp_heap *heap, uint32_t entries);
bool mp_heap_next_key(struct mp_heap_key *key);

static inline const struct mp_heap_class *
mp_heap_class(const struct mp_heap *heap, uint32_t object)
{
    return &heap->classes[heap->class_of[object]];
}

static inline uint32_t
mp_heap_shape(const struct mp_heap *heap, uint32_t object)
{
    return heap->types[mp_heap_class(heap, object)->type].shape;
}

/* An object may be a part of another object, for example the block with the slots of a structure. The bytes of a part
 * count for the type of the whole object, and the part is not counted as an object. mp_heap_whole_type() returns the
 * type for which objects of TYPE count. mp_heap_is_part() returns whether OBJECT is a part. */
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

/* Returns whether PART, which the object WHOLE refers to, is a part of it. */
static inline bool
mp_heap_is_part_of(const struct mp_heap *heap, uint32_t part, uint32_t whole)
{
    return mp_heap_is_part(heap, part) &&
           heap->types[mp_heap_class(heap, part)->type].owner == mp_heap_class(heap, whole)->type;
}

/* Returns whether mp_heap_prefer_lasting() leaves out the reference from FROM to TO: only stacks and threads lead to
 * FROM, but other roots lead to TO. */
static inline bool
mp_heap_is_left_out(const struct mp_heap *heap, uint32_t from, uint32_t to)
{
    return heap->passing && (heap->passing[from / 64] >> from % 64 & 1) && !(heap->passing[to / 64] >> to % 64 & 1);
}

/* Returns the size of NODE in bytes, which is 0 for tops. */
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

/* Iterates over the references of a node.
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

/* mp_heap_kind_words() returns a kind of root in human-readable form ("values of symbols"), mp_heap_kind_name() as in
 * options and JSON ("value"). mp_heap_trigger_words() returns what requested the snapshot, or "" if that is not
 * known. */
const char *mp_heap_kind_words(uint32_t kind);
const char *mp_heap_kind_name(uint32_t kind);
const char *mp_heap_trigger_words(uint64_t trigger);

#endif
