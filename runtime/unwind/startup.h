/*
 * startup.h -- rules for the compiler's startup code, for which there are no unwind tables.
 *
 * Two of its functions call others that may allocate: __do_global_dtors_aux, which runs what a
 * library has registered with atexit(), and _init, which calls gprof's startup.  They are the same
 * few instructions in every program and library of a machine, and are known by these.
 */
#ifndef MP_STARTUP_H
#define MP_STARTUP_H

#include <stdint.h>

#define MP_STARTUP_ANY  (-1)
#define MP_STARTUP_SIZE 26

/* What stands before the return address, bytes or MP_STARTUP_ANY, and the rule of such code. */
struct mp_startup_pattern {
    unsigned length;
    int16_t code[MP_STARTUP_SIZE];
    uint32_t rule;
};

/* The machine's patterns; the last has length 0. */
extern const struct mp_startup_pattern mp_machine_startup[];

/* The rule for code that returns to IP; MP_RULE_MISSING: it is none of these. */
uint32_t mp_startup_rule(uintptr_t ip);

#endif
