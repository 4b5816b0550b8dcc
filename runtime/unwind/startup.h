/*
 * startup.h -- rules for the compiler's startup code, which has no unwind tables.
 *
 * Two of its functions call others that may allocate. __do_global_dtors_aux runs what a library has registered with
 * atexit(), and _init calls gprof's startup. They consist of the same few instructions in every program and library
 * of a machine, and are recognised by their instructions.
 */
#ifndef MP_UNWIND_STARTUP_H
#define MP_UNWIND_STARTUP_H

#include <stdint.h>

#define MP_STARTUP_ANY  (-1)
#define MP_STARTUP_SIZE 26

/* A pattern: `code` has the `length` bytes before a return address, with MP_STARTUP_ANY in place of bytes that
 * differ. `rule` is the rule of code with these bytes. */
struct mp_startup_pattern {
    unsigned length;
    int16_t code[MP_STARTUP_SIZE];
    uint32_t rule;
};

/* The machine's patterns; the last has length 0. */
extern const struct mp_startup_pattern mp_machine_startup[];

/* Returns the rule for code that returns to IP, or MP_RULE_MISSING if it matches no pattern. */
uint32_t mp_startup_rule(uintptr_t ip);

#endif
