/*
 * layout.h -- which of the known layouts an ECL has, and whether it proves right.
 *
 * Before ECL starts, two answers select a column of layout.def: the size of cl_core, and which names the table of
 * ECL's own symbols has at the distance of two symbols.  As soon as ECL has started, objects whose contents are
 * known are compared with what the layout says of them, once.  Nothing is read through a pointer that was not
 * checked before.
 */
#ifndef MP_LISP_LAYOUT_H
#define MP_LISP_LAYOUT_H

#include "ecl.h"

/* Fills what mp_ecl has of the layout.  After mp_ecl_find(). */
void mp_layout_open(void);

/* Compares the layout with objects, if ECL has started and that was not done yet.  What proves wrong is not known from
 * then on, and the report says so. */
void mp_layout_check_now(void);
extern bool mp_layout_checked;
static inline void
mp_layout_check(void)
{
    if (!mp_layout_checked && mp_ecl.known)
        mp_layout_check_now();
}

/* Is an object of TYPE laid out in SIZE bytes, as libecl says? */
bool mp_layout_has_size(cl_type type, size_t size);

/* Types and names are not known any more: the layout is another. */
void mp_layout_refuse(void);

#endif
