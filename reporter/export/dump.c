/* SPDX-License-Identifier: MIT */
/* Writes the formats chains, ids and lifetimes for scripts, and collapsed stacks. mprof-export(1) describes them. */
#include "export_formats.h"

#include <inttypes.h>
#include <string.h>

#include "reporter/profile/lifetimes.h"
#include "reporter/table/estimates.h"

/* ---------------------------------------------------------------- what all formats share */

void
mp_export_name(const char *name, FILE *out)
{
    if (name[0] == '@' && name[1] >= '0' && name[1] <= '9') {
        fputs("\\x40", out);
        name++;
    }
    for (;; name++) {
        size_t plain = strcspn(name, ";");

        fwrite(name, 1, plain, out);
        name += plain;
        if (*name == '\0')
            return;
        fputs("\\x3b", out);
    }
}

/* Returns true if FIGURE is the number of temporary blocks and this is unknown for the profile's part of the time. */
static bool
lacks(const struct mp_profile *profile, enum mp_figure figure)
{
    return figure == MP_FIGURE_TEMPORARY && mp_window_is_growth(profile->window) &&
           mp_window_lacks_temporary(profile->window);
}

/* Writes the figures of COUNTS, each followed by a blank, and "-" if a figure is unknown. In a sampled recording,
 * figures include their intervals. */
static void
put_figures(const struct mp_profile *profile, const struct mp_counts *counts, FILE *out)
{
    static const enum mp_figure figures[] = {
        MP_FIGURE_ALLOCS, MP_FIGURE_BYTES, MP_FIGURE_FREES, MP_FIGURE_FREED, MP_FIGURE_PEAK_BYTES,
        MP_FIGURE_PEAK_BLOCKS, MP_FIGURE_TEMPORARY};
    const bool sampled = profile->meta.sample_period > 0, alive = profile->window && profile->window->alive;

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        /* in a view of one point in time, the first two figures count what was alive, so they are known */
        const bool known = sampled || (alive && i < 2) || !mp_is_unknown(profile, figures[i]);

        if (!known || lacks(profile, figures[i]))
            fputs("- ", out);
        else if (sampled)
            mp_estimates_put_field(out, counts, figures[i]);
        else
            fprintf(out, "%" PRId64 " ", mp_counts_figure(counts, figures[i]));
    }
}

/* Writes the figures and the type of Lisp objects, in the same format. */
static void
put_objects(const struct mp_profile *profile, const struct mp_tree_part *part, FILE *out)
{
    const struct mp_counts *c = &part->counts;
    const bool exact = mp_spread_is_exact(&c->spread);

#define PUT(figure)                                                                               \
    (exact ? (void)fprintf(out, "%" PRId64 " ", mp_counts_figure(c, figure))                      \
           : mp_estimates_put_field(out, c, figure))
    PUT(MP_FIGURE_ALLOCS);
    PUT(MP_FIGURE_BYTES);
    fprintf(out, "%" PRIu64 " ", c->requested);
    PUT(MP_FIGURE_FREES);
    PUT(MP_FIGURE_FREED);
    PUT(MP_FIGURE_KEPT_BLOCKS);
    PUT(MP_FIGURE_KEPT);
#undef PUT
    fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %s", c->survived[0], c->survived[1], c->survived[2],
            mp_profile_kind(profile, part->kind)->name);
}

/* ---------------------------------------------------------------- chains */

/* If a chain has more than MOST_WHOLE functions, its outer functions are written once as a numbered part; lines then
 * contain that number and the remaining functions. So the length of a line does not grow with the depth. A part ends
 * where the number of functions passes a multiple of PART. */
#define MOST_WHOLE 2000u
#define PART 100u

/* State of a dump. */
struct dump {
    FILE *out;
    const struct mp_tree *tree;
    uint32_t *length;           /* by node: number of functions on its chain */
    uint32_t *part;             /* by node: number of the part that ends with it; 0 if not written yet */
    uint32_t n_parts;
    uint32_t *path;             /* scratch list; capacity is twice the number of nodes */
    const char *zeros;          /* zero figures, for lines that only define a part */
};

/* Returns the node that called the physical function of NODE, or 0 if nothing called it. Skips inlined nodes. */
static uint32_t
caller_of(const struct dump *dump, uint32_t node)
{
    while (mp_tree_is_inlined(dump->tree, node))
        node = dump->tree->nodes[node].parent;
    return dump->tree->nodes[node].parent;
}

/* Returns true if a part ends with NODE. Inlined functions are kept in the same part as their caller. */
static bool
ends_part(const struct dump *dump, uint32_t node)
{
    return dump->length[node] / PART > dump->length[caller_of(dump, node)] / PART;
}

/* Prints the functions below OUTER, down to NODE. If OUTER is not 0, first prints the number of its part. */
static void
print_functions(const struct dump *dump, uint32_t node, uint32_t outer)
{
    const struct mp_tree *tree = dump->tree;
    const char *separator = outer ? ";" : "";
    uint32_t n = 0, *path = dump->path;

    for (; node != outer; node = tree->nodes[node].parent)
        path[n++] = mp_tree_function(tree, node);
    if (outer)
        fprintf(dump->out, "@%" PRIu32, dump->part[outer]);
    for (; n > 0; separator = ";") {
        fputs(separator, dump->out);
        mp_export_name(tree->profile->functions[path[--n]].text, dump->out);
    }
    fputc('\n', dump->out);
}

/* Returns the nearest caller of NODE with which a part ends, or 0 if no part ends with a caller. */
static uint32_t
outer_part(const struct dump *dump, uint32_t node)
{
    do {
        node = caller_of(dump, node);
    } while (node && !ends_part(dump, node));
    return node;
}

/* If NODE's chain has more than MOST_WHOLE functions, writes a line for each of its parts that has not been written
 * yet, outermost first, because a part refers to the next outer one. */
static void
define_parts(struct dump *dump, uint32_t node)
{
    uint32_t n = 0, *parts = dump->path;

    if (dump->length[node] <= MOST_WHOLE)
        return;
    for (;;) {
        node = outer_part(dump, node);
        if (node == 0 || dump->part[node] != 0)
            break;
        parts[n++] = node;
    }
    dump->path += n;
    while (n-- > 0) {
        uint32_t outer = outer_part(dump, parts[n]);

        dump->part[parts[n]] = ++dump->n_parts;
        fprintf(dump->out, "%s@%" PRIu32 "=", dump->zeros, dump->n_parts);
        print_functions(dump, parts[n], outer);
    }
    dump->path = parts;
}

/* Prints the functions of NODE's chain, outermost first, separated by semicolons. */
static void
print_chain(const struct dump *dump, uint32_t node)
{
    bool whole = dump->length[node] <= MOST_WHOLE;

    print_functions(dump, node, whole ? 0 : outer_part(dump, node));
}

static void
print_node(struct dump *dump, uint32_t node)
{
    const struct mp_counts sum = mp_tree_self(dump->tree, node);

    define_parts(dump, node);
    put_figures(dump->tree->profile, &sum, dump->out);
    print_chain(dump, node);
}

static void
print_objects(struct dump *dump, uint32_t node)
{
    struct mp_tree_part part = {.node = node};

    define_parts(dump, node);
    while (mp_tree_next(dump->tree, &part)) {
        put_objects(dump->tree->profile, &part, dump->out);
        fputc('\t', dump->out);
        print_chain(dump, node);
    }
}

/* Writes the contexts without merging them, because readers of this format may rely on one line for each context. */
static void
write_chains(const struct mp_tree *tree, const struct mp_export *export, FILE *out)
{
    const bool lisp = export->lisp;
    struct mp_arena *arena = mp_arena_new();
    struct dump dump = {.out = out, .tree = tree};

    dump.zeros = lisp ? "0 0 0 0 0 0 0 0 0 0 \t" : "0 0 0 0 0 0 0 ";
    dump.length = mp_arena_alloc(arena, tree->n_nodes * sizeof *dump.length);
    dump.part = mp_arena_alloc(arena, tree->n_nodes * sizeof *dump.part);
    dump.path = mp_arena_alloc(arena, 2 * (size_t)tree->n_nodes * sizeof *dump.path);
    for (uint32_t i = 1; i < tree->n_nodes; i++)
        dump.length[i] = dump.length[tree->nodes[i].parent] + 1;
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        if (mp_tree_cells(tree, i) > 0)
            (lisp ? print_objects : print_node)(&dump, i);
    mp_arena_free(arena);
}

/* ---------------------------------------------------------------- ids */

/* Returns the number of FUNCTION. At the first use, assigns the next number and writes a line that defines it. */
static uint32_t
number_function(const struct mp_tree *tree, uint32_t function, uint32_t *numbers, uint32_t *n,
                FILE *out)
{
    if (numbers[function] == 0) {
        numbers[function] = ++*n;
        fprintf(out, "f %" PRIu32 " ", *n);
        mp_export_name(tree->profile->functions[function].text, out);
        fputc('\n', out);
    }
    return numbers[function];
}

static void
print_counts(const struct mp_tree *tree, uint32_t node, bool lisp, FILE *out)
{
    struct mp_tree_part part = {.node = node};
    const struct mp_counts self = mp_tree_self(tree, node);

    if (!lisp) {
        fputs("a ", out);
        put_figures(tree->profile, &self, out);
        fprintf(out, "%" PRIu32 "\n", node);
        return;
    }
    while (mp_tree_next(tree, &part)) {
        fputs("a ", out);
        put_objects(tree->profile, &part, out);
        fprintf(out, "\t%" PRIu32 "\n", node);
    }
}

/* Writes functions, chains and figures once each. A chain is written as its number, the number of its caller's chain
 * and its function. Everything is written before it is referred to. */
static void
write_ids(const struct mp_tree *tree, const struct mp_export *export, FILE *out)
{
    struct mp_arena *arena = mp_arena_new();
    uint32_t *numbers = mp_arena_alloc(arena, tree->profile->n_functions * sizeof *numbers), n = 0;

    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        if (i > 0) {
            uint32_t function =
                number_function(tree, mp_tree_function(tree, i), numbers, &n, out);

            fprintf(out, "c %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", i, tree->nodes[i].parent,
                    function);
        }
        if (mp_tree_cells(tree, i) > 0)
            print_counts(tree, i, export->lisp, out);
    }
    mp_arena_free(arena);
}

/* ---------------------------------------------------------------- collapsed stacks */

/* Prints the functions of NODE's chain, outermost first. PATH is scratch with a capacity of the chain's length. */
static void
print_path(const struct mp_tree *tree, uint32_t node, uint32_t *path, FILE *out)
{
    uint32_t n = 0;

    for (; node > 0; node = tree->nodes[node].parent)
        path[n++] = mp_tree_function(tree, node);
    while (n > 0) {
        mp_export_name(tree->profile->functions[path[--n]].text, out);
        if (n > 0)
            fputc(';', out);
    }
}

/* Writes stacks as Brendan Gregg's flamegraph.pl reads them: a line "outer;inner 123" for each chain for which the
 * figure is not 0. */
static void
write_collapsed(const struct mp_tree *tree, const struct mp_export *export, FILE *out)
{
    const enum mp_sort cost = export->cost;
    struct mp_arena *arena = mp_arena_new();
    uint32_t *path = mp_arena_alloc(arena, tree->n_nodes * sizeof *path);

    for (uint32_t i = 1; i < tree->n_nodes; i++) {
        const struct mp_counts self = mp_tree_self(tree, i);
        /* a flame graph cannot show negative values */
        const bool shrank = cost == MP_SORT_KEPT && (int64_t)self.kept < 0;
        uint64_t value = shrank ? 0 : mp_counts_key(&self, cost);

        if (value == 0)
            continue;
        print_path(tree, i, path, out);
        fprintf(out, " %" PRIu64 "\n", value);
    }
    mp_arena_free(arena);
}

/* ---------------------------------------------------------------- lifetimes */

/* Writes a line for each chain and each non-empty bucket of lifetimes: "32 BLOCKS BYTES outer;inner" for blocks that
 * lived less than 32 bytes of allocation. The last bucket has no upper limit and is written as "-". */
static void
write_lifetimes(const struct mp_tree *tree, const struct mp_export *export, FILE *out)
{
    struct mp_arena *arena = mp_arena_new();
    uint32_t *path = mp_arena_alloc(arena, tree->n_nodes * sizeof *path);

    (void)export;
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        struct mp_lifetimes lived;

        mp_tree_self_lifetimes(tree, node, &lived);
        for (unsigned i = 0; i < MP_LIFETIMES; i++) {
            if (lived.blocks[i] == 0)
                continue;
            if (i + 1 < MP_LIFETIMES)
                fprintf(out, "%" PRIu64, (uint64_t)1 << MP_LIFETIME_BITS(i));
            else
                fputc('-', out);
            fprintf(out, " %" PRIu64 " %" PRIu64 " ", lived.blocks[i], lived.bytes[i]);
            print_path(tree, node, path, out);
            fputc('\n', out);
        }
    }
    mp_arena_free(arena);
}

/* ---------------------------------------------------------------- the formats */

typedef void write_function(const struct mp_tree *tree, const struct mp_export *export, FILE *out);

/* Writes the tree of EXPORT's view by WRITE. With CALLS, each context of the view has its own nodes. Returns true. */
static bool
write_tree(const struct mp_export *export, bool calls, write_function *write, FILE *out)
{
    const struct mp_tree_options options = {.all_frames = export->all_frames, .calls = calls};
    struct mp_tree *tree = mp_tree_build(export->view, &options);

    write(tree, export, out);
    mp_tree_free(tree);
    return true;
}

bool
mp_export_collapsed(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    (void)error;
    return write_tree(export, false, write_collapsed, out);
}

bool
mp_export_chains(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    (void)error;
    return write_tree(export, true, write_chains, out);
}

bool
mp_export_ids(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    (void)error;
    return write_tree(export, false, write_ids, out);
}

bool
mp_export_lifetimes(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    if (!export->view->lifetimes)
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "how long blocks lived was not recorded, as mprof run "
                       "--lifetimes does, or is not known of a part of the time");
    return write_tree(export, false, write_lifetimes, out);
}
