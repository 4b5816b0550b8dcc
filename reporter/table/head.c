/* SPDX-License-Identifier: MIT */
/*
 * Rows are added in the order of display: the process or processes, what was allocated, objects of Lisp, threads, what
 * is missing, modules without names. A row that most programs would have with the same value is added only for another
 * value. For a profile that another tool wrote, most rows are unavailable.
 */
#include "head.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "estimates.h"
#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"
#include "reporter/base/search.h"
#include "reporter/base/short_names.h"
#include "reporter/base/text.h"
#include "reporter/graph/bad_frees.h"
#include "reporter/graph/context_calls.h"
#include "reporter/profile/ending.h"
#include "reporter/profile/held_memory.h"
#include "reporter/profile/missing.h"
#include "reporter/profile/outside.h"

/* ------------------------------------------------------------- rows */

static struct mp_head_row *
add(struct mp_head *head, const char *key, const char *label)
{
    struct mp_head_row *row;

    head->rows = mp_arena_grow(head->arena, head->rows, head->n_rows, &head->room,
                               sizeof *head->rows);
    row = &head->rows[head->n_rows++];
    *row = (struct mp_head_row){.key = key, .label = label, .text = ""};
    return row;
}

void
mp_head_say(struct mp_head *head, const char *key, const char *label, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(head, key, label)->text = mp_arena_vprintf(head->arena, format, args);
    va_end(args);
}

/* Add a row with figures and a text, which is constant or allocated in the arena of HEAD. */
static struct mp_head_row *
add_count(struct mp_head *head, const char *key, const char *label, uint64_t count, const char *text)
{
    struct mp_head_row *row = add(head, key, label);

    row->has = MP_HEAD_BLOCKS;
    row->blocks = count;
    row->text = text;
    return row;
}

static void
add_bytes(struct mp_head *head, const char *key, const char *label, uint64_t bytes, const char *text)
{
    struct mp_head_row *row = add(head, key, label);

    row->has = MP_HEAD_BYTES;
    row->bytes = bytes;
    row->text = text;
}

static struct mp_head_row *
add_both(struct mp_head *head, const char *key, const char *label, uint64_t blocks, uint64_t bytes,
         const char *text)
{
    struct mp_head_row *row = add_count(head, key, label, blocks, text);

    row->has = MP_HEAD_BOTH;
    row->bytes = bytes;
    return row;
}

static void
add_names(struct mp_head *head, const char *key, const char *label, const char *const names[], uint32_t n,
          const char *text)
{
    struct mp_head_row *row = add(head, key, label);

    row->has = MP_HEAD_NAMES;
    row->names = names;
    row->n_names = n;
    row->text = text;
}

/* Adds the errors of estimates to the text of ROW, unless they are exact. BYTES may be NULL. */
static void
add_errors(struct mp_head *head, struct mp_head_row *row, const struct mp_estimate *blocks,
           const struct mp_estimate *bytes)
{
    char text[MP_ESTIMATE_SIZE];

    if (mp_estimate_text(blocks, bytes, text)[0])
        row->text = mp_arena_printf(head->arena, "%s%s%s", text, row->text[0] ? "; " : "", row->text);
}

/* Adds two figures of COUNTS, or that they are not known. */
static void
add_figures(struct mp_head *head, const char *key, const char *label, const struct mp_profile *profile,
            const struct mp_counts *counts, enum mp_figure blocks, enum mp_figure bytes)
{
    const struct mp_estimate of_blocks = mp_counts_estimate(counts, blocks);
    const struct mp_estimate of_bytes = mp_counts_estimate(counts, bytes);

    if (mp_is_unknown(profile, bytes))
        mp_head_say(head, key, label, "not known");
    else if (mp_is_unknown(profile, blocks))
        add_bytes(head, key, label, of_bytes.value, "");
    else
        add_errors(head, add_both(head, key, label, of_blocks.value, of_bytes.value, ""), &of_blocks, &of_bytes);
}

/* ------------------------------------------------------------- one process */

/* Adds the command line as it could be typed in a shell. */
static void
add_command(struct mp_head *head, const struct mp_meta *meta)
{
    struct mp_text_stream text;
    FILE *stream = mp_text_open(&text);

    for (uint32_t i = 0; i < meta->n_arguments; i++) {
        fputs(i > 0 ? " " : "", stream);
        mp_text_shell(stream, meta->arguments[i]);
    }
    mp_head_say(head, "command", "Command", "%s%s", mp_text_close_in(&text, head->arena),
                meta->arguments_cut ? " ..." : "");
}

static void
add_labels(struct mp_head *head, const struct mp_meta *meta)
{
    if (meta->labels[0])
        mp_head_say(head, "labels", "Labels", "%s", meta->labels);
}

/* Returns REALTIME, in ns since 1970, as local time in ARENA, or "" if it is 0. */
static const char *
time_text(uint64_t realtime, struct mp_arena *arena)
{
    time_t seconds = (time_t)(realtime / 1000000000);
    char text[64];
    struct tm when;

    if (realtime == 0 || !localtime_r(&seconds, &when) ||
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &when) == 0)
        return "";
    return mp_arena_strdup(arena, text);
}

/* Adds start and duration of the recording. META of several processes has the start of the first and the sum of all
 * durations. */
static void
add_time(struct mp_head *head, const char *key, const char *label, const struct mp_meta *meta)
{
    const char *when = time_text(meta->start_realtime, head->arena);
    char duration[MP_NUMBER_SIZE];

    if (when[0])
        mp_head_say(head, key, label, "%s", when);
    if (meta->duration > 0)
        mp_head_say(head, "recorded", "Recorded", "%s", mp_number_duration(meta->duration, duration));
}

/* Adds when the recording stopped early, as far as the file contains this. */
static void
add_stopped(struct mp_head *head, const struct mp_meta *meta, uint64_t allocs)
{
    const bool timed = meta->duration > 0, dated = timed && meta->start_realtime > 0;
    const char *when = dated ? time_text(meta->start_realtime + meta->duration, head->arena) : "";
    char after[MP_NUMBER_SIZE] = "", number[MP_NUMBER_SIZE];

    if (timed)
        mp_number_duration(meta->duration, after);
    mp_head_say(head, "stopped", "Stopped", "%s%safter %s%s%s allocation%s", when,
                when[0] ? ", " : "", after, timed ? " and " : "",
                mp_number_grouped(allocs, number), mp_plural(allocs));
}

static void
add_program(struct mp_head *head, const struct mp_meta *meta)
{
    mp_head_say(head, "program", "Program", "%s", meta->program[0] ? meta->program : "not known");
}

static void
add_pid(struct mp_head *head, const struct mp_meta *meta)
{
    mp_head_say(head, "process", "Process", "%" PRIu32, meta->pid);
}

/* ------------------------------------------------------------- several processes */

/* A text, and how often it occurs. */
struct tally {
    const char *text;
    uint32_t n;
};

/* Sorts by frequency, highest first. */
static int
compare_tallies(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;

    return x->n != y->n ? mp_order(y->n, x->n) : strcmp(x->text, y->text);
}

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds a row such as "cc1 (12), as (11)" from the N texts in LIST, at least one, which it sorts. */
static void
add_tallies(struct mp_head *head, const char *key, const char *label, const char *list[], uint32_t n)
{
    struct tally *tallies = mp_arena_alloc(head->arena, n * sizeof *tallies);
    const char **names = mp_arena_alloc(head->arena, n * sizeof *names);
    char number[MP_NUMBER_SIZE];
    uint32_t different = 0;

    qsort(list, n, sizeof *list, compare_texts);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || strcmp(list[i], list[i - 1]) != 0)
            tallies[different++].text = list[i];
        tallies[different - 1].n++;
    }
    qsort(tallies, different, sizeof *tallies, compare_tallies);
    for (uint32_t i = 0; i < different; i++)
        names[i] = n == 1 ? tallies[i].text
                          : mp_arena_printf(head->arena, "%s (%s)", tallies[i].text,
                                            mp_number_grouped(tallies[i].n, number));
    add_names(head, key, label, names, different, "");
}

/* Adds rows on the processes of a merged profile, the first of which is "12 processes of 3 programs on 2 hosts". */
static void
add_merged(struct mp_head *head, const struct mp_processes *processes)
{
    static const char *const by[MP_LABEL_LEVELS] = {
        [MP_LABEL_PROCESS] = "by process", [MP_LABEL_PROGRAM] = "by program and host",
        [MP_LABEL_HOST] = "by host", [MP_LABEL_NONE] = "not at all"};
    const uint32_t n_programs = mp_processes_programs(processes), n_hosts = mp_processes_hosts(processes);
    const size_t size = processes->n * sizeof(const char *);
    const char **programs = mp_arena_alloc(head->arena, size), **hosts = mp_arena_alloc(head->arena, size);
    const char **endings = mp_arena_alloc(head->arena, size);
    char number[3][MP_NUMBER_SIZE], ending[MP_ENDING_SIZE];
    uint32_t timed = 0;

    for (uint32_t i = 0; i < processes->n; i++) {
        const struct mp_meta *meta = &processes->list[i].meta;

        programs[i] = meta->program[0] ? mp_text_basename(meta->program) : "not known";
        hosts[i] = meta->host[0] ? meta->host : "not known";
        endings[i] = mp_arena_strdup(head->arena, mp_ending_text(meta, ending));
        timed += processes->list[i].time;
    }
    mp_head_say(head, "merged", "Merged", "%s process%s of %s program%s on %s host%s",
                mp_number_grouped(processes->n, number[0]), processes->n == 1 ? "" : "es",
                mp_number_grouped(n_programs, number[1]), mp_plural(n_programs),
                mp_number_grouped(n_hosts, number[2]), mp_plural(n_hosts));
    add_tallies(head, "programs", "Programs", programs, processes->n);
    if (n_hosts > 1 || processes->list[0].meta.host[0])
        add_tallies(head, "hosts", "Hosts", hosts, processes->n);
    mp_head_say(head, "told_apart", "Told apart", "%s", by[processes->level]);
    if (processes->left_out > 0)
        add_count(head, "left_out", "Left out", processes->left_out,
                  processes->left_out == 1 ? "file that could not be merged" : "files that could not be merged");
    if (timed > 0)
        add_count(head, "time_lines", "Time lines", timed, "left out: a sum has none");
    add_tallies(head, "ended", "Ended", endings, processes->n);
}

static void
add_processes(struct mp_head *head, const struct mp_profile *profile, uint64_t allocs)
{
    const struct mp_meta *meta = &profile->meta;
    const struct mp_processes *processes = profile->processes;
    char ending[MP_ENDING_SIZE];

    if (processes)
        add_merged(head, processes);
    if (!processes || processes->n == 1) {
        add_program(head, meta);
        if (meta->n_arguments > 0)
            add_command(head, meta);
        add_pid(head, meta);
    }
    add_labels(head, meta);
    add_time(head, "started", "Started", meta);
    if (!processes)
        mp_head_say(head, "ended", "Ended", "%s", mp_ending_text(meta, ending));
    if (meta->ending == MP_END_FULL)
        add_stopped(head, meta, allocs);
    if (meta->damaged)
        mp_head_say(head, "damaged", "Damaged",
                    "the header of the data file was overwritten: the process, the peak and what "
                    "is missing are not known");
}

/* ------------------------------------------------------------- what was allocated */

/* Adds the peak, or the sum of the peaks of several processes. */
static void
add_peak(struct mp_head *head, const struct mp_profile *profile, const struct mp_totals *totals)
{
    const struct mp_meta *meta = &profile->meta;
    const char *text = totals->lisp.bytes > 0 ? "with objects of Lisp" : "";
    const struct mp_estimate blocks = mp_estimates_peak(profile, totals, MP_FIGURE_PEAK_BLOCKS);
    const struct mp_estimate bytes = mp_estimates_peak(profile, totals, MP_FIGURE_PEAK_BYTES);
    struct mp_head_row *row = add_both(head, "peak", "Peak", blocks.value, bytes.value, text);
    const struct mp_member *most;
    char number[MP_NUMBER_SIZE];

    if (meta->sample_period > 0) {
        add_errors(head, row, &blocks, &bytes);         /* includes the slack */
    } else {
        row->close = true;
        if (meta->peak_slack > 0)
            row->text = mp_arena_printf(head->arena, "+- %s bytes%s%s", mp_number_grouped(meta->peak_slack, number),
                                        text[0] ? " " : "", text);
    }
    if (!mp_profile_is_sum(profile))
        return;
    most = mp_processes_largest_peak(profile->processes);
    row->key = "sum_of_peaks";
    row->label = "Sum of peaks";
    row->text = mp_arena_printf(head->arena, "%s%seach process at its own time; the largest: %s bytes, %s[%" PRIu32 "]",
                                row->text, row->text[0] ? "; " : "",
                                mp_number_grouped(mp_not_negative(most->meta.peak_bytes), number),
                                mp_text_basename(most->meta.program), most->meta.pid);
    row->close = false;
}

static void
add_temporary(struct mp_head *head, const struct mp_counts *c)
{
    struct mp_estimate estimate = mp_counts_estimate(c, MP_FIGURE_TEMPORARY);
    unsigned share = mp_number_share(c->temporary, c->allocs);
    const char *percent = share > 0 ? mp_arena_printf(head->arena, "%u %% of allocations", share) : "";

    add_errors(head, add_count(head, "temporary", "Temporary", c->temporary, percent), &estimate, NULL);
}

/* Adds how much memory malloc held at the end, how much of it was used, and how much of that was requested, unless
 * that is an estimate. */
static void
add_allocator(struct mp_head *head, const struct mp_profile *profile, uint64_t kept)
{
    const struct mp_live_allocator *of = &profile->allocator;
    char number[MP_NUMBER_SIZE];

    if (of->held == 0)
        return;
    add_bytes(head, "heap_held", "Held", of->held, "by malloc when it ended");
    add_bytes(head, "heap_used", "Used", mp_allocator_used(of),
              mp_is_estimated(&profile->meta)
                  ? "by malloc, in blocks"
                  : mp_arena_printf(head->arena, "by malloc, in blocks, of which %s were requested and recorded",
                                    mp_number_bytes(kept, number)));
    add_bytes(head, "heap_free", "Free", of->free,
              mp_arena_printf(head->arena, "in chunks of malloc, %s %% of what it held",
                              mp_number_tenths(of->free, of->held, number)));
    if (of->resident > 0)
        add_bytes(head, "resident", "Resident", of->resident,
                  "the process in memory when it ended, with the recording");
}

/* Adds the sums of blocks of C. In a sampled recording, what was allocated is known exactly; for comparison, the same
 * is then also estimated from the samples. */
static void
add_sums(struct mp_head *head, const struct mp_profile *profile, const struct mp_totals *totals)
{
    const struct mp_meta *meta = &profile->meta;
    const struct mp_counts *c = &totals->c;
    char number[2][MP_NUMBER_SIZE];

    if (meta->sample_period > 0) {
        mp_head_say(head, "sampled", "Sampled",
                    "one allocation for each %s byte%s at random: %s; +- is the 95 %% interval",
                    mp_number_grouped(meta->sample_period, number[0]), mp_plural(meta->sample_period),
                    mp_number_grouped(meta->n_samples, number[1]));
        add_both(head, "allocations", "Allocations", totals->allocs - totals->objects,
                 totals->bytes - totals->object_bytes, "");
        add_figures(head, "by_samples", "By samples", profile, c, MP_FIGURE_ALLOCS, MP_FIGURE_BYTES);
    } else {
        add_both(head, "allocations", "Allocations", c->allocs, c->bytes, "");
    }
    add_figures(head, "frees", "Frees", profile, c, MP_FIGURE_FREES, MP_FIGURE_FREED);
    add_figures(head, "kept", mp_ending_runs(meta) ? "Current" : "Kept", profile, c, MP_FIGURE_KEPT_BLOCKS,
                MP_FIGURE_KEPT);
    if (!meta->damaged)
        add_peak(head, profile, totals);
    add_temporary(head, c);
    add_allocator(head, profile, c->kept);
}

/* ------------------------------------------------------------- objects of Lisp */

/* Minimum heap size in bytes for which the recorded share is shown. In smaller heaps the share is inaccurate, because
 * libgc counts all objects of a heap block when it creates the block, not when it allocates each object. */
#define HEAP_SURE 10000000u

/* Adds the collector's own count of bytes, and the share of it that was recorded as objects. */
static void
add_heap(struct mp_head *head, const struct mp_meta *meta, uint64_t recorded)
{
    uint64_t heap = meta->heap_now - meta->heap_before;
    /* in a running process, the collector's count is older than the recording */
    const bool sure = heap >= HEAP_SURE && !mp_ending_runs(meta);

    if (meta->heap_now > meta->heap_before)
        add_bytes(head, "heap", "Heap", heap,
                  sure ? mp_arena_printf(head->arena, "by the collector's count; %.2f %% recorded",
                                         100.0 * (double)recorded / (double)heap)
                       : "by the collector's count");
}

const char *
mp_head_no_objects(const struct mp_profile *profile, struct mp_arena *arena)
{
    char runtime[MP_UNRECORDED_SIZE];

    return mp_profile_unrecorded(profile, runtime)
               ? mp_arena_printf(arena, "No objects of Lisp were recorded: the program has %s.", runtime)
               : "No objects of Lisp were allocated.";
}

/* Adds the Lisp runtime, and why its objects are not recorded if that is so. */
static void
add_runtime(struct mp_head *head, const struct mp_profile *profile)
{
    const char *language = profile->meta.language;
    char unrecorded[MP_UNRECORDED_SIZE];

    mp_head_say(head, "runtime", "Runtime", "%s",
                mp_profile_unrecorded(profile, unrecorded) ? unrecorded : language[0] ? language : "none");
}

static void
add_objects(struct mp_head *head, const struct mp_profile *profile, const struct mp_totals *totals)
{
    const struct mp_meta *meta = &profile->meta;
    const struct mp_counts *lisp = &totals->lisp;
    const struct mp_estimate kept = mp_counts_estimate(lisp, MP_FIGURE_KEPT_BLOCKS);
    const struct mp_estimate kept_bytes = mp_counts_estimate(lisp, MP_FIGURE_KEPT);
    const struct mp_estimate new = mp_counts_estimate_new(lisp, MP_FIGURE_ALLOCS);
    const struct mp_estimate new_bytes = mp_counts_estimate_new(lisp, MP_FIGURE_BYTES);

    add_runtime(head, profile);
    add_both(head, "objects", "Objects", totals->objects, totals->object_bytes, "");
    if (meta->objects_sampled)
        add_figures(head, "objects_by_samples", "By samples", profile, lisp, MP_FIGURE_ALLOCS, MP_FIGURE_BYTES);
    else
        add_bytes(head, "requested", "Requested", lisp->requested, "");
    add_figures(head, "collected", "Collected", profile, lisp, MP_FIGURE_FREES, MP_FIGURE_FREED);
    add_errors(head, add_both(head, "objects_kept", "Objects kept", lisp->kept_blocks, lisp->kept,
                              "survived a collection"),
               &kept, &kept_bytes);
    add_errors(head, add_both(head, "not_examined", "Not yet examined", new.value, new_bytes.value, ""), &new,
               &new_bytes);
    add_count(head, "collections", "Collections", meta->collections, "");
    add_heap(head, meta, totals->object_bytes);
}

/* Adds the objects' share of the process's peak. */
static void
add_objects_peak(struct mp_head *head, const struct mp_profile *profile, const struct mp_counts *lisp)
{
    const struct mp_estimate blocks = mp_counts_estimate(lisp, MP_FIGURE_PEAK_BLOCKS);
    const struct mp_estimate bytes = mp_counts_estimate(lisp, MP_FIGURE_PEAK_BYTES);
    bool several = mp_profile_is_sum(profile);
    struct mp_head_row *row;

    row = add_both(head, several ? "sum_of_peaks" : "peak", several ? "Sum of peaks" : "Peak",
             mp_not_negative(lisp->peak_blocks), mp_not_negative(lisp->peak_bytes),
             profile->meta.sample_period > 0 ? "when the process was at its peak, as samples tell"
             : several ? "when each process was at its peak" : "when the process was at its peak");
    add_errors(head, row, &blocks, &bytes);
}

/* ------------------------------------------------------------- threads */

static void
add_threads(struct mp_head *head, const struct mp_profile *profile)
{
    const struct mp_meta *meta = &profile->meta;
    const char *which = meta->one_thread == MP_SOME_THREADS ? "objects of Lisp not of all threads all the time"
                        : meta->one_thread > 0 ? mp_arena_printf(head->arena, "objects of Lisp of one thread only (%"
                                                                 PRIu32 ")", meta->one_thread) : "";

    if (meta->threads > 1 || which[0])
        add_count(head, "threads", "Threads", meta->threads, which);
}

/* ------------------------------------------------------------- what is missing: chains */

struct cut {
    uint64_t contexts, allocs;
    struct mp_spread spread;
};

/* Counts cut chains by enum mp_frame_mark, which is why they were cut. A mark is a frame directly below the root, above
 * the cut chain. Contexts without allocations are ignored. */
static void
count_cuts(const struct mp_profile *profile, struct cut cuts[static MP_FRAME_FIRST], struct mp_arena *arena)
{
    uint32_t *reasons, last = MP_NO_ID;
    bool any = false;

    for (uint32_t i = 0; i < profile->n_frames; i++)
        any |= profile->frames[i].mark != 0;
    if (!any)
        return;
    reasons = mp_arena_alloc(arena, profile->n_contexts * sizeof *reasons);
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        uint32_t mark = profile->frames[profile->contexts[i].frame].mark;

        reasons[i] = mark != 0 ? mark : reasons[profile->contexts[i].parent];
    }
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        uint32_t reason = reasons[cell->context];

        if (reason == 0 || reason >= MP_FRAME_FIRST || cell->counts.allocs == 0)
            continue;
        cuts[reason].contexts += cell->context != last;
        cuts[reason].allocs += cell->counts.allocs;
        mp_spread_add(&cuts[reason].spread, &mp_cell_further(cell)->spread);
        last = cell->context;
    }
}

/* Adds a row such as "666  of 4,317 allocations, in 12 chains: REASON". */
static void
add_cut(struct mp_head *head, const char *key, const char *label, const struct cut *cut,
        const struct mp_profile *profile, uint64_t allocs, const char *reason)
{
    struct mp_estimate estimate =
        mp_estimate_part(cut->allocs, &cut->spread, mp_unseen(profile, &cut->spread));
    char number[2][MP_NUMBER_SIZE];
    const char *text = mp_arena_printf(head->arena, "of %s allocation%s, in %s chain%s: %s",
                                       mp_number_grouped(allocs, number[0]), mp_plural(allocs),
                                       mp_number_grouped(cut->contexts, number[1]), mp_plural(cut->contexts), reason);

    add_errors(head, add_count(head, key, label, cut->allocs, text), &estimate, NULL);
}

/* Returns why the caller of code without unwind information is not known, and what helps. */
static const char *
no_rule_text(const struct mp_meta *meta)
{
    if (meta->unwinder == MP_UNWIND_LIBUNWIND)
        return "no unwind information for the caller; without --unwinder, more is found";
    if (meta->unwinder == MP_UNWIND_FP)
        return "no frame pointer; compiling with -fno-omit-frame-pointer helps";
    return "no unwind information for the caller; compiling with -fasynchronous-unwind-tables helps, "
           "for generated code --unwinder=fp";
}

/* Adds the cut chains. If none was cut, the samples may have missed some: then adds a row with their maximum number. */
static void
add_cuts(struct mp_head *head, const struct mp_profile *profile, const struct mp_totals *totals)
{
    const struct cut unproved = { totals->unproved_contexts, totals->unproved_allocs, totals->unproved_spread };
    const uint64_t allocs = totals->allocs;
    struct cut cuts[MP_FRAME_FIRST] = {{.contexts = 0}};
    const struct cut *no_rule = &cuts[MP_FRAME_CUT_NO_RULE], *memory = &cuts[MP_FRAME_CUT_MEMORY];
    char number[2][MP_NUMBER_SIZE];

    count_cuts(profile, cuts, head->arena);
    if (no_rule->allocs == 0 && memory->allocs == 0 && profile->unseen > 0)
        add_count(head, "cut_chains", "Cut chains", 0,
                  mp_arena_printf(head->arena, "none was sampled: at most %s of %s allocation%s",
                                  mp_number_grouped(profile->unseen, number[0]),
                                  mp_number_grouped(allocs, number[1]), mp_plural(allocs)));
    if (no_rule->allocs > 0)
        add_cut(head, "cut_chains", "Cut chains", no_rule, profile, allocs,
                no_rule_text(&profile->meta));
    if (memory->allocs > 0)
        add_cut(head, "cut_chains", "Cut chains", memory, profile, allocs,
                "no memory for the whole chain");
    if (unproved.allocs > 0)
        add_cut(head, "unproved_chains", "Unproved chains", &unproved, profile, allocs,
                "callers by frame pointers, without unwind information");
    if (profile->meta.depth > 0)
        add_cut(head, "shortened_chains", "Shortened chains", &cuts[MP_FRAME_CUT_DEPTH], profile, allocs,
                mp_arena_printf(head->arena, "last %" PRIu32 " caller%s kept, as asked for", profile->meta.depth,
                                mp_plural(profile->meta.depth)));
}

/* ------------------------------------------------------------- what is missing: records */

/* Adds a row for each place with bad frees of KIND, and one for bad frees whose place is unknown. Unknown frees in the
 * program's own pools are counted in meta.missing only. If overruns were looked for and none was found, adds a row with
 * 0. */
static void
add_bad_frees(struct mp_head *head, const struct mp_profile *profile, enum mp_bad_free_kind kind)
{
    const struct mp_bad_free_text *about = &mp_bad_free_texts[kind];
    const struct mp_bad_frees *frees = profile->bad_frees;
    uint64_t left = frees                      ? frees->counts[kind]
                    : kind == MP_FREED_UNKNOWN ? profile->meta.missing[MP_MISS_UNKNOWN_FREE]
                                               : 0;
    const bool none = kind == MP_FREED_OVERRUN && frees && frees->sentinel == MP_SENTINEL_ON && left == 0;

    for (uint32_t i = 0; frees && i < frees->n; i++) {
        const struct mp_bad_free *place = &frees->places[i];

        if (place->kind != kind || place->count > left ||
            mp_context_calls(frees->of, place->context, head->arena).n == 0)
            continue;
        add_count(head, about->key, about->label, place->count, mp_bad_free_place(frees, place, head->arena));
        left -= place->count;
    }
    if (left > 0 || none)
        add_count(head, about->key, about->label, left, about->text);
    if (kind == MP_FREED_OVERRUN && frees && frees->sentinel == MP_SENTINEL_NONE)
        mp_head_say(head, about->key, about->label, profile->processes ? "not looked for in all processes"
                    : "not looked for: the allocator is not glibc's, or the recording is sampled");
}

static void
add_missing(struct mp_head *head, const struct mp_profile *profile)
{
    const struct mp_meta *meta = &profile->meta;

    for (unsigned kind = 0; kind < MP_BAD_FREES; kind++)
        add_bad_frees(head, profile, (enum mp_bad_free_kind)kind);
    for (size_t i = 0; i < MP_MISS_KINDS; i++) {
        const struct mp_missing_fact *fact = &mp_missing_facts[i];
        const uint64_t n = meta->missing[fact->kind];

        if (fact->label && n > 0)
            add_count(head, fact->key, fact->label, n, fact->text);
    }
    for (size_t i = 0; i < MP_MISS_KINDS; i++)
        if (mp_missing_facts[i].calls && meta->missing[mp_missing_facts[i].kind] > 0)
            mp_head_say(head, "not_seen", "Not seen", "%s", mp_missing_facts[i].calls);
}

static void
add_unrecorded(struct mp_head *head, const struct mp_profile *profile)
{
    const struct mp_meta *meta = &profile->meta;
    const char *advice = meta->follows        ? ", which could not be recorded"
                         : profile->processes ? ""
                         : meta->programs_started == 1 ? "; mprof run -f profiles it"
                                                       : "; mprof run -f profiles them";

    for (uint32_t i = 0; i < meta->unrecorded.n; i++) {
        const struct mp_unrecorded *one = &meta->unrecorded.list[i];

        add_count(head, "not_recorded", "Not recorded", one->n,
                  mp_arena_printf(head->arena, "%s: %s", one->program, one->why));
    }
    if (meta->nested > 0)
        add_count(head, "nested", "Nested", meta->nested,
                  "allocations and frees in signal handlers, while mprof was at work");
    if (meta->programs_started > 0 && !(meta->follows && meta->unrecorded.n > 0))
        add_count(head, "not_profiled", "Not profiled", meta->programs_started,
                  mp_arena_printf(head->arena, "program%s started%s", mp_plural(meta->programs_started), advice));
    if (meta->unwinder == MP_UNWIND_LIBUNWIND)
        mp_head_say(head, "unwinder", "Unwinder", "libunwind");
    else if (meta->unwinder == MP_UNWIND_FP)
        mp_head_say(head, "unwinder", "Unwinder", "frame pointers");
}

/* ------------------------------------------------------------- modules */

struct unnamed {
    const char *name;
    uint64_t bytes;             /* allocated by its functions themselves */
    uint32_t module;
};

static int
by_bytes(const void *left, const void *right)
{
    const struct unnamed *a = left, *b = right;

    if (a->bytes != b->bytes)
        return mp_order(b->bytes, a->bytes);
    return mp_order(a->module, b->module);
}

bool
mp_head_has_problem(const struct mp_profile *profile, uint32_t id)
{
    const struct mp_module *modules = profile->modules;

    if (modules[id].problem[0] == '\0')
        return false;
    for (uint32_t i = 0; i < id; i++)
        if (strcmp(modules[i].path, modules[id].path) == 0 && strcmp(modules[i].problem, modules[id].problem) == 0)
            return false;
    return true;
}

/* Adds a row that says what brings the symbols of the N modules in LIST: their packages, and an option. */
static void
add_advice(struct mp_head *head, const struct mp_profile *profile, const struct unnamed *list, uint32_t n)
{
    const char *packages = "";

    for (uint32_t i = 0; i < n; i++) {
        const char *package = profile->modules[list[i].module].package;

        if (package && !strstr(packages, mp_arena_printf(head->arena, " %s ", package)))
            packages = mp_arena_printf(head->arena, "%s%s ", *packages ? packages : " ", package);
    }
    if (*packages)
        mp_head_say(head, "for_symbols", "For symbols", "on Debian: apt install%sor see --symbols", packages);
    else
        mp_head_say(head, "for_symbols", "For symbols", "see --symbols");
}

/* Adds a row with all modules without symbols, most allocated bytes first, and a row for each other problem. */
static void
add_modules(struct mp_head *head, const struct mp_profile *profile)
{
    struct unnamed *list = mp_arena_alloc(head->arena, profile->n_modules * sizeof *list);
    const char **names = mp_arena_alloc(head->arena, profile->n_modules * sizeof *names);
    uint64_t *bytes = mp_arena_alloc(head->arena, profile->n_modules * sizeof *bytes);
    uint32_t n = 0;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        const uint32_t frame = profile->contexts[cell->context].frame;          /* the root has none */
        const uint32_t module = frame < profile->n_frames ? profile->frames[frame].module : profile->n_modules;

        if (module < profile->n_modules)
            bytes[module] = mp_plus(bytes[module], cell->counts.bytes);
    }
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const struct mp_module *module = &profile->modules[i];

        if (!mp_head_has_problem(profile, i))
            continue;
        if (strcmp(module->problem, "no symbols") == 0)
            list[n++] = (struct unnamed){module->name, bytes[i], i};
        else
            mp_head_say(head, "module", "Module", "%s: %s", module->path, module->problem);
    }
    if (n == 0)
        return;
    qsort(list, n, sizeof *list, by_bytes);
    for (uint32_t i = 0; i < n; i++)
        names[i] = list[i].name;
    add_names(head, "no_symbols", "No symbols", names, n, "");
    add_advice(head, profile, list, n);
}

/* ------------------------------------------------------------- all of it */

static void
add_recorded(struct mp_head *head, const struct mp_profile *profile, const struct mp_totals *totals,
             bool lisp)
{
    char unrecorded[MP_UNRECORDED_SIZE], outside[MP_OUTSIDE_SIZE];
    const bool first = !lisp && mp_view_is_lisp(profile);

    add_processes(head, profile, totals->allocs);
    if (first)
        add_objects(head, profile, totals);
    if (!lisp)
        add_sums(head, profile, totals);
    if (!first && (lisp || totals->objects > 0 || mp_counts_any(&totals->lisp)))
        add_objects(head, profile, totals);
    else if (first)
        mp_head_say(head, "first", "Shown first", "Lisp, which has %u %% of the bytes; see --frames=all",
                    mp_number_share(totals->object_bytes, totals->bytes));
    else if (mp_profile_unrecorded(profile, unrecorded))
        add_runtime(head, profile);
    if (lisp)
        add_objects_peak(head, profile, &totals->lisp);
    add_threads(head, profile);
    add_cuts(head, profile, totals);
    add_missing(head, profile);
    if (mp_outside_text(profile, totals, outside))
        mp_head_say(head, "not_seen", "Not seen", "%s", outside);
    if (profile->account)
        mp_head_say(head, "most_resident", "In memory", "%s", mp_resident_text(profile, head->arena));
    if (profile->meta.missing[MP_MISS_FOLDED] > 0)
        mp_head_say(head, "recursion", "Recursion", "folded while recording");
    add_unrecorded(head, profile);
}

/* Adds the rows of a profile that another tool wrote. ALL is the sum of its counts. */
static void
add_imported(struct mp_head *head, const struct mp_profile *profile, const struct mp_counts *all)
{
    const struct mp_meta *meta = &profile->meta;

    add_program(head, meta);
    if (meta->pid != 0)
        add_pid(head, meta);
    add_time(head, "time", "Time", meta);
    mp_head_say(head, "imported", "Imported", "%s", meta->source);
    add_figures(head, "allocations", "Allocations", profile, all, MP_FIGURE_ALLOCS, MP_FIGURE_BYTES);
    add_figures(head, "frees", "Frees", profile, all, MP_FIGURE_FREES, MP_FIGURE_FREED);
    add_figures(head, "kept", "Kept", profile, all, MP_FIGURE_KEPT_BLOCKS, MP_FIGURE_KEPT);
    add_figures(head, "peak", "Peak", profile, all, MP_FIGURE_PEAK_BLOCKS, MP_FIGURE_PEAK_BYTES);
    if (mp_is_unknown(profile, MP_FIGURE_TEMPORARY))
        mp_head_say(head, "temporary", "Temporary", "not known");
    else
        add_count(head, "temporary", "Temporary", all->temporary, "");
    mp_head_say(head, "missing", "Missing", "not known");
}

struct mp_head *
mp_head(const struct mp_profile *profile, const struct mp_profile *view, bool lisp)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_head *head = mp_arena_alloc(arena, sizeof *head);
    struct mp_totals totals;

    head->arena = arena;
    mp_profile_totals(profile, &totals);
    if (profile->meta.source)
        add_imported(head, profile, &totals.all);
    else
        add_recorded(head, profile, &totals, lisp);
    add_modules(head, profile);
    if (view && view->n_skipped > 0)
        add_names(head, "skipped", "Skipped", view->skipped, view->n_skipped,
                  mp_arena_printf(arena, "; %" PRIu32 " wrapper%s, see --no-skip", view->n_skipped,
                                  mp_plural(view->n_skipped)));
    for (uint32_t i = 0; view && i < view->n_sources; i++)
        mp_head_say(head, "no_lines", "No lines", "%s", view->sources[i]);
    if (view && view->n_unlined > 0)
        add_names(head, "unlined", "For lines", view->unlined, view->n_unlined,
                  "; compile with mprof:compile-file, see mprof-lisp(7)");
    return head;
}

/* Returns TEXT with LABEL and BYTES, if FIGURE is known. LIKE determines the unit. */
static const char *
with_bytes(const char *text, const struct mp_profile *profile, enum mp_figure figure, const char *label, uint64_t bytes,
           uint64_t like, struct mp_arena *arena)
{
    char number[MP_NUMBER_SIZE];

    if (mp_is_unknown(profile, figure) || profile->meta.damaged)
        return text;
    return mp_arena_printf(arena, "%s%s%s %s", text, *text ? ", " : "", label,
                           mp_number_bytes_like(bytes, like, number));
}

void
mp_head_line(const struct mp_profile *profile, bool lisp, const char *more, unsigned width, FILE *out)
{
    static const struct mp_column layout[] = {{"", MP_WRAP}};
    const struct mp_meta *meta = &profile->meta;
    struct mp_arena *arena = mp_arena_new();
    struct mp_columns *paragraph = mp_columns_new(layout, 1, width);
    struct mp_totals totals;
    const struct mp_counts *c;
    const char *text = "", *kept;
    char number[MP_NUMBER_SIZE], made[MP_TOTALS_SIZE];
    uint64_t peak;

    mp_profile_totals(profile, &totals);
    if (lisp)
        totals.c.allocs = 0;
    c = lisp ? &totals.lisp : &totals.all;
    peak = lisp ? mp_counts_key(c, MP_SORT_PEAK) : mp_estimates_peak(profile, &totals, MP_FIGURE_PEAK_BYTES).value;
    kept = mp_ending_runs(meta) ? "now" : mp_arena_printf(arena, "kept (%s)", mp_totals_kept(&totals));
    text = with_bytes(text, profile, MP_FIGURE_PEAK_BYTES, mp_profile_is_sum(profile) ? "sum of peaks" : "peak", peak,
                      c->bytes, arena);
    text = with_bytes(text, profile, MP_FIGURE_KEPT, kept, c->kept, c->bytes, arena);
    text = with_bytes(text, profile, MP_FIGURE_BYTES, "allocated", c->bytes, c->bytes, arena);
    if (!mp_is_unknown(profile, MP_FIGURE_ALLOCS))
        text = mp_arena_printf(arena, "%s in %s", text, mp_totals_text(&totals, made));
    if (!mp_is_unknown(profile, MP_FIGURE_TEMPORARY) && c->temporary > 0)
        text = mp_arena_printf(arena, "%s, of which %s temporary (freed before the thread's next allocation)", text,
                               mp_number_grouped(c->temporary, number));
    text = mp_arena_printf(arena, "%s: %s.", *meta->program ? mp_text_basename(meta->program) : "The recording", text);
    mp_columns_row(paragraph, &text);
    if (more)
        mp_columns_row(paragraph, &more);
    mp_columns_print(paragraph, out);
    mp_arena_free(arena);
}

void
mp_head_free(struct mp_head *head)
{
    if (head)
        mp_arena_free(head->arena);
}

/* ------------------------------------------------------------- as text */

enum { LABEL_WIDTH = 17, LINE_WIDTH = 80 };

/* Prints names on one line. Unless the report is verbose, prints as many as fit, and counts the others. */
static void
print_names(const struct mp_head_row *row, const struct mp_print_options *options, FILE *out)
{
    size_t width = options->width > 0 ? options->width : LINE_WIDTH, used = LABEL_WIDTH + 1 + strlen(row->text);
    bool all = options->verbosity == MP_VERBOSE;
    uint32_t shown = 0;

    for (; shown < row->n_names; shown++) {
        used += strlen(row->names[shown]) + strlen(", ");
        if (shown > 0 && !all && used + strlen("and 12345 more") > width)
            break;
        fprintf(out, "%s%s", shown > 0 ? ", " : "", row->names[shown]);
    }
    if (shown < row->n_names)
        fprintf(out, ", and %" PRIu32 " more", row->n_names - shown);
}

static void
print_figures(const struct mp_head_row *row, FILE *out)
{
    char number[2][MP_NUMBER_SIZE];

    fprintf(out, "%15s", row->has == MP_HEAD_BYTES ? "" : mp_number_grouped(row->blocks, number[0]));
    if (row->has != MP_HEAD_BLOCKS)
        fprintf(out, "  %19s byte%s  (%s)", mp_number_grouped(row->bytes, number[0]),
                mp_plural(row->bytes), mp_number_bytes(row->bytes, number[1]));
    if (row->text[0])
        fputs(row->close ? " " : "  ", out);
}

void
mp_head_print(const struct mp_head *head, const struct mp_print_options *options, FILE *out)
{
    mp_columns_title(out, "MPROF: DYNAMIC MEMORY ALLOCATION", options->color);
    for (uint32_t i = 0; i < head->n_rows; i++) {
        const struct mp_head_row *row = &head->rows[i];

        fprintf(out, "%-*s ", LABEL_WIDTH, row->label);
        if (row->has == MP_HEAD_NAMES)
            print_names(row, options, out);
        else if (row->has != MP_HEAD_TEXT)
            print_figures(row, out);
        fprintf(out, "%s\n", row->text);
    }
}
