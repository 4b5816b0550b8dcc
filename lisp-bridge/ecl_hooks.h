/* SPDX-License-Identifier: MIT */
/*
 * ecl_hooks.h -- reports every allocation of libecl to the monitor with its exact type.
 *
 * libecl imports five allocating functions of libgc, and GC_free. The caller of such a function determines what is
 * allocated. ecl_cons and ecl_list1 allocate conses. ecl_alloc_object allocates objects of the type that is its
 * argument; libecl calls ecl_alloc_object through its global offset table, too, so it is also hooked. All other callers
 * allocate data that belongs to some object. If the ECL is unknown (ecl.h), the kind of a block depends only on the
 * libgc function that is called.
 */
#ifndef MP_LISP_HOOKS_H
#define MP_LISP_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/language/language.h"

/* Finds the words to change. Returns false if this is impossible; then mp_ecl.name gives the reason. */
bool mp_lisp_hooks_find(void);

/* Starts or stops recording allocations. */
void mp_lisp_hooks_set(bool on);

/* The threads whose allocations are recorded. MP_LISP_JOINED means the threads whose mp_lisp_thread.recording
 * equals mp_lisp_recording. */
enum { MP_LISP_ALL = 0, MP_LISP_JOINED, MP_LISP_NONE };
extern uint32_t mp_lisp_recorded;

/* Number of the current recording, starting with 1. Unchanged if a recording is restarted. */
extern uint32_t mp_lisp_recording;

/* Examines this thread's waiting objects (deferred.h). Called when the recording ends. */
void mp_lisp_finish(void);

/* Hooks for the functions with which libecl searches for methods (dispatch.c). mp_lisp_dispatch_open() finds their
 * calls, if this libecl and this machine support it, and describes the code of our frames in *CODE.
 * mp_lisp_dispatch_set() redirects the calls through our function, or stops doing so. */
void mp_lisp_dispatch_open(struct mp_interpreter *code);
void mp_lisp_dispatch_set(bool on);

#endif
