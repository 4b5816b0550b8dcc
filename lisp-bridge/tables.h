/*
 * tables.h -- ECL's hash tables, read at any moment.
 *
 * Another thread may be writing to a table: ECL has locks for that, but who allocates may hold one of
 * them, and no hook may wait.  A table that grows has for a while the size of the new entries and
 * the address of the old, or none; an entry may have its key and not yet its value.  ECL's own
 * gethash() would follow either.  Here nothing is believed but what fits the memory that libgc says
 * is there; what cannot be read now is not found.
 */
#ifndef MP_LISP_TABLES_H
#define MP_LISP_TABLES_H

#include <stdbool.h>

#include "objects.h"

/* The value of KEY in an EQ table; OBJNULL: not found. */
cl_object mp_lisp_table_get(cl_object table, cl_object key);

/* Is SYMBOL in a package's table?  By itself, not by its name: no string is read. */
bool mp_lisp_table_has(cl_object table, cl_object symbol);

/* Has a package's table a symbol for which IS_IT, given DATA, is true of its name? */
bool mp_lisp_table_any(cl_object table, bool (*is_it)(cl_object name, const void *data),
                       const void *data);

#endif
