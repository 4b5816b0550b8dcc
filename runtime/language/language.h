/*
 * language.h -- a language that has a collected heap and names of its own: what its bridge tells the
 * monitor of it.
 */
#ifndef MP_LANGUAGE_H
#define MP_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"

struct mp_live_header;

/* What the runtime calls a function. */
struct mp_function_name {
    const char *name, *file;    /* file NULL: not known */
    int64_t position;           /* in the file, characters; -1 not known */
    uint32_t flags;             /* MP_LIVE_NAME_* of format.h, MP_NAME_WEAK */
    uintptr_t outer;            /* start of the function that it lies in ("INNER in OUTER"), or 0;
                                   with an empty name: it is a part of that function */
};
#define MP_NAME_WEAK   (1u << 31)       /* to be replaced by any other name */
#define MP_NAME_OBJECT (1u << 30)       /* it is that of an object of the heap, which may die */
#define MP_NAME_FORMS  (1u << 29)       /* no function, but what makes the functions of a file */
#define MP_NAME_SETTLED (1u << 28)      /* the monitor's own: see mp_name_place() */

/* What kind of objects a kind is; see struct mp_live_kind. */
struct mp_kind_name {
    const char *name;
    unsigned base;
    char category;
};

#define MP_LANGUAGE_PARTS 4
#define MP_INTERPRETERS   2

/* The functions are called on the slow way of any allocation, mostly with the monitor's lock held:
 * they must not allocate (malloc or collected), lock, or unwind. */
struct mp_language {
    const char *name;           /* "ECL 21.2.1" */
    struct { uintptr_t start, size; } runtime[MP_LANGUAGE_PARTS];   /* addresses of its code */

    /* Code whose frames each stand for a function that a word of the frame holds: the function that
     * runs interpreted ones, and the bridge's own.  FUNCTION_WORD: in the frame between SP and CFA,
     * where that word is; always at the same distance from CFA.  0: not found. */
    struct mp_interpreter {
        uintptr_t start, size;
        uintptr_t (*function_word)(uintptr_t sp, uintptr_t cfa);
    } interpreters[MP_INTERPRETERS];

    uint64_t (*allocated)(void);        /* bytes ever allocated in the heap, as the runtime counts */

    /* What the collector's heap takes of the system, bytes, 0: not known; and how it is set, into HEADER.
     * Called at the end of a collection. */
    uint64_t (*collector)(struct mp_live_header *header);

    /* What the calling thread is called, in ROOM: its chains begin with that.  "": nothing; NULL: that
     * is not known yet.  The lock is not held. */
    const char *(*thread)(char *room, size_t size);

    /* Put the name of interpreted FUNCTION into *NAME, with ROOM for strings. */
    void (*describe)(uintptr_t function, struct mp_function_name *name, char *room, size_t size);

    /* A name is about to be looked for: tell those that have become known (mp_name_tell_held()). */
    void (*settle)(void);

    /* Put a better name for a function than PRESENT into ROOM; false: there is none. */
    bool (*resolve)(const char *present, char *room, size_t size);

    /* The kind that owns the blocks of CONTEXT that are no objects.  The lock is not held. */
    unsigned (*owner)(uint32_t context);

    /* Kinds from first on, n of them, whose data is allocated in the same places: it belongs to the
     * kind of the object that the thread allocated last. */
    struct { unsigned first, n; } family;

    /* May mp_heap_change_kind() be called for objects of KIND? */
    bool (*disputed)(unsigned kind);

    /* Describe KIND. */
    void (*describe_kind)(unsigned kind, struct mp_kind_name *name);
};

/* The language that is recorded beside C, or NULL; once there is one, it stays. */
extern MP_HIDDEN const struct mp_language *mp_language;

/* Note in HEADER, of a file that begins to have the language, what it is called and how much was
 * allocated in its heap before.  Lock held. */
void mp_language_note(struct mp_live_header *header);

/* Note there what it is called now.  Lock held. */
void mp_language_rename(struct mp_live_header *header);

#endif
