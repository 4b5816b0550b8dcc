/* print_table.h -- a table as text. */
#ifndef MP_PRINT_TABLE_H
#define MP_PRINT_TABLE_H

#include <stdio.h>

#include "print.h"
#include "table.h"

/* Title, rows in columns, and what was left out.  False: no memory, or OUT failed. */
bool mp_table_print(const struct mp_table *table, const struct mp_print_options *options, FILE *out,
                    struct mp_error *error);

/* For tables that are laid out otherwise: all that is said before and after the rows. */
void mp_table_print_title(const struct mp_table *table, const struct mp_print_options *options,
                          FILE *out);
void mp_table_print_left_out(const struct mp_table *table, FILE *out);
bool mp_table_printed(FILE *out, struct mp_error *error);

#endif
