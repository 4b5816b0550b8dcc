/* table_changes.h -- changes as a table: see output/table.h. */
#ifndef MP_TABLE_CHANGES_H
#define MP_TABLE_CHANGES_H

#include "changes.h"
#include "reporter/output/table.h"

/* The rows of CHANGES, which must outlive the table, by size of the change; the total first.  A change
 * has a share to be shown for: of the sum of all, whatever their signs.  What did not change is one row.  Rows,
 * what is left out and, of several runs, what medians of parts do not add up to, are the total's change. */
struct mp_table *mp_table_changes(struct mp_changes *changes, const struct mp_print_options *options);

/* The figures of both sides by themselves, as rows. */
struct mp_table *mp_table_sides(const struct mp_join *join);

/* NUMBER as a value. */
struct mp_value mp_value_signed(int64_t number);

/* The values of a row that a difference by itself gives; those that are not known stay as they are. */
struct mp_change_values {
    struct mp_value *change, *uncertainty, *low, *high, *share, *doubt;
};
void mp_change_fill(const struct mp_difference *difference, const struct mp_change_values *values);

#endif
