/* SPDX-License-Identifier: MIT */
#include "flat_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export_formats.h"
#include "reporter/base/fnv.h"
#include "reporter/base/text.h"
#include "reporter/graph/breakdown_kinds.h"

static void
hash_text(uint64_t *hash, const char *text)
{
    *hash = mp_fnv(*hash, text, strlen(text) + 1);
}

static void
hash_number(uint64_t *hash, uint64_t number)
{
    *hash = mp_fnv(*hash, &number, sizeof number);
}

/* Returns a hash of PROFILE. It identifies merged profiles and profiles of other tools, which have no run id. */
static uint64_t
content(const struct mp_profile *profile)
{
    const struct mp_processes *processes = profile->processes;
    uint64_t hash = MP_FNV_BEGIN;

    for (uint32_t i = 0; processes && i < processes->n; i++) {
        const struct mp_member *member = &processes->list[i];

        hash_text(&hash, member->meta.program);
        hash_text(&hash, member->meta.host);
        hash_number(&hash, member->meta.pid);
        hash_number(&hash, member->meta.start_realtime);
        hash_number(&hash, member->sums.bytes);
    }
    for (uint32_t i = 0; i < profile->n_functions; i++)
        hash_text(&hash, profile->functions[i].text);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];

        hash_number(&hash, cell->kind);
        hash_number(&hash, cell->counts.allocs);
        hash_number(&hash, cell->counts.bytes);
        hash_number(&hash, cell->counts.freed);
        hash_number(&hash, (uint64_t)cell->counts.peak_bytes);
    }
    return hash;
}

/* Returns the name of the recording PROFILE, in ARENA. The name contains the start time, because a process that
 * replaces its program by exec keeps its id but has two recordings. Merged files and files of other tools have no run
 * id and are identified by their contents. */
static const char *
name_of(const struct mp_profile *profile, struct mp_arena *arena)
{
    const struct mp_meta *meta = &profile->meta;
    const bool named = meta->run_id[0] != 0 || meta->run_id[1] != 0;

    if (profile->processes || (!named && meta->start_realtime == 0))
        return mp_arena_printf(arena, "=%016" PRIx64, content(profile));
    return mp_arena_printf(arena, "%016" PRIx64 "-%" PRIu32 "-%" PRIu64, meta->run_id[0], meta->pid,
                           meta->start_realtime);
}

static int64_t
exit_status(const struct mp_meta *meta)
{
    if (meta->status < 0 || (meta->ending != MP_END_EXITED && meta->ending != MP_END_SIGNAL))
        return -1;
    return meta->ending == MP_END_SIGNAL ? 128 + meta->status : meta->status;
}

/* Sets the members of PROCESS other than `meta`, which is all zero if no process has the label. NAME is the name of the
 * recording. */
static void
complete(struct mp_export_process *process, const struct mp_export *export, const char *name, struct mp_arena *arena)
{
    const struct mp_meta *meta = &process->meta;
    char *command;

    process->run = name;
    if (!meta->program)
        return;
    command = mp_export_command(meta);
    process->command = mp_arena_strdup(arena, command);
    free(command);
    process->exit_status = exit_status(meta);
    mp_profile_build_id(export->profile, meta->program, process->build_id);
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
    const char *name = name_of(export->profile, cells->arena);
    uint32_t n = processes ? processes->n_labels + 1 : 1;

    cells->processes = mp_arena_alloc(cells->arena, n * sizeof *cells->processes);
    cells->processes[0].meta = export->profile->meta;
    if (find_labels(cells))
        for (uint32_t i = 0; i < n; i++)
            describe_processes(cells, processes, i > 0 ? i - 1 : MP_NO_ID, &cells->processes[i]);
    for (uint32_t i = 0; i < n; i++)
        complete(&cells->processes[i], export, i > 0 ? mp_arena_printf(cells->arena, "%s-%" PRIu32, name, i) : name,
                 cells->arena);
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
    struct mp_export_process *process;
    const struct mp_object_kind *kind;

    while (!mp_tree_next(cells->tree, part)) {
        if (part->node + 1 == cells->tree->n_nodes)
            return false;
        *part = (struct mp_tree_part){.node = part->node + 1};
    }
    kind = mp_profile_kind(cells->tree->profile, part->kind);
    process = &cells->processes[cells->label[part->node]];
    *cell = (struct mp_export_cell){
        .node = part->node, .number = ++process->n_cells, .process = process, .type = kind ? kind->name : "malloc",
        .size_class = kind ? NULL : mp_breakdown_c.keys[mp_breakdown_column(&mp_breakdown_c, part->kind)],
        .counts = part->counts};
    cell->has_lifetimes = mp_tree_lifetimes(cells->tree, part, &cell->lifetimes);
    return true;
}
