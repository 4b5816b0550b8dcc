/* table_graph.h -- the columns and sections of table 4, for the files that compute and print it. */
#ifndef MP_TABLE_GRAPH_H
#define MP_TABLE_GRAPH_H

#include "reporter/graph/cycles.h"
#include "tables.h"

enum mp_graph_column {
    MP_GRAPH_INDEX, MP_GRAPH_SHARE, MP_GRAPH_BYTES, MP_GRAPH_PART, MP_GRAPH_KINDS,
    MP_GRAPH_FRACTIONS, MP_GRAPH_CALLED, MP_GRAPH_TOTAL, MP_GRAPH_FUNCTION, MP_GRAPH_CYCLE,
    MP_GRAPH_MEMBERS, MP_GRAPH_CALLEE, MP_GRAPH_CALLEE_INDEX, MP_GRAPH_COLUMNS
};

/* What rows are to the entry that they are under, in their order.  An entry is a function, or a
 * cycle as if it were one. */
enum mp_graph_section {
    MP_GRAPH_CALLERS, MP_GRAPH_SELF, MP_GRAPH_CALLEES,
    MP_GRAPH_ALLOCATORS, MP_GRAPH_INNERMOST, MP_GRAPH_CALLS, MP_GRAPH_OF_CYCLE, MP_GRAPH_SECTIONS
};

/* The table while it is computed. */
struct mp_graph_rows {
    struct mp_table *table;
    const struct mp_reduced *reduced;
    const struct mp_print_options *options;
    uint64_t bytes;             /* of the whole program */
    uint32_t entry;             /* row of the entry whose rows are added, */
    uint8_t section;            /* and of which section these are */
};

static inline const struct mp_entry *
mp_graph_entry(const struct mp_graph_rows *rows, uint32_t function)
{
    return &rows->reduced->entries[rows->reduced->entry_of[function]];
}

/* The blocks of SUMS. */
struct mp_value mp_graph_called(const struct mp_sums *sums);

/* A row of the section, of which nothing is known; and SUMS for the values of one. */
struct mp_table_row *mp_graph_add_row(struct mp_graph_rows *rows);
void mp_graph_fill(struct mp_value values[static MP_GRAPH_COLUMNS], const struct mp_sums *sums);

/* A row of the section: SUMS, and which part of WHOLE bytes they are. */
struct mp_value *mp_graph_add(struct mp_graph_rows *rows, const struct mp_sums *sums,
                              uint64_t whole);

/* ... and which function or cycle it is. */
struct mp_value *mp_graph_add_entry(struct mp_graph_rows *rows, const struct mp_sums *sums,
                                    uint64_t whole, const struct mp_entry *entry);

/* A row for N things that have none of their own, or for none if N is 0; SUMS are NULL where they
 * overlap. */
void mp_graph_add_rest(struct mp_graph_rows *rows, const struct mp_sums *sums, uint64_t whole,
                       uint32_t n);

/* How many of the N rows of LIST, by decreasing bytes, are shown, at most MOST: those that reach the
 * threshold of WHOLE bytes, and the last if it is the only one that does not. */
uint32_t mp_graph_shown(const struct mp_graph_rows *rows, const struct mp_row *list, uint32_t n,
                        uint64_t whole, uint32_t most);

/* How many rows a list of a cycle has: as many as a table may have; else all if the report is verbose,
 * else USUAL. */
#define MP_GRAPH_CYCLE_ROWS 10u
uint32_t mp_graph_most(const struct mp_graph_rows *rows, uint32_t usual);

/* What is said of a cycle beyond what is said of a function: who allocates on its behalf, its
 * innermost members, its strongest calls, and the members (20 of them). */
void mp_graph_add_inside(struct mp_graph_rows *rows, struct mp_cycles *cycles,
                         const struct mp_entry *cycle);
void mp_graph_add_members(struct mp_graph_rows *rows, const struct mp_entry *cycle);

/* As mp_table_print(). */
bool mp_table_graph_print(const struct mp_table *table, const struct mp_print_options *options,
                          FILE *out, struct mp_error *error);

#endif
