/* SPDX-License-Identifier: MIT */
/*
 * gate_page.h -- the page of data that a forked child does not inherit, because the kernel clears it there. See
 * gate.h.
 */
#ifndef MP_GATE_PAGE_H
#define MP_GATE_PAGE_H

#include <stdint.h>

#include "runtime/compiler.h"

struct mp_gate {
    uint32_t generation;        /* 0 until a session begins in this process */
    uint32_t lock;              /* state of the lock: 0 if open, 1 if held, 2 if held while threads wait for it */
    uint32_t shut_pid;          /* pid of the sandboxed process (sandbox.h); 0 if this one is not sandboxed */
};

/* Generation with which no thread may enter. No session has this number. */
#define MP_GATE_SHUT (UINT32_MAX - 1)

/* Until mp_gate_open() maps the page, mp_gate points to a gate of generation MP_GATE_SHUT. This is not 0, because a
 * thread's generation is 0 before the loader has copied the initial values of thread-local variables. */
extern MP_HIDDEN struct mp_gate *mp_gate;

#endif
