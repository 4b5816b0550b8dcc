/* made_table.h -- computes a single table of the report, without mp_report_write(). */
#ifndef MP_TEST_MADE_TABLE_H
#define MP_TEST_MADE_TABLE_H

#include "reporter/table/tables.h"

typedef struct mp_table *made_compute(const struct mp_table_request *request);

struct made_table {
    struct mp_table *table;
    struct mp_table_request request;      /* what the table shows; its options belong to the caller */
    const struct mp_output *output;
    struct mp_arena *arena;
};

/* Computes the table of REQUEST's profile with REQUEST's options. Builds the function graph for it. */
struct made_table made_table(made_compute *compute, struct mp_table_request request);
void made_table_free(struct made_table *made);

/* Returns the first row that has TEXT in COLUMN. Fails the test if there is none. */
const struct mp_table_row *made_table_row(const struct made_table *made, unsigned column,
                                          const char *text);

/* Prints the table to OUT and frees it. Returns false and sets *ERROR if OUT cannot be written. */
bool made_table_print(struct made_table made, FILE *out, struct mp_error *error);

/* Prints the table and frees it. Returns the text, which is freed when the test ends. */
char *made_table_text(struct made_table made);

/* Prints the table and frees it. Fails the test, and prints WHAT, if the text is not TITLE followed by TEXT. */
void made_table_must_be(const char *what, struct made_table made, const char *title,
                        const char *text);

#endif
/* SPDX-License-Identifier: MIT */
