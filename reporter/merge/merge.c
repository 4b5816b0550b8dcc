#include "merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/profile/missing.h"
#include "reporter/profile/samples.h"
#include "reporter/read/figures_check.h"
#include "sum.h"

/* Maximum number of arguments kept for each process. */
#define MOST_ARGUMENTS 64u

struct mp_merge *
mp_merge_new(const struct mp_merge_options *options)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_merge *merge = mp_arena_alloc(arena, sizeof *merge);

    merge->arena = arena;
    merge->options = *options;
    merge->level = options->chosen                        ? options->level
                   : options->expected > MP_MERGE_LABELS ? MP_LABEL_PROGRAM : MP_LABEL_PROCESS;
    mp_merge_names_init(&merge->names, arena);
    merge->member_keys.arena = merge->types.arena = merge->label_keys.arena = arena;
    return merge;
}

void
mp_merge_free(struct mp_merge *merge)
{
    if (!merge)
        return;
    if (merge->tree.arena)
        mp_merge_tree_free(&merge->tree);
    mp_arena_free(merge->arena);
}

uint32_t
mp_merge_count(const struct mp_merge *merge)
{
    return merge->n_members;
}

/* ---------------------------------------------------------------- may it be added? */

static struct mp_processes
processes_of(const struct mp_profile *profile, const char *file, struct mp_arena *arena)
{
    struct mp_processes one = {.n = 1, .level = MP_LABEL_PROCESS};

    if (profile->processes)
        return *profile->processes;
    one.list = mp_arena_alloc(arena, sizeof *one.list);
    one.list[0] = mp_member_of(profile, file);
    return one;
}

static bool
fail_sampled(const struct mp_merge *merge, const struct mp_member *member, const char *file,
             struct mp_error *error)
{
    const struct mp_member *first = &merge->members[0];
    char how[2][64];
    const uint32_t periods[] = {first->meta.sample_period, member->meta.sample_period};

    for (int i = 0; i < 2; i++)
        if (periods[i] > 0)
            snprintf(how[i], sizeof how[i], "sampled, one of %" PRIu32 " bytes", periods[i]);
        else
            snprintf(how[i], sizeof how[i], "exact");
    return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s is %s, and %s is %s: these have no sum", first->file,
                   how[0], file, how[1]);
}

/* Returns a string of everything that mp_member_is_same() compares, or "" if the start time is unknown. */
static const char *
key_of(const struct mp_member *member, struct mp_arena *arena)
{
    const struct mp_meta *meta = &member->meta;

    return meta->start_realtime == 0
               ? "" : mp_arena_printf(arena, "%" PRIu64 " %" PRIu32 " %zu %s %s", meta->start_realtime,
                                      meta->pid, strlen(meta->host), meta->host, meta->program);
}

/* Returns whether mprof recorded PROFILE. If not, fills *ERROR, because figures that another tool did not count would
 * be 0 in the sum. */
static bool
is_ours(const struct mp_profile *profile, const char *file, struct mp_error *error)
{
    return !profile->meta.source ||
           mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET,
                   "%s: only what mprof recorded can be merged, and not %s", file, profile->meta.source);
}

/* Returns whether PROCESSES of the file FILE can be added. If not, fills *ERROR. */
static bool
may_add(const struct mp_merge *merge, const struct mp_processes *processes, const char *file,
        struct mp_arena *scratch, struct mp_error *error)
{
    for (uint32_t i = 0; i < processes->n; i++) {
        const struct mp_member *member = &processes->list[i];
        const char *key = key_of(member, scratch);
        uint32_t twin;

        if (merge->n_members > 0 &&
            merge->members[0].meta.sample_period != member->meta.sample_period)
            return fail_sampled(merge, member, file, error);
        twin = *key ? mp_map_find(&merge->member_keys, key, strlen(key)) : MP_NO_ID;
        if (twin != MP_NO_ID)
            return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET,
                           "%s: process %" PRIu32 " is there already, from %s", file, member->meta.pid,
                           merge->members[merge->keyed[twin]].file);
    }
    return true;
}

/* ---------------------------------------------------------------- processes and labels */

static const char *
keep(struct mp_merge *merge, const char *text)
{
    return mp_merge_text(&merge->names, mp_merge_string(&merge->names, text));
}

static void
keep_arguments(struct mp_merge *merge, struct mp_meta *meta)
{
    const char **arguments;

    if (meta->n_arguments > MOST_ARGUMENTS) {
        meta->n_arguments = MOST_ARGUMENTS;
        meta->arguments_cut = true;
    }
    arguments = mp_arena_alloc(merge->arena, meta->n_arguments * sizeof *arguments);
    for (uint32_t i = 0; i < meta->n_arguments; i++)
        arguments[i] = keep(merge, meta->arguments[i]);
    meta->arguments = arguments;
}

static void
add_member(struct mp_merge *merge, const struct mp_member *from, const struct mp_merge_label *label)
{
    struct mp_member *to;
    const char *key = key_of(from, merge->arena);
    uint32_t id;

    merge->members = mp_arena_grow(merge->arena, merge->members, merge->n_members, &merge->members_room,
                                   sizeof *merge->members);
    to = &merge->members[merge->n_members++];
    *to = *from;
    to->file = keep(merge, from->file);
    to->meta.program = keep(merge, label && label->program ? label->program : from->meta.program);
    to->meta.monitor = keep(merge, from->meta.monitor);
    to->meta.language = keep(merge, from->meta.language);
    to->meta.host = keep(merge, label && label->host ? label->host : from->meta.host);
    keep_arguments(merge, &to->meta);
    to->meta.unrecorded = (struct mp_unrecorded_list){0};
    mp_unrecorded_add(&to->meta.unrecorded, &from->meta.unrecorded, merge->arena);
    if (!*key)
        return;
    id = mp_map_add(&merge->member_keys, key, strlen(key));
    merge->keyed = mp_arena_grow(merge->arena, merge->keyed, id, &merge->keyed_room, sizeof *merge->keyed);
    merge->keyed[id] = merge->n_members - 1;
}

/* Returns a string that is equal for all processes that share the label of member I. */
static const char *
label_key(const struct mp_member *member, uint32_t i, enum mp_label_level level, struct mp_arena *arena)
{
    switch (level) {
    case MP_LABEL_PROCESS:
        return mp_arena_printf(arena, "%" PRIu32, i);
    case MP_LABEL_PROGRAM:
        return mp_arena_printf(arena, "%s\n%s", member->meta.host, member->meta.program);
    default:
        return member->meta.host;
    }
}

/* Sets the labels of the members from FIRST on. */
static void
set_labels(struct mp_merge *merge, uint32_t first)
{
    struct mp_arena *scratch = mp_arena_new();

    for (uint32_t i = first; i < merge->n_members; i++) {
        struct mp_member *member = &merge->members[i];
        const char *key = label_key(member, i, merge->level, scratch);

        member->label = merge->level == MP_LABEL_NONE
                            ? MP_NO_ID : mp_map_add(&merge->label_keys, key, strlen(key));
    }
    mp_arena_free(scratch);
}

/* Returns the context of LABEL, or the root if LABEL is MP_NO_ID. */
static uint32_t
label_context(struct mp_merge_tree *tree, uint32_t label)
{
    return label == MP_NO_ID ? 0 : mp_merge_tree_context(tree, 0, MP_MERGE_LABEL | label);
}

/* Replaces the labels of the tree by labels of a coarser level. LABEL_TO maps old labels to new ones. */
static void
relabel(struct mp_merge *merge, const uint32_t label_to[])
{
    struct mp_merge_tree old = merge->tree;
    uint32_t *to = mp_need(malloc(old.n_contexts * sizeof *to));

    mp_merge_tree_init(&merge->tree, old.by_size);
    to[0] = 0;
    for (uint32_t i = 1; i < old.n_contexts; i++) {
        const struct mp_context *context = &old.contexts[i];

        to[i] = context->frame & MP_MERGE_LABEL
                    ? label_context(&merge->tree, label_to[context->frame & ~MP_MERGE_LABEL])
                    : mp_merge_tree_context(&merge->tree, to[context->parent], context->frame);
    }
    for (uint32_t i = 0; i < old.n_cells; i++) {
        old.cells[i].context = to[old.cells[i].context];
        mp_merge_tree_add(&merge->tree, &old.cells[i]);
    }
    for (uint32_t i = 0; i < old.form_keys.count; i++)
        mp_merge_tree_add_form(&merge->tree, to[old.form_keys.numbers[i]]);
    for (uint32_t i = 0; i < old.bad_free_keys.count; i++) {
        old.bad_frees[i].context = to[old.bad_frees[i].context];
        mp_merge_tree_add_bad_free(&merge->tree, &old.bad_frees[i]);
    }
    mp_merge_tree_free(&old);
    free(to);
}

/* Gives all members labels of LEVEL, which is coarser than the present level. The first KNOWN members already have
 * labels in the tree. */
static void
coarsen(struct mp_merge *merge, enum mp_label_level level, uint32_t known)
{
    uint32_t *before = mp_need(malloc((known + (size_t)1) * sizeof *before));
    uint32_t *label_to = mp_need(malloc((merge->label_keys.count + (size_t)1) * sizeof *label_to));

    for (uint32_t i = 0; i < known; i++)
        before[i] = merge->members[i].label;
    merge->level = level;
    merge->label_keys = (struct mp_map){.arena = merge->arena};
    set_labels(merge, 0);
    for (uint32_t i = 0; i < known; i++)
        if (before[i] != MP_NO_ID)
            label_to[before[i]] = merge->members[i].label;
    relabel(merge, label_to);
    free(label_to);
    free(before);
}

/* Sets the labels of the members after the first KNOWN, which are those of PROCESSES. Makes all labels coarser if
 * PROCESSES have only coarser ones, or if there would be too many. */
static void
settle_labels(struct mp_merge *merge, const struct mp_processes *processes, uint32_t known)
{
    set_labels(merge, known);
    if (processes->level > merge->level)
        coarsen(merge, processes->level, known);
    while (!merge->options.chosen && merge->label_keys.count > MP_MERGE_LABELS)
        coarsen(merge, merge->level + 1, known);
}

/* ---------------------------------------------------------------- figures */

static void
add_bins(struct mp_merge *merge, const struct mp_profile *profile)
{
    for (uint32_t size = 0; size < MP_BINS; size++) {
        const struct mp_bin *from = &profile->bins[size];
        struct mp_bin *to = &merge->bins[size];

        to->allocs = mp_plus(to->allocs, from->allocs);
        to->bytes = mp_plus(to->bytes, from->bytes);
        to->frees = mp_plus(to->frees, from->frees);
        to->freed = mp_plus(to->freed, from->freed);
        for (uint32_t i = 0; i < from->n_types; i++)
            mp_map_add_u64(&merge->types,
                           (uint64_t)size << 32 |
                               mp_merge_string(&merge->names, profile->types[from->first_type + i]));
    }
}

/* Adds the faulty frees of PROFILE. CONTEXTS maps its contexts to the merged ones. Unknown frees in the program's own
 * pools are counted in meta.missing only. */
static void
add_bad_frees(struct mp_merge *merge, const struct mp_profile *profile, const uint32_t contexts[])
{
    const struct mp_bad_frees *frees = profile->bad_frees;

    for (unsigned kind = 0; frees && kind < MP_BAD_FREES; kind++)
        merge->bad_frees[kind] = mp_plus(merge->bad_frees[kind], frees->counts[kind]);
    if (!frees)
        merge->bad_frees[MP_FREED_UNKNOWN] =
            mp_plus(merge->bad_frees[MP_FREED_UNKNOWN], profile->meta.missing[MP_MISS_UNKNOWN_FREE]);
    for (uint32_t i = 0; frees && i < frees->n; i++) {
        struct mp_bad_free place = frees->places[i];

        if (place.context != 0)         /* 0: unknown */
            place.context = contexts[place.context];
        mp_merge_tree_add_bad_free(&merge->tree, &place);
    }
}

/* Returns, by frame of PROFILE, the merged label that the frame represents, or MP_NO_ID. KNOWN is the number of members
 * before the PROCESSES of PROFILE were added. */
static const uint32_t *
labels_of(const struct mp_merge *merge, const struct mp_profile *profile,
          const struct mp_processes *processes, uint32_t known, struct mp_arena *scratch)
{
    uint32_t *labels = mp_arena_alloc(scratch, (profile->n_frames + (size_t)1) * sizeof *labels);

    memset(labels, 0xff, profile->n_frames * sizeof *labels);
    for (uint32_t i = 0; i < processes->n; i++)
        if (processes->list[i].label < processes->n_labels)
            labels[processes->labels[processes->list[i].label]] = merge->members[known + i].label;
    return labels;
}

/* Returns, by context of PROFILE, the merged context. LABELS comes from labels_of(). If PROFILE was not merged before,
 * its contexts are placed below the label of its process. */
static uint32_t *
add_contexts(struct mp_merge *merge, const struct mp_profile *profile, const uint32_t frame_to[],
             const uint32_t labels[], struct mp_arena *scratch)
{
    struct mp_merge_tree *tree = &merge->tree;
    uint32_t *to = mp_arena_alloc(scratch, profile->n_contexts * sizeof *to);

    to[0] = profile->processes ? 0 : label_context(tree, merge->members[merge->n_members - 1].label);
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_context *context = &profile->contexts[i];

        if (frame_to[context->frame] != MP_NO_ID)
            to[i] = mp_merge_tree_context(tree, to[context->parent], frame_to[context->frame]);
        else if (context->parent == 0)
            to[i] = label_context(tree, labels[context->frame]);
        else
            to[i] = to[context->parent];
    }
    return to;
}

/* Returns the merged number of PROFILE's KIND. Kinds of C are unchanged; others are numbered by names.h. */
static uint32_t
kind_to(const struct mp_profile *profile, const struct mp_merge_translation *translation, uint32_t kind)
{
    if (kind < MP_KIND_LISP)
        return kind;
    return MP_KIND_LISP + translation->kind_to[mp_profile_kind(profile, kind) - profile->kinds];
}

static void
add_figures(struct mp_merge *merge, const struct mp_profile *profile, const uint32_t labels[],
            struct mp_arena *scratch)
{
    const struct mp_merge_translation to = mp_merge_translate(&merge->names, profile, scratch);
    const uint32_t *contexts = add_contexts(merge, profile, to.frame_to, labels, scratch);
    bool sampled = profile->meta.sample_period > 0;
    const struct mp_cell *cells = sampled ? profile->samples : profile->cells;
    uint32_t n = sampled ? profile->n_samples : profile->n_cells;

    for (uint32_t i = 0; i < n; i++) {
        struct mp_cell cell = cells[i];

        cell.context = contexts[cell.context];
        cell.kind = kind_to(profile, &to, cell.kind);
        mp_merge_tree_add(&merge->tree, &cell);
    }
    for (uint32_t i = 0; i < profile->n_forms; i++)
        mp_merge_tree_add_form(&merge->tree, contexts[profile->forms[i]]);
    add_bad_frees(merge, profile, contexts);
    add_bins(merge, profile);
    merge->lifetimes |= profile->lifetimes;
}

bool
mp_merge_add(struct mp_merge *merge, const struct mp_profile *profile, const char *file,
             const struct mp_merge_label *label, struct mp_error *error)
{
    struct mp_arena *scratch = mp_arena_new();
    const struct mp_processes processes = processes_of(profile, file, scratch);
    const enum mp_sentinel sentinel = profile->bad_frees ? profile->bad_frees->sentinel : MP_SENTINEL_OFF;
    uint32_t known = merge->n_members;
    bool ok = is_ours(profile, file, error) && may_add(merge, &processes, file, scratch, error);

    if (ok) {
        if (!merge->tree.arena)
            mp_merge_tree_init(&merge->tree, profile->meta.sample_period > 0);
        if (known == 0)
            merge->sentinel = sentinel;
        else if (sentinel != merge->sentinel)
            merge->sentinel = MP_SENTINEL_NONE;
        for (uint32_t i = 0; i < processes.n; i++)
            add_member(merge, &processes.list[i], label);
        merge->left_out = mp_plus(merge->left_out, processes.left_out);
        settle_labels(merge, &processes, known);
        add_figures(merge, profile, labels_of(merge, profile, &processes, known, scratch), scratch);
    }
    mp_arena_free(scratch);
    return ok;
}

/* ---------------------------------------------------------------- the sum */

/* Returns whether a file can store the sums, which may be too large although each addend was checked. If not, fills
 * *ERROR. */
static bool
check(const struct mp_profile *profile, struct mp_error *error)
{
    uint32_t where;
    const char *problem = mp_check_cells(profile, &where);

    if (!problem)
        problem = mp_check_bins(profile, &where);
    return !problem || mp_fail(error, MP_ERR_DAMAGED, MP_NO_OFFSET, "the sum of all: %s", problem);
}

struct mp_profile *
mp_merge_finish(struct mp_merge *merge, uint64_t left_out, struct mp_error *error)
{
    struct mp_profile *profile;

    merge->left_out = mp_plus(merge->left_out, left_out);
    profile = mp_merge_order(merge, error);
    if (profile && !check(profile, error)) {
        mp_profile_free(profile);
        return NULL;
    }
    if (!profile)
        return NULL;
    mp_profile_set_kept(profile);
    profile->lifetimes = merge->lifetimes;
    if (profile->meta.sample_period > 0) {
        profile->samples = profile->cells;
        profile->n_samples = profile->n_cells;
        mp_samples_scale(profile);
    }
    return profile;
}
