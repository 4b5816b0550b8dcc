/* SPDX-License-Identifier: MIT */
/*
 * tables.h -- the tables of the report: what they are computed from, and the functions that compute them.
 *
 * Each table has its own file. struct mp_print_options determines which rows are shown, in which order, and how many
 * callers of a chain. An empty table contains the reason (`nothing`).
 */
#ifndef MP_TABLES_H
#define MP_TABLES_H

#include "print.h"
#include "reporter/findings/findings.h"
#include "reporter/graph/node_chain.h"
#include "reporter/graph/reduce.h"
#include "reporter/graph/sites.h"
#include "reporter/graph/tree.h"
#include "table.h"

struct mp_table_request {
    const struct mp_profile *profile;   /* symbolised; the view that is shown */
    const struct mp_graph *graph;       /* graph of the profile, for direct, graph and flat */
    const struct mp_reduced *reduced;   /* reduced graph, for direct and graph */
    const struct mp_findings *findings; /* for findings; NULL to compute them from the profile */
    const struct mp_reduced *sorted;    /* for graph, reduced graph of a view that counts only the figure that rows
                                           are sorted by (sort.h); NULL to sort by bytes */
    struct mp_tree *tree;       /* result of mp_table_tree(), for leaks, gc, sites, lifetimes and tree, and for the
                                   overview if it suits; if NULL, each of these tables builds its own */
    const struct mp_print_options *options;
    bool lisp;                  /* only Lisp objects */
    bool all_frames;            /* show start-up frames, too */
    bool raw;                   /* charge the innermost function even if it belongs to the runtime */
};

/* Each function computes a table. The caller frees it with mp_table_free(). */

/* Findings in sentences; mp_table_findings_print() prints them as text. */
struct mp_table *mp_table_findings(const struct mp_table_request *request);
bool mp_table_findings_print(const struct mp_table *table, const struct mp_print_options *options,
                             FILE *out, struct mp_error *error);
extern const struct mp_table_kind mp_table_findings_kind;

/* Prints each rule's name, title, purpose, and the limits from which on it reports something. */
void mp_findings_rules(FILE *out);

/* The first screen: the function with the largest part of each figure. */
struct mp_table *mp_table_overview(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_overview_kind, mp_table_overview_lisp_kind;

/* Table 1: allocations by block size, with the types that have this size. */
struct mp_table *mp_table_bins(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_bins_kind;

/* Table 1 for Lisp: allocations by object type. Classes are under their built-in type. */
struct mp_table *mp_table_types(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_types_kind;

/* Table 2: chains that allocated blocks which were never freed; for Lisp, objects that survived a collection and are
 * still alive. Each chain is cut to its innermost options->chain functions. */
struct mp_table *mp_table_leaks(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_leaks_kind, mp_table_leaks_1988_kind, mp_table_kept_kind,
    mp_table_growth_kind, mp_table_alive_kind;

/* Table 3: bytes that functions allocated themselves, and how many of them they kept. Fields are as in 1988. */
struct mp_table *mp_table_direct(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_direct_kind;

/* Table 4: the allocation call graph, with a row for each function on a chain that allocated, and its callers and
 * callees under it. Fields and order are as in the manual page of 1988. A cycle has a row as if it were one
 * function; under it are also its members and its inner calls. Where the table of 1988 has only a star (rows between
 * members of a cycle), this one also has the exact figure. */
struct mp_table *mp_table_graph(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_graph_kind;

/* Table 5, for Lisp: how many collections the objects of each site survived. A site is an allocating function with
 * options->sites - 1 callers. */
struct mp_table *mp_table_survival(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_survival_kind;

/* Table 6: object types and the chains that allocated them. */
struct mp_table *mp_table_sites(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_sites_kind;

/* Table 7: functions by what is charged to them (charge.h), and by what was allocated while they ran. Table 8: the
 * same functions, with object types. */
struct mp_table *mp_table_flat(const struct mp_table_request *request);
struct mp_table *mp_table_function_types(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_flat_kind, mp_table_function_types_kind;

/* Table 9: a tree of chains, beginning with the outermost functions. */
struct mp_table *mp_table_tree_rows(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_tree_kind;

/* Table 10: lifetimes of the blocks of each site, in bytes allocated meanwhile, and how many collections its objects
 * survived. Sites are defined as in table 5. Blocks and objects of a site have separate rows. */
struct mp_table *mp_table_lifetimes(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_lifetimes_kind;

/* The processes of a merged file. */
struct mp_table *mp_table_processes(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_processes_kind;

/* What the program mapped itself, by chains that are cut as in table 2. */
struct mp_table *mp_table_mappings(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_mappings_kind;

/* What the resident memory of the process consisted of when the observer found most of it. */
struct mp_table *mp_table_resident(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_resident_kind;

/* Returns the text that replaces the rows of an empty table of chains. */
static inline const char *
mp_table_nothing(const struct mp_table_request *request)
{
    return request->profile->unmet.most > 0 && !request->lisp
               ? "Nothing of what was allocated was sampled." : MP_PRINT_NOTHING;
}

static inline struct mp_tree_options
mp_table_tree_options(const struct mp_table_request *request)
{
    return (struct mp_tree_options){
        .all_frames = request->all_frames, .lines = request->options->lines,
        .paths = request->options->paths, .offsets = request->options->offsets, .one_cut = true};
}

/* Returns the tree of the chains that REQUEST shows, as struct mp_sites needs it. Release it with
 * mp_table_tree_free(). */
static inline struct mp_tree *
mp_table_tree(const struct mp_table_request *request)
{
    const struct mp_tree_options wanted = mp_table_tree_options(request);

    return request->tree ? request->tree : mp_tree_build(request->profile, &wanted);
}

/* Releases TREE, which mp_table_tree() returned. Frees it unless it belongs to REQUEST. */
static inline void
mp_table_tree_free(const struct mp_table_request *request, struct mp_tree *tree)
{
    if (tree != request->tree)
        mp_tree_free(tree);
}

/* Returns the calls of NODE's chain if TABLE contains calls, else NULL. */
static inline const struct mp_calls *
mp_table_calls(const struct mp_table *table, const struct mp_tree *tree,
               const struct mp_chain_options *chain, uint32_t node)
{
    return table->calls ? mp_chain_calls(tree, chain, node, table->arena) : NULL;
}

/* Returns the value of the part of NODE's chain that CHAIN selects. CONTEXT is a context of the node. */
static inline struct mp_value
mp_table_chain(const struct mp_table *table, const struct mp_tree *tree, const struct mp_chain_options *chain,
               uint32_t node, uint32_t context)
{
    return mp_value_chain(context, mp_chain_text(tree, chain, node, table->arena),
                          mp_chain_words(tree, chain, node, table->arena), mp_table_calls(table, tree, chain, node));
}

/* Returns the value of the chain of SITE, one of SITES. */
static inline struct mp_value
mp_table_site(const struct mp_table *table, const struct mp_sites *sites, const struct mp_site *site)
{
    return mp_table_chain(table, sites->tree, &sites->chain, site->node, mp_site_context(sites, site));
}

/* ---------------------------------------------------------------- columns that several tables have */

#define MP_COLUMN_BYTES_SHARE {"bytes_share", "(%)", MP_UNIT_PERCENT, "Their share of all bytes.", MP_OF(BYTES)}
#define MP_COLUMN_KEPT_BYTES(layout)                                                              \
    {"kept_bytes", "bytes kept", MP_UNIT_BYTES,                                                   \
     "Bytes of these that were never freed; of Lisp, that survived a collection and are still there.", (layout), \
     MP_OF(KEPT)}
#define MP_COLUMN_TYPE {"type", "type", MP_UNIT_TEXT, "The objects' type, or malloc."}
#define MP_COLUMN_NAME(layout) {"function", "name", MP_UNIT_TEXT, "The function that allocated.", (layout)}
#define MP_COLUMN_PATH(layout)                                                                    \
    {"chain", "path", MP_UNIT_CHAIN, "Callers, and the function that allocated.", (layout)}

/* Columns of tables that show only Lisp objects. */
#define MP_COLUMN_OBJECT_BYTES                                                                    \
    {"bytes", "bytes", MP_UNIT_BYTES, "Bytes of these objects and of what belongs to them.", MP_OF(BYTES)}
#define MP_COLUMN_KEPT_OBJECTS                                                                    \
    {"kept", "kept", MP_UNIT_BLOCKS, "Objects that survived a collection and are still there.", MP_LAYOUT_AFTER, \
     MP_OF(KEPT_BLOCKS)}
#define MP_COLUMN_KEPT_OBJECT_BYTES                                                               \
    {"kept_bytes", "bytes kept", MP_UNIT_BYTES, "Bytes of the kept objects.", MP_LAYOUT_AFTER, MP_OF(KEPT)}
#define MP_COLUMN_KEPT_OBJECT_SHARE(layout)                                                       \
    {"kept_share", "(%)", MP_UNIT_PERCENT, "Their share of all bytes kept.", (layout), MP_OF(KEPT)}

/* Columns for the figure that rows are sorted by and for its share, for figures without a column of their own. A table
 * has them at AT, and MP_SORTED_SAID_AT(AT) in its array `said`. */
enum {
    MP_SORTED_ALLOCS_SHARE, MP_SORTED_KEPT_SHARE, MP_SORTED_PEAK, MP_SORTED_PEAK_SHARE,
    MP_SORTED_TEMPORARY, MP_SORTED_TEMPORARY_SHARE, MP_SORTED_COLUMNS
};
#define MP_SORTED_LAYOUT (MP_LAYOUT_SORTED | MP_LAYOUT_OPTIONAL)
#define MP_SORTED_COLUMNS_AT(at)                                                                  \
    [(at) + MP_SORTED_ALLOCS_SHARE] = {"allocs_part", "% allocs", MP_UNIT_PERCENT,                \
        "Share of the allocations of all rows.", MP_SORTED_LAYOUT | MP_LAYOUT_TENTHS, MP_OF(ALLOCS)}, \
    [(at) + MP_SORTED_KEPT_SHARE] = {"kept_part", "% kept", MP_UNIT_PERCENT,                      \
        "Share of the bytes kept of all rows.",                                                   \
        MP_SORTED_LAYOUT | MP_LAYOUT_TENTHS | MP_LAYOUT_AFTER | MP_LAYOUT_KEPT_SHARE, MP_OF(KEPT)}, \
    [(at) + MP_SORTED_PEAK] = {"peak_bytes", "peak", MP_UNIT_BYTES,                               \
        "Bytes that were alive at the peak of the process.", MP_SORTED_LAYOUT, MP_OF(PEAK_BYTES)}, \
    [(at) + MP_SORTED_PEAK_SHARE] = {"peak_part", "(%)", MP_UNIT_PERCENT,                         \
        "Their share of those of all rows.", MP_SORTED_LAYOUT, MP_OF(PEAK_BYTES)},                \
    [(at) + MP_SORTED_TEMPORARY] = {"temporary", "temporary", MP_UNIT_BLOCKS,                     \
        "Blocks that their own thread freed before its next allocation.",                         \
        MP_SORTED_LAYOUT | MP_LAYOUT_AFTER, MP_OF(TEMPORARY)},                                    \
    [(at) + MP_SORTED_TEMPORARY_SHARE] = {"temporary_part", "(%)", MP_UNIT_PERCENT,               \
        "Their share of those of all rows.", MP_SORTED_LAYOUT | MP_LAYOUT_AFTER, MP_OF(TEMPORARY)}
#define MP_SORTED_SAID_AT(at)                                                                     \
    {(at) + MP_SORTED_PEAK, "%s byte at the peak", "%s bytes at the peak"},                       \
    {(at) + MP_SORTED_TEMPORARY, "%s temporary", "%s temporary"}

/* ---------------------------------------------------------------- list */

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
    MP_TABLE_MAPPINGS = 32768,
    MP_TABLE_RESIDENT = 65536,
    MP_TABLE_DEFAULT = MP_TABLE_BINS | MP_TABLE_TYPES | MP_TABLE_LEAKS | MP_TABLE_DIRECT |
                       MP_TABLE_GRAPH,
    MP_TABLE_LISP = MP_TABLE_TYPES | MP_TABLE_DIRECT | MP_TABLE_GRAPH
};

#define MP_REPORT_TABLES 17u    /* capacity for all tables except the head, and a final 0 */

/* The input that a table is computed from: the profile, its function graph, or the reduced graph. */
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
