/* SPDX-License-Identifier: MIT */
/* table_graph.h -- columns and sections of table 4, for the files that compute and print it. */
#ifndef MP_TABLE_GRAPH_H
#define MP_TABLE_GRAPH_H

#include "reporter/graph/cycles.h"
#include "tables.h"

enum mp_graph_column {
    MP_GRAPH_INDEX, MP_GRAPH_SHARE, MP_GRAPH_BYTES, MP_GRAPH_PART, MP_GRAPH_KINDS,
    MP_GRAPH_FRACTIONS, MP_GRAPH_CALLED, MP_GRAPH_TOTAL, MP_GRAPH_FUNCTION, MP_GRAPH_CYCLE,
    MP_GRAPH_MEMBERS, MP_GRAPH_CALLEE, MP_GRAPH_CALLEE_INDEX, MP_GRAPH_COLUMNS
};

/* Relation of a row to the entry that it is under, in the order of display. An entry is a function, or a cycle
 * treated as one function. */
enum mp_graph_section {
    MP_GRAPH_OF_CYCLE, MP_GRAPH_CALLERS, MP_GRAPH_SELF, MP_GRAPH_CALLEES,
    MP_GRAPH_ALLOCATORS, MP_GRAPH_INNERMOST, MP_GRAPH_CALLS, MP_GRAPH_SECTIONS
};

/* Prints the table; see mp_table_print(). */
bool mp_table_graph_print(const struct mp_table *table, const struct mp_print_options *options,
                          FILE *out, struct mp_error *error);

#endif
