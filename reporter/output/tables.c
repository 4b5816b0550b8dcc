#include "table_graph.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/text.h"

const struct mp_output mp_outputs[] = {
    {MP_TABLE_FINDINGS, MP_FOR_ALL, MP_NEEDS_PROFILE, mp_table_findings, mp_table_findings_print,
     {&mp_table_findings_kind}},
    {MP_TABLE_OVERVIEW, MP_FOR_ALL, MP_NEEDS_PROFILE, mp_table_overview, mp_table_print,
     {&mp_table_overview_kind}},
    {MP_TABLE_PROCESSES, MP_FOR_ALL, MP_NEEDS_PROFILE, mp_table_processes, mp_table_print,
     {&mp_table_processes_kind}},
    {MP_TABLE_BINS, MP_FOR_C, MP_NEEDS_PROFILE, mp_table_bins, mp_table_print,
     {&mp_table_bins_kind}},
    {MP_TABLE_TYPES, MP_FOR_LISP, MP_NEEDS_PROFILE, mp_table_types, mp_table_print,
     {&mp_table_types_kind}},
    {MP_TABLE_LEAKS, MP_FOR_C, MP_NEEDS_PROFILE, mp_table_leaks, mp_table_print,
     {&mp_table_leaks_kind, &mp_table_kept_kind, &mp_table_leaks_1988_kind, &mp_table_alive_kind,
      &mp_table_growth_kind}},
    {MP_TABLE_DIRECT, MP_FOR_ALL, MP_NEEDS_REDUCED, mp_table_direct, mp_table_print,
     {&mp_table_direct_kind}},
    {MP_TABLE_GRAPH, MP_FOR_ALL, MP_NEEDS_REDUCED, mp_table_graph, mp_table_graph_print,
     {&mp_table_graph_kind}},
    {MP_TABLE_GC, MP_FOR_ALL, MP_NEEDS_PROFILE, mp_table_survival, mp_table_print,
     {&mp_table_survival_kind}},
    {MP_TABLE_SITES, MP_FOR_ALL, MP_NEEDS_PROFILE, mp_table_sites, mp_table_print,
     {&mp_table_sites_kind}},
    {MP_TABLE_FLAT, MP_FOR_ALL, MP_NEEDS_GRAPH, mp_table_flat, mp_table_print,
     {&mp_table_flat_kind}},
    {MP_TABLE_FUNCTION_TYPES, MP_FOR_ALL, MP_NEEDS_PROFILE,
     mp_table_function_types, mp_table_print, {&mp_table_function_types_kind}},
    {MP_TABLE_TREE, MP_FOR_ALL, MP_NEEDS_PROFILE, mp_table_tree_rows, mp_table_print,
     {&mp_table_tree_kind}},
    {MP_TABLE_LIFETIMES, MP_FOR_ALL, MP_NEEDS_PROFILE, mp_table_lifetimes, mp_table_print,
     {&mp_table_lifetimes_kind}},
};
const size_t mp_n_outputs = sizeof mp_outputs / sizeof *mp_outputs;
_Static_assert(sizeof mp_outputs / sizeof *mp_outputs < MP_REPORT_TABLES, "room for each and a 0");

unsigned
mp_output_named(const char *name)
{
    for (size_t i = 0; i < mp_n_outputs; i++)
        if (strcmp(mp_outputs[i].kinds[0]->key, name) == 0)
            return mp_outputs[i].table;
    return 0;
}

char *
mp_output_names(const char *separator)
{
    size_t size = 1;
    char *names, *to;

    for (size_t i = 0; i < mp_n_outputs; i++)
        size += strlen(mp_outputs[i].kinds[0]->key) + strlen(separator);
    names = to = calloc(1, size);
    for (size_t i = 0; names && i < mp_n_outputs; i++)
        to = mp_text_put(mp_text_put(to, names + size, i > 0 ? separator : ""), names + size,
                         mp_outputs[i].kinds[0]->key);
    return names;
}
