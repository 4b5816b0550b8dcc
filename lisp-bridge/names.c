/* SPDX-License-Identifier: MIT */
#include "names.h"

#include <stdio.h>
#include <string.h>

#include "ecl.h"
#include "fas_file.h"
#include "functions.h"
#include "layout.h"
#include "print_object.h"
#include "runtime/format.h"
#include "runtime/heap/heap_record.h"
#include "runtime/language/name.h"
#include "runtime/system/sandbox.h"

#define NAME_SIZE MP_LISP_NAME_SIZE

static void
put_file(struct mp_function_name *name, char *room, size_t size, cl_object file, cl_object position)
{
    struct mp_text text = mp_text_begin(room, size);

    name->position = -1;
    if (file && file != ECL_NIL) {
        mp_text_path(&text, file);
        name->file = room;
    }
    if (position && ECL_FIXNUMP(position))
        name->position = ecl_fixnum(position);
}

/* ------------------------------------------------------------------ compiled functions */

/* Functions that create closures which only pass calls on to methods and effective methods. */
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

/* Returns the flags of the function called NAME. Functions of package MPROF get the flag of functions that only pass
 * calls on, because they run between a recorded form and the functions that it calls. */
static uint32_t
flags_of(const char *name)
{
    return strncmp(name, "MPROF:", 6) == 0 ? MP_LIVE_NAME_DISPATCH : 0;
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
    name.flags |= flags_of(room);
    note_wrapper_maker(start, room);
    mp_name_tell(start, &name);
}

/* Names a function that was created without a name and then assigned to a symbol, as by DEFUN in a LET. Returns false
 * if there is no such symbol. */
static bool
tell_global(cl_object function)
{
    char room[NAME_SIZE], file_room[NAME_SIZE];
    struct mp_text text = mp_text_begin(room, sizeof room);
    struct mp_function_name name = { room, NULL, -1, 0, 0 };
    uintptr_t start = mp_lisp_entry(function);

    if (!mp_text_global_name(&text, function))
        return false;
    put_file(&name, file_room, sizeof file_room, mp_lisp_source_file(function), ECL_NIL);
    if (mp_within(&mp_ecl.libecl_code, start))
        name.flags |= MP_LIVE_NAME_BUILTIN;
    mp_name_tell(start, &name);
    return true;
}

void
mp_lisp_name_function(cl_object function)
{
    uintptr_t start;
    bool fixed;

    if (!mp_layout_has_symbols() || !mp_lisp_is_compiled(function))
        return;
    start = mp_lisp_entry(function);
    fixed = mp_lisp_is(function, t_cfunfixed);
    if (!mp_lisp_has_name(function)) {
        if (!mp_name_settled(start))
            tell_global(function);
    } else if (start) {
        tell(start, function->cfun.name, fixed ? function->cfunfixed.file : function->cfun.file,
             fixed ? function->cfunfixed.file_position : function->cfun.file_position);
    }
}

/* ------------------------------------------------------------------ interpreted functions */

/* Sets the name of bytecodes. Nameless bytecodes are identified by their file and position. */
static void
name_bytecodes(cl_object function, struct mp_function_name *name, char *room, size_t size)
{
    struct mp_text text = mp_text_begin(room, size);
    const char *method;

    name->name = room;
    mp_text_print(&text, function->bytecodes.name);
    if (strcmp(room, "SI:BYTECODES") == 0) {
        text = mp_text_begin(room, size);
        mp_text_put(&text, "top-level form");
        name->flags |= MP_LIVE_NAME_BUILTIN;
    } else if ((method = mp_name_told_held((uintptr_t)function))) {
        text = mp_text_begin(room, size);
        mp_text_put(&text, method);
    } else if (function->bytecodes.name == ECL_NIL) {
        text = mp_text_begin(room, size);
        mp_text_lambda(&text, function);
    }
    name->flags |= flags_of(room);
}

/* Names the frame in which methods of the generic FUNCTION are searched; see dispatch.c. */
static void
name_dispatch(cl_object function, struct mp_function_name *name, char *room, size_t size)
{
    struct mp_text text = mp_text_begin(room, size);

    name->name = room;
    name->flags |= MP_LIVE_NAME_BUILTIN | MP_LIVE_NAME_DISPATCH;
    mp_text_put(&text, "dispatch of ");
    if (function->instance.slots && function->instance.length > MP_GENERIC_NAME)
        mp_text_print(&text, function->instance.slots[MP_GENERIC_NAME]);
}

/* Returns whether O is an object of TYPE in libgc's heap. The stack may contain any word in the place of the function
 * until the interpreter has stored it, for example while it signals that the stack is exhausted. */
static bool
is_function(cl_object o, cl_type type)
{
    return !ECL_IMMEDIATE(o) && o && mp_ecl.gc_base(o) == o && o->d.t == (int)type;
}

void
mp_lisp_describe(uintptr_t function, struct mp_function_name *name, char *room, size_t size)
{
    cl_object o = (cl_object)function;

    if (mp_ecl.symbols_known && is_function(o, t_bclosure))
        o = o->bclosure.code;
    if (mp_ecl.symbols_known && is_function(o, t_instance)) {
        name_dispatch(o, name, room, size);
        return;
    }
    if (!mp_ecl.symbols_known || !is_function(o, t_bytecodes)) {
        name->name = "interpreted function";
        return;
    }
    if (mp_ecl.at.bytecodes_file)
        put_file(name, room + size / 2, size - size / 2, MP_MEMBER(o, bytecodes_file),
                 MP_MEMBER(o, bytecodes_file_position));
    name_bytecodes(o, name, room, size / 2);
}

/* ------------------------------------------------------------------ closures */

/* Returns whether the function at START creates closures only on behalf of its caller: libecl's functions that create
 * all function objects, MAKERS, and unnamed static functions of libecl. */
static bool
passes_on(uintptr_t start, const uintptr_t makers[3])
{
    return start == makers[0] || start == makers[1] || start == makers[2] ||
           (mp_within(&mp_ecl.libecl_code, start) && !mp_name_known(start));
}

/* Adds the source file to a local function. Its name comes from the compiled file. */
static void
tell_place(cl_object function, uintptr_t start)
{
    char room[NAME_SIZE];
    struct mp_function_name name = { "", NULL, -1, 0, 0 };

    put_file(&name, room, sizeof room, mp_lisp_source_file(function), ECL_NIL);
    mp_name_place(start, name.file);
}

/* Names a closure "LAMBDA in CREATOR", if there is no better name. */
static void
tell_creator(uintptr_t start, uint32_t context)
{
    static uintptr_t makers[3];
    struct mp_function_name name = { "LAMBDA", NULL, -1, MP_NAME_WEAK, 0 };
    uintptr_t ip;

    if (!makers[0]) {
        makers[1] = mp_ecl_function("ecl_make_cfun").start;
        makers[2] = mp_ecl_function("ecl_make_cfun_va").start;
        makers[0] = mp_ecl_function("ecl_make_cclosure_va").start;
    }
    do {
        context = mp_heap_outer(context, &ip);
        name.outer = mp_heap_function(ip);
    } while (context && passes_on(name.outer, makers));
    if (mp_within(&mp_ecl.libecl_code, start)) {
        if (!mp_name_known(name.outer))
            return;                     /* treat it as a part of its caller */
        name.flags |= MP_LIVE_NAME_BUILTIN;
    }
    if (makes_wrappers(name.outer))
        name.flags |= MP_LIVE_NAME_DISPATCH;
    mp_name_tell(start, &name);
}

bool
mp_lisp_name_closure(cl_object function, uint32_t context, bool last)
{
    uintptr_t start = mp_lisp_entry(function);

    if (!mp_layout_has_symbols())
        return last;
    if (!start || mp_name_settled(start) || tell_global(function))
        return true;
    if (!last)
        return false;
    if (!mp_name_known(start))
        tell_creator(start, context);
    tell_place(function, start);
    return true;
}

/* ------------------------------------------------------------------ functions that were exported later */

/* Handles names PACKAGE::SYMBOL whose symbol was exported after the function had been created. A file that defines a
 * package creates its functions before the symbols are exported. */
bool
mp_lisp_resolve(const char *present, char *room, size_t size)
{
    const char *colons = strstr(present, "::");
    size_t n = strlen(present);

    if (!mp_ecl.symbols_known || !colons || present[0] == '(' || n >= size || strpbrk(present, "| ") ||
        !mp_lisp_exports(present, (size_t)(colons - present), colons + 2))
        return false;
    memcpy(room, present, (size_t)(colons - present) + 1);
    strcpy(room + (colons - present) + 1, colons + 2);
    return true;
}

/* ------------------------------------------------------------------ functions of the runtime */

void
mp_lisp_name_runtime(void)
{
    static const char *const dispatch[] = {
        "_ecl_standard_dispatch", "_ecl_bytecodes_dispatch_vararg", "_ecl_bclosure_dispatch_vararg",
        "ecl_slot_reader_dispatch",
        "ecl_slot_writer_dispatch", "ecl_apply_from_stack_frame"
    };
    struct mp_fas libecl;

    for (size_t i = 0; i < sizeof dispatch / sizeof *dispatch; i++) {
        struct mp_function_name name = { dispatch[i], NULL, -1,
                                         MP_LIVE_NAME_BUILTIN | MP_LIVE_NAME_DISPATCH, 0 };
        struct mp_range range = mp_ecl_function(dispatch[i]);

        if (range.start) {
            note_wrapper_maker(range.start, dispatch[i]);
            mp_name_tell(range.start, &name);
        }
    }
    if (!mp_sandbox_enter())
        return;
    if (mp_fas_open(&libecl, mp_ecl.path, mp_ecl.libecl->l_addr)) {
        mp_lisp_find_jumps(&libecl);
        mp_fas_close(&libecl);
    }
    mp_sandbox_leave();
}
