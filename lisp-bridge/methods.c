/* SPDX-License-Identifier: MIT */
/*
 * methods.c -- names methods by their method objects: "(METHOD AREA (CIRCLE))".
 *
 * A method's function has no name. The method object is associated with its generic function only some time after its
 * creation. Until then the method is incomplete and kept in a list. As soon as it is complete, its name is registered
 * with the monitor, under the address of the method's code, or of its bytecodes if it is interpreted.
 */
#include "names.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "alive.h"
#include "ecl.h"
#include "functions.h"
#include "layout.h"
#include "print_object.h"
#include "runtime/format.h"
#include "runtime/language/name.h"
#include "runtime/system/gate.h"

#define MAX_PENDING 4096u
#define MAX_VALUES   64u        /* maximum number of examined values in an environment, of elements of a list, of the
                                   depth of nested lists, and of a method's qualifiers */
#define MAX_CLOSURES 4u         /* maximum depth of nested closures */

/* Incomplete methods. Guarded by the gate's lock. Every collection removes dead ones. */
static MP_LARGE cl_object pending[MAX_PENDING];
static uint32_t n_pending;

/* ------------------------------------------------------------------ one method */

static bool
is_function(cl_object o)
{
    return mp_lisp_is_compiled(o) || mp_lisp_is(o, t_bytecodes) || mp_lisp_is(o, t_bclosure);
}

/* Returns the function at the end of the first elements of the nested lists LIST, or NULL. */
static cl_object
innermost(cl_object list)
{
    for (unsigned depth = 0; depth < MAX_VALUES && ECL_CONSP(list); depth++)
        list = ECL_CONS_CAR(list);
    return is_function(list) ? list : NULL;
}

/* Returns the first function in ENVIRONMENT, or NULL. The environment of a closure is a vector or nested lists of the
 * variables' values. A value may be a list that contains itself, so only the first MAX_VALUES elements are examined. */
static cl_object
function_in(cl_object environment)
{
    cl_object *values = &environment;
    cl_index n = 1;

    if (mp_lisp_is(environment, t_vector)) {
        values = environment->vector.self.t;
        n = environment->vector.fillp;
    }
    for (cl_index i = 0; i < n && i < MAX_VALUES; i++) {
        cl_object list = values[i], value;

        for (unsigned k = 0; k < MAX_VALUES && ECL_CONSP(list); k++, list = ECL_CONS_CDR(list))
            if ((value = innermost(list)) != NULL)
                return value;
        if (is_function(list))
            return list;
    }
    return NULL;
}

/* Returns whether FUNCTION is a closure over code of libecl, which many methods share. Such a closure captures another
 * function and calls it, or is an accessor, which captures no function. */
static bool
is_shared(cl_object function)
{
    return mp_lisp_is(function, t_cclosure) && mp_within(&mp_ecl.libecl_code, mp_lisp_entry(function));
}

static bool
has_name(cl_object function)
{
    return mp_lisp_has_name(function) || (mp_lisp_is(function, t_bytecodes) && function->bytecodes.name != ECL_NIL);
}

/* Returns the function with METHOD's own code, which CLOS wraps into closures whose code many methods share. Returns
 * NULL if there is no function with such code, or if the function has its own name, like a print function that
 * defstruct has wrapped. */
static cl_object
inner_function(cl_object method)
{
    cl_object function = method->instance.slots[MP_METHOD_FUNCTION];
    unsigned depth = 0;

    while (function && is_shared(function) && depth++ < MAX_CLOSURES)
        function = function_in(function->cclosure.env);
    if (function && mp_lisp_is(function, t_bclosure))
        function = function->bclosure.code;
    return function && is_function(function) && !is_shared(function) && !(depth > 1 && has_name(function))
               ? function : NULL;
}

static bool
is_complete(cl_object method)
{
    return mp_lisp_is(method, t_instance) && method->instance.length >= MP_METHOD_SLOTS &&
           method->instance.slots &&
           mp_lisp_is(method->instance.slots[MP_METHOD_GENERIC], t_instance) &&
           method->instance.slots[MP_METHOD_GENERIC]->instance.slots;
}

static void
describe(cl_object method, char *room, size_t size)
{
    struct mp_text text = mp_text_begin(room, size);
    cl_object *slots = method->instance.slots, list = slots[MP_METHOD_QUALIFIERS];

    mp_text_put(&text, "(METHOD ");
    mp_text_print(&text, slots[MP_METHOD_GENERIC]->instance.slots[MP_GENERIC_NAME]);
    for (unsigned i = 0; i < MAX_VALUES && ECL_CONSP(list); i++, list = ECL_CONS_CDR(list)) {
        mp_text_put(&text, " ");
        mp_text_print(&text, ECL_CONS_CAR(list));
    }
    mp_text_put(&text, " ");
    if (slots[MP_METHOD_SPECIALIZERS] == ECL_NIL)
        mp_text_put(&text, "()");
    else
        mp_text_print(&text, slots[MP_METHOD_SPECIALIZERS]);
    mp_text_put(&text, ")");
}

/* Registers the name of METHOD. Several methods may be closures over the same code. Their frames cannot be
 * distinguished, so the name of the first one gets the suffix " or others". Returns false if METHOD is not complete.
 * Does nothing if names cannot be read. Gate's lock held. */
static bool
tell(cl_object method)
{
    MP_LOCK_HELD();
    static const char others[] = " or others";
    char room[MP_LISP_NAME_SIZE + sizeof others];
    struct mp_function_name name = { room, NULL, -1, 0, 0 };
    cl_object function;
    const char *told;
    uintptr_t code;

    if (!mp_ecl.symbols_known)
        return true;
    if (!is_complete(method))
        return false;
    function = inner_function(method);
    if (!function)
        return true;
    code = mp_lisp_is(function, t_bytecodes) ? (uintptr_t)function : mp_lisp_entry(function);
    if (!code)
        return true;
    name.flags |= mp_lisp_is(function, t_bytecodes) ? MP_NAME_OBJECT : 0;
    name.flags |= mp_within(&mp_ecl.libecl_code, code) ? MP_LIVE_NAME_BUILTIN : 0;
    describe(method, room, MP_LISP_NAME_SIZE);
    told = mp_lisp_is(function, t_cclosure) ? mp_name_told_held(code) : NULL;
    if (told && strstr(told, others))
        return true;
    if (told && strncmp(told, "(METHOD ", 8) == 0 && strcmp(told, room) != 0)
        snprintf(room, sizeof room, "%.*s%s", MP_LISP_NAME_SIZE - 1, told, others);
    mp_name_tell_held(code, &name);
    return true;
}

/* ------------------------------------------------------------------ incomplete methods */

/* Adds METHOD to the list. If the list is full, drops the oldest, which is probably never completed. */
static void
remember(cl_object method)
{
    if (n_pending == MAX_PENDING)
        for (uint32_t i = 1; i < n_pending; i++)
            pending[i - 1] = pending[i];
    else
        n_pending++;
    pending[n_pending - 1] = method;
}

void
mp_lisp_name_method(cl_object method)
{
    struct mp_gate_hold hold;

    mp_layout_check();
    if (mp_gate_lock(&hold) && !tell(method))
        remember(method);
    mp_gate_unlock(&hold);
}

void
mp_lisp_settle_methods(void)
{
    MP_LOCK_HELD();
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n_pending; i++)
        if (!mp_lisp_is_alive(pending[i]) || !tell(pending[i]))
            pending[kept++] = pending[i];
    n_pending = kept;
}

void
mp_lisp_forget_methods(bool (*alive)(const void *object))
{
    MP_LOCK_HELD();
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n_pending; i++)
        if (alive(pending[i]))
            pending[kept++] = pending[i];
    n_pending = kept;
}
