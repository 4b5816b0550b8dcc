/* SPDX-License-Identifier: MIT */
#include "processes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ending.h"
#include "missing.h"
#include "profile.h"
#include "reporter/base/label.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"

const char *const mp_label_levels[MP_LABEL_LEVELS] = {
    [MP_LABEL_PROCESS] = "process", [MP_LABEL_PROGRAM] = "program", [MP_LABEL_HOST] = "host",
    [MP_LABEL_NONE] = "none",
};

struct mp_member
mp_member_of(const struct mp_profile *profile, const char *file)
{
    struct mp_member process = {.meta = profile->meta, .file = file, .time = profile->timeline,
                                 .label = MP_NO_ID};
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    process.sums = (struct mp_process_sums){
        .allocs = totals.allocs, .bytes = totals.bytes,
        .frees = totals.all.frees, .freed = totals.all.freed,
        .kept = totals.all.kept, .kept_blocks = totals.all.kept_blocks,
        .temporary = totals.all.temporary,
        .objects = totals.objects, .object_bytes = totals.object_bytes};
    process.meta.objects_sampled = false;
    mp_ending_copied(&process.meta);
    memset(process.meta.run_id, 0, sizeof process.meta.run_id);
    return process;
}

static void
forget_arguments(struct mp_meta *meta)
{
    meta->n_arguments = 0;
    meta->arguments_cut = false;
}

void
mp_profile_forget_arguments(struct mp_profile *profile)
{
    forget_arguments(&profile->meta);
    for (uint32_t i = 0; profile->processes && i < profile->processes->n; i++)
        forget_arguments(&profile->processes->list[i].meta);
}

/* ---------------------------------------------------------------- order */

static int
compare_arguments(const struct mp_meta *a, const struct mp_meta *b)
{
    int order = mp_order(a->n_arguments, b->n_arguments);

    for (uint32_t i = 0; order == 0 && i < a->n_arguments; i++)
        order = strcmp(a->arguments[i], b->arguments[i]);
    return order;
}

/* Compares the sums, then all other figures. */
static int
compare_figures(const struct mp_member *a, const struct mp_member *b)
{
    const uint64_t pairs[][2] = {
        {a->meta.duration, b->meta.duration}, {a->sums.allocs, b->sums.allocs},
        {a->sums.bytes, b->sums.bytes}, {a->sums.frees, b->sums.frees},
        {a->sums.freed, b->sums.freed}, {a->sums.kept, b->sums.kept},
        {a->sums.temporary, b->sums.temporary}, {a->sums.objects, b->sums.objects},
        {(uint64_t)a->meta.peak_bytes, (uint64_t)b->meta.peak_bytes},
        {(uint64_t)a->meta.peak_blocks, (uint64_t)b->meta.peak_blocks},
        {a->meta.peak_slack, b->meta.peak_slack}, {a->meta.ending, b->meta.ending},
        {(uint64_t)a->meta.status, (uint64_t)b->meta.status}, {a->meta.ppid, b->meta.ppid},
        {a->meta.threads, b->meta.threads}, {a->meta.recorders, b->meta.recorders},
        {a->meta.collections, b->meta.collections}, {a->meta.heap_now, b->meta.heap_now},
        {a->meta.live_file_size, b->meta.live_file_size}, {a->time, b->time}};
    int order = 0;

    for (size_t i = 0; order == 0 && i < sizeof pairs / sizeof *pairs; i++)
        order = mp_order(pairs[i][0], pairs[i][1]);
    for (int i = 0; order == 0 && i < MP_MISS_KINDS; i++)
        order = mp_order(a->meta.missing[i], b->meta.missing[i]);
    return order;
}

int
mp_member_compare(const struct mp_member *a, const struct mp_member *b)
{
    int order = mp_order(a->meta.start_realtime, b->meta.start_realtime);

    order = order ? order : strcmp(a->meta.host, b->meta.host);
    order = order ? order : mp_order(a->meta.pid, b->meta.pid);
    order = order ? order : strcmp(a->meta.program, b->meta.program);
    order = order ? order : compare_arguments(&a->meta, &b->meta);
    order = order ? order : compare_figures(a, b);
    return order ? order : strcmp(a->file, b->file);
}

/* A process may record several times, one after the other. Each recording starts at another nanosecond. */
bool
mp_member_is_same(const struct mp_member *a, const struct mp_member *b)
{
    return a->meta.start_realtime != 0 && a->meta.start_realtime == b->meta.start_realtime &&
           a->meta.pid == b->meta.pid && strcmp(a->meta.program, b->meta.program) == 0 &&
           strcmp(a->meta.host, b->meta.host) == 0;
}

/* ---------------------------------------------------------------- all together */

static void
add(uint64_t *to, uint64_t more)
{
    *to = mp_plus(*to, more);
}

static void
add_small(uint32_t *to, uint32_t more)
{
    *to = *to > UINT32_MAX - more ? UINT32_MAX : *to + more;
}

void
mp_meta_add(struct mp_meta *to, const struct mp_meta *more)
{
    for (int i = 0; i < MP_MISS_KINDS; i++)
        add(&to->missing[i], more->missing[i]);
    to->unknown |= more->unknown;
    add(&to->duration, more->duration);
    add_small(&to->threads, more->threads);
    add_small(&to->recorders, more->recorders);
    add(&to->n_samples, more->n_samples);
    add(&to->collections, more->collections);
    add(&to->heap_before, more->heap_before);
    add(&to->heap_now, more->heap_now);
    add(&to->programs_started, more->programs_started);
    add(&to->processes_forked, more->processes_forked);
    add(&to->nested, more->nested);
    add(&to->live_file_size, more->live_file_size);
    add(&to->peak_slack, more->peak_slack);
    to->peak_bytes = mp_plus_signed(to->peak_bytes, more->peak_bytes);
    to->peak_blocks = mp_plus_signed(to->peak_blocks, more->peak_blocks);
}

static void
keep_common_number(uint32_t *to, uint32_t other)
{
    if (*to != other)
        *to = 0;
}

static void
keep_common_text(const char **to, const char *other)
{
    if (strcmp(*to, other) != 0)
        *to = "";
}

/* Keeps the properties that TO and OTHER share, and makes others unknown. Limitations of one, such as damage,
 * apply to both. */
static void
keep_common(struct mp_meta *to, const struct mp_meta *other, struct mp_arena *arena)
{
    keep_common_text(&to->program, other->program);
    keep_common_text(&to->monitor, other->monitor);
    keep_common_text(&to->host, other->host);
    to->labels = mp_labels_common(to->labels, other->labels, arena);
    keep_common_number(&to->pid, other->pid);
    keep_common_number(&to->ppid, other->ppid);
    keep_common_number(&to->machine, other->machine);
    keep_common_number(&to->stop_errno, other->stop_errno);
    forget_arguments(to);
    to->damaged |= other->damaged;
    if (to->ending != other->ending || to->status != other->status) {
        to->ending = MP_END_EXITED;
        to->status = -1;
    }
    if (other->start_realtime != 0 &&
        (to->start_realtime == 0 || other->start_realtime < to->start_realtime))
        to->start_realtime = other->start_realtime;
    if (other->unwinder > to->unwinder)
        to->unwinder = other->unwinder;
    if (other->depth != 0 && (to->depth == 0 || other->depth < to->depth))
        to->depth = other->depth;
    if (to->one_thread == 0)
        to->one_thread = other->one_thread;
}

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

#define MOST_LANGUAGES 8u       /* number of languages named */

/* Returns the names of the different runtimes, as "ECL 21.2.1, ECL 24.5.10". */
static const char *
languages_of(const struct mp_member list[], uint32_t n, struct mp_arena *arena)
{
    const char **all = mp_need(malloc((n + (size_t)1) * sizeof *all)), *text = "";
    uint32_t named = 0;

    for (uint32_t i = 0; i < n; i++)
        all[i] = list[i].meta.language;
    qsort(all, n, sizeof *all, compare_texts);
    for (uint32_t i = 0; i < n; i++)
        if (all[i][0] && (i == 0 || strcmp(all[i], all[i - 1]) != 0) && named++ < MOST_LANGUAGES)
            text = text[0] ? mp_arena_printf(arena, "%s, %s", text, all[i]) : all[i];
    free(all);
    return named <= MOST_LANGUAGES ? text : mp_arena_printf(arena, "%s and others", text);
}

struct mp_meta
mp_processes_meta(const struct mp_member list[], uint32_t n, struct mp_arena *arena)
{
    struct mp_meta meta = list[0].meta;

    for (uint32_t i = 1; i < n; i++) {
        keep_common(&meta, &list[i].meta, arena);
        mp_meta_add(&meta, &list[i].meta);
        mp_unrecorded_add(&meta.unrecorded, &list[i].meta.unrecorded, arena);
    }
    meta.language = languages_of(list, n, arena);
    meta.follows = false;       /* the processes of a merged file may differ in these */
    meta.leaks = 0;
    return meta;
}

/* ---------------------------------------------------------------- hosts, programs, labels */

static const char *
host_of(const struct mp_member *process)
{
    return process->meta.host;
}

static const char *
program_of(const struct mp_member *process)
{
    return process->meta.program;
}

static uint32_t
count_different(const struct mp_processes *processes, const char *(*text)(const struct mp_member *))
{
    const char **all = mp_need(malloc((processes->n + (size_t)1) * sizeof *all));
    uint32_t n = processes->n > 0;

    for (uint32_t i = 0; i < processes->n; i++)
        all[i] = text(&processes->list[i]);
    qsort(all, processes->n, sizeof *all, compare_texts);
    for (uint32_t i = 1; i < processes->n; i++)
        n += strcmp(all[i], all[i - 1]) != 0;
    free(all);
    return n;
}

uint32_t
mp_processes_hosts(const struct mp_processes *processes)
{
    return count_different(processes, host_of);
}

uint32_t
mp_processes_programs(const struct mp_processes *processes)
{
    return count_different(processes, program_of);
}

const struct mp_member *
mp_processes_largest_peak(const struct mp_processes *processes)
{
    const struct mp_member *most = &processes->list[0];

    for (uint32_t i = 1; i < processes->n; i++)
        if (processes->list[i].meta.peak_bytes > most->meta.peak_bytes)
            most = &processes->list[i];
    return most;
}

const char *
mp_label_text(const struct mp_processes *processes, uint32_t label, bool hosts, struct mp_arena *arena)
{
    const struct mp_member *process = processes->list, *end = process + processes->n;
    const char *host, *program;

    while (process < end && process->label != label)
        process++;
    if (process == end)
        return "?";
    host = process->meta.host[0] ? process->meta.host : "?";
    program = process->meta.program[0] ? mp_text_basename(process->meta.program) : "?";
    if (processes->level == MP_LABEL_HOST)
        return mp_arena_strdup(arena, host);
    if (processes->level == MP_LABEL_PROCESS)
        program = mp_arena_printf(arena, "%s[%" PRIu32 "]", program, process->meta.pid);
    return mp_arena_printf(arena, "%s%s%s", program, hosts ? "@" : "", hosts ? host : "");
}
