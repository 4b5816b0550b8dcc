/* SPDX-License-Identifier: MIT */
/*
 * functions.h -- properties of functions: entry address, names, source file, and parameters.
 */
#ifndef MP_LISP_FUNCTIONS_H
#define MP_LISP_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "ecl.h"
#include "print_object.h"

/* Appends the full name of FILE, a pathname or a string. */
void mp_text_path(struct mp_text *text, cl_object file);

/* Appends "(LAMBDA (X &KEY Y))", the definition of FUNCTION, which is bytecodes without a name. Appends "LAMBDA" if
 * the definition was not kept. */
void mp_text_lambda(struct mp_text *text, cl_object function);

/* Returns whether FUNCTION is a compiled function of any kind. */
bool mp_lisp_is_compiled(cl_object function);

/* Returns the address of FUNCTION's code, or 0. FUNCTION may be any kind of compiled function. */
uintptr_t mp_lisp_entry(cl_object function);

/* Returns whether FUNCTION is a compiled function with its own name. A closure has no name of its own. */
bool mp_lisp_has_name(cl_object function);

/* Returns the source file of FUNCTION, any kind of compiled function, or NIL if unknown. */
cl_object mp_lisp_source_file(cl_object function);

/* Appends the name under which FUNCTION, any kind of compiled function without its own name, was defined globally, as
 * by DEFUN in a LET. Searches the constants of its compiled file. Returns false if there is no such name. */
bool mp_text_global_name(struct mp_text *text, cl_object function);

#endif
