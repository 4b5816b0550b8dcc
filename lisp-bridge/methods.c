#include "methods.h"

#include <stdint.h>

#include "alive.h"
#include "ecl.h"
#include "names.h"
#include "places.h"
#include "print.h"
#include "runtime/format.h"
#include "runtime/language/name.h"
#include "runtime/system/gate.h"

/* Slots of STANDARD-METHOD in ECL's clos/hierarchy.lsp. */
enum { GENERIC_FUNCTION, LAMBDA_LIST, SPECIALIZERS, QUALIFIERS, FUNCTION, SLOTS };

#define MAX_PENDING 4096u

/* Methods that are not complete.  Guarded by the gate's lock; every collection takes out the dead. */
static cl_object pending[MAX_PENDING];
static uint32_t n_pending;

/* ------------------------------------------------------------------ one method */

/* What identifies the code of a method: where it starts; of an INTERPRETED function its bytecodes.
 * CLOS puts the function into a closure, over a list that begins with it.  Closures of libecl that
 * hold no function are accessors: one code for many methods; for them 0. */
static uintptr_t
code_of(cl_object method, bool *interpreted)
{
    cl_object function = method->instance.slots[FUNCTION], inner = function;
    uintptr_t code;

    if (mp_lisp_is(function, t_cclosure)) {
        inner = function->cclosure.env;
        if (mp_lisp_is(inner, t_vector) && inner->vector.fillp)
            inner = inner->vector.self.t[0];
        while (ECL_CONSP(inner))
            inner = ECL_CONS_CAR(inner);
    }
    if (mp_lisp_is(inner, t_bclosure))
        inner = inner->bclosure.code;
    *interpreted = mp_lisp_is(inner, t_bytecodes);
    if (*interpreted)
        return (uintptr_t)inner;
    code = mp_lisp_entry(inner);
    if (!code && !mp_within(&mp_ecl.libecl_code, mp_lisp_entry(function)))
        code = mp_lisp_entry(function);
    return code;
}

static bool
is_complete(cl_object method)
{
    return mp_lisp_is(method, t_instance) && method->instance.length >= SLOTS &&
           method->instance.slots &&
           mp_lisp_is(method->instance.slots[GENERIC_FUNCTION], t_instance) &&
           method->instance.slots[GENERIC_FUNCTION]->instance.slots;
}

static void
describe(cl_object method, char *room, size_t size)
{
    struct mp_text text = mp_text_begin(room, size);
    cl_object *slots = method->instance.slots, list;

    mp_text_put(&text, "(METHOD ");
    mp_text_print(&text, slots[GENERIC_FUNCTION]->instance.slots[0]);
    for (list = slots[QUALIFIERS]; list && ECL_CONSP(list); list = ECL_CONS_CDR(list)) {
        mp_text_put(&text, " ");
        mp_text_print(&text, ECL_CONS_CAR(list));
    }
    mp_text_put(&text, " ");
    if (slots[SPECIALIZERS] == ECL_NIL)
        mp_text_put(&text, "()");
    else
        mp_text_print(&text, slots[SPECIALIZERS]);
    mp_text_put(&text, ")");
}

/* False: METHOD is not complete.  Lock held. */
static bool
tell(cl_object method)
{
    char room[MP_LISP_NAME_SIZE];
    struct mp_function_name name = { room, NULL, -1, 0, 0 };
    bool interpreted;
    uintptr_t code;

    if (!is_complete(method))
        return false;
    code = code_of(method, &interpreted);
    name.flags |= interpreted ? MP_NAME_OBJECT : 0;
    name.flags |= mp_within(&mp_ecl.libecl_code, code) ? MP_LIVE_NAME_BUILTIN : 0;
    describe(method, room, sizeof room);
    if (code)
        mp_name_tell_held(code, &name);
    return true;
}

/* ------------------------------------------------------------------ those that are not complete */

/* The oldest gives way: most likely it is never completed. */
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

    if (mp_gate_lock(&hold) && !tell(method))
        remember(method);
    mp_gate_unlock(&hold);
}

void
mp_lisp_settle_methods(void)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n_pending; i++)
        if (!mp_lisp_is_alive(pending[i]) || !tell(pending[i]))
            pending[kept++] = pending[i];
    n_pending = kept;
}

void
mp_lisp_forget_methods(bool (*alive)(const void *object))
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n_pending; i++)
        if (alive(pending[i]))
            pending[kept++] = pending[i];
    n_pending = kept;
}
