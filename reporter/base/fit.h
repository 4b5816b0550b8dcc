/* SPDX-License-Identifier: MIT */
/*
 * fit.h -- measures texts in columns of a terminal, and cuts them to fit.
 *
 * Texts are UTF-8, whatever the locale. No character is ever cut.
 */
#ifndef MP_FIT_H
#define MP_FIT_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "arena.h"

/* Calls that measure texts must be between mp_fit_begin() and mp_fit_end(), in the same thread. These switch the
 * thread's locale. */
struct mp_fit {
    locale_t utf8, before;
};
struct mp_fit mp_fit_begin(void);
void mp_fit_end(const struct mp_fit *fit);

/* Returns the number of bytes of the character at TEXT, which is not its end. Sets *WIDTH to its columns. */
size_t mp_fit_measure(const char *text, unsigned *width);

/* Returns the number of columns of the LENGTH bytes of TEXT. */
unsigned mp_fit_width(const char *text, size_t length);

/* Prints the LENGTH bytes of TEXT in at most MOST columns. If they are wider and ELLIPSIS is not NULL, ELLIPSIS
 * replaces the middle. MP_GLUE is printed as a blank. */
void mp_fit_print(const char *text, size_t length, unsigned most, const char *ellipsis, FILE *out);

/* Does what mp_fit_print() does, but ELLIPSIS replaces the end of TEXT. */
void mp_fit_print_head(const char *text, size_t length, unsigned most, const char *ellipsis, FILE *out);

/* A blank at which a text must not be wrapped. */
#define MP_GLUE '\1'

/* Returns WORDS joined by SEPARATOR, in ARENA. There are N words, or fewer if NULL ends them. Blanks in words are
 * replaced by BLANK: with MP_GLUE, the text can be wrapped only between words. */
const char *mp_fit_join(const char *const *words, size_t n, const char *separator, char blank, struct mp_arena *arena);

#endif
