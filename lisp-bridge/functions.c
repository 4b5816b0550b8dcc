/* SPDX-License-Identifier: MIT */
#include "functions.h"

#include <string.h>

#include "hash_tables.h"

#define MAX_PARAMETERS 24
#define MAX_FOLDERS    64

/* ------------------------------------------------------------------ files */

/* Prints a list like (:ABSOLUTE "home" "zorn") as a path. Relative lists are left out. */
static void
put_folders(struct mp_text *text, cl_object list)
{
    bool absolute = ECL_CONSP(list) && mp_lisp_is(ECL_CONS_CAR(list), t_symbol);
    unsigned n = 0;

    if (!absolute)
        return;
    mp_text_put(text, "/");
    for (list = ECL_CONS_CDR(list); ECL_CONSP(list) && n < MAX_FOLDERS; list = ECL_CONS_CDR(list), n++) {
        mp_text_princ(text, ECL_CONS_CAR(list));
        mp_text_put(text, "/");
    }
}

/* Removes the version from names of ECL's own files, such as "SRC:CLOS;METHOD.LSP.NEWEST". */
static void
drop_version(struct mp_text *text, const char *start)
{
    static const char version[] = ".NEWEST";
    const size_t n = sizeof version - 1;

    if ((size_t)(text->at - start) > n && strcmp(text->at - n, version) == 0) {
        text->at -= n;
        *text->at = '\0';
    }
}

void
mp_text_path(struct mp_text *text, cl_object file)
{
    const char *start = text->at;

    if (mp_lisp_is(file, t_pathname) && !file->pathname.logical)
        put_folders(text, file->pathname.directory);
    mp_text_princ(text, file);
    drop_version(text, start);
}

/* ------------------------------------------------------------------ compiled functions */

/* The functions below use these members of struct ecl_cfun for all kinds of compiled functions. */
#define SAME_PLACE(type, member) (offsetof(struct type, member) == offsetof(struct ecl_cfun, member))
_Static_assert(SAME_PLACE(ecl_cfunfixed, name) && SAME_PLACE(ecl_cfunfixed, block) &&
               SAME_PLACE(ecl_cclosure, block) && SAME_PLACE(ecl_cclosure, entry), "as in ecl_cfun");

bool
mp_lisp_is_compiled(cl_object function)
{
    return mp_lisp_is(function, t_cfun) || mp_lisp_is(function, t_cfunfixed) || mp_lisp_is(function, t_cclosure);
}

uintptr_t
mp_lisp_entry(cl_object function)
{
    if (mp_lisp_is(function, t_cfunfixed))
        return (uintptr_t)function->cfunfixed.entry_fixed;
    return mp_lisp_is_compiled(function) ? (uintptr_t)function->cfun.entry : 0;
}

bool
mp_lisp_has_name(cl_object function)
{
    return (mp_lisp_is(function, t_cfun) || mp_lisp_is(function, t_cfunfixed)) && function->cfun.name &&
           function->cfun.name != ECL_NIL;
}

static cl_object
block_of(cl_object function)
{
    cl_object block = mp_lisp_is_compiled(function) ? function->cfun.block : ECL_NIL;

    return mp_lisp_is(block, t_codeblock) ? block : ECL_NIL;
}

cl_object
mp_lisp_source_file(cl_object function)
{
    cl_object block = block_of(function);

    return block != ECL_NIL && block->cblock.source ? block->cblock.source : ECL_NIL;
}

/* ------------------------------------------------------------------ parameters */

/* Returns the variable of a parameter: X, (X default), or ((:KEY X) default). */
static cl_object
variable(cl_object parameter)
{
    if (ECL_CONSP(parameter))
        parameter = ECL_CONS_CAR(parameter);
    if (ECL_CONSP(parameter) && ECL_CONSP(ECL_CONS_CDR(parameter)))
        parameter = ECL_CONS_CAR(ECL_CONS_CDR(parameter));
    return parameter;
}

void
mp_text_lambda(struct mp_text *text, cl_object function)
{
    cl_object definition = function->bytecodes.definition, list;
    unsigned n = 0;

    if (!definition || !ECL_CONSP(definition)) {
        mp_text_put(text, "LAMBDA");
        return;
    }
    mp_text_put(text, "(LAMBDA (");
    for (list = ECL_CONS_CAR(definition); ECL_CONSP(list) && n < MAX_PARAMETERS;
         list = ECL_CONS_CDR(list), n++) {
        if (n)
            mp_text_put(text, " ");
        mp_text_print(text, variable(ECL_CONS_CAR(list)));
    }
    mp_text_put(text, ECL_CONSP(list) ? " ...))" : "))");
}

/* ------------------------------------------------------------------ global names */

static bool
is_of(cl_object function, uintptr_t entry)
{
    return function && !ECL_IMMEDIATE(function) && mp_lisp_entry(function) == entry;
}

static bool
is_setf(cl_object symbol)
{
    char room[8];
    struct mp_text text = mp_text_begin(room, sizeof room);

    mp_text_princ(&text, mp_lisp_is(symbol, t_symbol) ? MP_MEMBER(symbol, symbol_name) : ECL_NIL);
    return strcmp(room, "SETF") == 0;
}

/* Returns whether ENTRY is the code of the function (SETF SYMBOL). Such a function is stored in a hash table of
 * libecl, or in later versions in the symbol. */
static bool
is_setf_of(cl_object symbol, uintptr_t entry)
{
    cl_object pair = mp_ecl.setf_definitions ? mp_lisp_table_get(*mp_ecl.setf_definitions, symbol)
                     : mp_ecl.at.symbol_setf ? MP_MEMBER(symbol, symbol_setf) : OBJNULL;

    return pair && ECL_CONSP(pair) && is_of(ECL_CONS_CAR(pair), entry);
}

/* Returns the symbol of NAME, which is a symbol or a list (SETF SYMBOL). */
static cl_object
symbol_of(cl_object name)
{
    if (name && ECL_CONSP(name) && is_setf(ECL_CONS_CAR(name)) && ECL_CONSP(ECL_CONS_CDR(name)))
        name = ECL_CONS_CAR(ECL_CONS_CDR(name));
    return name;
}

static bool
put_name(struct mp_text *text, cl_object symbol, uintptr_t entry)
{
    if (!mp_lisp_is(symbol, t_symbol))
        return false;
    if (is_of(symbol->symbol.gfdef, entry) ||
        (mp_ecl.at.symbol_macfun && is_of(MP_MEMBER(symbol, symbol_macfun), entry))) {
        mp_text_print(text, symbol);
        return true;
    }
    if (!is_setf_of(symbol, entry))
        return false;
    mp_text_put(text, "(SETF ");
    mp_text_print(text, symbol);
    mp_text_put(text, ")");
    return true;
}

static bool
find_name(struct mp_text *text, const cl_object *data, int n, uintptr_t entry)
{
    for (int i = 0; data && i < n; i++)
        if (put_name(text, symbol_of(data[i]), entry))
            return true;
    return false;
}

bool
mp_text_global_name(struct mp_text *text, cl_object function)
{
    cl_object block = block_of(function);
    uintptr_t entry = mp_lisp_entry(function);

    return block != ECL_NIL && entry &&
           (find_name(text, block->cblock.data, block->cblock.data_size, entry) ||
            find_name(text, block->cblock.temp_data, block->cblock.temp_data_size, entry));
}
