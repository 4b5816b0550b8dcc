/*
 * print.h -- Lisp objects as text, without allocating: names as ECL's printer would write them with
 * CL-USER as the current package.
 */
#ifndef MP_LISP_PRINT_H
#define MP_LISP_PRINT_H

#include "ecl.h"
#include <stdbool.h>
#include <stddef.h>

struct mp_text {
    char *at, *end;             /* where to go on; where the room ends, with the NUL */
};

/* Text that goes to ROOM of SIZE bytes. */
struct mp_text mp_text_begin(char *room, size_t size);

/* Append; what does not fit is left out.  The text is NUL-terminated at all times. */
void mp_text_put(struct mp_text *text, const char *string);

/* Append OBJECT: symbols, strings, numbers, lists of these; others as #<type>. */
void mp_text_print(struct mp_text *text, cl_object object);

/* Append the characters of a string, a symbol or a pathname's parts, without quotes. */
void mp_text_princ(struct mp_text *text, cl_object object);

/* Does the package whose name is the first N characters of PACKAGE export SYMBOL? */
bool mp_lisp_exports(const char *package, size_t n, const char *symbol);

#endif
