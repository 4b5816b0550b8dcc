/*
 * lisp_text.h -- finds the beginning and the end of forms in Lisp source text, by the standard syntax.
 */
#ifndef MP_LISP_TEXT_H
#define MP_LISP_TEXT_H

#include <stddef.h>

/* Returns the offset of the first form at or after AT in the SIZE bytes of TEXT, after blanks and comments.
 * Returns SIZE if the form is neither a list nor read as one. */
size_t mp_lisp_form(const char *text, size_t size, size_t at);

/* Returns the offset of the parenthesis that closes the list at AT, an offset from mp_lisp_form(). Returns AT if
 * the list is not closed. */
size_t mp_lisp_form_end(const char *text, size_t size, size_t at);

#endif
