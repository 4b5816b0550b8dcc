#include "dump_forms.h"

#include <inttypes.h>
#include <string.h>

#include "reporter/output/estimates.h"
#include "reporter/profile/lifetimes.h"

/* ---------------------------------------------------------------- what all forms share */

void
mp_dump_name(const char *name, FILE *out)
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

void
mp_dump_figures(const struct mp_profile *profile, const struct mp_counts *counts, FILE *out)
{
    static const enum mp_figure figures[] = {
        MP_FIGURE_ALLOCS, MP_FIGURE_BYTES, MP_FIGURE_FREES, MP_FIGURE_FREED, MP_FIGURE_PEAK_BYTES,
        MP_FIGURE_PEAK_BLOCKS, MP_FIGURE_TEMPORARY};
    const bool sampled = profile->meta.sample_period > 0, alive = profile->window && profile->window->alive;

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        /* at a point in time, the first two count what was alive, so they are known */
        const bool known = sampled || (alive && i < 2) || !mp_is_unknown(profile, figures[i]);

        if (!known || lacks(profile, figures[i]))
            fputs("- ", out);
        else if (sampled)
            mp_estimates_put_field(out, counts, figures[i]);
        else
            fprintf(out, "%" PRId64 " ", mp_counts_figure(counts, figures[i]));
    }
}

void
mp_dump_objects(const struct mp_profile *profile, const struct mp_tree_part *part, FILE *out)
{
    const struct mp_counts *c = &part->counts;

    fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ", c->allocs, c->bytes,
            c->requested, c->frees, c->freed);
    fprintf(out, "%" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s",
            (int64_t)c->kept_blocks, (int64_t)c->kept, c->survived[0], c->survived[1], c->survived[2],
            mp_profile_kind(profile, part->kind)->name);
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
        mp_dump_name(tree->profile->functions[function].name, out);
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
        mp_dump_figures(tree->profile, &self, out);
        fprintf(out, "%" PRIu32 "\n", node);
        return;
    }
    while (mp_tree_next(tree, &part)) {
        fputs("a ", out);
        mp_dump_objects(tree->profile, &part, out);
        fprintf(out, "\t%" PRIu32 "\n", node);
    }
}

void
mp_dump_ids(const struct mp_tree *tree, bool lisp, FILE *out)
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
            print_counts(tree, i, lisp, out);
    }
    mp_arena_free(arena);
}

/* ---------------------------------------------------------------- folded */

/* Prints the functions of NODE's chain, outermost first. PATH is scratch with a capacity of the chain's length. */
static void
print_path(const struct mp_tree *tree, uint32_t node, uint32_t *path, FILE *out)
{
    uint32_t n = 0;

    for (; node > 0; node = tree->nodes[node].parent)
        path[n++] = mp_tree_function(tree, node);
    while (n > 0) {
        mp_dump_name(tree->profile->functions[path[--n]].name, out);
        if (n > 0)
            fputc(';', out);
    }
}

void
mp_dump_folded(const struct mp_tree *tree, enum mp_sort cost, FILE *out)
{
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

void
mp_dump_lifetimes(const struct mp_tree *tree, FILE *out)
{
    struct mp_arena *arena = mp_arena_new();
    uint32_t *path = mp_arena_alloc(arena, tree->n_nodes * sizeof *path);

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
