/* made_table.h -- a table of the report, computed from a profile made by hand. */
#ifndef MP_TEST_MADE_TABLE_H
#define MP_TEST_MADE_TABLE_H

#include "reporter/output/tables.h"

typedef struct mp_table *made_compute(const struct mp_table_request *request);

struct made_table {
    struct mp_table *table;
    struct mp_table_request request;      /* that it was computed from; options are the caller's */
    const struct mp_output *output;
    struct mp_arena *arena;
};

/* The table that COMPUTE makes of REQUEST's profile, with REQUEST's options; the graph is made here. */
struct made_table made_table(made_compute *compute, struct mp_table_request request);
void made_table_free(struct made_table *made);

/* The row of it whose COLUMN has TEXT; fails the test if there is none. */
const struct mp_table_row *made_table_row(const struct made_table *made, unsigned column,
                                          const char *text);

/* Print it on OUT, and free it. */
bool made_table_print(struct made_table made, FILE *out, struct mp_error *error);

/* The text of it, which is freed when the test ends.  Frees the table. */
char *made_table_text(struct made_table made);

/* Its text must be TITLE and TEXT; WHAT is tested.  Frees the table. */
void made_table_must_be(const char *what, struct made_table made, const char *title,
                        const char *text);

#endif
