#include "names.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "ecl.h"
#include "print.h"
#include "runtime/format.h"

#define NAME_SIZE 512

static bool
is_object(cl_object o, int type)
{
    return o && !ECL_IMMEDIATE(o) && o->d.t == type;
}

static void
put_file(struct mp_function_name *name, char *room, size_t size, cl_object file, cl_object position)
{
    struct mp_text text = mp_text_begin(room, size);

    name->position = -1;
    if (file && file != ECL_NIL) {
        mp_text_princ(&text, file);
        name->file = room;
    }
    if (position && ECL_FIXNUMP(position))
        name->position = ecl_fixnum(position);
}

/* ------------------------------------------------------------------ compiled functions */

/* Functions whose closures only pass calls on, to methods and effective methods. */
static const char *const wrapper_makers[] = {
    "CLOS::WRAPPED-METHOD-FUNCTION", "CLOS::EFFECTIVE-METHOD-FUNCTION",
    "CLOS::STANDARD-COMPUTE-EFFECTIVE-METHOD", "_ecl_standard_dispatch",
};
#define N_MAKERS (sizeof wrapper_makers / sizeof *wrapper_makers)
static uintptr_t wrapper_starts[N_MAKERS];

static bool
makes_wrappers(uintptr_t start)
{
    for (size_t i = 0; i < N_MAKERS; i++)
        if (start && wrapper_starts[i] == start)
            return true;
    return false;
}

static void
note_wrapper_maker(uintptr_t start, const char *name)
{
    for (size_t i = 0; i < N_MAKERS; i++)
        if (strcmp(name, wrapper_makers[i]) == 0)
            wrapper_starts[i] = start;
}

static void
tell(uintptr_t start, cl_object lisp_name, cl_object file, cl_object position)
{
    char room[NAME_SIZE], file_room[NAME_SIZE];
    struct mp_text text = mp_text_begin(room, sizeof room);
    struct mp_function_name name = { room, NULL, -1, 0, 0 };

    mp_text_print(&text, lisp_name);
    put_file(&name, file_room, sizeof file_room, file, position);
    if (mp_within(&mp_ecl.libecl_code, start))
        name.flags |= MP_LIVE_NAME_BUILTIN;
    note_wrapper_maker(start, room);
    mp_name_tell(start, &name);
}

void
mp_lisp_name_function(cl_object function)
{
    if (is_object(function, t_cfunfixed)) {
        if (function->cfunfixed.name && function->cfunfixed.name != ECL_NIL &&
            function->cfunfixed.entry_fixed)
            tell((uintptr_t)function->cfunfixed.entry_fixed, function->cfunfixed.name,
                 function->cfunfixed.file, function->cfunfixed.file_position);
    } else if (is_object(function, t_cfun)) {
        if (function->cfun.name && function->cfun.name != ECL_NIL && function->cfun.entry)
            tell((uintptr_t)function->cfun.entry, function->cfun.name, function->cfun.file,
                 function->cfun.file_position);
    }
}

/* ------------------------------------------------------------------ interpreted functions */

/* "WHAT of FILE@POSITION": of the form in the file. */
static void
describe_place(const char *what, const struct mp_function_name *name, char *room, size_t size)
{
    struct mp_text text = mp_text_begin(room, size);
    char position[32];

    mp_text_put(&text, what);
    if (!name->file)
        return;
    mp_text_put(&text, " of ");
    mp_text_put(&text, name->file);
    snprintf(position, sizeof position, "@%ld", (long)name->position);
    if (name->position >= 0)
        mp_text_put(&text, position);
}

static bool name_of_method(uintptr_t code, char *room, size_t size);

void
mp_lisp_describe(uintptr_t function, struct mp_function_name *name, char *room, size_t size)
{
    cl_object o = (cl_object)function;
    struct mp_text text = mp_text_begin(room, size / 2);

    name->name = room;
    if (is_object(o, t_bclosure))
        o = o->bclosure.code;
    if (!mp_ecl.known || !is_object(o, t_bytecodes)) {
        mp_text_put(&text, "interpreted function");
        return;
    }
    put_file(name, room + size / 2, size - size / 2, o->bytecodes.file, o->bytecodes.file_position);
    mp_text_print(&text, o->bytecodes.name);
    if (strcmp(room, "SI:BYTECODES") == 0) {
        describe_place("top-level form", name, room, size / 2);
        name->flags |= MP_LIVE_NAME_BUILTIN;
    } else if (!name_of_method((uintptr_t)o, room, size / 2) && o->bytecodes.name == ECL_NIL) {
        describe_place("LAMBDA", name, room, size / 2);
    }
}

/* ------------------------------------------------------------------ closures */

uintptr_t
mp_lisp_entry(cl_object function)
{
    if (is_object(function, t_cfunfixed))
        return (uintptr_t)function->cfunfixed.entry_fixed;
    if (is_object(function, t_cfun))
        return (uintptr_t)function->cfun.entry;
    return is_object(function, t_cclosure) ? (uintptr_t)function->cclosure.entry : 0;
}

/* Not the creator of a closure that is looked for: it makes all functions, or is one of libecl's
 * local functions, which nothing names. */
static bool
passes_on(uintptr_t start, const uintptr_t makers[3])
{
    return start == makers[0] || start == makers[1] || start == makers[2] ||
           (mp_within(&mp_ecl.libecl_code, start) && !mp_name_known(start));
}

/* "LAMBDA in CREATOR", for want of a better name. */
void
mp_lisp_name_closure(cl_object function, uint32_t context)
{
    static uintptr_t makers[3];
    struct mp_function_name name = { "LAMBDA", NULL, -1, MP_NAME_WEAK, 0 };
    uintptr_t start = mp_lisp_entry(function), ip;

    if (!makers[0]) {
        makers[1] = mp_ecl_function("ecl_make_cfun").start;
        makers[2] = mp_ecl_function("ecl_make_cfun_va").start;
        makers[0] = mp_ecl_function("ecl_make_cclosure_va").start;
    }
    if (!start || mp_name_known(start))
        return;
    do {
        context = mp_monitor_outer(context, &ip);
        name.outer = mp_monitor_function(ip);
    } while (context && passes_on(name.outer, makers));
    if (mp_within(&mp_ecl.libecl_code, start)) {
        if (!mp_name_known(name.outer))
            return;                     /* a part of the function that calls it */
        name.flags |= MP_LIVE_NAME_BUILTIN;
    }
    if (makes_wrappers(name.outer))
        name.flags |= MP_LIVE_NAME_DISPATCH;
    mp_name_tell(start, &name);
}

/* ------------------------------------------------------------------ methods */

/* Slots of STANDARD-METHOD in ECL's clos/hierarchy.lsp. */
enum { METHOD_GENERIC_FUNCTION, METHOD_LAMBDA_LIST, METHOD_SPECIALIZERS, METHOD_QUALIFIERS,
       METHOD_FUNCTION, METHOD_SLOTS };

#define MOST_METHODS 32768u

/* Methods that are there; their slots are read when a function without a name is met. */
static cl_object methods[MOST_METHODS];
static uint32_t n_methods;
static pthread_mutex_t methods_lock = PTHREAD_MUTEX_INITIALIZER;

void
mp_lisp_note_method(cl_object method)
{
    pthread_mutex_lock(&methods_lock);
    if (n_methods < MOST_METHODS)
        methods[n_methods++] = method;
    pthread_mutex_unlock(&methods_lock);
}

void
mp_lisp_forget_methods(bool (*alive)(const void *object))
{
    uint32_t kept = 0;

    pthread_mutex_lock(&methods_lock);
    for (uint32_t i = 0; i < n_methods; i++)
        if (alive(methods[i]))
            methods[kept++] = methods[i];
    n_methods = kept;
    pthread_mutex_unlock(&methods_lock);
}

/* What identifies the code of a method: where it starts; of an interpreted function its bytecodes.
 * CLOS puts the function into a closure, over a list that begins with it.  Closures of libecl that
 * hold no function are accessors: one code for many methods. */
static uintptr_t
method_code(cl_object method)
{
    cl_object function = method->instance.slots[METHOD_FUNCTION], inner = function;
    uintptr_t code;

    if (is_object(function, t_cclosure)) {
        inner = function->cclosure.env;
        if (is_object(inner, t_vector) && inner->vector.fillp)
            inner = inner->vector.self.t[0];
        while (ECL_CONSP(inner))
            inner = ECL_CONS_CAR(inner);
    }
    if (is_object(inner, t_bclosure))
        inner = inner->bclosure.code;
    if (is_object(inner, t_bytecodes))
        return (uintptr_t)inner;
    code = mp_lisp_entry(inner);
    if (!code && !mp_within(&mp_ecl.libecl_code, mp_lisp_entry(function)))
        code = mp_lisp_entry(function);
    return code;
}

static bool
is_complete(cl_object method)
{
    return is_object(method, t_instance) && method->instance.length >= METHOD_SLOTS &&
           method->instance.slots &&
           is_object(method->instance.slots[METHOD_GENERIC_FUNCTION], t_instance);
}

static bool
describe_method(cl_object method, char *room, size_t size)
{
    struct mp_text text = mp_text_begin(room, size);
    cl_object *slots = method->instance.slots, list;
    cl_object generic = slots[METHOD_GENERIC_FUNCTION];

    if (!generic->instance.slots)
        return false;
    mp_text_put(&text, "(METHOD ");
    mp_text_print(&text, generic->instance.slots[0]);
    for (list = slots[METHOD_QUALIFIERS]; list && ECL_CONSP(list); list = ECL_CONS_CDR(list)) {
        mp_text_put(&text, " ");
        mp_text_print(&text, ECL_CONS_CAR(list));
    }
    mp_text_put(&text, " ");
    if (slots[METHOD_SPECIALIZERS] == ECL_NIL)
        mp_text_put(&text, "()");
    else
        mp_text_print(&text, slots[METHOD_SPECIALIZERS]);
    mp_text_put(&text, ")");
    return true;
}

static bool
is_noted(cl_object method)
{
    bool noted = false;

    pthread_mutex_lock(&methods_lock);
    for (uint32_t i = 0; i < n_methods && !noted; i++)
        noted = methods[i] == method;
    pthread_mutex_unlock(&methods_lock);
    return noted;
}

void
mp_lisp_name_method(cl_object method)
{
    char room[NAME_SIZE];
    struct mp_function_name name = { room, NULL, -1, 0, 0 };
    uintptr_t code = is_complete(method) ? method_code(method) : 0;

    if (is_object((cl_object)code, t_bytecodes)) {      /* its name is asked for when it runs */
        if (!is_noted(method))
            mp_lisp_note_method(method);
    } else if (code && describe_method(method, room, sizeof room)) {
        mp_name_tell(code, &name);
    }
}

/* Of a method whose code is CODE. */
static bool
name_of_method(uintptr_t code, char *room, size_t size)
{
    bool found = false;

    pthread_mutex_lock(&methods_lock);
    for (uint32_t i = 0; i < n_methods && !found; i++)
        found = is_complete(methods[i]) && method_code(methods[i]) == code &&
                describe_method(methods[i], room, size);
    pthread_mutex_unlock(&methods_lock);
    return found;
}

/* PACKAGE::SYMBOL was exported since the function was made: a file that defines a package makes its
 * functions before it exports. */
static bool
resolve_exported(const char *present, char *room, size_t size)
{
    const char *colons = strstr(present, "::");
    size_t n = strlen(present);

    if (!colons || present[0] == '(' || n >= size || strpbrk(present, "| ") ||
        !mp_lisp_exports(present, (size_t)(colons - present), colons + 2))
        return false;
    memcpy(room, present, (size_t)(colons - present) + 1);
    strcpy(room + (colons - present) + 1, colons + 2);
    return true;
}

bool
mp_lisp_resolve(uintptr_t start, const char *present, char *room, size_t size)
{
    return present ? resolve_exported(present, room, size) : name_of_method(start, room, size);
}

/* ------------------------------------------------------------------ the runtime's own */

void
mp_lisp_name_runtime(void)
{
    static const char *const dispatch[] = {
        "_ecl_standard_dispatch", "_ecl_bytecodes_dispatch_vararg", "_ecl_bclosure_dispatch_vararg",
        "ecl_slot_reader_dispatch",
        "ecl_slot_writer_dispatch", "ecl_apply_from_stack_frame"
    };

    for (size_t i = 0; i < sizeof dispatch / sizeof *dispatch; i++) {
        struct mp_function_name name = { dispatch[i], NULL, -1,
                                         MP_LIVE_NAME_BUILTIN | MP_LIVE_NAME_DISPATCH, 0 };
        struct mp_range range = mp_ecl_function(dispatch[i]);

        if (range.start) {
            note_wrapper_maker(range.start, dispatch[i]);
            mp_name_tell(range.start, &name);
        }
    }
}
