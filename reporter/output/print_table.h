/* print_table.h -- prints a table as text. */
#ifndef MP_PRINT_TABLE_H
#define MP_PRINT_TABLE_H

#include <stdio.h>

#include "print.h"
#include "table.h"

/* Prints the title, the rows in columns, and what was left out. Returns false and sets *ERROR if memory is exhausted
 * or OUT cannot be written. */
bool mp_table_print(const struct mp_table *table, const struct mp_print_options *options, FILE *out,
                    struct mp_error *error);

/* Print what precedes and follows the rows, and check OUT for errors. For tables with rows in another layout. */
void mp_table_print_title(const struct mp_table *table, const struct mp_print_options *options,
                          FILE *out);
void mp_table_print_left_out(const struct mp_table *table, FILE *out);
bool mp_table_printed(FILE *out, struct mp_error *error);

#endif
