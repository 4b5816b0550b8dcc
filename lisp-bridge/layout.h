/*
 * layout.h -- chooses the layout of this ECL among the known ones and verifies it.
 *
 * Before ECL starts, layout.c chooses a column of layout.def by two criteria: the size of cl_core, and the names of
 * the first two entries in the table of ECL's own symbols. After ECL has started, objects with known contents are
 * compared with the layout, once. Memory is read only through checked pointers.
 */
#ifndef MP_LISP_LAYOUT_H
#define MP_LISP_LAYOUT_H

#include "ecl.h"

/* Fills the layout in mp_ecl. Called after mp_ecl_find(). */
void mp_layout_open(void);

/* Verifies the layout, if ECL has started and it was not verified yet. Parts that prove wrong count as unknown from
 * then on, and reports mention this. */
void mp_layout_check_now(void);
extern bool mp_layout_checked;
static inline void
mp_layout_check(void)
{
    if (!mp_layout_checked && mp_ecl.known)
        mp_layout_check_now();
}

/* Returns whether SIZE, as returned by libecl, is the size of TYPE's objects in the layout. */
bool mp_layout_has_size(cl_type type, size_t size);

/* Marks the layout as wrong. Types and names are unknown from then on. */
void mp_layout_refuse(void);

#endif
