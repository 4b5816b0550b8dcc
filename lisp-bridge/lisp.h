/*
 * lisp.h -- the bridge into ECL: what the C bridge and the Lisp module call.
 */
#ifndef MP_LISP_H
#define MP_LISP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_heap_sums;

/* From the C bridge's constructor, when the monitor is open: if the program has libecl, its
 * objects are recorded from the first one on. */
void mp_lisp_open(void);

/* The process exits: objects that wait for their class or name (deferred.h) are looked at now. */
void mp_lisp_exit(void);

/* How to record. */
struct mprof_lisp_wish {
    unsigned depth;             /* frames of each chain at most; 0: all */
    uint32_t sample;            /* bytes between samples of C's blocks in the mean; 0: as the environment asks */
    bool fold;                  /* of recursion, the first round only */
    bool joined;                /* the objects of threads that join(), and not of all */
    bool again;                 /* begins the present recording anew: threads that have joined it stay in it */
};

/* What the Lisp module calls, found with dlsym("mprof_lisp"). */
struct mprof_lisp {
    uint32_t size;              /* of this struct, bytes */

    /* Find what recording needs, so that names can be told before the first one begins, and none
     * holds what that takes.  0 or -errno, as start() would say.  By one thread at a time. */
    int (*open)(void);

    /* Begins to record into FILE (NULL: as MPROF_FILE or mprof.data), as WISH says.  0 or -errno;
     * -ENOTSUP: this ECL has not the functions by which it is recorded. */
    int (*start)(const char *file, const struct mprof_lisp_wish *wish);

    /* Has the objects of the calling thread recorded, too, where not all threads are, until part() was called as
     * often, or the recording ends; and the objects of all threads.  By one thread at a time. */
    void (*join)(void);
    void (*part)(void);
    void (*widen)(void);

    /* End it; what was recorded stays in the file. */
    void (*stop)(void);

    bool (*active)(void);
    bool (*preloaded)(void);    /* the program was started under mprof */
    const char *(*file)(void);  /* of the present or last recording; "" none */

    /* Sums over Lisp objects since the recording began; see heap.h.  This thread's not while it pauses. */
    void (*totals)(struct mp_heap_sums *sums, bool this_thread);

    /* The compiled function or method OBJECT is there: remember its name.  OBJECT is a cl_object. */
    void (*name_function)(void *object);
    void (*name_method)(void *object);

    /* FUNCTION is called at the end of each collection while recording, when the dead are counted;
     * libgc's lock is held: it must not allocate.  NULL: none. */
    void (*at_collection)(void (*function)(void));

    /* A form that is recorded begins in the function that calls the caller's module: reports begin
     * chains there. */
    void (*form)(void);

    /* Records no thread's objects, or again those of the threads that were recorded before.  Not at the same
     * time as start(), widen() or stop(). */
    void (*hold)(bool on);

    /* Between these two nothing that the thread does is recorded. */
    uint32_t (*pause)(void);
    void (*resume)(uint32_t saved);

    /* As mprof_checkpoint(); returns whether it could be set. */
    bool (*checkpoint)(const char *name);

    /* Id of the calling thread's recorder, 0: it has none.  Not while the thread pauses. */
    uint32_t (*recorder)(void);

    /* A snapshot of the heap called NAME (NULL: nothing) into FILE (NULL: the data file's name with a number), after
     * a collection if COLLECT, written by this process if IN_PLACE; WAIT: until it is written; STRINGS: with
     * beginnings of strings.  Its name into PATH.  0 or -errno, as mp_lisp_graph_make().  After open(). */
    long (*heap)(const char *name, const char *file, bool collect, bool in_place, bool wait, bool strings, char *path,
                 size_t size);

    /* The same of a snapshot that its maker reads and removes: FILE, after a collection, written when it returns; it
     * counts among no others. */
    long (*heap_to_read)(const char *file, char *path, size_t size);

    /* Calls ADD with the bounds of each place but its C stack by which the calling thread may refer to an object: its
     * environment, what is on its stacks, and values of SYMBOLS, a list.  None if ECL's threads are not known. */
    void (*own_places)(void *symbols, void (*add)(void *data, uintptr_t start, uintptr_t end), void *data);
};

extern const struct mprof_lisp mprof_lisp;

#endif
