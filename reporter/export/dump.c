/* Writes every chain with its figures, for scripts; mprof-export(1) describes the formats. */
#include "formats.h"

#include <inttypes.h>
#include <string.h>

#include "dump_forms.h"
#include "reporter/profile/tree.h"

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
        mp_dump_name(tree->profile->functions[path[--n]].name, dump->out);
    }
    fputc('\n', dump->out);
}

/* Returns the caller of NODE with which the innermost part of its chain ends, or 0 if no caller is in that part. */
static uint32_t
outer_part(const struct dump *dump, uint32_t node)
{
    do {
        node = caller_of(dump, node);
    } while (node && !ends_part(dump, node));
    return node;
}

/* If NODE's chain is long, writes a line for the part that it begins with. First writes the parts which that part
 * refers to. Parts already written are skipped. */
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
    mp_dump_figures(dump->tree->profile, &sum, dump->out);
    print_chain(dump, node);
}

static void
print_objects(struct dump *dump, uint32_t node)
{
    struct mp_tree_part part = {.node = node};

    define_parts(dump, node);
    while (mp_tree_next(dump->tree, &part)) {
        mp_dump_objects(dump->tree->profile, &part, dump->out);
        fputc('\t', dump->out);
        print_chain(dump, node);
    }
}

/* Writes the contexts without merging them, because readers of this format may rely on one line for each context. */
static void
write_chains(const struct mp_tree *tree, bool lisp, FILE *out)
{
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

bool
mp_export_chains(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    const struct mp_tree_options options = {.all_frames = export->all_frames, .calls = true};
    struct mp_tree *tree = mp_tree_build(export->view, &options);

    (void)error;
    write_chains(tree, export->lisp, out);
    mp_tree_free(tree);
    return true;
}

bool
mp_export_ids(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    const struct mp_tree_options options = {.all_frames = export->all_frames};
    struct mp_tree *tree = mp_tree_build(export->view, &options);

    (void)error;
    mp_dump_ids(tree, export->lisp, out);
    mp_tree_free(tree);
    return true;
}

bool
mp_export_lifetimes(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    const struct mp_tree_options options = {.all_frames = export->all_frames};
    struct mp_tree *tree;

    if (!export->view->lifetimes)
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "how long blocks lived was not recorded, as mprof run "
                       "--lifetimes does, or is not known of a part of the time");
    tree = mp_tree_build(export->view, &options);
    mp_dump_lifetimes(tree, out);
    mp_tree_free(tree);
    return true;
}
