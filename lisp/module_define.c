/* SPDX-License-Identifier: MIT */
#include "lisp_module.h"

#define TLS __attribute__((tls_model("initial-exec")))         /* other models allocate */

static __thread TLS bool within;        /* in an enclosed function */
static __thread TLS int64_t saved;      /* value for resume(), or -1 if the monitor was not known */
static cl_object bodies, caller;        /* values of Lisp's variables *BODIES* and CALL-BODY, which keep them alive */

static cl_object
string_of(const char *text)
{
    return si_string_to_object(1, mp_module_string(text));
}

void
mp_module_define(const struct mp_module_function functions[], size_t n, const char *const forms[],
                 const struct mp_module_enclosed enclosed[])
{
    size_t count = 0;

    cl_eval(string_of(*forms));         /* the first form defines the package */
    for (size_t i = 0; i < n; i++)
        ecl_def_c_function(string_of(functions[i].name), functions[i].function, functions[i].arguments);
    while (*++forms)
        cl_eval(string_of(*forms));
    while (enclosed[count].name)
        count++;
    caller = string_of("MPROF::CALL-BODY");
    bodies = cl_funcall(2, string_of("MPROF::MAKE-BODIES"), ecl_make_fixnum((intptr_t)count));
    for (size_t i = 0; i < count; i++) {
        const cl_object symbol = string_of(enclosed[i].name);

        ecl_aset1(bodies, i, cl_fdefinition(symbol));
        ecl_def_c_function_va(symbol, enclosed[i].function, 0);
    }
}

bool
mp_module_paused(void)
{
    return within && saved >= 0;
}

bool
mp_module_enter(void)
{
    if (within)
        return false;
    within = true;
    saved = mp_module_monitor ? (int64_t)mp_module_monitor->pause() : -1;
    return true;
}

void
mp_module_leave(void)
{
    within = false;
    if (saved >= 0)
        mp_module_monitor->resume((uint32_t)saved);
}

void
mp_module_connected(void)
{
    if (within && saved < 0)
        saved = mp_module_monitor->pause();
}

/* The list is allocated while the recording is paused. CALL-BODY calls mp_module_leave() however the function is
 * left. */
cl_object
mp_module_enclosed(size_t index, intptr_t n, va_list arguments)
{
    const bool entered = mp_module_enter();
    cl_object list[MP_MODULE_ARGUMENTS], all = ECL_NIL;

    for (intptr_t i = 0; i < n && i < MP_MODULE_ARGUMENTS; i++)
        list[i] = va_arg(arguments, cl_object);
    for (intptr_t i = n < MP_MODULE_ARGUMENTS ? n : MP_MODULE_ARGUMENTS; i-- > 0;)
        all = ecl_cons(list[i], all);
    return entered ? cl_funcall(3, caller, ecl_aref1(bodies, index), all)
                   : cl_apply(2, ecl_aref1(bodies, index), all);
}
