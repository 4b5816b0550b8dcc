/* SPDX-License-Identifier: MIT */
/*
 * startup.h -- rules for code without unwind tables, by its instructions.
 *
 * Two functions of the compiler's startup code call others that may allocate. __do_global_dtors_aux runs what a library
 * has registered with atexit(), and _init calls gprof's startup. They consist of the same few instructions in every
 * program and library of a machine, so their rules are certain.
 *
 * Other code without tables may have frame pointers. It has if its function begins with the instructions that set one.
 * Without tables it is not certain where the function begins, so the rule is a guess (MP_RULE_FP_UNPROVED).
 */
#ifndef MP_UNWIND_STARTUP_H
#define MP_UNWIND_STARTUP_H

#include <stdbool.h>
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

/* Returns the rule for startup code that returns to IP, or MP_RULE_MISSING if it matches no pattern. */
uint32_t mp_startup_rule(uintptr_t ip);

/* Returns MP_RULE_FP_UNPROVED for the code at PC if it seems to have a frame pointer, and else MP_RULE_MISSING. */
uint32_t mp_startup_guess(uintptr_t pc);

/* Returns whether IP is code that has no caller and that libc and the loader have no unwind information for:
 * __start_context and _dl_start_user. STATIC_LIBC means that IP is in a program that contains libc. */
bool mp_startup_is_first(uintptr_t ip, bool static_libc);

/* Returns whether the four outermost frames of a chain are those with which a program begins: _start, which has the
 * stack pointer SP, two frames of libc, and main(). KEYS are the return addresses into the last three. */
bool mp_startup_is_main(uint64_t sp, const uint64_t keys[3]);

/* Returns whether the bytes from BEFORE bytes below IP to AFTER bytes above it are readable code of an object. */
bool mp_startup_is_code(uintptr_t ip, unsigned before, unsigned after);

/* ---- The machine's part. */

/* Returns whether the function with the code at PC sets a frame pointer before PC. CODE is readable up to END. */
bool mp_machine_sets_fp(const uint8_t *code, const uint8_t *pc, const uint8_t *end);

/* Returns whether a call ends at IP. The MP_LONGEST_CALL bytes before it are readable. */
#define MP_LONGEST_CALL 7u
bool mp_machine_follows_call(const uint8_t *ip);

/* Returns whether CODE is __start_context. */
#define MP_CONTEXT_START 7u     /* bytes that are compared */
bool mp_machine_is_context_start(const uint8_t *code);

#endif
