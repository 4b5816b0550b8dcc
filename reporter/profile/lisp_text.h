/*
 * lisp_text.h -- where forms begin and end in the text of a Lisp file, by the standard syntax.
 */
#ifndef MP_LISP_TEXT_H
#define MP_LISP_TEXT_H

#include <stddef.h>

/* Where the form begins that is read from AT on in the SIZE bytes of TEXT: behind blanks and comments;
 * SIZE: what is there is no list, nor something that the reader makes one of. */
size_t mp_lisp_form(const char *text, size_t size, size_t at);

/* Where the list that begins at AT, as mp_lisp_form() has it, is closed: the offset of its last
 * parenthesis.  AT: it is not. */
size_t mp_lisp_form_end(const char *text, size_t size, size_t at);

#endif
