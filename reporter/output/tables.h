/*
 * tables.h -- the tables of the report: what each is made of, and how it is computed.
 *
 * Each has a file of its own.  What rows are shown, in which order, and to how many callers chains
 * are: by struct mp_print_options.  A table that has nothing to say says why (`nothing`).
 */
#ifndef MP_TABLES_H
#define MP_TABLES_H

#include "print.h"
#include "reporter/findings/findings.h"
#include "reporter/graph/reduce.h"
#include "reporter/profile/chain.h"
#include "reporter/profile/tree.h"
#include "table.h"

struct mp_table_request {
    const struct mp_profile *profile;   /* symbolised, as it is shown: a view */
    const struct mp_graph *graph;       /* the profile's: for direct, graph and flat */
    const struct mp_reduced *reduced;   /* the graph's: for direct and graph */
    const struct mp_findings *findings; /* for findings; NULL: it makes them of the profile */
    const struct mp_reduced *sorted;    /* as if only what is sorted by had been allocated, see sort.h: for
                                           graph; NULL: rows are sorted by bytes */
    struct mp_tree *tree;       /* mp_table_tree() of the request: for leaks, gc, sites,
                                   lifetimes and tree; NULL: each
                                   makes one, which it gives back */
    const struct mp_print_options *options;
    bool lisp;                  /* objects of Lisp only */
    bool all_frames;            /* show start-up frames too */
    bool raw;                   /* charge innermost functions, also those of the runtime */
};

/* Each computes a table, which mp_table_free() frees. */

/* What is worth a look, in sentences; and as text. */
struct mp_table *mp_table_findings(const struct mp_table_request *request);
bool mp_table_findings_print(const struct mp_table *table, const struct mp_print_options *options,
                             FILE *out, struct mp_error *error);
extern const struct mp_table_kind mp_table_findings_kind;

/* The first screen: who has most of each figure. */
struct mp_table *mp_table_overview(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_overview_kind;

/* 1: allocation by the size of the blocks, and what the types of these sizes are. */
struct mp_table *mp_table_bins(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_bins_kind;

/* 1, of Lisp: by the type of the objects, classes under the built-in type that they are of. */
struct mp_table *mp_table_types(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_types_kind;

/* 2: chains that allocated what was never freed; of Lisp, what survived a collection and still
 * lives.  Each chain is cut to options->chain callers. */
struct mp_table *mp_table_leaks(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_leaks_kind, mp_table_leaks_1988_kind, mp_table_kept_kind,
    mp_table_growth_kind, mp_table_alive_kind;

/* 3: the functions that allocate, what they allocate and what they keep; only the functions' own
 * allocations count.  Fields are those of the manual page of 1988. */
struct mp_table *mp_table_direct(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_direct_kind;

/* 4: the allocation call graph: a row for each function on a chain that allocated, and under it its
 * callers and callees.  Fields and order are those of the manual page of 1988.  A cycle has a row as
 * if it were one function; under it stand its members, too, and what is inside.  Where the table of
 * 1988 has only a star (rows between members of one cycle), the exact figure stands beside it. */
struct mp_table *mp_table_graph(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_graph_kind;

/* 5, of Lisp: how many collections the objects of each site survived.  A site is a function that
 * allocates, or the chain of as many callers as options->sites says. */
struct mp_table *mp_table_survival(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_survival_kind;

/* 6: types of objects, and the chains of callers on which they were allocated. */
struct mp_table *mp_table_sites(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_sites_kind;

/* 7: functions, by what is charged to them (see charge.h), and by what was allocated while they ran;
 * 8: the same functions, and types of objects. */
struct mp_table *mp_table_flat(const struct mp_table_request *request);
struct mp_table *mp_table_function_types(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_flat_kind, mp_table_function_types_kind;

/* 9: chains from the outermost function inwards, as a tree. */
struct mp_table *mp_table_tree_rows(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_tree_kind;

/* 10: how long the blocks of each site lived, in bytes allocated meanwhile, and how many collections its
 * objects survived.  Sites are those of the table of survival; of the two sorts each has its own. */
struct mp_table *mp_table_lifetimes(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_lifetimes_kind;

/* The processes of a merged file. */
struct mp_table *mp_table_processes(const struct mp_table_request *request);
extern const struct mp_table_kind mp_table_processes_kind;

/* What is said instead of the rows of a table of chains. */
static inline const char *
mp_table_nothing(const struct mp_table_request *request)
{
    return request->profile->unmet.most > 0 && !request->lisp
               ? "Nothing of what was allocated was sampled." : MP_PRINT_NOTHING;
}

/* The chains that REQUEST shows, for struct mp_sites. */
static inline struct mp_tree *
mp_table_tree(const struct mp_table_request *request)
{
    const struct mp_tree_options wanted = {
        .all_frames = request->all_frames, .lines = request->options->lines,
        .paths = request->options->paths, .offsets = request->options->offsets, .one_cut = true};

    return request->tree ? request->tree : mp_tree_build(request->profile, &wanted);
}

/* Its TREE is done with. */
static inline void
mp_table_tree_free(const struct mp_table_request *request, struct mp_tree *tree)
{
    if (tree != request->tree)
        mp_tree_free(tree);
}

/* The calls of NODE's chain, if TABLE is to have them; else NULL. */
static inline const struct mp_calls *
mp_table_calls(const struct mp_table *table, const struct mp_tree *tree,
               const struct mp_chain_options *chain, uint32_t node)
{
    return table->calls ? mp_chain_calls(tree, chain, node, table->arena) : NULL;
}

#endif
