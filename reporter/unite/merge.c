/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/file/figures_check.h"
#include "reporter/profile/missing.h"
#include "reporter/profile/samples.h"
#include "unite.h"

/* Maximum number of arguments kept for each process. */
#define MOST_ARGUMENTS 64u

struct mp_merge {
    struct mp_arena *arena;
    struct mp_merge_options options;
    struct mp_unite unite;
    struct mp_member *members;  uint32_t n_members, members_room;  /* in the order in which they were added */
    struct mp_map member_keys;  /* strings that identify processes, as they were recorded */
    uint32_t *keyed;            /* by key: the index of the member */
    uint32_t keyed_room;
    struct mp_map label_keys;   /* by label: a string that identifies it */
    enum mp_label_level level;
    uint64_t left_out;          /* number of files that earlier merges could not add */
    const char *with_objects[2];        /* name of the first file whose objects were all recorded, and of the first in
                                           which they are sampled; NULL if there is none */
};

struct mp_merge *
mp_merge_new(const struct mp_merge_options *options)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_merge *merge = mp_arena_alloc(arena, sizeof *merge);

    merge->arena = arena;
    merge->options = *options;
    merge->level = options->chosen                        ? options->level
                   : options->expected > MP_MERGE_LABELS ? MP_LABEL_PROGRAM : MP_LABEL_PROCESS;
    mp_unite_init(&merge->unite, MP_UNITE_EXACT, arena);
    merge->member_keys.arena = merge->label_keys.arena = arena;
    return merge;
}

void
mp_merge_free(struct mp_merge *merge)
{
    if (!merge)
        return;
    mp_unite_free(&merge->unite);
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

/* Returns whether the objects of PROFILE, from the file FILE, are sampled or not like those that were added before. If
 * not, fills *ERROR. */
static bool
may_add_objects(struct mp_merge *merge, const struct mp_profile *profile, const char *file, struct mp_error *error)
{
    const bool sampled = profile->meta.objects_sampled;

    if (!sampled && !mp_profile_has_objects(profile))
        return true;
    if (merge->with_objects[!sampled])
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET,
                       "of %s all objects of Lisp were recorded, of %s samples: these have no sum",
                       sampled ? merge->with_objects[false] : file, sampled ? file : merge->with_objects[true]);
    if (!merge->with_objects[sampled])
        merge->with_objects[sampled] = mp_arena_strdup(merge->arena, file);
    return true;
}

/* ---------------------------------------------------------------- processes and labels */

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
        arguments[i] = mp_unite_text(&merge->unite, meta->arguments[i]);
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
    to->file = mp_unite_text(&merge->unite, from->file);
    to->meta.program = mp_unite_text(&merge->unite, label && label->program ? label->program : from->meta.program);
    to->meta.monitor = mp_unite_text(&merge->unite, from->meta.monitor);
    to->meta.language = mp_unite_text(&merge->unite, from->meta.language);
    to->meta.host = mp_unite_text(&merge->unite, label && label->host ? label->host : from->meta.host);
    to->meta.labels = mp_unite_text(&merge->unite, from->meta.labels);
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

/* Replaces the labels of the tree by labels of a coarser level. LABEL_TO maps old labels to new ones or MP_NO_ID. */
static void
relabel(struct mp_merge *merge, const uint32_t label_to[])
{
    const struct mp_unite_tree *tree = &merge->unite.tree;
    uint32_t *frames = mp_need(malloc((tree->n_contexts + (size_t)1) * sizeof *frames));

    for (uint32_t i = 1; i < tree->n_contexts; i++) {
        const uint32_t frame = tree->contexts[i].frame, label = frame & ~MP_UNITE_LABEL;

        frames[i] = !(frame & MP_UNITE_LABEL) ? frame
                    : label_to[label] == MP_NO_ID ? MP_NO_ID : MP_UNITE_LABEL | label_to[label];
    }
    mp_unite_replace_frames(&merge->unite.tree, frames);
    free(frames);
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
    if (known > 0)
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

/* ---------------------------------------------------------------- adding */

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

bool
mp_merge_add(struct mp_merge *merge, const struct mp_profile *profile, const char *file,
             const struct mp_merge_label *label, struct mp_error *error)
{
    struct mp_arena *scratch = mp_arena_new();
    const struct mp_processes processes = processes_of(profile, file, scratch);
    uint32_t known = merge->n_members;
    bool ok = is_ours(profile, file, error) && may_add(merge, &processes, file, scratch, error) &&
              may_add_objects(merge, profile, file, error);

    if (ok) {
        struct mp_unite_labels labels = {.root = MP_NO_ID};

        for (uint32_t i = 0; i < processes.n; i++)
            add_member(merge, &processes.list[i], label);
        merge->left_out = mp_plus(merge->left_out, processes.left_out);
        settle_labels(merge, &processes, known);
        if (profile->processes)
            labels.of_frames = labels_of(merge, profile, &processes, known, scratch);
        else
            labels.root = merge->members[known].label;
        mp_unite_add(&merge->unite, profile, &labels, 0);
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

static int
compare_members(const void *a, const void *b)
{
    return mp_member_compare(a, b);
}

/* Returns the processes in order. Labels get the order of their first processes; sets LABEL_TO to their new numbers. */
static struct mp_processes
order_processes(const struct mp_merge *merge, uint32_t label_to[])
{
    struct mp_processes processes = {.n = merge->n_members, .level = merge->level, .left_out = merge->left_out};

    processes.list = mp_arena_alloc(merge->arena, merge->n_members * sizeof *processes.list);
    memcpy(processes.list, merge->members, merge->n_members * sizeof *processes.list);
    qsort(processes.list, processes.n, sizeof *processes.list, compare_members);
    memset(label_to, 0xff, merge->label_keys.count * sizeof *label_to);
    for (uint32_t i = 0; i < processes.n; i++) {
        struct mp_member *member = &processes.list[i];

        if (member->label == MP_NO_ID)
            continue;
        if (label_to[member->label] == MP_NO_ID)
            label_to[member->label] = processes.n_labels++;
        member->label = label_to[member->label];
    }
    return processes;
}

/* Adds PROCESSES to PROFILE, whose last frames represent the labels. */
static void
add_processes(struct mp_profile *profile, const struct mp_processes *from, bool objects_sampled)
{
    struct mp_processes *processes = mp_arena_alloc(profile->arena, sizeof *processes);
    const bool hosts = mp_processes_hosts(from) > 1;

    *processes = *from;
    processes->labels = mp_arena_alloc(profile->arena, from->n_labels * sizeof *processes->labels);
    for (uint32_t i = 0; i < from->n_labels; i++) {
        const uint32_t frame = processes->labels[i] = profile->n_frames - from->n_labels + i;
        const uint32_t function = profile->locations[profile->frames[frame].first_location].function;

        profile->functions[function].plain = mp_label_text(processes, i, hosts, profile->arena);
    }
    profile->meta = mp_processes_meta(processes->list, processes->n, profile->arena);
    profile->meta.objects_sampled = objects_sampled;
    profile->processes = processes;
}

struct mp_profile *
mp_merge_finish(struct mp_merge *merge, uint64_t left_out, struct mp_error *error)
{
    uint32_t *label_to = mp_arena_alloc(merge->arena, (merge->label_keys.count + (size_t)1) * sizeof *label_to);
    struct mp_processes processes;
    struct mp_profile *profile;

    merge->left_out = mp_plus(merge->left_out, left_out);
    processes = order_processes(merge, label_to);
    profile = mp_unite_ordered(&merge->unite, label_to, processes.n_labels, error);
    if (!profile)
        return NULL;
    add_processes(profile, &processes, merge->with_objects[true] != NULL);
    mp_identity_texts(profile);
    if (!check(profile, error)) {
        mp_profile_free(profile);
        return NULL;
    }
    mp_profile_set_kept(profile);
    if (profile->meta.sample_period > 0) {
        profile->samples = profile->cells;
        profile->n_samples = profile->n_cells;
        mp_samples_scale(profile);
    }
    return profile;
}
