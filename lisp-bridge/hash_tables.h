/* SPDX-License-Identifier: MIT */
/*
 * hash_tables.h -- reads ECL's hash tables at any time, without locks.
 *
 * Another thread may be writing to the table. ECL has locks for this, but the allocating thread may hold one, and a
 * hook must not wait. A growing table temporarily has the new size with the old or no address, and an entry may have
 * a key without its value. ECL's own gethash() would follow such pointers. The functions here check sizes with libgc.
 * Entries that cannot be read safely are treated as missing.
 */
#ifndef MP_LISP_TABLES_H
#define MP_LISP_TABLES_H

#include <stdbool.h>

#include "objects.h"

/* Returns the value of KEY in an EQ table, or OBJNULL. */
cl_object mp_lisp_table_get(cl_object table, cl_object key);

/* Returns whether a package's hash table contains SYMBOL itself. Compares addresses and reads no strings. */
bool mp_lisp_table_has(cl_object table, cl_object symbol);

/* Returns whether IS_IT returns true for the name of some symbol in a package's hash table. DATA is passed to IS_IT. */
bool mp_lisp_table_any(cl_object table, bool (*is_it)(cl_object name, const void *data),
                       const void *data);

#endif
