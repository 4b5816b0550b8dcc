#include "head.h"
#include "head_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "estimates.h"
#include "reporter/base/format_number.h"
#include "reporter/base/text.h"
#include "reporter/profile/ending.h"


static struct mp_head_row *
add_bytes(struct mp_head *head, const char *key, const char *label, uint64_t bytes)
{
    struct mp_head_row *row = mp_head_add(head, key, label);

    row->has = MP_HEAD_BYTES;
    row->bytes = bytes;
    return row;
}

static struct mp_head_row *
add_blocks(struct mp_head *head, const char *key, const char *label, uint64_t blocks,
           uint64_t bytes)
{
    struct mp_head_row *row = add_bytes(head, key, label, bytes);

    row->has = MP_HEAD_BOTH;
    row->blocks = blocks;
    return row;
}

/* ------------------------------------------------------------- the process */

/* Adds the command line as it could be typed in a shell. */
static void
add_command(struct mp_head *head, const struct mp_meta *meta)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    if (!stream)
        mp_no_memory();
    for (uint32_t i = 0; i < meta->n_arguments; i++) {
        fputs(i > 0 ? " " : "", stream);
        mp_text_shell(stream, meta->arguments[i]);
    }
    if (fclose(stream) != 0)
        mp_no_memory();
    mp_head_say(head, "command", "Command", "%s%s", text, meta->arguments_cut ? " ..." : "");
    free(text);
}

/* For several processes, the start is that of the first, and the duration is the sum of all. */
static void
add_time(struct mp_head *head, const struct mp_meta *meta)
{
    char text[MP_HEAD_TIME_SIZE], duration[MP_NUMBER_SIZE];

    if (mp_head_time(meta->start_realtime, text)[0])
        mp_head_say(head, "started", "Started", "%s", text);
    if (meta->duration > 0)
        mp_head_say(head, "recorded", "Recorded", "%s",
                    mp_number_duration(meta->duration, duration));
}

/* Adds when the recording stopped early, as far as the file contains this. */
static void
add_stopped(struct mp_head *head, const struct mp_meta *meta, uint64_t allocs)
{
    char when[MP_HEAD_TIME_SIZE] = "", after[MP_NUMBER_SIZE] = "", number[MP_NUMBER_SIZE];
    bool timed = meta->duration > 0;

    if (timed && meta->start_realtime > 0)
        mp_head_time(meta->start_realtime + meta->duration, when);
    if (timed)
        mp_number_duration(meta->duration, after);
    mp_head_say(head, "stopped", "Stopped", "%s%safter %s%s%s allocation%s", when,
                when[0] ? ", " : "", after, timed ? " and " : "",
                mp_number_grouped(allocs, number), mp_plural(allocs));
}

static void
add_process(struct mp_head *head, const struct mp_profile *profile, uint64_t allocs)
{
    const struct mp_meta *meta = &profile->meta;
    const struct mp_processes *processes = profile->processes;
    char ending[MP_ENDING_SIZE];

    if (processes)
        mp_head_merged(head, processes);
    if (!processes || processes->n == 1) {
        mp_head_say(head, "program", "Program", "%s", meta->program[0] ? meta->program : "not known");
        if (meta->n_arguments > 0)
            add_command(head, meta);
        mp_head_say(head, "process", "Process", "%" PRIu32, meta->pid);
    }
    add_time(head, meta);
    if (!processes)
        mp_head_say(head, "ended", "Ended", "%s", mp_ending_text(meta, ending));
    if (meta->ending == MP_END_FULL)
        add_stopped(head, meta, allocs);
    if (meta->damaged)
        mp_head_say(head, "damaged", "Damaged",
                    "the header of the data file was overwritten: the process, the peak and what "
                    "is missing are not known");
}

/* ------------------------------------------------------------- the numbers */

static uint64_t
not_negative(int64_t number)
{
    return number > 0 ? (uint64_t)number : 0;
}

static void
add_estimated(struct mp_head *head, const char *key, const char *label, const struct mp_counts *counts,
              enum mp_figure blocks, enum mp_figure bytes)
{
    struct mp_estimate of_blocks = mp_counts_estimate(counts, blocks);
    struct mp_estimate of_bytes = mp_counts_estimate(counts, bytes);

    mp_head_set_estimates(head, add_blocks(head, key, label, of_blocks.value, of_bytes.value), &of_blocks,
                  &of_bytes);
}

/* The interval of an estimated peak already includes the slack. */
static void
add_estimated_peak(struct mp_head *head, const struct mp_profile *profile,
                   const struct mp_totals *totals)
{
    struct mp_estimate blocks = mp_estimates_peak(profile, totals, MP_FIGURE_PEAK_BLOCKS);
    struct mp_estimate bytes = mp_estimates_peak(profile, totals, MP_FIGURE_PEAK_BYTES);
    struct mp_head_row *row = add_blocks(head, "peak", "Peak", blocks.value, bytes.value);

    row->text = totals->lisp.bytes > 0 ? "with objects of Lisp" : "";
    mp_head_set_estimates(head, row, &blocks, &bytes);
}

static void
add_peak(struct mp_head *head, const struct mp_meta *meta, bool objects)
{
    struct mp_head_row *row;
    char slack[MP_NUMBER_SIZE];

    row = add_blocks(head, "peak", "Peak", not_negative(meta->peak_blocks),
                     not_negative(meta->peak_bytes));
    row->close = true;
    row->text = objects ? "with objects of Lisp" : "";
    if (meta->peak_slack > 0)
        row->text = mp_arena_printf(head->arena, "+- %s bytes%s",
                                    mp_number_grouped(meta->peak_slack, slack),
                                    objects ? " with objects of Lisp" : "");
}

/* Turns the last row, which is the peak, into the sum of the peaks of several processes. */
static void
sum_peaks(struct mp_head *head, const struct mp_processes *processes)
{
    struct mp_head_row *row = &head->rows[head->n_rows - 1];

    row->key = "sum_of_peaks";
    row->label = "Sum of peaks";
    row->text = mp_arena_printf(head->arena, "%s%s%s", row->text, row->text[0] ? "; " : "",
                                mp_head_largest_peak(processes, head->arena));
    row->close = false;
}

static void
add_threads(struct mp_head *head, const struct mp_meta *meta)
{
    char more[64] = "";

    if (meta->one_thread == MP_SOME_THREADS)
        snprintf(more, sizeof more, "objects of Lisp not of all threads all the time");
    else if (meta->one_thread > 0)
        snprintf(more, sizeof more, "objects of Lisp of one thread only (%" PRIu32 ")",
                 meta->one_thread);
    mp_head_count(head, "threads", "Threads", meta->threads, more);
}

/* Adds how the recording was sampled, the exact totals and, for comparison, the totals estimated from samples. */
static void
add_samples(struct mp_head *head, const struct mp_meta *meta, const struct mp_totals *totals)
{
    char number[2][MP_NUMBER_SIZE];

    mp_head_say(head, "sampled", "Sampled",
                "one allocation for each %s byte%s at random: %s; +- is the 95 %% interval",
                mp_number_grouped(meta->sample_period, number[0]), mp_plural(meta->sample_period),
                mp_number_grouped(meta->n_samples, number[1]));
    add_blocks(head, "allocations", "Allocations", totals->allocs - totals->lisp.allocs,
               totals->bytes - totals->lisp.bytes);
    add_estimated(head, "by_samples", "By samples", &totals->c, MP_FIGURE_ALLOCS, MP_FIGURE_BYTES);
}

static void
add_temporary(struct mp_head *head, const struct mp_counts *c)
{
    struct mp_estimate estimate = mp_counts_estimate(c, MP_FIGURE_TEMPORARY);
    unsigned share = mp_number_share(c->temporary, c->allocs);
    char percent[32] = "";

    if (share > 0)
        snprintf(percent, sizeof percent, "%u %% of allocations", share);
    mp_head_count(head, "temporary", "Temporary", c->temporary, percent);
    mp_head_set_estimates(head, &head->rows[head->n_rows - 1], &estimate, NULL);
}

static void
add_sums(struct mp_head *head, const struct mp_profile *profile, const struct mp_totals *totals)
{
    const struct mp_meta *meta = &profile->meta;
    const struct mp_counts *c = &totals->c;

    if (meta->sample_period > 0)
        add_samples(head, meta, totals);
    else
        add_blocks(head, "allocations", "Allocations", c->allocs, c->bytes);
    add_estimated(head, "frees", "Frees", c, MP_FIGURE_FREES, MP_FIGURE_FREED);
    add_estimated(head, "kept", mp_ending_runs(meta) ? "Current" : "Kept", c, MP_FIGURE_KEPT_BLOCKS,
                  MP_FIGURE_KEPT);
    if (meta->sample_period > 0 && !meta->damaged)
        add_estimated_peak(head, profile, totals);
    else if (!meta->damaged)
        add_peak(head, meta, totals->lisp.bytes > 0);
    if (mp_profile_is_sum(profile) && !meta->damaged)
        sum_peaks(head, profile->processes);
    add_temporary(head, c);
    mp_head_allocator(head, profile, c);
}

/* ------------------------------------------------------------- the objects */

/* Minimum heap size in bytes for which the recorded share is shown. In smaller heaps the share is inaccurate, because
 * libgc counts all objects of a heap block when it creates the block, not when it allocates each object. */
#define HEAP_SURE 10000000u

/* Adds the collector's own count of bytes, and the share of it that was recorded as objects. */
static void
add_heap(struct mp_head *head, const struct mp_meta *meta, uint64_t recorded)
{
    uint64_t heap = meta->heap_now - meta->heap_before;
    struct mp_head_row *row;

    if (meta->heap_now <= meta->heap_before)
        return;
    row = add_bytes(head, "heap", "Heap", heap);
    row->text = "by the collector's count";
    /* in a running process, the collector's count is older than the recording */
    if (heap >= HEAP_SURE && !mp_ending_runs(meta))
        row->text = mp_arena_printf(head->arena, "by the collector's count; %.2f %% recorded",
                                    100.0 * (double)recorded / (double)heap);
}

const char *
mp_head_no_objects(const struct mp_profile *profile, struct mp_arena *arena)
{
    char runtime[MP_UNRECORDED_SIZE];

    return mp_profile_unrecorded(profile, runtime)
               ? mp_arena_printf(arena, "No objects of Lisp were recorded: the program has %s.", runtime)
               : "No objects of Lisp were allocated.";
}

static void
add_runtime(struct mp_head *head, const struct mp_profile *profile)
{
    const char *language = profile->meta.language;
    char unrecorded[MP_UNRECORDED_SIZE];

    mp_head_say(head, "runtime", "Runtime", "%s",
                mp_profile_unrecorded(profile, unrecorded) ? unrecorded : language[0] ? language : "none");
}

static void
add_objects(struct mp_head *head, const struct mp_profile *profile, const struct mp_counts *lisp)
{
    const struct mp_meta *meta = &profile->meta;

    add_runtime(head, profile);
    add_blocks(head, "objects", "Objects", lisp->allocs, lisp->bytes);
    add_bytes(head, "requested", "Requested", lisp->requested);
    add_blocks(head, "collected", "Collected", lisp->frees, lisp->freed);
    add_blocks(head, "objects_kept", "Objects kept", lisp->kept_blocks, lisp->kept)->text =
        "survived a collection";
    add_blocks(head, "not_examined", "Not yet examined", mp_counts_new(lisp),
               lisp->bytes - lisp->freed - lisp->kept);
    mp_head_count(head, "collections", "Collections", meta->collections, "");
    add_heap(head, meta, lisp->bytes);
}

/* Adds the objects' share of the process's peak. */
static void
add_objects_peak(struct mp_head *head, const struct mp_profile *profile, const struct mp_counts *lisp)
{
    const struct mp_meta *meta = &profile->meta;
    bool several = mp_profile_is_sum(profile);

    add_blocks(head, several ? "sum_of_peaks" : "peak", several ? "Sum of peaks" : "Peak",
               not_negative(lisp->peak_blocks), not_negative(lisp->peak_bytes))->text =
        meta->sample_period > 0 ? "when the process was at its peak, as samples tell"
        : several ? "when each process was at its peak" : "when the process was at its peak";
}

/* ------------------------------------------------------------- all of it */

/* Adds the skipped functions. Tables attribute their allocations to their callers. */
static void
add_skipped(struct mp_head *head, const struct mp_profile *view)
{
    struct mp_head_row *row = mp_head_add(head, "skipped", "Skipped");

    row->has = MP_HEAD_NAMES;
    row->names = view->skipped;
    row->n_names = view->n_skipped;
    row->text = mp_arena_printf(head->arena, "; %" PRIu32 " wrapper%s, see --no-skip", view->n_skipped,
                                mp_plural(view->n_skipped));
}

static void
add_recorded(struct mp_head *head, const struct mp_profile *profile, const struct mp_totals *totals,
             bool lisp)
{
    char unrecorded[MP_UNRECORDED_SIZE];

    add_process(head, profile, totals->allocs);
    if (!lisp)
        add_sums(head, profile, totals);
    if (lisp || mp_counts_any(&totals->lisp))
        add_objects(head, profile, &totals->lisp);
    else if (mp_profile_unrecorded(profile, unrecorded))
        add_runtime(head, profile);
    if (lisp)
        add_objects_peak(head, profile, &totals->lisp);
    add_threads(head, &profile->meta);
    mp_head_stacks(head, profile);
    mp_head_missing(head, profile, totals);
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
        mp_head_imported(head, profile, &totals.all);
    else
        add_recorded(head, profile, &totals, lisp);
    if (view && view->n_skipped > 0)
        add_skipped(head, view);
    for (uint32_t i = 0; view && i < view->n_sources; i++)
        mp_head_say(head, "no_lines", "No lines", "%s", view->sources[i]);
    return head;
}
