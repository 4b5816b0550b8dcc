/*
 * mprof totals, mprof dump: a profile's figures for scripts, without tables or thresholds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "options.h"
#include "reporter/output/dump.h"
#include "reporter/output/estimates.h"
#include "reporter/output/load.h"
#include "reporter/profile/sort.h"
#include "reporter/read/reader.h"
#include "reporter/run/data_file.h"

enum { OPT_ALL_FRAMES = 256, OPT_LISP, OPT_FRAMES, OPT_FORMAT, OPT_COST };

static const struct argp_option dump_options[] = {
    {"format", OPT_FORMAT, "FORM", 0, "chains (the default), ids or folded", 0},
    {"cost", OPT_COST, "KEY", 0, "What folded counts: bytes (the default), allocs, kept, peak or "
     "temporary", 0},
    {"all-frames", OPT_ALL_FRAMES, NULL, 0, "Functions that start main and threads, too", 0},
    {"lisp", OPT_LISP, NULL, 0, "Objects of Lisp only, by type", 0},
    {"frames", OPT_FRAMES, "WHICH", 0, "Functions shown: lisp, c or all", 0},
    {0},
};

struct input {
    const char *file;
    struct mp_dump_options dump;
    const char *cost;           /* as it was given; NULL: it was not */
};

static error_t
set_format(struct input *input, const char *form)
{
    static const char *const forms[] = {
        [MP_DUMP_CHAINS] = "chains", [MP_DUMP_IDS] = "ids", [MP_DUMP_FOLDED] = "folded"};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(form, forms[i]) == 0) {
            input->dump.format = (enum mp_dump_format)i;
            return 0;
        }
    }
    return mp_options_refuse("--format=%s: chains, ids or folded", form);
}

static error_t
set_cost(struct input *input, const char *key)
{
    input->cost = key;
    return mp_sort_named(key, &input->dump.cost)
               ? 0 : mp_options_refuse("--cost=%s: bytes, allocs, kept, peak or temporary", key);
}

static error_t
parse(int key, char *argument, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case OPT_ALL_FRAMES:
        input->dump.all_frames = true;
        return 0;
    case OPT_LISP:
        input->dump.lisp = true;
        return 0;
    case OPT_FRAMES:
        input->dump.frames = mp_frames_called(argument);
        return input->dump.frames != MP_FRAMES_DEFAULT
                   ? 0 : mp_options_refuse("--frames=%s: lisp, c or all", argument);
    case OPT_FORMAT:
        return set_format(input, argument);
    case OPT_COST:
        return set_cost(input, argument);
    case ARGP_KEY_END:
        return !input->cost || input->dump.format == MP_DUMP_FOLDED
                   ? 0 : mp_options_refuse("--cost=%s: of --format=folded only", input->cost);
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            return mp_options_refuse("%s: one data file only", argument);
        input->file = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp totals_parser = {
    .parser = parse, .args_doc = "[FILE]",
    .doc = "Print a profile's totals, one name and number a line.",
};

static const struct argp dump_parser = {
    .options = dump_options, .parser = parse, .args_doc = "[FILE]",
    .doc = "Print every chain with its figures: allocations, bytes, frees, bytes freed, bytes and "
           "blocks live at the peak, temporary allocations, and the functions, outermost first, "
           "separated by semicolons.  Of a program with several threads, the bytes live at the "
           "peak need not add up to the peak, which is known to within peak-slack only.  Of a chain "
           "of more than 2000 functions the first ones stand as @n, which an earlier line, of zeros, "
           "defines.\v"
           "With --lisp, every type on every chain: objects, bytes, bytes asked for, objects and "
           "bytes collected, objects and bytes kept, objects that survived one, two, four "
           "collections or more, the type, a tab, and the functions.",
};

/* Nothing where there is no language's runtime. */
static void
print_lisp_totals(const struct mp_profile *profile, const struct mp_counts *lisp)
{
    const struct mp_meta *meta = &profile->meta;

    if (profile->n_kinds == 0)
        return;
    printf("lisp-objects %" PRIu64 "\nlisp-bytes %" PRIu64 "\nlisp-requested %" PRIu64 "\n",
           lisp->allocs, lisp->bytes, lisp->requested);
    printf("lisp-frees %" PRIu64 "\nlisp-freed %" PRIu64 "\n", lisp->frees, lisp->freed);
    printf("lisp-kept-objects %" PRIu64 "\nlisp-kept %" PRIu64 "\nlisp-new %" PRIu64 "\n",
           lisp->kept_blocks, lisp->kept, mp_counts_new(lisp));
    printf("collections %" PRIu64 "\nheap %" PRIu64 "\none-thread %" PRIu32 "\n",
           meta->collections,
           meta->heap_now > meta->heap_before ? meta->heap_now - meta->heap_before : 0,
           meta->one_thread);
}

static void
put(const struct mp_counts *counts, const char *name, enum mp_figure figure)
{
    struct mp_estimate estimate = mp_counts_estimate(counts, figure);

    mp_estimates_put(stdout, name, &estimate);
}

/* Of a sampled recording: how, and the sums of what is estimated of chains. */
static void
print_samples(const struct mp_profile *profile, const struct mp_totals *totals)
{
    if (profile->meta.sample_period == 0)
        return;
    printf("sample-period %" PRIu32 "\nsamples %" PRIu64 "\n", profile->meta.sample_period,
           profile->meta.n_samples);
    put(&totals->all, "allocs-by-samples", MP_FIGURE_ALLOCS);
    put(&totals->all, "bytes-by-samples", MP_FIGURE_BYTES);
}

static void
print_peak(const struct mp_profile *profile, const struct mp_totals *totals)
{
    const struct mp_meta *meta = &profile->meta;
    struct mp_estimate estimate;

    if (meta->sample_period == 0) {
        printf("peak %" PRId64 "\npeak-blocks %" PRId64 "\n", meta->peak_bytes, meta->peak_blocks);
    } else {
        estimate = mp_estimates_peak(profile, totals, MP_FIGURE_PEAK_BYTES);
        mp_estimates_put(stdout, "peak", &estimate);
        estimate = mp_estimates_peak(profile, totals, MP_FIGURE_PEAK_BLOCKS);
        mp_estimates_put(stdout, "peak-blocks", &estimate);
    }
    printf("peak-slack %" PRIu64 "\n", meta->peak_slack);
}

static int
run_totals(int argc, char **argv, struct mp_error *error)
{
    struct input input = { .file = MP_DEFAULT_FILE };
    struct mp_totals totals;
    struct mp_estimate estimate;
    struct mp_profile *profile;
    int status;

    status = mp_options_parse(&totals_parser, "totals", argc, argv, 0, &input, error);
    if (status >= 0)
        return status;
    profile = mp_read(input.file, error);       /* figures need no names */
    if (!profile)
        return MP_EXIT_ERROR;
    mp_profile_totals(profile, &totals);
    printf("allocs %" PRIu64 "\nbytes %" PRIu64 "\n", totals.allocs, totals.bytes);
    print_samples(profile, &totals);
    put(&totals.all, "frees", MP_FIGURE_FREES);
    put(&totals.all, "freed", MP_FIGURE_FREED);
    put(&totals.all, "kept", MP_FIGURE_KEPT);
    put(&totals.all, "kept-blocks", MP_FIGURE_KEPT_BLOCKS);
    print_peak(profile, &totals);
    put(&totals.all, "temporary", MP_FIGURE_TEMPORARY);
    estimate = mp_estimate_allocs(totals.cut_allocs, &totals.cut_spread);
    mp_estimates_put(stdout, "cut", &estimate);
    estimate = mp_estimate_allocs(totals.depth_cut_allocs, &totals.depth_cut_spread);
    mp_estimates_put(stdout, "depth-cut", &estimate);
    printf("dropped %" PRIu64 "\nforeign-frees %" PRIu64 "\nunseen-frees %" PRIu64 "\n",
           profile->meta.missing[MP_MISS_DROPPED],
           profile->meta.missing[MP_MISS_FOREIGN_FREE] +
               profile->meta.missing[MP_MISS_UNKNOWN_FREE],
           profile->meta.missing[MP_MISS_UNSEEN_FREE]);
    printf("folded %" PRIu64 "\n", profile->meta.missing[MP_MISS_FOLDED]);
    printf("contexts %" PRIu32 "\ndepth %" PRIu32 "\nthreads %" PRIu32 "\n",
           profile->n_contexts - 1, totals.depth_max, profile->meta.threads);
    print_lisp_totals(profile, &totals.lisp);
    printf("programs-started %" PRIu64 "\nforked %" PRIu64 "\nnested %" PRIu64 "\n",
           profile->meta.programs_started, profile->meta.processes_forked, profile->meta.nested);
    mp_profile_free(profile);
    return 0;
}

static int
run_dump(int argc, char **argv, struct mp_error *error)
{
    struct input input = { .file = MP_DEFAULT_FILE };
    struct mp_profile *profile;
    int status;

    status = mp_options_parse(&dump_parser, "dump", argc, argv, 0, &input, error);
    if (status >= 0)
        return status;
    profile = mp_load(input.file, NULL, error);
    if (!profile)
        return MP_EXIT_ERROR;
    mp_dump_write(profile, &input.dump, stdout);
    mp_profile_free(profile);
    return 0;
}

const struct mp_command mp_cmd_totals = {
    "totals", "print a profile's totals, for scripts", &totals_parser, run_totals};

const struct mp_command mp_cmd_dump = {
    "dump", "print every chain with its figures, for scripts", &dump_parser, run_dump};
