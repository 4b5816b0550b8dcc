#include "html_compare.h"

#include "html.h"
#include "html_pack.h"
#include "html_page.h"
#include "reporter/base/text.h"
#include "reporter/compare/about.h"
#include "reporter/profile/sort.h"

struct shown {
    const struct mp_join *join;
    const struct mp_compare_options *options;
};

static bool
write_tables(const void *data, FILE *out, struct mp_error *error)
{
    const struct shown *shown = data;

    return mp_compare_text(shown->join, shown->options, out, error);
}

/* The joined profile with the cells of the two runs that are shown alone, whose sides take the place of their
 * numbers. */
static struct mp_profile
two_sides(const struct mp_html_difference *d, struct mp_arena *arena)
{
    struct mp_profile view = *d->join->profile;

    view.cells = mp_arena_alloc(arena, d->join->profile->n_cells * sizeof *view.cells);
    view.n_cells = 0;
    for (uint32_t i = 0; i < d->join->profile->n_cells; i++) {
        const struct mp_cell *cell = &d->join->profile->cells[i];
        uint32_t run = mp_join_run_of(cell->kind);
        enum mp_side side = d->join->runs[run].side;

        if (run != d->shown[side])
            continue;
        view.cells[view.n_cells] = *cell;
        view.cells[view.n_cells++].kind = mp_join_kind_of(cell->kind) | (uint32_t)side << MP_HTML_SIDE_SHIFT;
    }
    return view;
}

static void
pack_difference(const struct mp_html_difference *d, struct mp_buffer *packed)
{
    const struct mp_tree_options wanted = {.all_frames = d->join->options.all_frames, .one_cut = true};
    struct mp_arena *arena = mp_arena_new();
    const struct mp_profile view = two_sides(d, arena);
    struct mp_tree *tree = mp_tree_build(&view, &wanted);
    struct mp_html_model model = {.profile = d->join->profile, .difference = d};

    mp_html_pack(&model, tree, MP_HTML_MOST, packed);
    mp_tree_free(tree);
    mp_arena_free(arena);
}

static void
make_model(const struct mp_join *join, const struct mp_compare_options *options, struct mp_buffer *packed)
{
    const enum mp_sort cost = options->print.sort;
    struct mp_changes *chains = mp_changes_new(join, MP_BY_CHAIN, cost, options->print.chain);
    struct mp_html_difference d = {.join = join, .options = options};

    d.functions = mp_changes_new(join, MP_BY_FUNCTION, cost, options->print.chain);
    d.n_sentences = mp_sentences(d.functions, chains, d.sentences);
    d.head = mp_about(join, cost);
    for (unsigned side = 0; side < MP_SIDES; side++) {
        d.shown[side] = mp_typical_run(join, (enum mp_side)side, mp_sorts[cost].figure);
        d.estimated |= mp_is_estimated(&join->runs[d.shown[side]].meta);
    }
    pack_difference(&d, packed);
    mp_head_free(d.head);
    mp_changes_free(d.functions);
    mp_changes_free(chains);
}

bool
mp_html_compare_write(const struct mp_join *join, const struct mp_compare_options *options, FILE *out,
                      struct mp_error *error)
{
    const struct shown shown = {join, options};
    struct mp_arena *arena = mp_arena_new();
    struct mp_buffer packed = {0};
    const struct mp_html_page page = {
        .title = mp_arena_printf(arena, "%s: what changed", mp_text_basename(join->profile->meta.program)),
        .packed = &packed, .tables = write_tables, .data = &shown};
    bool ok;

    make_model(join, options, &packed);
    ok = mp_html_page_write(&page, out, error);
    mp_buffer_free(&packed);
    mp_arena_free(arena);
    return ok;
}
