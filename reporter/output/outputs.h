/* outputs.h -- the list of the tables that a report can contain, with what is known before they are computed. */
#ifndef MP_OUTPUTS_H
#define MP_OUTPUTS_H

#include <stdio.h>

#include "tables.h"

enum mp_report_table {
    MP_TABLE_BINS = 1,
    MP_TABLE_LEAKS = 2,
    MP_TABLE_DIRECT = 4,
    MP_TABLE_GRAPH = 8,
    MP_TABLE_TYPES = 16,
    MP_TABLE_GC = 32,
    MP_TABLE_HEAD = 64,                 /* the head; not in mp_outputs[], only in struct mp_report_request */
    MP_TABLE_SITES = 128,
    MP_TABLE_FLAT = 256,
    MP_TABLE_FUNCTION_TYPES = 512,
    MP_TABLE_TREE = 1024,
    MP_TABLE_OVERVIEW = 2048,           /* by default only on a terminal */
    MP_TABLE_FINDINGS = 4096,           /* by default only on a terminal */
    MP_TABLE_PROCESSES = 8192,
    MP_TABLE_LIFETIMES = 16384,
    MP_TABLE_DEFAULT = MP_TABLE_BINS | MP_TABLE_TYPES | MP_TABLE_LEAKS | MP_TABLE_DIRECT |
                       MP_TABLE_GRAPH,
    MP_TABLE_LISP = MP_TABLE_TYPES | MP_TABLE_DIRECT | MP_TABLE_GRAPH
};

#define MP_REPORT_TABLES 15u    /* capacity for all tables except the head, and a final 0 */

/* What a table is computed from: the profile, its function graph, or the reduced graph. */
enum mp_needs { MP_NEEDS_PROFILE, MP_NEEDS_GRAPH, MP_NEEDS_REDUCED };

struct mp_output {
    enum mp_report_table table;
    enum { MP_FOR_ALL, MP_FOR_C, MP_FOR_LISP } applies;     /* kind of objects that the table describes; it is omitted
                                                               for profiles with the other kind only */
    enum mp_needs needs;        /* includes what the preceding enumerators need */
    struct mp_table *(*compute)(const struct mp_table_request *request);
    bool (*print)(const struct mp_table *table, const struct mp_print_options *options, FILE *out,
                  struct mp_error *error);
    const struct mp_table_kind *kinds[6];       /* the kinds that compute() can return; the first has the table's name
                                                   on the command line; the rest are NULL */
};

/* Sorted in the order of the report. */
extern const struct mp_output mp_outputs[];
extern const size_t mp_n_outputs;

#endif
