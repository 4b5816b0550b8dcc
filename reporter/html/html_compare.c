/* SPDX-License-Identifier: MIT */
#include "html_compare.h"

#include "html.h"
#include "html_model.h"
#include "html_page.h"
#include "reporter/base/text.h"
#include "reporter/view/sort.h"

static bool
write_tables(const void *data, FILE *out, struct mp_error *error)
{
    return mp_compare_text(data, out, error);
}

/* Returns the joined profile with only the cells of the two shown runs. Their kinds contain the side
 * (MP_HTML_SIDE_SHIFT) instead of the number of the run. The result is allocated in ARENA. */
static const struct mp_profile *
two_sides(const struct mp_html_difference *d, struct mp_arena *arena)
{
    const struct mp_join *join = d->comparison->join;
    struct mp_profile *view = mp_arena_alloc(arena, sizeof *view);

    *view = *join->profile;
    view->cells = mp_arena_alloc(arena, join->profile->n_cells * sizeof *view->cells);
    view->n_cells = 0;
    for (uint32_t i = 0; i < join->profile->n_cells; i++) {
        const struct mp_cell *cell = &join->profile->cells[i];
        uint32_t run = mp_join_run_of(cell->kind);
        enum mp_side side = join->runs[run].side;

        if (run != d->shown[side])
            continue;
        view->cells[view->n_cells] = *cell;
        view->cells[view->n_cells++].kind = mp_join_kind_of(cell->kind) | (uint32_t)side << MP_HTML_SIDE_SHIFT;
    }
    return view;
}

static void
pack_difference(const struct mp_html_difference *d, struct mp_buffer *packed)
{
    const struct mp_join *join = d->comparison->join;
    const struct mp_tree_options wanted = {.all_frames = join->options.all_frames, .one_cut = true};
    struct mp_arena *arena = mp_arena_new();
    struct mp_tree *tree = mp_tree_build(two_sides(d, arena), &wanted);
    struct mp_html_model model = {.profile = join->profile, .difference = d};

    mp_html_pack(&model, tree, MP_HTML_MOST, packed);
    mp_tree_free(tree);
    mp_arena_free(arena);
}

static void
make_model(const struct mp_comparison *comparison, struct mp_buffer *packed)
{
    const enum mp_sort cost = comparison->options->print.sort;
    const struct mp_join *join = comparison->join;
    struct mp_html_difference d = {.comparison = comparison};

    for (unsigned side = 0; side < MP_SIDES; side++) {
        d.shown[side] = mp_typical_run(join, (enum mp_side)side, mp_sorts[cost].figure);
        d.estimated |= mp_is_estimated(&join->runs[d.shown[side]].meta);
    }
    pack_difference(&d, packed);
}

bool
mp_html_compare_write(const struct mp_comparison *comparison, FILE *out, struct mp_error *error)
{
    const char *program = comparison->join->profile->meta.program;
    struct mp_arena *arena = mp_arena_new();
    struct mp_buffer packed = {0};
    const struct mp_html_page page = {
        .title = mp_arena_printf(arena, "%s: what changed", mp_text_basename(program)),
        .packed = &packed, .tables = write_tables, .data = comparison};
    bool ok;

    make_model(comparison, &packed);
    ok = mp_html_page_write(&page, out, error);
    mp_buffer_free(&packed);
    mp_arena_free(arena);
    return ok;
}
