/*
 * names.h -- from ECL's function objects to the names of code addresses.
 *
 * A compiled function is known by the address where its code starts.  Names come from the function
 * objects as they are made; from the symbol table of a .fas, for local functions, which have no
 * object with a name; and from method objects (methods.h).  Interpreted functions are known by their
 * bytecodes.
 */
#ifndef MP_LISP_NAMES_H
#define MP_LISP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ecl.h"
#include "runtime/language/language.h"

#define MP_LISP_NAME_SIZE 512   /* bytes of a name, at most */

/* FUNCTION, a compiled function, has just been made, or is there. */
void mp_lisp_name_function(cl_object function);

/* The name of FUNCTION, bytecodes or a generic one; for the monitor (struct mp_language). */
void mp_lisp_describe(uintptr_t function, struct mp_function_name *name, char *room, size_t size);

/* FUNCTION, a closure or a function without a name, was made in CONTEXT.  False: it may yet become
 * the global function of a symbol, and nothing else is told unless this is the LAST time. */
bool mp_lisp_name_closure(cl_object function, uint32_t context, bool last);

/* A better name for a function than PRESENT (struct mp_language). */
bool mp_lisp_resolve(const char *present, char *room, size_t size);

/* The file PATH was loaded, with BIAS: take the local functions from its symbol table. */
void mp_lisp_name_file(const char *path, uintptr_t bias);

/* The same for all files that were loaded before the bridge was opened. */
void mp_lisp_name_files(void);

/* The names of libecl's own dispatch functions, and which of its functions are twins. */
void mp_lisp_name_runtime(void);

#endif
