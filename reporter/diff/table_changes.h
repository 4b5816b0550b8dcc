/* SPDX-License-Identifier: MIT */
/* table_changes.h -- changes, and the totals of both sides, as tables, see table/table.h. */
#ifndef MP_TABLE_CHANGES_H
#define MP_TABLE_CHANGES_H

#include "changes.h"
#include "reporter/table/table.h"

/* Returns a table of CHANGES, which must outlive it. The total comes first; the other rows are sorted by the size of
 * the change. A row is shown if its change reaches the threshold relative to the sum of all absolute changes.
 * Unchanged items share one row. The sum of all rows and of what is left out is the change of the total. If a side
 * has several runs, a further row contains the difference between the sum of medians and the median of sums. */
struct mp_table *mp_table_changes(struct mp_changes *changes, const struct mp_print_options *options);

/* Returns a table of the totals of both sides. */
struct mp_table *mp_table_sides(const struct mp_join *join);

#endif
