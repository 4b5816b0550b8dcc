/*
 * graph_state.h -- the state of a snapshot in progress, shared by the files graph_*.c.
 */
#ifndef MP_LISP_GRAPH_STATE_H
#define MP_LISP_GRAPH_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "ecl.h"
#include "graph_heap.h"
#include "runtime/snapshot/snapshot_stream.h"

#define MP_GRAPH_TYPES UINT16_MAX
#define MP_GRAPH_KEY_BITS 18u
#define MP_GRAPH_KEYS (1u << MP_GRAPH_KEY_BITS)         /* twice the usable number */

/* Properties of a type besides its name, which is in the file. */
struct mp_graph_type {
    uint32_t words;             /* bit I is set if word I may contain a reference; words from the 33rd on always may */
    uint16_t data;              /* type of the block to which word `data_word` refers, or 0 */
    uint8_t data_word;
    uint8_t tag;                /* cl_type, or 0 for data */
    bool weak;                  /* references do not keep objects alive */
    bool keys;                  /* entries of a hash table, whose keys are written */
    uint8_t name_slot;          /* for classes and generic functions: index of the slot with the name, plus 1 */
};

/* A mapping of the process. */
struct mp_graph_mapping {
    uintptr_t start, end;
    bool readable, writable;
    uint32_t file;              /* text of its path, or 0; zeroed variables after a file's mapping count as its */
    bool ours;                  /* belongs to libgc or the monitor */
};

/* Upper limits, far larger than needed. Memory is used only for actual entries. */
#define MP_GRAPH_MAPPINGS  (1u << 17)
#define MP_GRAPH_PROCESSES (1u << 16)
#define MP_GRAPH_STACKS    (1u << 16)
#define MP_GRAPH_BLOCKS    (1u << 18)
#define MP_GRAPH_TABLES    64u

/* A thread as it was before the copy, with its stack pointer, or 0 if unknown. */
struct mp_graph_stack { uint32_t tid; uintptr_t sp; };

struct mp_object_graph {
    struct mp_graph_heap heap;
    struct mp_stream *stream;

    struct mp_graph_type types[MP_GRAPH_TYPES];         /* by number; 0 means none */
    uint32_t n_types;
    uint16_t cons;              /* type of conses */
    struct mp_graph_key { uint64_t key; uint32_t value; } *keys;    /* numbers of types and texts, by what they
                                                                     * describe */
    uint32_t n_keys;

    uintptr_t *to_do;           /* objects whose references have not been followed yet */
    uint64_t n_to_do, room;
    bool only_marked;           /* accept only objects that the collector or the monitor knows; used for stacks */

    cl_object processes[MP_GRAPH_PROCESSES];
    uint32_t n_processes;
    cl_object blocks[MP_GRAPH_BLOCKS];  /* compiled files found so far */
    uint32_t n_blocks, n_blocks_done;

    uintptr_t tables[MP_GRAPH_TABLES];  /* tables and lists of libgc with finalizers or weak links */
    uint32_t n_tables;

    struct mp_graph_mapping mappings[MP_GRAPH_MAPPINGS];
    uint32_t n_mappings;

    uint32_t *sites[4096];      /* site number of each context, in arrays of 65536 */
    uint64_t without_site;
    uint64_t live;              /* bytes alive after the last collection */
    bool has_sites, stopped;    /* stopped: libgc has stopped the world and may not have swept yet */
    bool in_place;              /* runs in the process itself, not in a copy */
    bool strings;               /* write the beginnings of strings */
    uint32_t threads_without_registers;

    struct mp_graph_stack stacks[MP_GRAPH_STACKS];
    uint32_t n_stacks;
    uintptr_t sp, own[8];       /* stack pointer and registers of the thread that makes the snapshot */
    bool too_many;              /* one of the tables is too small, so the snapshot fails */

    /* Large buffers. They are not on the stack, which may be a signal handler's. */
    union {
        char text[8192];
        uintptr_t words[512];
        uint8_t keys[MP_STREAM_KEYS];
    } buffer;
    struct mp_stream_reference references[MP_STREAM_SOME], more_references[MP_STREAM_SOME];
};

/* Returns a pointer to the number stored for KEY, which is initially 0 and can be set. Returns NULL if the table is
 * full. */
uint32_t *mp_graph_key(struct mp_object_graph *g, unsigned category, uint64_t key);

enum mp_graph_category {
    MP_GRAPH_KEY_FIXED = 1, MP_GRAPH_KEY_TAG, MP_GRAPH_KEY_CLASS, MP_GRAPH_KEY_PACKAGE, MP_GRAPH_KEY_ARRAY,
    MP_GRAPH_KEY_TABLE, MP_GRAPH_KEY_CLOSURE, MP_GRAPH_KEY_TEXT, MP_GRAPH_KEY_GROUP,
    MP_GRAPH_KEY_BINDING,       /* name of the variable with this index in all threads' values */
    MP_GRAPH_KEY_SHADOWED
};

/* Returns the mapping that contains ADDRESS, or NULL. */
const struct mp_graph_mapping *mp_graph_mapping(const struct mp_object_graph *g, uintptr_t address);

/* Returns whether SIZE bytes at ADDRESS are readable, in the heap or in another mapping. */
bool mp_graph_is_readable(struct mp_object_graph *g, uintptr_t address, size_t size);

/* Returns whether O is an object with the tag TYPE. */
bool mp_graph_is(struct mp_object_graph *g, cl_object o, cl_type type);

/* Return whether O is a string, and whether it is a symbol whose name is a string. */
bool mp_graph_is_string(struct mp_object_graph *g, cl_object o);
bool mp_graph_is_symbol(struct mp_object_graph *g, cl_object o);

#endif
