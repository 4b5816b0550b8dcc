/*
 * fit.h -- texts in the columns of a terminal: how wide they are, and what is cut out of their middle.
 *
 * Texts are UTF-8, whatever the locale; no character is ever cut.
 */
#ifndef MP_FIT_H
#define MP_FIT_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What measures texts stands between these, in one thread. */
struct mp_fit {
    locale_t utf8, before;
};
struct mp_fit mp_fit_begin(void);
void mp_fit_end(const struct mp_fit *fit);

/* Bytes of the character at TEXT, which is not its end, and in *WIDTH its columns. */
size_t mp_fit_measure(const char *text, unsigned *width);

/* Columns of the LENGTH bytes of TEXT. */
unsigned mp_fit_width(const char *text, size_t length);

/* Print LENGTH bytes of TEXT in at most MOST columns: its beginning and its end, with ELLIPSIS between
 * them, if it is wider and ELLIPSIS is not NULL.  MP_GLUE is printed as a blank. */
void mp_fit_print(const char *text, size_t length, unsigned most, const char *ellipsis, FILE *out);

/* The same, but what is cut is the end of TEXT. */
void mp_fit_print_head(const char *text, size_t length, unsigned most, const char *ellipsis, FILE *out);

/* A blank in a text that is wrapped at blanks, but not at this one. */
#define MP_GLUE '\1'

#endif
