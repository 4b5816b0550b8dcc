/*
 * mprof totals, mprof dump: a profile's figures for scripts, without tables or thresholds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "data_file.h"
#include "report.h"

static error_t
parse(int key, char *argument, struct argp_state *state)
{
    const char **file = state->input;

    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (state->arg_num > 0)
        return mp_command_refuse("%s: one data file only", argument);
    *file = argument;
    return 0;
}

/* The data file that the command line names; NULL and the exit status if it does not get that far. */
static struct mp_profile *
load(const char *name, const char *doc, int argc, char **argv, int *status, struct mp_error *error)
{
    const struct argp parser = { .parser = parse, .args_doc = "[FILE]", .doc = doc };
    const char *file = MP_DEFAULT_FILE;
    struct mp_profile *profile;

    *status = mp_command_parse(&parser, name, argc, argv, 0, &file, error);
    if (*status >= 0)
        return NULL;
    profile = mp_report_load(file, NULL, error);
    *status = profile ? 0 : MP_EXIT_ERROR;
    return profile;
}

static int
run_totals(int argc, char **argv, struct mp_error *error)
{
    struct mp_totals totals;
    struct mp_profile *profile;
    int status;

    profile = load("totals", "Print a profile's totals, one name and number a line.", argc, argv,
                   &status, error);
    if (!profile)
        return status;
    mp_profile_totals(profile, &totals);
    printf("allocs %" PRIu64 "\nbytes %" PRIu64 "\nfrees %" PRIu64 "\nfreed %" PRIu64 "\n",
           totals.allocs, totals.bytes, totals.frees, totals.freed);
    printf("kept %" PRIu64 "\nkept-blocks %" PRIu64 "\n", totals.kept, totals.kept_blocks);
    printf("peak %" PRId64 "\npeak-blocks %" PRId64 "\npeak-slack %" PRIu64 "\n",
           profile->meta.peak_bytes, profile->meta.peak_blocks, profile->meta.peak_slack);
    printf("temporary %" PRIu64 "\ncut %" PRIu64 "\ndepth-cut %" PRIu64 "\n", totals.temporary,
           totals.cut_allocs, totals.depth_cut_allocs);
    printf("dropped %" PRIu64 "\nforeign-frees %" PRIu64 "\n",
           profile->meta.missing[MP_MISS_DROPPED],
           profile->meta.missing[MP_MISS_FOREIGN_FREE] +
               profile->meta.missing[MP_MISS_UNKNOWN_FREE]);
    printf("contexts %" PRIu32 "\ndepth %" PRIu32 "\nthreads %" PRIu32 "\n",
           profile->n_contexts - 1, totals.depth_max, profile->meta.threads);
    printf("programs-started %" PRIu64 "\nforked %" PRIu64 "\nnested %" PRIu64 "\n",
           profile->meta.programs_started, profile->meta.processes_forked, profile->meta.nested);
    mp_profile_free(profile);
    return 0;
}

/* The functions of a context's chain, outermost first, separated by semicolons. */
static void
print_chain(const struct mp_profile *profile, uint32_t context, uint32_t *path)
{
    uint32_t n = 0;
    const char *separator = "";

    for (; context; context = profile->contexts[context].parent)
        path[n++] = profile->contexts[context].frame;
    while (n-- > 0) {
        const struct mp_frame *frame = &profile->frames[path[n]];

        for (uint32_t i = frame->n_locations; i-- > 0; separator = ";")
            printf("%s%s", separator,
                   profile->functions[profile->locations[frame->first_location + i].function].name);
    }
    putchar('\n');
}

static void
print_context(const struct mp_profile *profile, uint32_t first, uint32_t end, uint32_t *path)
{
    struct mp_cell sum = { 0 };

    for (uint32_t i = first; i < end; i++) {
        const struct mp_cell *cell = &profile->cells[i];

        sum.allocs += cell->allocs;
        sum.bytes += cell->bytes;
        sum.frees += cell->frees;
        sum.freed += cell->freed;
        sum.temporary += cell->temporary;
        sum.peak_bytes += cell->peak_bytes;
        sum.peak_blocks += cell->peak_blocks;
    }
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 " ",
           sum.allocs, sum.bytes, sum.frees, sum.freed, sum.peak_bytes, sum.peak_blocks,
           sum.temporary);
    print_chain(profile, profile->cells[first].context, path);
}

static int
run_dump(int argc, char **argv, struct mp_error *error)
{
    struct mp_profile *profile;
    uint32_t *path, end;
    int status;

    profile = load("dump",
                   "Print every chain with its figures: allocations, bytes, frees, bytes freed, "
                   "bytes and blocks live at the peak, temporary allocations, and the functions, "
                   "outermost first, separated by semicolons.",
                   argc, argv, &status, error);
    if (!profile)
        return status;
    path = calloc(profile->n_contexts, sizeof *path);
    if (!path) {
        mp_profile_free(profile);
        mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "%" PRIu32 " contexts", profile->n_contexts);
        return MP_EXIT_ERROR;
    }
    for (uint32_t first = 0; first < profile->n_cells; first = end) {
        for (end = first + 1; end < profile->n_cells; end++)
            if (profile->cells[end].context != profile->cells[first].context)
                break;
        print_context(profile, first, end, path);
    }
    free(path);
    mp_profile_free(profile);
    return 0;
}

const struct mp_command mp_cmd_totals = {
    "totals", "print a profile's totals, for scripts", run_totals
};

const struct mp_command mp_cmd_dump = {
    "dump", "print every chain with its figures, for scripts", run_dump
};
