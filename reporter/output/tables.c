#include "table_graph.h"

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

struct mp_value
mp_table_chain(const struct mp_table *table, const struct mp_tree *tree, const struct mp_chain_options *chain,
               uint32_t node, uint32_t context)
{
    return mp_value_chain(context, mp_chain_text(tree, chain, node, table->arena),
                          mp_chain_words(tree, chain, node, table->arena), mp_table_calls(table, tree, chain, node));
}

struct mp_value
mp_table_site(const struct mp_table *table, const struct mp_sites *sites, const struct mp_site *site)
{
    return mp_table_chain(table, sites->tree, &sites->chain, site->node, mp_site_context(sites, site));
}
