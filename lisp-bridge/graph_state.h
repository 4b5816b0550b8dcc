/* SPDX-License-Identifier: MIT */
/*
 * graph_state.h -- the state of a snapshot in progress, and the functions that the files graph_*.c offer to each
 * other.
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
    uint32_t file;              /* text of its path, or 0; the mapping of zeroed variables that follows that of a file
                                   counts as the file's, too */
    bool has_libgc;             /* contains variables of libgc, which may be a part of libecl or of the program */
    bool ours;                  /* belongs to libmprof.so, or to the libgc.so that libecl calls */
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
    struct mp_graph_key { uint64_t key; uint32_t value; } *keys;    /* hash table of the numbers of types and texts in
                                                                     * the file; see mp_graph_key() */
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

    uint32_t *sites[4096];      /* number of the site of context C: sites[C / 65536][C % 65536] */
    uint64_t without_site;
    uint64_t live;              /* bytes alive after the last collection */
    bool has_sites, stopped;    /* `stopped`: libgc has stopped the other threads, and perhaps has not swept since it
                                   marked */
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

/* ------------------------------------------------------------------ graph_mappings.c: memory of the process */

/* Reads the mappings of the process. Must be called first. */
void mp_graph_read_mappings(struct mp_object_graph *g);

/* Returns the mapping that contains ADDRESS, or NULL. */
const struct mp_graph_mapping *mp_graph_mapping(const struct mp_object_graph *g, uintptr_t address);

/* ------------------------------------------------------------------ graph_types.c: types */

/* Returns whether SIZE bytes at ADDRESS are readable, in the heap or in another mapping. */
bool mp_graph_is_readable(struct mp_object_graph *g, uintptr_t address, size_t size);

/* Returns whether O is an object with the tag TYPE. */
bool mp_graph_is(struct mp_object_graph *g, cl_object o, cl_type type);

/* Return whether O is a string, and whether it is a symbol whose name is a string. */
bool mp_graph_is_string(struct mp_object_graph *g, cl_object o);
bool mp_graph_is_symbol(struct mp_object_graph *g, cl_object o);

/* Types that do not depend on an object's contents. */
enum mp_graph_fixed {
    MP_GRAPH_CONS = 1, MP_GRAPH_WITH_POINTERS, MP_GRAPH_WITHOUT, MP_GRAPH_FIXED_UNCOLLECTABLE,
    MP_GRAPH_LIBGC_TABLE, MP_GRAPH_LIBGC_FINALIZER, MP_GRAPH_LIBGC_LINK,        /* libgc's own data */
    MP_GRAPH_VALUES             /* vector of the values of all variables bound in a thread; the values are roots with
                                 * the variables' names */
};

/* Reads the sizes of all object types from libecl. Called before the copy is made, after ECL has started. */
void mp_graph_types_open(void);

/* Return the number of a fixed type, and of the type of the object at BLOCK according to its header. Return 0 if it
 * is no object, or if there are too many types. */
uint16_t mp_graph_fixed_type(struct mp_object_graph *g, enum mp_graph_fixed fixed);
uint16_t mp_graph_type(struct mp_object_graph *g, const struct mp_graph_block *block);

/* Returns the type of a data block to which an object with ECL's type TAG refers. */
uint16_t mp_graph_data_type(struct mp_object_graph *g, unsigned tag, bool pointers);

/* Writes the name of object O with TYPE to ROOM. Returns false if it has no name. */
bool mp_graph_name(struct mp_object_graph *g, cl_object o, const struct mp_graph_type *type, char *room, size_t size);

/* Return numbers of shared texts. mp_graph_package_text() returns the number of PACKAGE's name, or 0 if PACKAGE has
 * no name. mp_graph_text() returns that of the C string NAME, which must be static. */
uint32_t mp_graph_package_text(struct mp_object_graph *g, cl_object package);
uint32_t mp_graph_text(struct mp_object_graph *g, const char *name);

/* ------------------------------------------------------------------ graph_mark.c: finding live objects */

/* Finds the object that WORD refers to, either as a tagged value of ECL or as the address of data. Returns false if
 * WORD refers to no object. */
bool mp_graph_refers(struct mp_object_graph *g, uintptr_t word, struct mp_graph_block *block);

/* Marks the object that WORD refers to, where WORD need not be a reference. Returns false if it does not refer to an
 * object. */
bool mp_graph_visit(struct mp_object_graph *g, uintptr_t word);

/* Like mp_graph_visit(), but also accepts references to data whose owner is unknown. */
bool mp_graph_visit_any(struct mp_object_graph *g, uintptr_t word);

/* Marks BLOCK as alive, with TYPE. */
void mp_graph_mark(struct mp_object_graph *g, const struct mp_graph_block *block, uint16_t type);

/* Follows the references of all objects visited so far. */
void mp_graph_follow(struct mp_object_graph *g);

/* Collects up to ROOM references of an object to objects that were found, starting with word *FROM. Returns their
 * number, and sets *FROM to the word at which to continue. */
uint64_t mp_graph_references(struct mp_object_graph *g, const struct mp_graph_block *block, uint64_t *from,
                             struct mp_stream_reference *references, uint64_t room);

/* ------------------------------------------------------------------ graph_roots.c, graph_threads.c: roots */

/* Adds WORD, located at PLACE (0 if not in memory), as a root if it refers to an object. */
void mp_graph_root(struct mp_object_graph *g, enum mp_heap_root_kind kind, uint32_t title, uint32_t group,
                   uintptr_t place, uintptr_t word);

/* Calls mp_graph_root() for all words from START to END. */
void mp_graph_root_words(struct mp_object_graph *g, enum mp_heap_root_kind kind, uint32_t title, uint32_t group,
                         uintptr_t start, uintptr_t end);

/* Assigns SYMBOL's name to its index in the threads' vectors of variable values. Indices from MP_GRAPH_BINDINGS on
 * have no names. */
#define MP_GRAPH_BINDINGS (1u << 20)
void mp_graph_binding(struct mp_object_graph *g, cl_object symbol);

/* Add all roots except the threads' roots, which graph_threads.c adds. */
void mp_graph_lisp_roots(struct mp_object_graph *g);
void mp_graph_c_roots(struct mp_object_graph *g);

/* mp_graph_libgc() marks libgc's own data in the heap. It must be called before mp_graph_c_roots().
 * mp_graph_finalizers() adds objects to which only libgc's finalizers refer. It must be called after all others. */
void mp_graph_libgc(struct mp_object_graph *g);
void mp_graph_finalizers(struct mp_object_graph *g);

/* Add roots from threads' environments and from their stacks. mp_graph_look_at_threads() finds the current ends of
 * the stacks, and must be called before the copy is made. */
void mp_graph_environments(struct mp_object_graph *g);
void mp_graph_stacks(struct mp_object_graph *g);
void mp_graph_look_at_threads(struct mp_object_graph *g);

/* ------------------------------------------------------------------ graph_write.c: the file */

/* Writes all live objects in the order of their addresses. */
void mp_graph_write(struct mp_object_graph *g);

#endif
