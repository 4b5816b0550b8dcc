/* outputs.h -- the tables of the report, a line each: what is known of them without computing one. */
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
    MP_TABLE_HEAD = 64,                 /* of struct mp_report_request */
    MP_TABLE_SITES = 128,
    MP_TABLE_FLAT = 256,
    MP_TABLE_FUNCTION_TYPES = 512,
    MP_TABLE_TREE = 1024,
    MP_TABLE_OVERVIEW = 2048,           /* by default on a terminal only */
    MP_TABLE_FINDINGS = 4096,           /* the same */
    MP_TABLE_PROCESSES = 8192,
    MP_TABLE_LIFETIMES = 16384,
    MP_TABLE_DEFAULT = MP_TABLE_BINS | MP_TABLE_TYPES | MP_TABLE_LEAKS | MP_TABLE_DIRECT |
                       MP_TABLE_GRAPH,
    MP_TABLE_LISP = MP_TABLE_TYPES | MP_TABLE_DIRECT | MP_TABLE_GRAPH
};

#define MP_REPORT_TABLES 15u    /* room for each of these, but for the head, and a 0 */

/* What a table is computed from: the profile, its function graph, and that reduced. */
enum mp_needs { MP_NEEDS_PROFILE, MP_NEEDS_GRAPH, MP_NEEDS_REDUCED };

struct mp_output {
    enum mp_report_table table;
    enum { MP_FOR_ALL, MP_FOR_C, MP_FOR_LISP } applies;     /* says nothing of a profile that has
                                                               only the other sort of objects */
    enum mp_needs needs;        /* and what stands before it */
    struct mp_table *(*compute)(const struct mp_table_request *request);
    bool (*print)(const struct mp_table *table, const struct mp_print_options *options, FILE *out,
                  struct mp_error *error);
    const struct mp_table_kind *kinds[6];       /* what compute() makes, with the name that the
                                                   command line has for it; NULL: no further one */
};

/* In the order of the report. */
extern const struct mp_output mp_outputs[];
extern const size_t mp_n_outputs;

/* The table called NAME on the command line, 0: there is none. */
unsigned mp_output_named(const char *name);

/* The names of all, with SEPARATOR between them.  The caller frees it; NULL: no memory. */
char *mp_output_names(const char *separator);

#endif
