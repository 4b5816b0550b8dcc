/*
 * startup.h -- rules for the compiler's startup code, for which there are no unwind tables.
 *
 * Two of its functions call others that may allocate: __do_global_dtors_aux, which runs what a library
 * has registered with atexit(), and _init, by which gprof's startup is called.  They are the same
 * few instructions in every program and library, and are known by these.
 */
#ifndef MP_STARTUP_H
#define MP_STARTUP_H

#include <stdint.h>

/* The rule for code that returns to IP; MP_RULE_MISSING: it is none of these. */
uint32_t mp_startup_rule(uintptr_t ip);

#endif
