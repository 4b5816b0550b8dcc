/* mprof totals: the sums of a profile, or of several, for scripts. */
#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "options.h"
#include "reporter/output/estimates.h"
#include "reporter/read/reader.h"
#include "reporter/run/data_file.h"

/* What is summed up: META has sums where they make sense. */
struct sums {
    struct mp_meta meta;
    struct mp_totals totals;
    uint64_t contexts, heap;
    uint32_t files;
    bool lisp;                  /* there is a language's runtime */
    bool alike;                 /* sampled with one period, or not at all */
};

static error_t
parse(int key, char *argument, struct argp_state *state)
{
    char ***files = state->input;

    (void)argument;
    if (key != ARGP_KEY_ARGS)
        return ARGP_ERR_UNKNOWN;
    *files = state->argv + state->next;
    return 0;
}

static const struct argp parser = {
    .parser = parse, .args_doc = "[FILE...]",
    .doc = "Print a profile's totals, one name and number a line; of several profiles their sums, "
           "but for peaks, which are of one process each.",
};

/* ---------------------------------------------------------------- sums */

static void
add_totals(struct mp_totals *to, const struct mp_totals *more)
{
    mp_counts_add(&to->c, &more->c);
    mp_counts_add(&to->lisp, &more->lisp);
    mp_counts_add(&to->all, &more->all);
    to->allocs = mp_plus(to->allocs, more->allocs);
    to->bytes = mp_plus(to->bytes, more->bytes);
    to->cut_allocs = mp_plus(to->cut_allocs, more->cut_allocs);
    to->depth_cut_allocs = mp_plus(to->depth_cut_allocs, more->depth_cut_allocs);
    mp_spread_add(&to->cut_spread, &more->cut_spread);
    mp_spread_add(&to->depth_cut_spread, &more->depth_cut_spread);
    to->cut_unseen = mp_plus(to->cut_unseen, more->cut_unseen);
    to->depth_cut_unseen = mp_plus(to->depth_cut_unseen, more->depth_cut_unseen);
    if (more->depth_max > to->depth_max)
        to->depth_max = more->depth_max;
}

static void
add_meta(struct mp_meta *to, const struct mp_meta *more)
{
    for (int i = 0; i < MP_MISS_KINDS; i++)
        to->missing[i] = mp_plus(to->missing[i], more->missing[i]);
    to->threads += more->threads;
    to->n_samples = mp_plus(to->n_samples, more->n_samples);
    to->collections = mp_plus(to->collections, more->collections);
    to->programs_started = mp_plus(to->programs_started, more->programs_started);
    to->processes_forked = mp_plus(to->processes_forked, more->processes_forked);
    to->nested = mp_plus(to->nested, more->nested);
}

static void
add_profile(struct sums *sums, const struct mp_profile *profile)
{
    const struct mp_meta *meta = &profile->meta;
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    if (sums->files++ == 0) {
        sums->meta = *meta;
        sums->totals = totals;
        sums->alike = true;
    } else {
        sums->alike &= meta->sample_period == sums->meta.sample_period;
        add_meta(&sums->meta, meta);
        add_totals(&sums->totals, &totals);
    }
    sums->contexts += profile->n_contexts - 1;
    sums->heap += meta->heap_now > meta->heap_before ? meta->heap_now - meta->heap_before : 0;
    sums->lisp |= profile->n_kinds > 0;
}

/* ---------------------------------------------------------------- text */

/* Nothing where there is no language's runtime. */
static void
print_lisp(const struct sums *sums)
{
    const struct mp_counts *lisp = &sums->totals.lisp;

    if (!sums->lisp)
        return;
    printf("lisp-objects %" PRIu64 "\nlisp-bytes %" PRIu64 "\nlisp-requested %" PRIu64 "\n",
           lisp->allocs, lisp->bytes, lisp->requested);
    printf("lisp-frees %" PRIu64 "\nlisp-freed %" PRIu64 "\n", lisp->frees, lisp->freed);
    printf("lisp-kept-objects %" PRIu64 "\nlisp-kept %" PRIu64 "\nlisp-new %" PRIu64 "\n",
           lisp->kept_blocks, lisp->kept, mp_counts_new(lisp));
    printf("collections %" PRIu64 "\nheap %" PRIu64 "\n", sums->meta.collections, sums->heap);
    if (sums->files == 1)
        printf("one-thread %" PRIu32 "\n", sums->meta.one_thread);
}

static void
put(const struct mp_counts *counts, const char *name, enum mp_figure figure)
{
    struct mp_estimate estimate = mp_counts_estimate(counts, figure);

    mp_estimates_put(stdout, name, &estimate);
}

/* Of a sampled recording: how, and the sums of what is estimated of chains. */
static void
print_samples(const struct sums *sums)
{
    if (sums->meta.n_samples == 0 && sums->meta.sample_period == 0)
        return;
    if (sums->alike)
        printf("sample-period %" PRIu32 "\n", sums->meta.sample_period);
    printf("samples %" PRIu64 "\n", sums->meta.n_samples);
    put(&sums->totals.all, "allocs-by-samples", MP_FIGURE_ALLOCS);
    put(&sums->totals.all, "bytes-by-samples", MP_FIGURE_BYTES);
}

/* Processes have their peaks at different times: of several, none is known. */
static void
print_peak(const struct sums *sums, const struct mp_profile *profile)
{
    const struct mp_meta *meta = &sums->meta;
    struct mp_estimate estimate;

    if (sums->files > 1)
        return;
    if (meta->sample_period == 0) {
        printf("peak %" PRId64 "\npeak-blocks %" PRId64 "\n", meta->peak_bytes, meta->peak_blocks);
    } else {
        estimate = mp_estimates_peak(profile, &sums->totals, MP_FIGURE_PEAK_BYTES);
        mp_estimates_put(stdout, "peak", &estimate);
        estimate = mp_estimates_peak(profile, &sums->totals, MP_FIGURE_PEAK_BLOCKS);
        mp_estimates_put(stdout, "peak-blocks", &estimate);
    }
    printf("peak-slack %" PRIu64 "\n", meta->peak_slack);
}

static void
print_missing(const struct sums *sums)
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

/* PROFILE is the only one, if there is one only. */
static void
print(const struct sums *sums, const struct mp_profile *profile)
{
    const struct mp_totals *totals = &sums->totals;
    const struct mp_meta *meta = &sums->meta;

    if (sums->files > 1)
        printf("files %" PRIu32 "\n", sums->files);
    printf("allocs %" PRIu64 "\nbytes %" PRIu64 "\n", totals->allocs, totals->bytes);
    print_samples(sums);
    put(&totals->all, "frees", MP_FIGURE_FREES);
    put(&totals->all, "freed", MP_FIGURE_FREED);
    put(&totals->all, "kept", MP_FIGURE_KEPT);
    put(&totals->all, "kept-blocks", MP_FIGURE_KEPT_BLOCKS);
    print_peak(sums, profile);
    put(&totals->all, "temporary", MP_FIGURE_TEMPORARY);
    print_missing(sums);
    printf("contexts %" PRIu64 "\ndepth %" PRIu32 "\nthreads %" PRIu32 "\n", sums->contexts,
           totals->depth_max, meta->threads);
    print_lisp(sums);
    printf("programs-started %" PRIu64 "\nforked %" PRIu64 "\nnested %" PRIu64 "\n",
           meta->programs_started, meta->processes_forked, meta->nested);
}

/* Nothing is printed unless all can be read.  Figures need no names. */
static int
run(int argc, char **argv, struct mp_error *error)
{
    static char usual[] = MP_DEFAULT_FILE, *of_usual[] = {usual, NULL};
    struct mp_profile *profile = NULL;
    struct sums sums = {0};
    char **files = of_usual;
    int status = mp_options_parse(&parser, "totals", argc, argv, 0, &files, error);

    if (status >= 0)
        return status;
    for (; *files; files++) {
        mp_profile_free(profile);
        profile = mp_read(*files, error);
        if (!profile)
            return MP_EXIT_ERROR;
        add_profile(&sums, profile);
    }
    print(&sums, profile);
    mp_profile_free(profile);
    return 0;
}

const struct mp_command mp_cmd_totals = {
    "totals", "print a profile's totals, for scripts", &parser, run};
