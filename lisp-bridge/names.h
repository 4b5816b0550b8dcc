/*
 * names.h -- from ECL's function objects to the names of code addresses.
 *
 * A compiled function is known by the address where its code starts.  Names come from the function
 * objects as they are made; from the symbol table of a .fas, for local functions, which have no
 * object with a name; and from method objects.  Interpreted functions are known by their bytecodes.
 */
#ifndef MP_LISP_NAMES_H
#define MP_LISP_NAMES_H

#include "ecl.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/monitor.h"

/* FUNCTION, a compiled function, has just been made, or is there. */
void mp_lisp_name_function(cl_object function);

/* The name of FUNCTION, bytecodes; for the monitor (struct mp_language). */
void mp_lisp_describe(uintptr_t function, struct mp_function_name *name, char *room, size_t size);

/* METHOD, an instance of a method class, is there. */
void mp_lisp_name_method(cl_object method);

/* The file PATH was loaded, with BIAS: take the local functions from its symbol table. */
void mp_lisp_name_file(const char *path, uintptr_t bias);

/* The names of libecl's own dispatch functions. */
void mp_lisp_name_runtime(void);

/* The last component of ECL's C name "LC2foo_bar": "FOO-BAR"; false: NAME is no local function's. */
bool mp_lisp_local_name(const char *name, char *room, size_t size);

#endif
