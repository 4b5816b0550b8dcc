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
    uint32_t lock;              /* 0 open, 1 held, 2 held with threads waiting */
    uint32_t shut_pid;          /* pid of the sandboxed process (sandbox.h); 0 if this one is not sandboxed */
};

/* Until mp_gate_open() maps the page, it points to a gate of generation 0, which lets nobody in. */
extern MP_HIDDEN struct mp_gate *mp_gate;

#endif
