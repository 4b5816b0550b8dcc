#include "summary.h"

#include <inttypes.h>
#include <string.h>

#include "data_file.h"
#include "format_number.h"
#include "head.h"

static void
print_blocks(FILE *out, const char *label, uint64_t blocks, uint64_t bytes)
{
    char number[3][MP_NUMBER_SIZE];

    fprintf(out, "mprof:   %-11s %15s %19s bytes  (%s)\n", label,
            mp_number_grouped(blocks, number[0]), mp_number_grouped(bytes, number[1]),
            mp_number_bytes(bytes, number[2]));
}

static void
print_count(FILE *out, const char *label, uint64_t count, const char *what)
{
    char number[MP_NUMBER_SIZE];

    fprintf(out, "mprof:   %-11s %15s%s\n", label, mp_number_grouped(count, number), what);
}

static void
print_sums(const struct mp_profile *profile, const struct mp_totals *totals, FILE *out)
{
    const struct mp_meta *meta = &profile->meta;

    print_blocks(out, "allocations", totals->allocs, totals->bytes);
    print_blocks(out, "peak", meta->peak_blocks > 0 ? (uint64_t)meta->peak_blocks : 0,
                 meta->peak_bytes > 0 ? (uint64_t)meta->peak_bytes : 0);
    print_blocks(out, "kept", totals->kept_blocks, totals->kept);
    print_count(out, "temporary", totals->temporary, "");
    if (totals->cut_allocs > 0)
        print_count(out, "cut chains", totals->cut_contexts, "");
    if (meta->missing[MP_MISS_DROPPED] > 0)
        print_count(out, "dropped", meta->missing[MP_MISS_DROPPED], " records");
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

void
mp_summary_print(const struct mp_profile *profile, const struct mp_summary *summary, FILE *out)
{
    const char *slash = strrchr(profile->meta.program, '/');
    char ending[MP_ENDING_SIZE], text[MP_NUMBER_SIZE];
    struct mp_totals totals;
    bool standard = strcmp(summary->file, MP_DEFAULT_FILE) == 0;

    mp_profile_totals(profile, &totals);
    fprintf(out, "mprof: %s: %s, after %s\n", slash ? slash + 1 : profile->meta.program,
            mp_head_ending(&profile->meta, ending),
            mp_number_duration(profile->meta.duration, text));
    print_sums(profile, &totals, out);
    print_programs(&profile->meta, summary->follow, out);
    print_children(summary, out);
    fprintf(out, "mprof: data in %s (%s); to see it: mprof report%s%s\n", summary->file,
            mp_number_bytes(summary->size, text), standard ? "" : " ",
            standard ? "" : summary->file);
}
