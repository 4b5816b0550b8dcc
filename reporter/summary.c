#include "summary.h"

#include <inttypes.h>
#include <string.h>

#include "data_file.h"
#include "format_number.h"
#include "head.h"
#include "text.h"

/* Columns of the numbers: the largest are those of all allocations. */
struct widths {
    int blocks, bytes;
};

static int
width_of(uint64_t number)
{
    char text[MP_NUMBER_SIZE];

    return (int)strlen(mp_number_grouped(number, text));
}

static void
print_count(FILE *out, const struct widths *widths, const char *label, uint64_t count)
{
    char number[MP_NUMBER_SIZE];

    fprintf(out, "mprof:   %-11s  %*s", label, widths->blocks, mp_number_grouped(count, number));
}

static void
print_blocks(FILE *out, const struct widths *widths, const char *label, uint64_t blocks,
             uint64_t bytes)
{
    char number[2][MP_NUMBER_SIZE];

    print_count(out, widths, label, blocks);
    fprintf(out, "  %*s byte%s  (%s)\n", widths->bytes, mp_number_grouped(bytes, number[0]),
            mp_plural(bytes), mp_number_bytes(bytes, number[1]));
}

/* Chains that are not whole, by mishap or by request. */
static void
print_cuts(const struct mp_profile *profile, const struct mp_totals *totals,
           const struct widths *widths, FILE *out)
{
    char number[MP_NUMBER_SIZE];

    if (totals->cut_allocs > 0) {
        print_count(out, widths, "cut chains", totals->cut_contexts);
        fprintf(out, "  of %s allocation%s: see the report's head\n",
                mp_number_grouped(totals->cut_allocs, number), mp_plural(totals->cut_allocs));
    }
    if (totals->depth_cut_allocs > 0) {
        print_count(out, widths, "shortened", totals->depth_cut_allocs);
        fprintf(out, "  allocation%s with the last %" PRIu32 " caller%s only, as asked for\n",
                mp_plural(totals->depth_cut_allocs), profile->meta.depth,
                mp_plural(profile->meta.depth));
    }
}

static void
print_sums(const struct mp_profile *profile, const struct mp_totals *totals, FILE *out)
{
    const struct mp_meta *meta = &profile->meta;
    const struct widths widths = {width_of(totals->allocs), width_of(totals->bytes)};
    uint64_t dropped = meta->missing[MP_MISS_DROPPED];

    print_blocks(out, &widths, "allocations", totals->allocs, totals->bytes);
    print_blocks(out, &widths, "peak", meta->peak_blocks > 0 ? (uint64_t)meta->peak_blocks : 0,
                 meta->peak_bytes > 0 ? (uint64_t)meta->peak_bytes : 0);
    print_blocks(out, &widths, "kept", totals->kept_blocks, totals->kept);
    print_count(out, &widths, "temporary", totals->temporary);
    fputc('\n', out);
    print_cuts(profile, totals, &widths, out);
    if (dropped > 0) {
        print_count(out, &widths, "dropped", dropped);
        fprintf(out, "  record%s\n", mp_plural(dropped));
    }
}

static void
print_programs(const struct mp_meta *meta, bool follow, FILE *out)
{
    uint64_t n = meta->programs_started;
    char number[MP_NUMBER_SIZE];

    if (n > 0)
        fprintf(out, "mprof: %s program%s started and not profiled%s\n",
                mp_number_grouped(n, number), n == 1 ? " was" : "s were",
                follow ? "" : " (--follow does)");
}

static void
print_children(const struct mp_summary *summary, FILE *out)
{
    if (summary->children == 0)
        return;
    fprintf(out, "mprof: %" PRIu32 " more process%s profiled: %s%s", summary->children,
            summary->children == 1 ? "" : "es", summary->child_example,
            summary->children > 1 ? ", ..." : "");
    if (summary->children_running > 0)
        fprintf(out, " (%" PRIu32 " still running)", summary->children_running);
    fputc('\n', out);
}

/* The last line is all of a command. */
static void
print_command(const char *file, FILE *out)
{
    fputs("mprof report", out);
    if (strcmp(file, MP_DEFAULT_FILE) != 0) {
        fputs(file[0] == '-' ? " -- " : " ", out);
        mp_text_shell(out, file);
    }
    fputc('\n', out);
}

void
mp_summary_print(const struct mp_profile *profile, const struct mp_summary *summary, FILE *out)
{
    char ending[MP_ENDING_SIZE], text[MP_NUMBER_SIZE];
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    fprintf(out, "mprof: %s: %s, after %s\n", mp_text_basename(profile->meta.program),
            mp_head_ending(&profile->meta, ending),
            mp_number_duration(profile->meta.duration, text));
    print_sums(profile, &totals, out);
    print_programs(&profile->meta, summary->follow, out);
    print_children(summary, out);
    fprintf(out, "mprof: %s of data in %s; to see it:\n", mp_number_bytes(summary->size, text),
            summary->file);
    print_command(summary->file, out);
}
