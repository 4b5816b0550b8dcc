/*
 * places.h -- what is known of a function beside its name: where its code starts, its file, its parameters,
 * and which symbol it is the global function of.
 */
#ifndef MP_LISP_PLACES_H
#define MP_LISP_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "ecl.h"
#include "print.h"

/* Append the whole name of FILE, a pathname or a string. */
void mp_text_path(struct mp_text *text, cl_object file);

/* Append "(LAMBDA (X &KEY Y))", as FUNCTION, bytecodes without a name, was defined; "LAMBDA" if it
 * keeps no definition. */
void mp_text_lambda(struct mp_text *text, cl_object function);

/* Where the code of FUNCTION, of whatever compiled sort, starts; 0: it has none. */
uintptr_t mp_lisp_entry(cl_object function);

/* The source file of the compiled file that FUNCTION, of whatever compiled sort, came with; NIL: it is
 * not known. */
cl_object mp_lisp_source_file(cl_object function);

/* Append the name by which FUNCTION, of whatever compiled sort, was defined globally though it has
 * none of its own, as DEFUN in a LET makes it; false: it was not.  Looks at what its compiled file
 * refers to. */
bool mp_text_global_name(struct mp_text *text, cl_object function);

#endif
