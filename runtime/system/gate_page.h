/*
 * gate_page.h -- what a forked child is not to inherit: it stands in a page that the kernel wipes there.
 * gate.h says what it is for.
 */
#ifndef MP_GATE_PAGE_H
#define MP_GATE_PAGE_H

#include <stdint.h>

#include "runtime/compiler.h"

struct mp_gate {
    uint32_t generation;        /* 0: nothing started yet in this process */
    uint32_t lock;              /* 0 open, 1 held, 2 held and waited for */
    uint32_t shut_pid;          /* the process that was shut off (sandbox.h); 0: not this one */
};

/* Until mp_gate_open() has mapped the page, a gate that is always closed. */
extern MP_HIDDEN struct mp_gate *mp_gate;

#endif
