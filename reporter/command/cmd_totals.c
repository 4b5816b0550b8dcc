/* SPDX-License-Identifier: MIT */
/* mprof totals: prints the sums of one or several profiles, for scripts. */
#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "input_files.h"
#include "option_table.h"
#include "output_file.h"
#include "reporter/file/data_file.h"
#include "reporter/table/estimates.h"
#include "reporter/table/json_head.h"

struct input {
    char **files;               /* data files and process ids, ending with NULL */
    const char *json_file;      /* output file; NULL for standard output */
    bool json;
};

static const struct mp_option options[] = {
    {"json", 0, "FILE", "Write JSON to FILE or standard output; see mprof-json(5)",
     MP_TEXT(struct input, json_file), .also = MP_FIELD(bool, struct input, json), .optional = true},
    {0},
};

/* ---------------------------------------------------------------- text */

static void
put(const struct mp_counts *counts, const char *name, enum mp_figure figure)
{
    struct mp_estimate estimate = mp_counts_estimate(counts, figure);

    mp_estimates_put(stdout, name, &estimate);
}

/* Prints the figures of a language runtime, if there is one. */
static void
print_lisp(const struct mp_recording *sums)
{
    const struct mp_counts *lisp = &sums->totals.lisp;
    struct mp_estimate new;

    if (!sums->lisp)
        return;
    printf("lisp-objects %" PRIu64 "\nlisp-bytes %" PRIu64 "\nlisp-requested %" PRIu64 "\n",
           sums->totals.objects, sums->totals.object_bytes, lisp->requested);
    put(lisp, "lisp-frees", MP_FIGURE_FREES);
    put(lisp, "lisp-freed", MP_FIGURE_FREED);
    put(lisp, "lisp-kept-objects", MP_FIGURE_KEPT_BLOCKS);
    put(lisp, "lisp-kept", MP_FIGURE_KEPT);
    new = mp_counts_estimate_new(lisp, MP_FIGURE_ALLOCS);
    mp_estimates_put(stdout, "lisp-new", &new);
    printf("collections %" PRIu64 "\nheap %" PRIu64 "\n", sums->meta.collections, sums->heap);
    if (sums->files == 1)
        printf("one-thread %" PRIu32 "\n", sums->meta.one_thread);
}

/* Prints how a recording was sampled, and the estimated sums over chains. */
static void
print_samples(const struct mp_recording *sums)
{
    if (sums->meta.n_samples == 0 && sums->meta.sample_period == 0)
        return;
    if (sums->alike)
        printf("sample-period %" PRIu32 "\n", sums->meta.sample_period);
    printf("samples %" PRIu64 "\n", sums->meta.n_samples);
    put(&sums->totals.all, "allocs-by-samples", MP_FIGURE_ALLOCS);
    put(&sums->totals.all, "bytes-by-samples", MP_FIGURE_BYTES);
}

/* Prints the peak of a single process. Several processes peak at different times, so their common peak is unknown. */
static void
print_peak(const struct mp_recording *sums)
{
    struct mp_estimate bytes, blocks;

    if (sums->processes > 1)
        return;
    bytes = mp_estimates_peak(sums->profile, &sums->totals, MP_FIGURE_PEAK_BYTES);
    blocks = mp_estimates_peak(sums->profile, &sums->totals, MP_FIGURE_PEAK_BLOCKS);
    mp_estimates_put(stdout, "peak", &bytes);
    mp_estimates_put(stdout, "peak-blocks", &blocks);
    printf("peak-slack %" PRIu64 "\n", sums->meta.peak_slack);
}

static void
print_missing(const struct mp_recording *sums)
{
    const struct mp_totals *totals = &sums->totals;
    const uint64_t *missing = sums->meta.missing;
    struct mp_estimate estimate =
        mp_estimate_part(totals->cut_allocs, &totals->cut_spread, totals->cut_unseen);

    mp_estimates_put(stdout, "cut", &estimate);
    estimate = mp_estimate_part(totals->depth_cut_allocs, &totals->depth_cut_spread,
                                totals->depth_cut_unseen);
    mp_estimates_put(stdout, "depth-cut", &estimate);
    printf("dropped %" PRIu64 "\nforeign-frees %" PRIu64 "\nunseen-frees %" PRIu64 "\n",
           missing[MP_MISS_DROPPED], missing[MP_MISS_FOREIGN_FREE] + missing[MP_MISS_UNKNOWN_FREE],
           missing[MP_MISS_UNSEEN_FREE]);
    printf("folded %" PRIu64 "\n", missing[MP_MISS_FOLDED]);
}

static void
print(const struct mp_recording *sums)
{
    const struct mp_totals *totals = &sums->totals;
    const struct mp_meta *meta = &sums->meta;

    if (sums->files > 1)
        printf("files %" PRIu32 "\n", sums->files);
    if (sums->processes > sums->files)
        printf("processes %" PRIu32 "\n", sums->processes);
    printf("allocs %" PRIu64 "\nbytes %" PRIu64 "\n", totals->allocs, totals->bytes);
    print_samples(sums);
    put(&totals->all, "frees", MP_FIGURE_FREES);
    put(&totals->all, "freed", MP_FIGURE_FREED);
    put(&totals->all, "kept", MP_FIGURE_KEPT);
    put(&totals->all, "kept-blocks", MP_FIGURE_KEPT_BLOCKS);
    print_peak(sums);
    put(&totals->all, "temporary", MP_FIGURE_TEMPORARY);
    print_missing(sums);
    printf("contexts %" PRIu64 "\ndepth %" PRIu32 "\nthreads %" PRIu32 "\n",
           sums->contexts, totals->depth_max, meta->threads);
    print_lisp(sums);
    printf("programs-started %" PRIu64 "\nforked %" PRIu64 "\nnested %" PRIu64 "\n",
           meta->programs_started, meta->processes_forked, meta->nested);
}

/* Writes the sums as a JSON document. */
static bool
write_json(const struct input *input, const struct mp_recording *sums, struct mp_error *error)
{
    const char *const *files = (const char *const *)input->files;
    struct mp_output_file output;
    struct mp_json_out out = {.file = mp_output_begin(&output, input->json_file, files, error)};

    if (!out.file)
        return false;
    mp_json_begin_files(&out, "totals", files, sums->files);
    mp_json_recording(&out, sums);
    return mp_output_end(&output, mp_json_finish(&out, error), error);
}

/* Prints the figures that all files contain. Used if another tool wrote one of them. */
static void
print_foreign(const struct mp_recording *sums)
{
    static const struct {
        const char *key;
        enum mp_figure figure;
    } figures[] = {
        {"allocs", MP_FIGURE_ALLOCS}, {"bytes", MP_FIGURE_BYTES}, {"frees", MP_FIGURE_FREES},
        {"freed", MP_FIGURE_FREED}, {"kept", MP_FIGURE_KEPT}, {"kept-blocks", MP_FIGURE_KEPT_BLOCKS},
        {"temporary", MP_FIGURE_TEMPORARY},
    };
    const struct mp_meta *meta = &sums->meta;

    if (sums->files > 1)
        printf("files %" PRIu32 "\n", sums->files);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!(meta->unknown & 1u << figures[i].figure))
            put(&sums->totals.all, figures[i].key, figures[i].figure);
    if (sums->files == 1 && !(meta->unknown & 1u << MP_FIGURE_PEAK_BYTES))
        printf("peak %" PRId64 "\n", meta->peak_bytes);
    if (sums->files == 1 && !(meta->unknown & 1u << MP_FIGURE_PEAK_BLOCKS))
        printf("peak-blocks %" PRId64 "\n", meta->peak_blocks);
    printf("contexts %" PRIu64 "\ndepth %" PRIu32 "\n", sums->contexts, sums->totals.depth_max);
}

/* Reads all profiles before it prints anything. Names are not needed. */
static int
run(int argc, char **argv, struct mp_error *error)
{
    struct mp_profile *profile = NULL;
    struct mp_recording sums = {.files = 0};
    bool foreign = false;           /* another tool wrote a file */
    struct input input = {.files = MP_DEFAULT_FILES};
    int status = mp_options_parse(&mp_cmd_totals, argc, argv, &input, error);
    bool ok = true;

    if (status >= 0)
        return status;
    for (char **file = input.files; *file; file++) {
        mp_profile_free(profile);
        profile = mp_input_profile(*file, NULL, error);
        if (!profile)
            return mp_exit_status(false, error);
        mp_recording_add(&sums, profile);
        foreign |= profile->meta.source != NULL;
    }
    if (input.json)
        ok = write_json(&input, &sums, error);
    else if (foreign)
        print_foreign(&sums);
    else
        print(&sums);
    mp_profile_free(profile);
    return mp_exit_status(ok, error);
}

const struct mp_command mp_cmd_totals = {
    "totals", "print the totals of recordings, for scripts", run,
    .options = options, .argument = {.value = "[FILE|PID...]", MP_FILES(struct input, files)},
    .doc = "Print the totals of a recording, with a key and a number on each line.  Of several recordings, print the "
           "sums, but no peak, because each process has its own.",
};
