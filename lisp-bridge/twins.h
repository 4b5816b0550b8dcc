/*
 * twins.h -- functions of a compiled Lisp file that gcc found to be equal, and made one.
 *
 * gcc -O2 (-fipa-icf) keeps one of them, and lets all direct calls go there.  What is left of another
 * that has a function object is a jump to the one kept, or a copy of it without debug information.
 * A frame of the one kept may then be a call of any of them.
 */
#ifndef MP_LISP_TWINS_H
#define MP_LISP_TWINS_H

#include "fas_file.h"

/* Tell the monitor which functions of FAS are twins (mp_name_twin).  Those at one address are not
 * looked at here. */
void mp_lisp_find_twins(const struct mp_fas *fas);

/* Only those of which a jump is left: of libecl, which has many small functions that are equal by
 * chance, from many files. */
void mp_lisp_find_jumps(const struct mp_fas *fas);

#endif
