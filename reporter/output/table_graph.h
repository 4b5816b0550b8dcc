/*
 * table_graph.h -- table 4: the allocation call graph.
 *
 * An entry for each function on a chain that allocated, its ancestors above and its descendants
 * below its line; fields and order are those of the 1988 manual page.  A cycle has a list of its
 * members and an entry in which they are one function.  Where the 1988 table has a star (rows
 * between members of one cycle) the exact figure stands beside the star.
 *
 * Entries below the threshold of the verbosity are left out, and rows below it are put together
 * in one line.  Names are never cut, whatever the width.
 */
#ifndef MP_TABLE_GRAPH_H
#define MP_TABLE_GRAPH_H

#include <stdio.h>

#include "print.h"
#include "reporter/graph/reduce.h"

/* False: OUT failed. */
bool mp_table_graph_print(FILE *out, const struct mp_reduced *reduced,
                          const struct mp_print_options *options, struct mp_error *error);

#endif
