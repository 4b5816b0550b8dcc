/* SPDX-License-Identifier: MIT */
/*
 * lisp.h -- the Lisp bridge's interface for the C bridge and the Lisp module.
 *
 * This directory owns what the monitor knows about ECL and libgc: their layout, types, names and collections. Its
 * hooks replace libgc's functions in libecl and record objects through runtime/heap/heap_record.h and
 * runtime/language/name.h. ECL calls the hooks, the monitor the functions in struct mp_language, and
 * c-bridge/process_events.c and the module those declared here.
 */
#ifndef MP_LISP_H
#define MP_LISP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_heap_sums;

/* Starts recording objects from the first one on, if the program contains libecl. Called by the C bridge's
 * constructor after the monitor is open. */
void mp_lisp_open(void);

/* Examines the waiting objects (deferred.h). Called when the process exits. */
void mp_lisp_exit(void);

/* Options of a recording. */
struct mprof_lisp_wish {
    unsigned depth;             /* maximum number of frames in a chain; 0 for all */
    uint32_t sample;            /* mean bytes between samples of C's blocks; 0 for the environment's setting */
    bool fold;                  /* keep only the first round of a recursion */
    bool joined;                /* record only objects of threads that call join() */
    bool again;                 /* restart the current recording; joined threads stay joined */
};

/* Functions for the Lisp module, which finds them with dlsym("mprof_lisp"). */
struct mprof_lisp {
    uint32_t size;              /* size of this struct in bytes */

    /* Finds everything that recording needs. Called before the first recording, so that functions can be named before
     * it begins, and so that the recording does not contain this work. Returns 0 or -errno like start(). Only one
     * thread at a time may call it. */
    int (*open)(void);

    /* Begins to record into FILE with the options WISH. FILE may be NULL for MPROF_FILE or mprof.data. Returns 0 or
     * -errno: -ENOTSUP if this ECL lacks functions that recording needs. */
    int (*start)(const char *file, const struct mprof_lisp_wish *wish);

    /* join() also records the objects of the calling thread, if not all threads are recorded, until part() has been
     * called as often or the recording ends. widen() records the objects of all threads. Only one thread at a time
     * may call them. */
    void (*join)(void);
    void (*part)(void);
    void (*widen)(void);

    /* Ends the recording. Its file remains. */
    void (*stop)(void);

    bool (*active)(void);
    bool (*preloaded)(void);    /* the program was started under mprof */
    const char *(*file)(void);  /* file of the current or last recording, or "" */

    /* Sums up Lisp objects since the recording began; see heap.h. THIS_THREAD must not be set while the thread
     * pauses. */
    void (*totals)(struct mp_heap_sums *sums, bool this_thread);

    /* Registers the name of the compiled function or method OBJECT, a cl_object. */
    void (*name_function)(void *object);
    void (*name_method)(void *object);

    /* finalize(false) keeps collections from calling finalizers until finalize(true). They remain queued. The old value
     * is returned. If libgc lacks this, always returns false. Only one thread at a time may call it. */
    bool (*finalize)(bool on);

    /* Sets the function to call at the end of each collection during a recording, when dead objects have been
     * counted. libgc's lock is held, so FUNCTION must not allocate. NULL for none. */
    void (*at_collection)(void (*function)(void));

    /* Marks the beginning of a recorded form in the function that calls the caller's module. Reports start chains
     * there. */
    void (*form)(void);

    /* hold(true) suspends recording of all threads. hold(false) resumes it for the threads recorded before. Must not
     * be called concurrently with start(), widen() or stop(). */
    void (*hold)(bool on);

    /* Between pause() and resume() nothing that the thread does is recorded. */
    uint32_t (*pause)(void);
    void (*resume)(uint32_t saved);

    /* Works like mprof_checkpoint(). Returns whether the checkpoint was set. */
    bool (*checkpoint)(const char *name);

    /* Returns the id of the calling thread's recorder, or 0. Must not be called while the thread pauses. */
    uint32_t (*recorder)(void);

    /* Makes a snapshot of the heap. NAME may be NULL. FILE may be NULL for the data file's name with a number.
     * COLLECT makes it after a collection. IN_PLACE writes it in this process. WAIT waits until it is written.
     * STRINGS adds the beginnings of strings. The file's name is stored in PATH. Returns 0 or -errno like
     * mp_lisp_graph_make(). Must be called after open(). */
    long (*heap)(const char *name, const char *file, bool collect, bool in_place, bool wait, bool strings, char *path,
                 size_t size);

    /* Makes a temporary snapshot in FILE after a collection, which the caller reads and removes. It is complete when
     * the function returns and is not counted among the others. */
    long (*heap_to_read)(const char *file, char *path, size_t size);

    /* Withdraws the calling thread's request for a snapshot. Must be called if a throw left one of the two functions
     * above, as finalizers of the program can, which run in the collection. */
    void (*heap_left)(void);

    /* Calls ADD with the bounds of each place except its C stack through which the calling thread may refer to an
     * object: its environment, its Lisp stacks, and the values of SYMBOLS, a list. Does nothing if ECL's threads are
     * unknown. */
    void (*own_places)(void *symbols, void (*add)(void *data, uintptr_t start, uintptr_t end), void *data);
};

extern const struct mprof_lisp mprof_lisp;

#endif
