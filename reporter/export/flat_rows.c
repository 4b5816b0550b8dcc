/* SPDX-License-Identifier: MIT */
#include "flat_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export_formats.h"
#include "reporter/base/text.h"
#include "reporter/graph/breakdown_kinds.h"

/* Writes the name of a run to TEXT. All processes of one mprof run share its id. If a recording has no id, its start
 * time identifies it. */
static void
name_run(const struct mp_meta *meta, char text[static 40])
{
    const bool named = meta->run_id[0] != 0 || meta->run_id[1] != 0;

    if (named)
        snprintf(text, 40, "%016" PRIx64 "-%" PRIu32, meta->run_id[0], meta->pid);
    else
        snprintf(text, 40, "t%" PRIu64 "-%" PRIu32, meta->start_realtime, meta->pid);
}

static int64_t
exit_status(const struct mp_meta *meta)
{
    if (meta->status < 0 || (meta->ending != MP_END_EXITED && meta->ending != MP_END_SIGNAL))
        return -1;
    return meta->ending == MP_END_SIGNAL ? 128 + meta->status : meta->status;
}

/* Sets what PROCESS has besides its struct mp_meta, which is all zero if no process has the label. */
static void
complete(struct mp_export_process *process, const struct mp_export *export, struct mp_arena *arena)
{
    const struct mp_meta *meta = &process->meta;
    char *command;

    name_run(meta, process->run);
    if (!meta->program)
        return;
    command = mp_export_command(meta);
    process->command = mp_arena_strdup(arena, command);
    free(command);
    process->exit_status = exit_status(meta);
    for (uint32_t i = 0; i < export->profile->n_modules; i++) {
        const struct mp_module *module = &export->profile->modules[i];

        if (strcmp(module->path, meta->program) == 0)
            mp_text_put_hex(process->build_id, process->build_id + sizeof process->build_id, module->build_id,
                            module->build_id_size);
    }
    process->n_labels = mp_export_labels(export, meta, process->labels, arena);
}

/* Finds the label of the process at the beginning of each node's chain. Returns whether there is any. */
static bool
find_labels(struct mp_export_cells *cells)
{
    const struct mp_tree *tree = cells->tree;
    bool any = false;

    cells->label = mp_arena_alloc(cells->arena, tree->n_nodes * sizeof *cells->label);
    for (uint32_t i = 1; i < tree->n_nodes; i++) {
        uint32_t parent = tree->nodes[i].parent;

        cells->label[i] = parent != 0 ? cells->label[parent]
                                      : tree->profile->functions[mp_tree_function(tree, i)].label;
        any |= cells->label[i] != 0;
    }
    return any;
}

/* Sets the properties that all processes with LABEL share. Does nothing if no process has LABEL. */
static void
describe_processes(struct mp_export_cells *cells, const struct mp_processes *processes, uint32_t label,
                   struct mp_export_process *to)
{
    struct mp_member *members = mp_arena_alloc(cells->arena, processes->n * sizeof *members);
    uint32_t n = 0;

    for (uint32_t i = 0; i < processes->n; i++)
        if (processes->list[i].label == label)
            members[n++] = processes->list[i];
    if (n > 0)
        to->meta = mp_processes_meta(members, n, cells->arena);
}

static void
find_processes(struct mp_export_cells *cells, const struct mp_export *export)
{
    const struct mp_processes *processes = export->view->processes;
    uint32_t n = processes ? processes->n_labels + 1 : 1;

    cells->processes = mp_arena_alloc(cells->arena, n * sizeof *cells->processes);
    cells->processes[0].meta = export->profile->meta;
    if (find_labels(cells))
        for (uint32_t i = 0; i < n; i++)
            describe_processes(cells, processes, i > 0 ? i - 1 : MP_NO_ID, &cells->processes[i]);
    for (uint32_t i = 0; i < n; i++)
        complete(&cells->processes[i], export, cells->arena);
}

struct mp_export_cells
mp_export_cells(const struct mp_export *export)
{
    const struct mp_tree_options options = {
        .all_frames = export->all_frames, .lines = true, .paths = true};
    struct mp_export_cells cells = {.tree = mp_tree_build(export->view, &options), .arena = mp_arena_new()};

    for (enum mp_figure figure = 0; figure < MP_FIGURES; figure++)
        cells.known[figure] = mp_export_knows(export->view, figure);
    find_processes(&cells, export);
    return cells;
}

void
mp_export_cells_free(struct mp_export_cells *cells)
{
    mp_tree_free(cells->tree);
    mp_arena_free(cells->arena);
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
        .node = part->node,
        .process = &cells->processes[cells->label[part->node]], .type = kind ? kind->name : "malloc",
        .size_class = kind ? NULL : mp_breakdown_c.keys[mp_breakdown_column(&mp_breakdown_c, part->kind)],
        .counts = part->counts};
    cell->has_lifetimes = mp_tree_lifetimes(cells->tree, part, &cell->lifetimes);
    return true;
}
