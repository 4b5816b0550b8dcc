/*
 * graph_lines.h -- the lines of table 4: columns, names, rows of ancestors and descendants.
 *
 * For the files that print the table; table_graph.h is for everybody else.
 */
#ifndef MP_GRAPH_LINES_H
#define MP_GRAPH_LINES_H

#include <stdio.h>

#include "breakdown.h"
#include "print.h"
#include "reporter/graph/reduce.h"

/* The table while it is printed. */
struct mp_lines {
    FILE *out;
    const struct mp_reduced *reduced;
    const struct mp_print_options *options;
    uint64_t bytes;             /* of the whole program */
    int index_width, bytes_width, called_width, total_width;
    const struct mp_breakdown_style *style;
    int width;                  /* of a breakdown */
    bool stars;                 /* one was printed */
};

/* One line.  NULL and absent parts stay blank. */
struct mp_line {
    const struct mp_entry *entry;       /* of which index and self+desc are shown */
    const struct mp_sums *sums;
    uint64_t whole;             /* bytes that the sums are a percentage of */
    bool share;                 /* show the percentage, and the sums' kinds as fractions of whole */
    bool rule;                  /* a rule in the place of the fractions */
    bool star;
    bool named;                 /* calls and a name follow */
    bool has_called, has_total;
    uint64_t called, total;     /* or recur */
};

void mp_lines_init(struct mp_lines *lines, FILE *out, const struct mp_reduced *reduced,
                   const struct mp_print_options *options);
void mp_lines_heads(const struct mp_lines *lines);

/* What ends an entry: a rule with the letters of the breakdowns in it. */
void mp_lines_rule(const struct mp_lines *lines);

static inline const struct mp_entry *
mp_lines_entry(const struct mp_lines *lines, uint32_t function)
{
    return &lines->reduced->entries[lines->reduced->entry_of[function]];
}

/* What is said of ENTRY in its own line. */
struct mp_line mp_lines_of(const struct mp_entry *entry);

/* A line with the name of ENTRY, as a ROW of another entry or in a line of its own.  The newline is
 * the caller's. */
void mp_lines_named(struct mp_lines *lines, const struct mp_line *line,
                    const struct mp_entry *entry, bool row);

/* A row with a text in the place of a name, and the newline. */
void mp_lines_text(struct mp_lines *lines, const struct mp_line *line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A row for N things that have no row of their own; SUMS are NULL where they overlap. */
void mp_lines_others(struct mp_lines *lines, const struct mp_sums *sums, uint64_t whole,
                     uint32_t n, const char *one, const char *many);

/* The row that sums up others. */
void mp_lines_all(struct mp_lines *lines, const struct mp_sums *sums);

/* How many of N_ROWS rows, by decreasing bytes, are printed, at most MOST: those that reach the
 * threshold of WHOLE bytes, and the last if it is the only one that does not. */
uint32_t mp_lines_shown(const struct mp_lines *lines, const struct mp_row *rows, uint32_t n_rows,
                        uint64_t whole, uint32_t most);

/* The ancestors (descendants) of an entry with WHOLE bytes: at most MOST, of those that reach the
 * threshold of the program's bytes. */
void mp_lines_rows(struct mp_lines *lines, const struct mp_row *rows, uint32_t n_rows,
                   bool ancestors, uint64_t whole, uint32_t most);

#endif
