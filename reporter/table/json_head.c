/* SPDX-License-Identifier: MIT */
#include "json_head.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "config.h"
#include "estimates.h"
#include "reporter/base/label.h"
#include "reporter/base/text.h"
#include "reporter/graph/bad_frees.h"
#include "reporter/profile/ending.h"
#include "reporter/profile/missing.h"
#include "reporter/view/sort.h"

/* ---------------------------------------------------------------- parts of documents */

void
mp_json_piece(struct mp_json_out *out)
{
    if (out->file)
        mp_json_drain(&out->buffer, out->file);
}

void
mp_json_estimate(struct mp_json_estimates *estimates, const char *key, uint64_t low, uint64_t high)
{
    struct mp_buffer *out = estimates->out;

    if (!estimates->any) {
        mp_json_key(out, "estimates");
        mp_json_open(out, '{');
    }
    estimates->any = true;
    mp_json_key(out, key);
    mp_json_open(out, '{');
    mp_json_key_number(out, "low", low);
    mp_json_key_number(out, "high", high);
    mp_json_close(out, '}');
}

void
mp_json_estimates_end(struct mp_json_estimates *estimates)
{
    if (estimates->any)
        mp_json_close(estimates->out, '}');
}

/* ---------------------------------------------------------------- sums */

static void
add_totals(struct mp_totals *to, const struct mp_totals *more)
{
    mp_counts_add(&to->c, &more->c);
    mp_counts_add(&to->lisp, &more->lisp);
    mp_counts_add(&to->all, &more->all);
    to->allocs = mp_plus(to->allocs, more->allocs);
    to->bytes = mp_plus(to->bytes, more->bytes);
    to->objects = mp_plus(to->objects, more->objects);
    to->object_bytes = mp_plus(to->object_bytes, more->object_bytes);
    to->cut_allocs = mp_plus(to->cut_allocs, more->cut_allocs);
    to->depth_cut_allocs = mp_plus(to->depth_cut_allocs, more->depth_cut_allocs);
    mp_spread_add(&to->cut_spread, &more->cut_spread);
    mp_spread_add(&to->depth_cut_spread, &more->depth_cut_spread);
    to->cut_unseen = mp_plus(to->cut_unseen, more->cut_unseen);
    to->depth_cut_unseen = mp_plus(to->depth_cut_unseen, more->depth_cut_unseen);
    if (more->depth_max > to->depth_max)
        to->depth_max = more->depth_max;
}

void
mp_recording_add(struct mp_recording *recording, const struct mp_profile *profile)
{
    const struct mp_meta *meta = &profile->meta;
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    if (recording->files++ == 0) {
        recording->meta = *meta;
        recording->totals = totals;
        recording->profile = profile;
        recording->alike = true;
    } else {
        recording->alike &= meta->sample_period == recording->meta.sample_period;
        mp_meta_add(&recording->meta, meta);
        add_totals(&recording->totals, &totals);
        recording->profile = NULL;
    }
    recording->processes += profile->processes ? profile->processes->n : 1;
    recording->contexts += profile->n_contexts - 1;
    recording->heap += meta->heap_now > meta->heap_before ? meta->heap_now - meta->heap_before : 0;
    recording->lisp |= profile->n_kinds > 0;
}

/* ---------------------------------------------------------------- figures */

/* Names of the figures of Lisp objects that may be estimates in a sampled recording. */
static const char *const of_objects[MP_FIGURES] = {
    [MP_FIGURE_FREES] = "collected",     [MP_FIGURE_FREED] = "collected_bytes",
    [MP_FIGURE_KEPT_BLOCKS] = "kept",    [MP_FIGURE_KEPT] = "kept_bytes",
    [MP_FIGURE_PEAK_BLOCKS] = "at_peak", [MP_FIGURE_PEAK_BYTES] = "at_peak_bytes",
};

/* Writes those of the first N figures that have a key in KEYS. Figures from index KNOWN on become null, and so do
 * figures in the set UNKNOWN (see struct mp_meta). If some are estimates, also writes the member "estimates". */
static void
put_list(struct mp_buffer *out, const struct mp_counts *counts, const char *const keys[static MP_FIGURES],
         enum mp_figure n, unsigned known, uint32_t unknown)
{
    struct mp_json_estimates estimates = {.out = out};

    for (enum mp_figure i = 0; i < n; i++) {
        if (!keys[i])
            continue;
        mp_json_key(out, keys[i]);
        if (i >= known || unknown & 1u << i)
            mp_json_null(out);
        else if (mp_figure_is_kept(i))
            mp_json_signed(out, (int64_t)mp_counts_estimate(counts, i).value);
        else
            mp_json_number(out, mp_counts_estimate(counts, i).value);
    }
    for (enum mp_figure i = 0; i < n && i < known; i++) {
        struct mp_estimate estimate = mp_counts_estimate(counts, i);

        if (keys[i] && !estimate.exact && !(unknown & 1u << i))
            mp_json_estimate(&estimates, keys[i], estimate.low, estimate.high);
    }
    mp_json_estimates_end(&estimates);
}

/* Numbers of leading figures that are known for the whole recording, between two points in time, or at one point. */
#define COUNTS_ALL 7u
#define COUNTS_BETWEEN 6u
#define COUNTS_ALIVE 2u

/* Writes COUNTS as an object. KNOWN is the number of leading figures that are known. The other figures become null, and
 * so do the figures in the set UNKNOWN (struct mp_meta). */
static void
put_counts(struct mp_buffer *out, const struct mp_counts *counts, unsigned known, uint32_t unknown)
{
    const char *keys[MP_FIGURES];

    for (size_t i = 0; i < MP_FIGURES; i++)
        keys[i] = mp_figures[i].key;
    mp_json_open(out, '{');
    put_list(out, counts, keys, COUNTS_ALL, known, unknown);
    mp_json_close(out, '}');
}

/* Returns true if the peak of the process is known. Other tools may know each chain's peak but not the process's. */
static bool
has_peak(const struct mp_meta *meta)
{
    return !meta->damaged && !(meta->unknown & 1u << MP_FIGURE_PEAK_BYTES) &&
           (!meta->source || !meta->source[0] || meta->peak_bytes > 0);
}

/* ---------------------------------------------------------------- the process */

/* Writes the start time, for example "2026-11-21T09:02:18Z", and in ns since 1970. */
static void
put_time(struct mp_buffer *out, uint64_t realtime)
{
    time_t seconds = (time_t)(realtime / 1000000000);
    char text[64] = "";
    struct tm when;

    if (realtime > 0 && gmtime_r(&seconds, &when))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &when);
    mp_json_key_text_or_null(out, "started", text);
    mp_json_key_number_or_null(out, "started_ns", realtime, realtime > 0);
}

static void
put_ending(struct mp_buffer *out, const struct mp_meta *meta)
{
    static const char *const how[] = {
        [MP_END_RUNNING] = "running", [MP_END_EXITED] = "exited", [MP_END_SIGNAL] = "signal",
        [MP_END_KILLED] = "killed",   [MP_END_EXEC] = "exec",     [MP_END_STOPPED] = "stopped",
        [MP_END_FULL] = "full",       [MP_END_SNAPSHOT] = "snapshot"};
    char text[MP_ENDING_SIZE];
    const bool exited = meta->ending == MP_END_EXITED && meta->status >= 0;

    mp_json_key(out, "ended");
    mp_json_open(out, '{');
    mp_json_key_text(out, "how", how[meta->ending]);
    mp_json_key_number_or_null(out, "status", (uint64_t)meta->status, exited);
    mp_json_key_number_or_null(out, "signal", (uint64_t)meta->status, meta->ending == MP_END_SIGNAL);
    mp_json_key_text(out, "text", meta->source ? "not known: another tool wrote this" : mp_ending_text(meta, text));
    mp_json_close(out, '}');
}

/* Writes the members that describe a process. */
static void
put_labels(struct mp_buffer *out, const char *text)
{
    struct mp_label labels[MP_LABELS_MOST];
    struct mp_arena *arena = mp_arena_new();
    const uint32_t n = mp_labels_list(text, labels, 0, arena);

    mp_json_key(out, "labels");
    mp_json_open(out, '{');
    for (uint32_t i = 0; i < n; i++)
        mp_json_key_text(out, labels[i].name, labels[i].value);
    mp_json_close(out, '}');
    mp_arena_free(arena);
}

static void
put_process(struct mp_buffer *out, const struct mp_meta *meta)
{
    char run_id[40] = "";

    if (meta->run_id[0] != 0 || meta->run_id[1] != 0)
        snprintf(run_id, sizeof run_id, "%016" PRIx64 "%016" PRIx64, meta->run_id[0], meta->run_id[1]);
    mp_json_key_text_or_null(out, "program", meta->program);
    mp_json_key_texts(out, "arguments", meta->arguments, meta->n_arguments);
    mp_json_key_bool(out, "arguments_cut", meta->arguments_cut);
    mp_json_key_number_or_null(out, "pid", meta->pid, meta->pid > 0);
    mp_json_key_number_or_null(out, "parent_pid", meta->ppid, meta->ppid > 0);
    mp_json_key_text_or_null(out, "host", meta->host);
    put_labels(out, meta->labels);
    mp_json_key_text_or_null(out, "run_id", run_id);
    put_time(out, meta->start_realtime);
    mp_json_key_number_or_null(out, "recorded_ns", meta->duration, meta->duration > 0);
    put_ending(out, meta);
    mp_json_key_text_or_null(out, "monitor", meta->monitor);
    mp_json_key_text_or_null(out, "source", meta->source);
    mp_json_key_number_or_null(out, "depth", meta->depth, meta->depth > 0);
    mp_json_key_bool(out, "damaged", meta->damaged);
}

static void
put_member(struct mp_buffer *out, const struct mp_member *member)
{
    const struct mp_meta *meta = &member->meta;

    mp_json_open(out, '{');
    mp_json_key_text_or_null(out, "data", member->file);
    put_process(out, meta);
    mp_json_key_number(out, "allocs", member->sums.allocs);
    mp_json_key_number(out, "bytes", member->sums.bytes);
    mp_json_key_number(out, "dropped", meta->missing[MP_MISS_DROPPED]);
    mp_json_key_number_or_null(out, "kept", member->sums.kept_blocks,
                               !(meta->unknown & 1u << MP_FIGURE_KEPT_BLOCKS));
    mp_json_key_number_or_null(out, "kept_bytes", member->sums.kept, !(meta->unknown & 1u << MP_FIGURE_KEPT));
    mp_json_key_number_or_null(out, "peak_bytes", mp_not_negative(meta->peak_bytes), has_peak(meta));
    mp_json_close(out, '}');
}

/* Writes the processes of a merged profile, or null. */
static void
put_processes(struct mp_json_out *to, const struct mp_profile *profile)
{
    const struct mp_processes *processes = profile ? profile->processes : NULL;
    struct mp_buffer *out = &to->buffer;

    mp_json_line(out);
    mp_json_key(out, "processes");
    if (!processes) {
        mp_json_null(out);
        return;
    }
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < processes->n; i++) {
        mp_json_line(out);
        put_member(out, &processes->list[i]);
        mp_json_piece(to);
    }
    mp_json_close(out, ']');
}

/* ---------------------------------------------------------------- totals */

static void
put_peak(struct mp_buffer *out, const struct mp_recording *recording)
{
    const struct mp_meta *meta = &recording->meta;
    struct mp_json_estimates estimates = {.out = out};
    struct mp_estimate bytes, blocks;

    mp_json_key(out, "peak");
    if (recording->processes > 1 || !has_peak(meta)) {
        mp_json_null(out);
        return;
    }
    bytes = mp_estimates_peak(recording->profile, &recording->totals, MP_FIGURE_PEAK_BYTES);
    blocks = mp_estimates_peak(recording->profile, &recording->totals, MP_FIGURE_PEAK_BLOCKS);
    mp_json_open(out, '{');
    mp_json_key_number(out, "bytes", bytes.value);
    mp_json_key_number(out, "blocks", blocks.value);
    mp_json_key_number(out, "slack_bytes", meta->peak_slack);
    if (!bytes.exact)
        mp_json_estimate(&estimates, "bytes", bytes.low, bytes.high);
    if (!blocks.exact)
        mp_json_estimate(&estimates, "blocks", blocks.low, blocks.high);
    mp_json_estimates_end(&estimates);
    mp_json_close(out, '}');
}

static void
put_objects(struct mp_buffer *out, const struct mp_recording *recording)
{
    const struct mp_counts *lisp = &recording->totals.lisp;

    mp_json_key(out, "lisp");
    if (!recording->lisp) {
        mp_json_null(out);
        return;
    }
    mp_json_open(out, '{');
    mp_json_key_number(out, "objects", recording->totals.objects);
    mp_json_key_number(out, "bytes", recording->totals.object_bytes);
    put_list(out, lisp, of_objects, MP_FIGURES, MP_FIGURES, 0);
    mp_json_key_number(out, "requested_bytes", lisp->requested);
    mp_json_key_number(out, "new", mp_counts_new(lisp));
    mp_json_key_number(out, "new_bytes", lisp->bytes - lisp->freed - lisp->kept);
    mp_json_key_number_or_null(out, "heap_bytes", recording->heap, recording->heap > 0);
    mp_json_key_number(out, "collections", recording->meta.collections);
    mp_json_close(out, '}');
}

/* Writes the memory that malloc held at the end, or null if unknown. */
static void
put_allocator(struct mp_buffer *out, const struct mp_profile *profile)
{
    const struct mp_live_allocator *of = profile ? &profile->allocator : NULL;

    mp_json_key(out, "malloc");
    if (!of || of->held == 0) {
        mp_json_null(out);
        return;
    }
    mp_json_open(out, '{');
    mp_json_key_number(out, "held_bytes", of->held);
    mp_json_key_number(out, "mapped_bytes", of->mapped);
    mp_json_key_number(out, "free_bytes", of->free);
    mp_json_key_number_or_null(out, "resident_bytes", of->resident, of->resident > 0);
    mp_json_close(out, '}');
}

static void
put_totals(struct mp_buffer *out, const struct mp_recording *recording)
{
    const struct mp_totals *totals = &recording->totals;
    const uint32_t unknown = recording->meta.unknown;

    mp_json_open(out, '{');
    mp_json_key_number_or_null(out, "allocs", totals->allocs, !(unknown & 1u << MP_FIGURE_ALLOCS));
    mp_json_key_number_or_null(out, "bytes", totals->bytes, !(unknown & 1u << MP_FIGURE_BYTES));
    mp_json_key(out, "c");
    put_counts(out, &totals->c, COUNTS_ALL, unknown);
    put_objects(out, recording);
    put_peak(out, recording);
    put_allocator(out, recording->profile);
    mp_json_key_number_or_null(out, "threads", recording->meta.threads, recording->meta.threads > 0);
    mp_json_key_number(out, "contexts", recording->contexts);
    mp_json_key_number(out, "deepest", totals->depth_max);
    mp_json_close(out, '}');
}

/* ---------------------------------------------------------------- what is missing */

static void
put_cut(struct mp_buffer *out, bool known, const char *key, uint64_t allocs, const struct mp_spread *spread,
        uint64_t unseen)
{
    struct mp_json_estimates estimates = {.out = out};
    struct mp_estimate estimate = mp_estimate_part(allocs, spread, unseen);

    mp_json_key(out, key);
    if (!known) {
        mp_json_null(out);
        return;
    }
    mp_json_open(out, '{');
    mp_json_key_number(out, "allocs", allocs);
    if (!estimate.exact)
        mp_json_estimate(&estimates, "allocs", estimate.low, estimate.high);
    mp_json_estimates_end(&estimates);
    mp_json_close(out, '}');
}

static void
put_modules(struct mp_buffer *out, const struct mp_profile *profile)
{
    mp_json_key(out, "modules");
    mp_json_open(out, '[');
    for (uint32_t i = 0; profile && i < profile->n_modules; i++) {
        if (!mp_head_has_problem(profile, i))
            continue;
        mp_json_open(out, '{');
        mp_json_key_text(out, "module", profile->modules[i].path);
        mp_json_key_text(out, "problem", profile->modules[i].problem);
        if (profile->modules[i].package)
            mp_json_key_text(out, "package", profile->modules[i].package);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

static void
put_unrecorded(struct mp_buffer *out, const struct mp_unrecorded_list *unrecorded)
{
    mp_json_key(out, "not_recorded");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < unrecorded->n; i++) {
        mp_json_open(out, '{');
        mp_json_key_text(out, "program", unrecorded->list[i].program);
        mp_json_key_text(out, "reason", unrecorded->list[i].why);
        mp_json_key_number(out, "processes", unrecorded->list[i].n);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

static void
put_missing(struct mp_buffer *out, const struct mp_recording *recording)
{
    const struct mp_missing_fact *const facts = mp_missing_facts;
    const struct mp_bad_frees *frees = recording->profile ? recording->profile->bad_frees : NULL;
    const struct mp_totals *totals = &recording->totals;
    const struct mp_meta *meta = &recording->meta;

    const bool known = !meta->source;   /* other tools do not record this */

    mp_json_open(out, '{');
    put_cut(out, known, "cut_chains", totals->cut_allocs, &totals->cut_spread, totals->cut_unseen);
    put_cut(out, known, "shortened_chains", totals->depth_cut_allocs, &totals->depth_cut_spread,
            totals->depth_cut_unseen);
    put_cut(out, known, "unproved_chains", totals->unproved_allocs, &totals->unproved_spread, 0);
    for (size_t i = 0; i < MP_MISS_KINDS; i++)
        if (!facts[i].calls)
            mp_json_key_number_or_null(out, facts[i].key, meta->missing[facts[i].kind], known);
    for (unsigned kind = 0; kind < MP_FREED_UNKNOWN; kind++)
        mp_json_key_number_or_null(out, mp_bad_free_texts[kind].key, frees ? frees->counts[kind] : 0, known);
    for (unsigned kind = MP_FREED_OVERRUN; kind < MP_BAD_FREES; kind++)
        mp_json_key_number_or_null(out, mp_bad_free_texts[kind].key, frees ? frees->counts[kind] : 0,
                                   frees && frees->sentinel == MP_SENTINEL_ON);
    mp_json_key_number_or_null(out, "nested", meta->nested, known);
    mp_json_key_number_or_null(out, "programs", meta->programs_started, known);
    mp_json_key(out, "not_seen");
    mp_json_open(out, '[');
    for (size_t i = 0; i < MP_MISS_KINDS; i++)
        if (facts[i].calls && meta->missing[facts[i].kind] > 0)
            mp_json_text(out, facts[i].key);
    mp_json_close(out, ']');
    put_unrecorded(out, &meta->unrecorded);
    put_modules(out, recording->profile);
    mp_json_close(out, '}');
}

/* ---------------------------------------------------------------- how it was recorded */

static void
put_sampling(struct mp_buffer *out, const struct mp_recording *recording)
{
    const struct mp_meta *meta = &recording->meta;

    mp_json_key(out, "sampling");
    if (meta->sample_period == 0 && meta->n_samples == 0) {
        mp_json_null(out);
        return;
    }
    mp_json_open(out, '{');
    mp_json_key_number_or_null(out, "period_bytes", meta->sample_period, recording->alike);
    mp_json_key_number(out, "samples", meta->n_samples);
    mp_json_key_number(out, "interval_percent", 95);
    mp_json_close(out, '}');
}

static void
put_language(struct mp_buffer *out, const struct mp_recording *recording)
{
    const struct mp_meta *meta = &recording->meta;

    mp_json_key(out, "language");
    if (meta->language[0] == '\0') {
        mp_json_null(out);
        return;
    }
    mp_json_open(out, '{');
    mp_json_key_text(out, "runtime", meta->language);
    mp_json_key_number_or_null(out, "only_thread", meta->one_thread, meta->one_thread > 0);
    mp_json_close(out, '}');
}

void
mp_json_recording(struct mp_json_out *to, const struct mp_recording *recording)
{
    struct mp_buffer *out = &to->buffer;

    mp_json_line(out);
    mp_json_key(out, "process");
    if (recording->processes > 1) {
        mp_json_null(out);
    } else {
        mp_json_open(out, '{');
        put_process(out, &recording->meta);
        mp_json_close(out, '}');
    }
    put_processes(to, recording->profile);
    mp_json_line(out);
    mp_json_key(out, "totals");
    put_totals(out, recording);
    mp_json_line(out);
    mp_json_key(out, "missing");
    put_missing(out, recording);
    mp_json_line(out);
    put_sampling(out, recording);
    put_language(out, recording);
}

/* ---------------------------------------------------------------- small ones */

/* Writes TEXT, which does not come from a reader and may therefore contain invalid characters. */
static void
put_foreign(struct mp_buffer *out, const char *text)
{
    struct mp_arena *arena = mp_arena_new();

    mp_json_text(out, mp_text_clean(arena, text, strlen(text)));
    mp_arena_free(arena);
}

/* ---------------------------------------------------------------- the part that is shown */

static void
put_filters(struct mp_buffer *out, const struct mp_filters *filters)
{
    mp_json_key(out, "filters");
    mp_json_open(out, '[');
    for (unsigned i = 0; filters && i < filters->n; i++) {
        mp_json_open(out, '{');
        mp_json_key_text(out, "by", mp_filter_names[filters->list[i].by]);
        mp_json_key(out, "text");
        put_foreign(out, filters->list[i].text);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

static void
put_window(struct mp_buffer *out, const struct mp_window *window, bool sampled)
{
    const bool peak = window && window->alive && window->from == window->to;

    mp_json_key(out, "window");
    if (!window) {
        mp_json_null(out);
        return;
    }
    mp_json_open(out, '{');
    mp_json_key_text(out, "of", window->alive ? "moment" : "growth");
    if (!window->alive) {
        mp_json_key(out, "from");
        put_foreign(out, window->from);
    }
    mp_json_key(out, window->alive ? "at" : "to");
    put_foreign(out, window->to);
    mp_json_key_bool(out, "exact", window->exact);
    mp_json_key_bool(out, "net", window->net);
    mp_json_key_bool(out, "estimated", sampled && !peak);
    mp_json_close(out, '}');
}

static void
put_shown_totals(struct mp_buffer *out, const struct mp_profile *view)
{
    struct mp_totals totals;
    unsigned known = !view->window        ? COUNTS_ALL
                     : view->window->alive ? COUNTS_ALIVE
                     : view->window->temporary ? COUNTS_ALL
                                           : COUNTS_BETWEEN;

    mp_profile_totals(view, &totals);
    mp_json_key(out, "totals");
    put_counts(out, &totals.all, known, view->meta.unknown);
}

static void
put_shown(struct mp_buffer *out, const struct mp_json_subject *subject)
{
    const struct mp_said_part *part = &subject->part;

    mp_json_line(out);
    mp_json_key(out, "shown");
    mp_json_open(out, '{');
    mp_json_key_text(out, "objects", part->lisp ? "lisp" : "all");
    mp_json_key_text(out, "frames", mp_frames_words[subject->frames - MP_FRAMES_LISP]);
    mp_json_key(out, "focus");
    if (part->focus)
        put_foreign(out, part->focus);
    else
        mp_json_null(out);
    put_filters(out, part->filters);
    mp_json_key(out, "undecided");
    mp_json_open(out, '{');
    mp_json_key_number(out, "allocs", part->undecided.allocs);
    mp_json_key_number(out, "bytes", part->undecided.bytes);
    mp_json_close(out, '}');
    put_window(out, part->view->window, mp_is_estimated(&part->profile->meta));
    mp_json_key_texts(out, "skipped", part->view->skipped, part->view->n_skipped);
    mp_json_key_text(out, "sort", mp_sorts[subject->sort].key);
    put_shown_totals(out, part->view);
    mp_json_close(out, '}');
}

/* ---------------------------------------------------------------- for people */

static void
put_head_row(struct mp_buffer *out, const struct mp_head_row *row)
{
    const bool blocks = row->has == MP_HEAD_BLOCKS || row->has == MP_HEAD_BOTH;
    const bool bytes = row->has == MP_HEAD_BYTES || row->has == MP_HEAD_BOTH;

    mp_json_open(out, '{');
    mp_json_key_text(out, "key", row->key);
    mp_json_key_text(out, "label", row->label);
    if (blocks)
        mp_json_key_number(out, "count", row->blocks);
    if (bytes)
        mp_json_key_number(out, "bytes", row->bytes);
    if (row->has == MP_HEAD_NAMES)
        mp_json_key_texts(out, "names", row->names, row->n_names);
    if (row->text[0])
        mp_json_key_text(out, "text", row->text);
    mp_json_close(out, '}');
}

void
mp_json_head(struct mp_json_out *to, const struct mp_head *head)
{
    struct mp_buffer *out = &to->buffer;

    mp_json_line(out);
    mp_json_key(out, "head");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < head->n_rows; i++) {
        mp_json_line(out);
        put_head_row(out, &head->rows[i]);
    }
    mp_json_close(out, ']');
}

/* ---------------------------------------------------------------- the document */

void
mp_json_begin_files(struct mp_json_out *to, const char *command, const char *const *files, size_t n)
{
    struct mp_buffer *out = &to->buffer;

    mp_json_open(out, '{');
    mp_json_schema(out, "mprof-report", MP_JSON_VERSION);
    mp_json_key_text(out, "mprof", PACKAGE_VERSION);
    mp_json_key_text(out, "command", command);
    mp_json_key(out, "files");
    mp_json_open(out, '[');
    for (size_t i = 0; i < n; i++)
        put_foreign(out, files[i]);
    mp_json_close(out, ']');
}

void
mp_json_begin(struct mp_json_out *to, const struct mp_json_subject *subject)
{
    struct mp_recording recording = {.files = 0};

    mp_recording_add(&recording, subject->part.profile);
    mp_json_begin_files(to, subject->command, &subject->path, 1);
    mp_json_recording(to, &recording);
    put_shown(&to->buffer, subject);
}

bool
mp_json_finish(struct mp_json_out *to, struct mp_error *error)
{
    struct mp_buffer *out = &to->buffer;

    mp_json_close(out, '}');
    if (to->file)
        mp_json_end(out, to->file);
    return !to->file || !ferror(to->file) ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "writing the report: %s", strerror(errno));
}
