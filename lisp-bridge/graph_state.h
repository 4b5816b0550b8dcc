/*
 * graph_state.h -- a snapshot that is being made, for the files graph_*.c: what they share.
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
#define MP_GRAPH_KEYS (1u << MP_GRAPH_KEY_BITS)         /* twice as many as are used */

/* What is known of a type beside its name, which is in the file. */
struct mp_graph_type {
    uint32_t words;             /* bit I: word I may hold a reference; beyond the 32nd all may */
    uint16_t data;              /* type of the block that word `data_word` refers to; 0: none */
    uint8_t data_word;
    uint8_t tag;                /* cl_type; 0: data */
    bool weak;                  /* its references keep nothing alive */
    bool keys;                  /* of entries of hash tables: their keys are told */
    uint8_t name_slot;          /* of classes and generic functions: which slot has the name, plus 1 */
};

/* A mapping of the process. */
struct mp_graph_mapping {
    uintptr_t start, end;
    bool readable, writable;
    uint32_t file;              /* text of its path; 0: none.  Zeroed variables belong to the file before them */
    bool ours;                  /* libgc's or the monitor's own */
};

/* All of these are far more than there are; memory is only used for those that there are. */
#define MP_GRAPH_MAPPINGS  (1u << 17)
#define MP_GRAPH_PROCESSES (1u << 16)
#define MP_GRAPH_STACKS    (1u << 16)
#define MP_GRAPH_BLOCKS    (1u << 18)
#define MP_GRAPH_TABLES    64u

/* A thread of the process as it was seen just before: where its stack ended; 0: not known. */
struct mp_graph_stack { uint32_t tid; uintptr_t sp; };

struct mp_graph {
    struct mp_graph_heap heap;
    struct mp_stream *stream;

    struct mp_graph_type types[MP_GRAPH_TYPES];         /* by number; 0 is none */
    uint32_t n_types;
    uint16_t cons;              /* the type of conses */
    struct mp_graph_key { uint64_t key; uint32_t value; } *keys;    /* types and texts by what they are of */
    uint32_t n_keys;

    uintptr_t *to_do;           /* objects whose references are to be followed */
    uint64_t n_to_do, room;
    bool only_marked;           /* what is found now is only believed if the collector knows of it */

    cl_object processes[MP_GRAPH_PROCESSES];
    uint32_t n_processes;
    cl_object blocks[MP_GRAPH_BLOCKS];  /* compiled files, as they are found */
    uint32_t n_blocks, n_blocks_done;

    uintptr_t tables[MP_GRAPH_TABLES];  /* of libgc: of finalizers and weak links, and lists of finalizers */
    uint32_t n_tables;

    struct mp_graph_mapping mappings[MP_GRAPH_MAPPINGS];
    uint32_t n_mappings;

    uint32_t *sites[4096];      /* number of the site of a context, 65536 in each */
    uint64_t without_site;
    uint64_t live;              /* bytes that the last collection found alive */
    bool has_sites, stopped;    /* stopped: the collector has stopped the world, and may not have swept it */
    bool in_place;              /* in the process itself, not in a copy */
    bool strings;               /* beginnings of strings are written */
    uint32_t threads_without_registers;

    struct mp_graph_stack stacks[MP_GRAPH_STACKS];
    uint32_t n_stacks;
    uintptr_t sp, own[8];       /* of the thread that makes the snapshot: its stack, its registers */
    bool too_many;              /* of one of these there is no room for all: the snapshot is not made */

    /* What would be large on a stack, which may be that of a signal handler. */
    union {
        char text[8192];
        uintptr_t words[512];
        uint8_t keys[MP_STREAM_KEYS];
    } buffer;
    struct mp_stream_reference references[MP_STREAM_SOME], more_references[MP_STREAM_SOME];
};

/* A number for KEY, and where it is put; it is 0 first.  NULL: no room. */
uint32_t *mp_graph_key(struct mp_graph *g, unsigned category, uint64_t key);

enum mp_graph_category {
    MP_GRAPH_KEY_FIXED = 1, MP_GRAPH_KEY_TAG, MP_GRAPH_KEY_CLASS, MP_GRAPH_KEY_PACKAGE, MP_GRAPH_KEY_ARRAY,
    MP_GRAPH_KEY_TABLE, MP_GRAPH_KEY_CLOSURE, MP_GRAPH_KEY_TEXT, MP_GRAPH_KEY_GROUP,
    MP_GRAPH_KEY_BINDING,       /* by the index that a symbol has in all threads' values: its text */
    MP_GRAPH_KEY_SHADOWED
};

/* The mapping that ADDRESS is in; NULL: none. */
const struct mp_graph_mapping *mp_graph_mapping(const struct mp_graph *g, uintptr_t address);

/* May SIZE bytes at ADDRESS be read: in the heap, or in some mapping. */
bool mp_graph_is_readable(struct mp_graph *g, uintptr_t address, size_t size);

/* Is O an object with the tag TYPE? */
bool mp_graph_is(struct mp_graph *g, cl_object o, cl_type type);

#endif
