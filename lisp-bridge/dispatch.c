/* SPDX-License-Identifier: MIT */
/*
 * dispatch.c -- shows which generic function is searching for its methods.
 *
 * If a generic function has no cached method for its arguments, libecl computes one, and allocates memory. The
 * functions that it calls for this get the generic function as an argument. During a recording, these calls go
 * through a function of ours, which stores the generic function in a word of its frame, as the interpreter does.
 * Other calls of these functions, and calls of cached methods, are unchanged.
 *
 * Compiled with frame pointers, because the distance of the word from the CFA is computed with the frame pointer.
 */
#include "ecl_hooks.h"

#include "ecl.h"
#include "runtime/compiler.h"

/* Bytes from the frame pointer's target to the CFA; 0 if unknown on this machine. */
#ifdef __x86_64__
#define FRAME_TO_CFA 16
#else
#define FRAME_TO_CFA 0
#endif
#define CALLER ((uintptr_t)__builtin_return_address(0))

/* All original functions and hooks are called with as many parameters as call_for() has, so that clang can turn the
 * calls into jumps. On the supported machine all parameters are in registers, and a function with fewer parameters
 * ignores the others. */
typedef cl_object original(cl_object, cl_object, cl_object, cl_object, cl_object);

static original hook_copy_seq, hook_applicable, hook_effective, hook_effective_function;

enum { COPY_SEQ, APPLICABLE, EFFECTIVE, EFFECTIVE_FUNCTION, IMPORTS, RETURN_ADDRESS = IMPORTS, FUNCTIONS };

#define IMPORT(function, hook) { .name = function, .ours = (void *)(uintptr_t)hook }
static struct mp_import imports[IMPORTS] = {
    [COPY_SEQ] = IMPORT("cl_copy_seq", hook_copy_seq),
    [APPLICABLE] = IMPORT("clos_std_compute_applicable_methods", hook_applicable),
    [EFFECTIVE] = IMPORT("clos_std_compute_effective_method", hook_effective),
    [EFFECTIVE_FUNCTION] = IMPORT("clos_compute_effective_method_function",
                                  hook_effective_function),
};

static original *next[FUNCTIONS];

/* The function that searches for a generic function's methods. */
static struct mp_range dispatch;
static bool is_open;

void
mp_lisp_dispatch_set(bool on)
{
    if (is_open)
        mp_imports_set(imports, IMPORTS, on);
}

/* ------------------------------------------------------------------ our frame with the generic function */

/* Keeps the compiler from copying or inlining a function with this attribute, so that the one call in it has only one
 * return address. */
#if defined __has_attribute && __has_attribute(noipa)
#define ONE_COPY __attribute__((noipa))
#else
#define ONE_COPY MP_NOINLINE
#endif

/* Bytes from the word with the generic function to the CFA, the same in all frames. */
static uintptr_t distance;

static uintptr_t
generic_word(uintptr_t sp, uintptr_t cfa)
{
    return distance <= cfa - sp ? cfa - distance : 0;
}

#define NUMBER(function) ((cl_object)(uintptr_t)(function))

/* Calls next[NUMBER] with A, B and C on behalf of GENERIC. */
static ONE_COPY cl_object
call_for(cl_object a, cl_object b, cl_object c, cl_object generic, cl_object number)
{
    cl_object volatile word = generic;
    cl_object result;

    if (!distance)
        distance = (uintptr_t)__builtin_frame_address(0) + FRAME_TO_CFA - (uintptr_t)&word;
    result = next[(uintptr_t)number](a, b, c, NULL, NULL);
    word = ECL_NIL;             /* prevents a tail call */
    return result;
}

/* Returns the address in call_for() from which it was called. */
static MP_NOINLINE cl_object
return_address(cl_object a, cl_object b, cl_object c, cl_object d, cl_object e)
{
    (void)a, (void)b, (void)c, (void)d, (void)e;
    return (cl_object)CALLER;
}

/* ------------------------------------------------------------------ hooks */

/* The dispatcher copies a vector that contains the generic function and the arguments' classes. */
static WITH_JUMPS cl_object
hook_copy_seq(cl_object vector, cl_object b, cl_object c, cl_object d, cl_object e)
{
    if (mp_within(&dispatch, CALLER) && mp_ecl.symbols_known && mp_lisp_is(vector, t_vector) &&
        vector->vector.fillp > 0)
        JUMP call_for(vector, b, c, vector->vector.self.t[0], NUMBER(COPY_SEQ));
    JUMP next[COPY_SEQ](vector, b, c, d, e);
}

static WITH_JUMPS cl_object
hook_applicable(cl_object generic, cl_object arguments, cl_object c, cl_object d, cl_object e)
{
    if (mp_within(&dispatch, CALLER))
        JUMP call_for(generic, arguments, c, generic, NUMBER(APPLICABLE));
    JUMP next[APPLICABLE](generic, arguments, c, d, e);
}

static WITH_JUMPS cl_object
hook_effective(cl_object generic, cl_object combination, cl_object methods, cl_object d, cl_object e)
{
    if (mp_within(&dispatch, CALLER))
        JUMP call_for(generic, combination, methods, generic, NUMBER(EFFECTIVE));
    JUMP next[EFFECTIVE](generic, combination, methods, d, e);
}

static WITH_JUMPS cl_object
hook_effective_function(cl_object generic, cl_object combination, cl_object methods, cl_object d, cl_object e)
{
    if (mp_within(&dispatch, CALLER))
        JUMP call_for(generic, combination, methods, generic, NUMBER(EFFECTIVE_FUNCTION));
    JUMP next[EFFECTIVE_FUNCTION](generic, combination, methods, d, e);
}

void
mp_lisp_dispatch_open(struct mp_interpreter *code)
{
    dispatch = mp_ecl_function("_ecl_standard_dispatch");
    if (!FRAME_TO_CFA || !dispatch.size)
        return;
    mp_ecl_imports(imports, IMPORTS);
    for (int i = 0; i < IMPORTS; i++)
        __builtin_memcpy(&next[i], &imports[i].theirs, sizeof next[i]);
    next[RETURN_ADDRESS] = return_address;
    code->start = (uintptr_t)call_for(NULL, NULL, NULL, ECL_NIL, NUMBER(RETURN_ADDRESS)) - 1;
    code->size = 2;             /* the call's last byte and its return address */
    code->function_word = generic_word;
    is_open = true;
}
