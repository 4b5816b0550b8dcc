/*
 * table_cycle.h -- what table 4 says of a cycle beyond what it says of a function.
 *
 * Who allocates on its behalf, its innermost members, its strongest arcs, and the members: at most
 * 10 rows each (20 members), or as many as a table may have, or all if the report is verbose.
 */
#ifndef MP_TABLE_CYCLE_H
#define MP_TABLE_CYCLE_H

#include "graph_lines.h"
#include "reporter/graph/cycles.h"

/* How many rows a list of a cycle may have. */
uint32_t mp_table_cycle_rows(const struct mp_print_options *options);

/* What must be known to read the figures of CYCLE. */
void mp_table_cycle_intro(const struct mp_lines *lines, const struct mp_entry *cycle);

void mp_table_cycle_inside(struct mp_lines *lines, struct mp_cycles *cycles,
                           const struct mp_entry *cycle);
void mp_table_cycle_members(struct mp_lines *lines, const struct mp_entry *cycle);

#endif
