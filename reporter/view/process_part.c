/* SPDX-License-Identifier: MIT */
#include "process_part.h"

#include <string.h>

#include "reporter/profile/cells.h"
#include "startup_frames.h"

struct maker {
    const struct mp_profile *from;
    struct mp_profile *to;
    const struct mp_process_choice *choice;
    const bool *wanted;         /* by label: whether its processes are wanted */
    uint32_t *labels;           /* by context: its label, or MP_NO_ID */
    uint32_t *context_to;       /* by context: the part's context */
    uint32_t first_label;       /* frame of TO for the first label */
    struct mp_map contexts;     /* TO's contexts, by parent and frame */
    struct mp_arena *arena;     /* scratch */
};

/* ---------------------------------------------------------------- which processes */

/* Gives the part the list of chosen processes. */
static void
keep_chosen(struct maker *m)
{
    const struct mp_processes *from = m->from->processes;
    struct mp_processes *kept = mp_arena_alloc(m->to->arena, sizeof *kept);

    *kept = *from;
    kept->list = mp_arena_alloc(m->to->arena, from->n * sizeof *kept->list);
    kept->n = 0;
    for (uint32_t i = 0; i < from->n; i++)
        if (m->choice->chosen[i])
            kept->list[kept->n++] = from->list[i];
    m->to->processes = kept;
}

/* Fills m->wanted: by label, whether its processes are wanted, and at the end the same for processes without a
 * label. Returns false and fills *ERROR if some label has both wanted processes and others. */
static bool
find_wanted(struct maker *m, struct mp_error *error)
{
    const struct mp_processes *processes = m->from->processes;
    const bool *chosen = m->choice->chosen;
    bool *wanted = mp_arena_alloc(m->arena, (processes->n_labels + (size_t)1) * sizeof *wanted);
    bool *others = mp_arena_alloc(m->arena, (processes->n_labels + (size_t)1) * sizeof *others);
    bool mixed = false;

    for (uint32_t i = 0; i < processes->n; i++) {
        uint32_t label = processes->list[i].label;

        (chosen[i] ? wanted : others)[label < processes->n_labels ? label : processes->n_labels] = true;
    }
    for (uint32_t i = 0; i <= processes->n_labels; i++)
        mixed |= wanted[i] && others[i];
    m->wanted = wanted;
    keep_chosen(m);
    return !mixed || mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET,
                             "the file does not tell these processes apart from others; see mprof merge "
                             "--by");
}

/* ---------------------------------------------------------------- contexts and cells */

static bool
is_label(const struct mp_profile *profile, uint32_t context)
{
    return context != 0 && mp_frame_is_label(&profile->frames[profile->contexts[context].frame]);
}

/* Finds the label of each context. A label counts only as the outermost frame; in a damaged file it may be
 * anywhere. */
static void
find_labels(struct maker *m)
{
    const struct mp_profile *from = m->from;
    const struct mp_processes *processes = from->processes;
    uint32_t *of_frame = mp_arena_alloc(m->arena, from->n_frames * sizeof *of_frame);

    for (uint32_t i = 0; i < processes->n_labels; i++)
        of_frame[processes->labels[i]] = i;
    m->labels = mp_arena_alloc(m->arena, from->n_contexts * sizeof *m->labels);
    m->labels[0] = MP_NO_ID;
    for (uint32_t i = 1; i < from->n_contexts; i++) {
        const struct mp_context *context = &from->contexts[i];

        m->labels[i] = context->parent == 0 && is_label(from, i) ? of_frame[context->frame]
                                                                 : m->labels[context->parent];
    }
}

/* Adds a function, a location and a frame for each label, after the existing ones. */
static void
add_label_frames(struct maker *m)
{
    const struct mp_profile *from = m->from;
    struct mp_profile *to = m->to;
    const bool hosts = mp_processes_hosts(from->processes) > 1;
    uint32_t n = from->processes->n_labels;

    to->functions = mp_arena_alloc(to->arena, (from->n_functions + (size_t)n) * sizeof *to->functions);
    to->locations = mp_arena_alloc(to->arena, (from->n_locations + (size_t)n) * sizeof *to->locations);
    to->frames = mp_arena_alloc(to->arena, (from->n_frames + (size_t)n) * sizeof *to->frames);
    memcpy(to->functions, from->functions, from->n_functions * sizeof *to->functions);
    memcpy(to->locations, from->locations, from->n_locations * sizeof *to->locations);
    memcpy(to->frames, from->frames, from->n_frames * sizeof *to->frames);
    m->first_label = from->n_frames;
    for (uint32_t i = 0; i < n; i++) {
        to->functions[to->n_functions] = (struct mp_function){
            .text = mp_label_text(from->processes, i, hosts, to->arena), .module = MP_NO_ID, .label = i + 1};
        to->locations[to->n_locations] =
            (struct mp_location){.function = to->n_functions++, .file = ""};
        to->frames[to->n_frames++] = (struct mp_frame){
            .module = MP_NO_ID, .name = MP_NO_ID, .label = true, .first_location = to->n_locations++,
            .n_locations = 1};
    }
}

/* Returns, for each context, whether to omit it because it only starts main or a thread. */
static const bool *
find_startup(struct maker *m)
{
    bool *startup = m->choice->all_frames
                        ? mp_arena_alloc(m->arena, m->from->n_contexts * sizeof *startup)
                        : mp_startup_contexts(m->from, m->arena);

    for (uint32_t i = 0; i < m->from->n_cells; i++)
        startup[m->from->cells[i].context] = false;
    return startup;
}

static void
map_contexts(struct maker *m)
{
    const struct mp_profile *from = m->from;
    const bool *startup = m->choice->group ? find_startup(m) : NULL;
    size_t room = (size_t)from->n_contexts + from->processes->n_labels + 1;

    m->contexts.arena = m->arena;
    m->context_to = mp_arena_alloc(m->arena, from->n_contexts * sizeof *m->context_to);
    m->to->contexts = mp_arena_alloc(m->to->arena, room * sizeof *m->to->contexts);
    m->to->n_contexts = 0;
    mp_profile_context(m->to, &m->contexts, 0, MP_NO_ID);
    for (uint32_t i = 1; i < from->n_contexts; i++) {
        uint32_t parent = m->context_to[from->contexts[i].parent];

        if (!is_label(from, i))
            m->context_to[i] = startup && startup[i]
                                   ? parent : mp_profile_context(m->to, &m->contexts, parent,
                                                                 from->contexts[i].frame);
        else if (m->choice->group && m->labels[i] != MP_NO_ID)
            m->context_to[i] =
                mp_profile_context(m->to, &m->contexts, 0, m->first_label + m->labels[i]);
        else
            m->context_to[i] = parent;
    }
}

static bool
is_wanted(const struct maker *m, const struct mp_cell *cell)
{
    uint32_t label = m->labels[cell->context];

    return !m->wanted || m->wanted[label == MP_NO_ID ? m->from->processes->n_labels : label];
}

/* Copies the wanted cells to their new contexts. */
static void
copy_cells(struct maker *m)
{
    const struct mp_profile *from = m->from;
    struct mp_profile *to = m->to;

    to->cells = mp_arena_alloc(to->arena, (from->n_cells + (size_t)1) * sizeof *to->cells);
    for (uint32_t i = 0; i < from->n_cells; i++)
        if (is_wanted(m, &from->cells[i])) {
            to->cells[to->n_cells] = from->cells[i];
            to->cells[to->n_cells++].context = m->context_to[from->cells[i].context];
        }
}

/* Copies the wanted cells if processes are not grouped, so that cells of many processes are merged. Adds each cell to
 * the existing one of its context and kind, so memory is proportional to the result. */
static void
sum_cells(struct maker *m)
{
    const struct mp_profile *from = m->from;
    struct mp_map keys = {.arena = m->arena};
    uint32_t room = 0;
    struct mp_cell *sums = NULL;

    for (uint32_t i = 0; i < from->n_cells; i++) {
        struct mp_cell cell = from->cells[i];
        uint32_t key;

        if (!is_wanted(m, &from->cells[i]))
            continue;
        cell.context = m->context_to[cell.context];
        key = mp_map_add_u64(&keys, (uint64_t)cell.context << 32 | cell.kind);
        if (key < m->to->n_cells) {
            mp_cell_add(&sums[key], &cell, m->to->arena);
            continue;
        }
        if (cell.rest)
            mp_cell_own_rest(&cell, m->to->arena);
        sums = mp_arena_grow(m->arena, sums, m->to->n_cells, &room, sizeof *sums);
        sums[m->to->n_cells++] = cell;
    }
    m->to->cells = mp_arena_alloc(m->to->arena, (m->to->n_cells + (size_t)1) * sizeof *sums);
    if (m->to->n_cells > 0)
        memcpy(m->to->cells, sums, m->to->n_cells * sizeof *sums);
}

static void
map_all_cells(struct maker *m)
{
    m->to->n_cells = 0;
    (m->choice->group ? copy_cells : sum_cells)(m);
    m->to->n_cells = mp_cells_merge(m->to->cells, m->to->n_cells, m->to->arena);
}

/* Maps the contexts that lead to forms. */
static void
map_forms(struct maker *m)
{
    const struct mp_profile *from = m->from;
    bool *is_form = mp_arena_alloc(m->arena, m->to->n_contexts * sizeof *is_form);

    m->to->forms = mp_arena_alloc(m->to->arena, from->n_forms * sizeof *m->to->forms);
    m->to->n_forms = 0;
    for (uint32_t i = 0; i < from->n_forms && !m->choice->group; i++)
        is_form[m->context_to[from->forms[i]]] = true;
    for (uint32_t i = 1; i < m->to->n_contexts; i++)
        if (is_form[i])
            m->to->forms[m->to->n_forms++] = i;
}

struct mp_profile *
mp_process_part(const struct mp_profile *profile, const struct mp_process_choice *choice,
                struct mp_error *error)
{
    struct maker m = {.from = profile, .choice = choice, .arena = mp_arena_new()};
    bool ok;

    m.to = mp_profile_new();
    mp_profile_share(m.to, profile);
    if (choice->chosen)
        m.to->bad_frees = NULL;
    m.to->allocator = (struct mp_live_allocator){0};
    m.to->private_peak = 0;
    m.to->mappings = NULL;
    m.to->account = NULL;
    ok = !choice->chosen || find_wanted(&m, error);
    if (ok) {
        find_labels(&m);
        if (choice->group)
            add_label_frames(&m);
        map_contexts(&m);
        map_all_cells(&m);
        map_forms(&m);
    }
    mp_arena_free(m.arena);
    if (ok)
        return m.to;
    mp_profile_free(m.to);
    return NULL;
}
