/* SPDX-License-Identifier: MIT */
/*
 * print_object.h -- prints Lisp objects without allocating, as ECL's printer would with CL-USER as the current package.
 */
#ifndef MP_LISP_PRINT_H
#define MP_LISP_PRINT_H

#include "ecl.h"
#include <stdbool.h>
#include <stddef.h>

struct mp_text {
    char *at, *end;             /* current position; end of the buffer, including space for the NUL */
};

/* Starts a text in ROOM, a buffer of SIZE bytes. */
struct mp_text mp_text_begin(char *room, size_t size);

/* Appends STRING. What does not fit is left out. The text is always terminated by a NUL. */
void mp_text_put(struct mp_text *text, const char *string);

/* Appends OBJECT. Symbols, strings, fixnums, characters and lists are in the reader's syntax. Classes and EQL
 * specializers are printed by name if OBJECT is one of them or a list of them. All other objects are printed as
 * #<object>. OBJECT may contain itself. */
void mp_text_print(struct mp_text *text, cl_object object);

/* Appends the characters of a string, a symbol or a pathname, without quotes. */
void mp_text_princ(struct mp_text *text, cl_object object);

/* Returns whether the package named by the first N characters of PACKAGE exports SYMBOL. */
bool mp_lisp_exports(const char *package, size_t n, const char *symbol);

#endif
