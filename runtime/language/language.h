/* SPDX-License-Identifier: MIT */
/*
 * language.h -- the interface between the monitor and a language that has a collected heap and names of its own.
 * The language's bridge provides it.
 *
 * This directory owns the names of a language's functions and the pointer to its bridge. It knows no language. The
 * bridge calls name.h and heap/heap_record.h; unwind/, session/ and heap/ call the bridge through struct mp_language.
 */
#ifndef MP_LANGUAGE_H
#define MP_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/format.h"

/* A function's name in the language's runtime. */
struct mp_function_name {
    const char *name, *file;    /* file is NULL if it is unknown */
    int64_t position;           /* in the file, in characters; -1 if it is unknown */
    uint32_t flags;             /* MP_LIVE_NAME_* of format.h, and MP_NAME_* below */
    uintptr_t outer;            /* start of the function that contains this one ("INNER in OUTER"), or 0; if the
                                   name is empty, this code is a separately placed part of that function */
};
#define MP_NAME_WEAK   (1u << 31)       /* any other name replaces this one */
#define MP_NAME_OBJECT (1u << 30)       /* name of an object of the heap, which may die */
#define MP_NAME_FORMS  (1u << 29)       /* name of the code that creates the functions of a file, and of no function */
#define MP_NAME_SETTLED (1u << 28)      /* set by mp_name_place() only */

/* The name and category of a kind of objects; see struct mp_live_kind. */
struct mp_kind_name {
    const char *name;
    unsigned base;
    char category;
};

#define MP_LANGUAGE_PARTS 4
#define MP_INTERPRETERS   2

/* A language's description and functions. The functions are called on the slow path of any allocation, mostly with
 * the monitor's lock held. They must not allocate (malloc or collected memory), lock, or unwind. */
struct mp_language {
    const char *name;           /* "ECL 21.2.1" */
    struct { uintptr_t start, size; } runtime[MP_LANGUAGE_PARTS];   /* address ranges of its code */

    /* Code whose frames represent another function, because it interprets that function. It is the interpreter's
     * main function or a function of the bridge. A word of the frame contains the interpreted function. function_word()
     * returns the address of that word in the frame between SP and CFA, or 0 if the word is not found. The distance of
     * the word from CFA is the same in all frames. */
    struct mp_interpreter {
        uintptr_t start, size;
        uintptr_t (*function_word)(uintptr_t sp, uintptr_t cfa);
    } interpreters[MP_INTERPRETERS];

    /* Returns how the collector treats the block that was just allocated at BLOCK: MP_EVENT_ATOMIC, MP_EVENT_POINTERS
     * or MP_EVENT_UNCOLLECTABLE. */
    enum mp_event (*treated)(const void *block);

    uint64_t (*allocated)(void);        /* returns the bytes ever allocated in the heap, counted by the runtime */

    /* Writes the collector's settings to HEADER. Returns the bytes that its heap takes from the system, or 0 if
     * that is unknown. Called at the end of a collection. */
    uint64_t (*collector)(struct mp_live_header *header);

    /* Returns the calling thread's name, with which the thread's chains begin. ROOM is memory of SIZE bytes for it.
     * Returns "" if the thread has no name, and NULL if the name is not yet known. The lock is not held. */
    const char *(*thread)(char *room, size_t size);

    /* Writes the name of the interpreted FUNCTION to *NAME. ROOM is memory of SIZE bytes for its strings. */
    void (*describe)(uintptr_t function, struct mp_function_name *name, char *room, size_t size);

    /* Passes names that have become known to the monitor (mp_name_tell_held()). Called before the monitor searches
     * a name. */
    void (*settle)(void);

    /* Writes a better name for the function that is called PRESENT to ROOM. Returns false if it knows no better
     * name. */
    bool (*resolve)(const char *present, char *room, size_t size);

    /* Returns the kind of the objects that own the blocks of CONTEXT that are not objects. The lock is not held. */
    unsigned (*owner)(uint32_t context);

    /* The `n` kinds from `first` on, whose payload is allocated in the same contexts. Such payload belongs to the
     * object that the thread allocated last. */
    struct { unsigned first, n; } family;

    /* Returns whether mp_heap_change_kind() may be called for objects of KIND. */
    bool (*disputed)(unsigned kind);

    /* Writes the description of KIND to *NAME. */
    void (*describe_kind)(unsigned kind, struct mp_kind_name *name);
};

/* The language that is recorded in addition to C, or NULL. It never changes once it is set. */
extern MP_HIDDEN const struct mp_language *mp_language;

/* The name of a language that cannot be recorded, followed by the reason (MP_LANGUAGE_UNRECORDED), or NULL. */
extern MP_HIDDEN const char *mp_language_unrecorded;

/* Writes to HEADER the language's name and the bytes allocated in its heap so far. Called for each new file, and when
 * the language is found while a file is written. Writes only the name if the language cannot be recorded. Sets the
 * version of a sampled recording (format.h). Lock held. */
void mp_language_note(struct mp_live_header *header);

/* Writes the language's present name to HEADER. Lock held. */
void mp_language_rename(struct mp_live_header *header);

#endif
