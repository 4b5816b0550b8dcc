#include "cells.h"

#include <inttypes.h>

#include "remark.h"
#include "reporter/graph/breakdown_kinds.h"

const struct mp_cell_figure mp_cell_figures[MP_CELL_FIGURES] = {
    {"allocs", MP_FIGURE_ALLOCS},           {"bytes", MP_FIGURE_BYTES},
    {"frees", MP_FIGURE_FREES},             {"freed_bytes", MP_FIGURE_FREED},
    {"kept", MP_FIGURE_KEPT_BLOCKS},        {"kept_bytes", MP_FIGURE_KEPT},
    {"temporary", MP_FIGURE_TEMPORARY},     {"peak", MP_FIGURE_PEAK_BLOCKS},
    {"peak_bytes", MP_FIGURE_PEAK_BYTES},
};

/* All processes of one mprof run have its id; of what was recorded without, the time tells processes apart. */
static void
name_run(const struct mp_meta *meta, char text[static 40])
{
    const bool named = meta->run_id[0] != 0 || meta->run_id[1] != 0;

    if (named)
        snprintf(text, 40, "%016" PRIx64 "-%" PRIu32, meta->run_id[0], meta->pid);
    else
        snprintf(text, 40, "t%" PRIu64 "-%" PRIu32, meta->start_realtime, meta->pid);
}

struct mp_export_cells
mp_export_cells(const struct mp_export *export)
{
    const struct mp_tree_options options = {
        .all_frames = export->all_frames, .lines = true, .paths = true};
    struct mp_export_cells cells = {.tree = mp_tree_build(export->view, &options)};

    for (size_t i = 0; i < MP_CELL_FIGURES; i++)
        cells.known[i] = mp_export_knows(export->view, mp_cell_figures[i].figure);
    name_run(&export->profile->meta, cells.run);
    return cells;
}

void
mp_export_cells_free(struct mp_export_cells *cells)
{
    mp_tree_free(cells->tree);
}

bool
mp_export_next(struct mp_export_cells *cells, struct mp_export_cell *cell)
{
    struct mp_tree_part *part = &cells->part;
    const struct mp_object_kind *kind;

    while (!mp_tree_next(cells->tree, part)) {
        if (part->node + 1 == cells->tree->n_nodes)
            return false;
        *part = (struct mp_tree_part){.node = part->node + 1};
    }
    kind = mp_profile_kind(cells->tree->profile, part->kind);
    *cell = (struct mp_export_cell){
        .node = part->node, .type = kind ? kind->name : "malloc",
        .size_class = kind ? NULL : mp_breakdown_c.keys[mp_breakdown_column(&mp_breakdown_c, part->kind)],
        .counts = part->counts};
    cell->has_lifetimes = mp_tree_lifetimes(cells->tree, part, &cell->lifetimes);
    return true;
}
