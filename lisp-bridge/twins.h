/*
 * twins.h -- finds identical-code-folded functions in a compiled Lisp file.
 *
 * gcc -O2 (-fipa-icf) keeps one of several equal functions and redirects all direct calls to it. Another one that has
 * a function object remains as a jump to the kept function, or as a copy without debug information. So a frame of the
 * kept function may be a call of any of them.
 */
#ifndef MP_LISP_TWINS_H
#define MP_LISP_TWINS_H

#include "fas_file.h"

/* Reports folded functions of FAS to the monitor (mp_name_twin). Functions at the same address are not handled here. */
void mp_lisp_find_twins(const struct mp_fas *fas);

/* Reports only functions that remain as a jump. For libecl, which has many small functions from many files that are
 * equal by chance. */
void mp_lisp_find_jumps(const struct mp_fas *fas);

#endif
