/*
 * Compiled with frame pointers: that is how far from the CFA the word is.
 */
#include "dispatch.h"

#include <dlfcn.h>

#include "ecl.h"
#include "runtime/compiler.h"
#include "runtime/system/imports.h"

/* From what the frame pointer points to, to the CFA, bytes; 0: not known here. */
#ifdef __x86_64__
#define FRAME_TO_CFA 16
#else
#define FRAME_TO_CFA 0
#endif
#define CALLER ((uintptr_t)__builtin_return_address(0))

/* All of them, and ours, are called with three arguments, which is as good as fewer here (FRAME_TO_CFA). */
typedef cl_object original(cl_object, cl_object, cl_object);

static original hook_copy_seq, hook_applicable, hook_effective, hook_effective_function;

enum { COPY_SEQ, APPLICABLE, EFFECTIVE, EFFECTIVE_FUNCTION, IMPORTS };

#define IMPORT(function, hook) { .name = function, .ours = (void *)(uintptr_t)hook }
static struct mp_import imports[IMPORTS] = {
    [COPY_SEQ] = IMPORT("cl_copy_seq", hook_copy_seq),
    [APPLICABLE] = IMPORT("clos_std_compute_applicable_methods", hook_applicable),
    [EFFECTIVE] = IMPORT("clos_std_compute_effective_method", hook_effective),
    [EFFECTIVE_FUNCTION] = IMPORT("clos_compute_effective_method_function",
                                  hook_effective_function),
};

static original *next[IMPORTS];

/* Calls of the function that looks for the method of a generic function. */
static struct mp_range dispatch;
static bool is_open;

void
mp_lisp_dispatch_set(bool on)
{
    if (is_open)
        mp_imports_set(imports, IMPORTS, on);
}

/* ------------------------------------------------------------------ our frame */

/* One function with one call in it: its frames are known by their return address. */
#if defined __has_attribute && __has_attribute(noipa)
#define ONE_COPY __attribute__((noipa))
#else
#define ONE_COPY MP_NOINLINE
#endif

/* From the word that holds the generic function to the CFA, bytes: the same in all frames. */
static uintptr_t distance;

static uintptr_t
generic_word(uintptr_t sp, uintptr_t cfa)
{
    return distance <= cfa - sp ? cfa - distance : 0;
}

/* Call FUNCTION with A, B, C for GENERIC. */
static ONE_COPY cl_object
call_for(cl_object generic, original *function, cl_object a, cl_object b, cl_object c)
{
    cl_object volatile word = generic;
    cl_object result;

    if (!distance)
        distance = (uintptr_t)__builtin_frame_address(0) + FRAME_TO_CFA - (uintptr_t)&word;
    result = function(a, b, c);
    word = ECL_NIL;             /* so that the call is no jump */
    return result;
}

/* Called by call_for(): where that goes on. */
static MP_NOINLINE cl_object
return_address(cl_object a, cl_object b, cl_object c)
{
    (void)a, (void)b, (void)c;
    return (cl_object)CALLER;
}

/* ------------------------------------------------------------------ hooks */

/* The dispatch keeps the classes of the arguments for later, after the generic function. */
static WITH_JUMPS cl_object
hook_copy_seq(cl_object vector, cl_object b, cl_object c)
{
    if (mp_within(&dispatch, CALLER) && mp_lisp_is(vector, t_vector) && vector->vector.fillp > 0)
        return call_for(vector->vector.self.t[0], next[COPY_SEQ], vector, b, c);
    JUMP next[COPY_SEQ](vector, b, c);
}

static WITH_JUMPS cl_object
hook_applicable(cl_object generic, cl_object arguments, cl_object c)
{
    if (mp_within(&dispatch, CALLER))
        return call_for(generic, next[APPLICABLE], generic, arguments, c);
    JUMP next[APPLICABLE](generic, arguments, c);
}

static WITH_JUMPS cl_object
hook_effective(cl_object generic, cl_object combination, cl_object methods)
{
    if (mp_within(&dispatch, CALLER))
        return call_for(generic, next[EFFECTIVE], generic, combination, methods);
    JUMP next[EFFECTIVE](generic, combination, methods);
}

static WITH_JUMPS cl_object
hook_effective_function(cl_object generic, cl_object combination, cl_object methods)
{
    if (mp_within(&dispatch, CALLER))
        return call_for(generic, next[EFFECTIVE_FUNCTION], generic, combination, methods);
    JUMP next[EFFECTIVE_FUNCTION](generic, combination, methods);
}

void
mp_lisp_dispatch_open(struct mp_interpreter *code)
{
    void *handle = dlopen(mp_ecl.libecl->l_name, RTLD_LAZY | RTLD_NOLOAD);

    dispatch = mp_ecl_function("_ecl_standard_dispatch");
    if (!FRAME_TO_CFA || !handle || !dispatch.size)
        return;
    mp_imports_find(mp_ecl.libecl, handle, imports, IMPORTS);
    for (int i = 0; i < IMPORTS; i++)
        __builtin_memcpy(&next[i], &imports[i].theirs, sizeof next[i]);
    code->start = (uintptr_t)call_for(ECL_NIL, return_address, NULL, NULL, NULL) - 1;
    code->size = 2;             /* the call's last byte, and where it returns to */
    code->function_word = generic_word;
    is_open = true;
}
