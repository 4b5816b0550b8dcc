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
    MP_GRAPH_CALLERS, MP_GRAPH_SELF, MP_GRAPH_CALLEES,
    MP_GRAPH_ALLOCATORS, MP_GRAPH_INNERMOST, MP_GRAPH_CALLS, MP_GRAPH_OF_CYCLE, MP_GRAPH_SECTIONS
};

/* State of computing the table. */
struct mp_graph_rows {
    struct mp_table *table;
    const struct mp_reduced *reduced;
    const struct mp_print_options *options;
    uint64_t bytes;             /* of the whole program */
    uint32_t entry;             /* row of the current entry */
    uint8_t section;            /* section to which rows are added */
};

static inline const struct mp_entry *
mp_graph_entry(const struct mp_graph_rows *rows, uint32_t function)
{
    return &rows->reduced->entries[rows->reduced->entry_of[function]];
}

/* Returns the number of blocks in SUMS. */
struct mp_value mp_graph_called(const struct mp_sums *sums);

/* mp_graph_add_row() adds a row without values to the current section. mp_graph_fill() sets the bytes of such a row
 * and their kinds to SUMS. */
struct mp_table_row *mp_graph_add_row(struct mp_graph_rows *rows);
void mp_graph_fill(struct mp_value values[static MP_GRAPH_COLUMNS], const struct mp_sums *sums);

/* Adds a row for SUMS to the current section, as a part of WHOLE bytes. Returns its values. */
struct mp_value *mp_graph_add(struct mp_graph_rows *rows, const struct mp_sums *sums,
                              uint64_t whole);

/* Like mp_graph_add(), and also sets the columns that identify ENTRY. */
struct mp_value *mp_graph_add_entry(struct mp_graph_rows *rows, const struct mp_sums *sums,
                                    uint64_t whole, const struct mp_entry *entry);

/* Adds a row that sums up N items without rows of their own; nothing if N is 0. SUMS is NULL if the items overlap. */
void mp_graph_add_rest(struct mp_graph_rows *rows, const struct mp_sums *sums, uint64_t whole,
                       uint32_t n);

/* Returns how many rows of LIST are shown. LIST has N rows, sorted by bytes, largest first. Shown are at most MOST
 * that reach the threshold relative to WHOLE bytes. A single remaining row is shown, too. */
uint32_t mp_graph_shown(const struct mp_graph_rows *rows, const struct mp_row *list, uint32_t n,
                        uint64_t whole, uint32_t most);

/* Returns the maximum number of rows in a list of a cycle: options->most, or if that is 0, no limit in a verbose
 * report, else USUAL. */
#define MP_GRAPH_CYCLE_ROWS 10u
uint32_t mp_graph_most(const struct mp_graph_rows *rows, uint32_t usual);

/* mp_graph_add_inside() adds rows about a cycle that functions do not have: who allocates on its behalf, its
 * innermost members, and its strongest calls. mp_graph_add_members() adds the members (20 by default). */
void mp_graph_add_inside(struct mp_graph_rows *rows, struct mp_cycles *cycles,
                         const struct mp_entry *cycle);
void mp_graph_add_members(struct mp_graph_rows *rows, const struct mp_entry *cycle);

/* Prints the table; see mp_table_print(). */
bool mp_table_graph_print(const struct mp_table *table, const struct mp_print_options *options,
                          FILE *out, struct mp_error *error);

#endif
