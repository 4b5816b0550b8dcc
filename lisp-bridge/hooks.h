/*
 * hooks.h -- the one hook: every allocation of libecl, with its exact type, goes to the monitor.
 *
 * libecl imports five allocating functions of libgc, and GC_free.  What an allocation is, its
 * caller says: a cons in ecl_cons and ecl_list1, an object in ecl_alloc_object (whose argument is
 * the type: libecl calls it through its offset table, too), data of some object elsewhere.
 * Of an ECL that is not known (ecl.h), only which of the five it was is recorded.
 */
#ifndef MP_LISP_HOOKS_H
#define MP_LISP_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* Find the words to change.  False: this libecl does not have them. */
bool mp_lisp_hooks_find(void);

/* Allocations are recorded from now on, or no more. */
void mp_lisp_hooks_set(bool on);

/* Whose allocations are recorded.  MP_LISP_JOINED: those of threads with an mp_lisp_thread.recording
 * that equals mp_lisp_recording. */
enum { MP_LISP_ALL = 0, MP_LISP_JOINED, MP_LISP_NONE };
extern uint32_t mp_lisp_recorded;

/* Number of the present recording, from 1 on.  It stays the same when a recording is begun anew. */
extern uint32_t mp_lisp_recording;

/* At the end of recording: look at the objects of this thread that wait for their class or name
 * (deferred.h). */
void mp_lisp_finish(void);

#endif
