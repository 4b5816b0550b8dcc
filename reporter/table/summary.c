/* SPDX-License-Identifier: MIT */
#include "summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "estimates.h"
#include "reporter/base/format_number.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/profile/ending.h"
#include "reporter/profile/missing.h"
#include "reporter/profile/outside.h"
#include "runtime/template.h"

#define LEAST_RESIDENT ((uint64_t)10000000)     /* bytes of resident memory that are worth a line */
#define OTHERS_SHOWN 10         /* maximum number of other data files listed */
#define SMALL 100               /* a complete recording with less than 1/SMALL of all bytes is not listed */

/* Widths of the number columns; the totals of allocations are the widest. */
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

/* Prints figures. TERM explains LABEL, or is NULL. */
static void
print_blocks(FILE *out, const struct widths *widths, const char *label, const char *term,
             const struct mp_estimate *blocks, const struct mp_estimate *bytes)
{
    char number[2][MP_NUMBER_SIZE], text[MP_ESTIMATE_SIZE];

    mp_estimate_text(blocks, bytes, text);
    print_count(out, widths, label, blocks->value);
    fprintf(out, "  %*s byte%s  (%s)%s%s%s%s\n", widths->bytes, mp_number_grouped(bytes->value, number[0]),
            mp_plural(bytes->value), mp_number_bytes(bytes->value, number[1]), text[0] ? "  " : "", text,
            term && blocks->value > 0 ? "  " : "", term && blocks->value > 0 ? term : "");
}

/* Prints figures that are estimates in a sampled recording. */
static void
print_estimates(const struct mp_profile *profile, const struct mp_totals *totals, const struct widths *widths,
                FILE *out)
{
    struct mp_estimate peak_blocks = mp_estimates_peak(profile, totals, MP_FIGURE_PEAK_BLOCKS);
    struct mp_estimate peak_bytes = mp_estimates_peak(profile, totals, MP_FIGURE_PEAK_BYTES);
    struct mp_estimate kept_blocks = mp_counts_estimate(&totals->all, MP_FIGURE_KEPT_BLOCKS);
    struct mp_estimate kept_bytes = mp_counts_estimate(&totals->all, MP_FIGURE_KEPT);
    struct mp_estimate temporary = mp_counts_estimate(&totals->all, MP_FIGURE_TEMPORARY);
    char text[MP_ESTIMATE_SIZE];

    print_blocks(out, widths, "peak", NULL, &peak_blocks, &peak_bytes);
    print_blocks(out, widths, "kept", mp_totals_kept(totals), &kept_blocks, &kept_bytes);
    print_count(out, widths, "temporary", temporary.value);
    mp_estimate_text(&temporary, NULL, text);
    fprintf(out, "%s%s%s\n", text[0] ? "  " : "", text,
            temporary.value > 0 ? "  freed before the thread's next allocation" : "");
}

static void
print_cut(const struct mp_estimate *cut, const char *what, const struct widths *widths, FILE *out)
{
    char text[MP_ESTIMATE_SIZE];

    print_count(out, widths, what, cut->value);
    mp_estimate_text(cut, NULL, text);
    fprintf(out, "  %s%s", text, text[0] ? "; " : "");
}

/* Prints how many chains were cut because of problems, and how many were shortened by request. */
static void
print_cuts(const struct mp_profile *profile, const struct mp_totals *totals,
           const struct widths *widths, FILE *out)
{
    struct mp_estimate cut =
        mp_estimate_part(totals->cut_allocs, &totals->cut_spread, totals->cut_unseen);
    struct mp_estimate shortened = mp_estimate_part(
        totals->depth_cut_allocs, &totals->depth_cut_spread, totals->depth_cut_unseen);
    char number[MP_NUMBER_SIZE];

    mp_number_grouped(totals->allocs, number);
    if (totals->cut_allocs > 0) {
        print_cut(&cut, "cut chains", widths, out);
        fprintf(out, "of %s allocation%s: see the report's head\n", number, mp_plural(totals->allocs));
    }
    if (totals->depth_cut_allocs > 0) {
        print_cut(&shortened, "shortened", widths, out);
        fprintf(out, "of %s allocation%s: last %" PRIu32 " caller%s kept, as asked for\n", number,
                mp_plural(totals->allocs), profile->meta.depth, mp_plural(profile->meta.depth));
    }
}

/* Prints which part of the allocations are Lisp objects. */
static void
print_objects(const struct mp_meta *meta, const struct mp_totals *totals,
              const struct widths *widths, FILE *out)
{
    char number[3][MP_NUMBER_SIZE];

    print_count(out, widths, "of these", totals->objects);
    fprintf(out, "  %*s byte%s  (%s)  objects of %s, %s collection%s\n", widths->bytes,
            mp_number_grouped(totals->object_bytes, number[0]), mp_plural(totals->object_bytes),
            mp_number_bytes(totals->object_bytes, number[1]), meta->language[0] ? meta->language : "Lisp",
            mp_number_grouped(meta->collections, number[2]), mp_plural(meta->collections));
}

/* Prints what the resident memory consisted of, unless the program has little. */
static void
print_resident(const struct mp_profile *profile, FILE *out)
{
    struct mp_arena *arena;

    if (!profile->account || profile->account->resident < LEAST_RESIDENT)
        return;
    arena = mp_arena_new();
    fprintf(out, "mprof:   resident     %s\n", mp_resident_text(profile, arena));
    mp_arena_free(arena);
}

static void
print_sums(const struct mp_profile *profile, const struct mp_totals *totals, FILE *out)
{
    const struct mp_meta *meta = &profile->meta;
    const struct widths widths = {width_of(totals->allocs), width_of(totals->bytes)};
    const struct mp_estimate allocs = mp_estimate(totals->allocs, 0, 0);
    const struct mp_estimate bytes = mp_estimate(totals->bytes, 0, 0);
    uint64_t dropped = meta->missing[MP_MISS_DROPPED];
    char number[MP_NUMBER_SIZE], unrecorded[MP_UNRECORDED_SIZE], outside[MP_OUTSIDE_SIZE];

    print_blocks(out, &widths, "allocations", NULL, &allocs, &bytes);
    if (meta->sample_period > 0) {
        print_count(out, &widths, "sampled", meta->n_samples);
        fprintf(out, "  one for each %s byte%s, at random\n",
                mp_number_grouped(meta->sample_period, number), mp_plural(meta->sample_period));
    }
    if (totals->objects > 0)
        print_objects(meta, totals, &widths, out);
    print_estimates(profile, totals, &widths, out);
    print_resident(profile, out);
    print_cuts(profile, totals, &widths, out);
    for (size_t i = 0; i < MP_MISS_KINDS; i++)
        if (mp_missing_facts[i].calls && meta->missing[mp_missing_facts[i].kind] > 0)
            fprintf(out, "mprof:   not seen: %s\n", mp_missing_facts[i].calls);
    if (mp_profile_unrecorded(profile, unrecorded))
        fprintf(out, "mprof:   not seen: objects of Lisp: %s; mprof-lisp(7) explains what to do\n", unrecorded);
    if (mp_outside_text(profile, totals, outside))
        fprintf(out, "mprof:   not seen: %s\n", outside);
    if (dropped > 0) {
        print_count(out, &widths, "dropped", dropped);
        fprintf(out, "  record%s\n", mp_plural(dropped));
    }
}

/* Prints what the first process allocated as other programs. */
static void
print_before(const struct mp_summary *summary, const char *name, FILE *out)
{
    char number[2][MP_NUMBER_SIZE];

    if (summary->before)
        fprintf(out, "mprof: %s (%s allocation%s, %s) became %s and is left out; mprof run -f keeps everything\n",
                summary->before, mp_number_grouped(summary->before_allocs, number[0]),
                mp_plural(summary->before_allocs), mp_number_bytes(summary->before_bytes, number[1]), name);
}

/* Prints that the program replaced itself by another one (exec), which was not profiled. */
static void
print_exec(const struct mp_summary *summary, const char *name, FILE *out)
{
    const char *became = summary->became;

    if (!became || became[0] == '\0' || strcmp(became, name) == 0)
        became = "another program";
    fprintf(out, "mprof: %s replaced itself by %s, which was not profiled\n", name, became);
}

/* Prints why N started programs were not profiled. */
static void
print_reason(const struct mp_meta *meta, bool follow, uint64_t n, FILE *out)
{
    const char *them = n == 1 ? "it" : "them";
    bool shut = meta->processes_shut > 0;

    if (follow)
        fprintf(out, ": mprof cannot record %s%s\n", them,
                shut ? ", or a seccomp filter was in the way" : "");
    else
        fprintf(out, "; mprof run -f profiles %s%s\n", them,
                shut ? " unless a seccomp filter is in the way" : "");
}

static void
print_programs(const struct mp_meta *meta, const struct mp_summary *summary, const char *name,
               FILE *out)
{
    bool replaced = meta->ending == MP_END_EXEC && !summary->follow && meta->programs_started > 0;
    uint64_t n = meta->programs_started - replaced + summary->before_started;
    char number[MP_NUMBER_SIZE];

    for (uint32_t i = 0; i < summary->n_others; i++)
        n += summary->others[i].programs_started;
    if (replaced)
        print_exec(summary, name, out);
    if (n > 0)
        fprintf(out, "mprof: %s%s program%s started and not profiled", mp_number_grouped(n, number),
                replaced ? " more" : "", n == 1 ? " was" : "s were");
    if (n > 0)
        print_reason(meta, summary->follow, n, out);
}

static void
print_unrecorded(const struct mp_unrecorded_list *unrecorded, FILE *out)
{
    const uint64_t n = mp_unrecorded_count(unrecorded);
    char number[MP_NUMBER_SIZE];

    if (n > 0)
        fprintf(out, "mprof: %s process%s not recorded:\n", mp_number_grouped(n, number), n == 1 ? " was" : "es were");
    for (uint32_t i = 0; i < unrecorded->n; i++) {
        const struct mp_unrecorded *one = &unrecorded->list[i];

        fprintf(out, "mprof:   %s", one->program);
        if (one->n > 1)
            fprintf(out, " (%s)", mp_number_grouped(one->n, number));
        fprintf(out, ": %s\n", one->why);
    }
}

/* Returns whether the figures of OTHER lack something. */
static bool
is_incomplete(const struct mp_other *other)
{
    return other->not_seen || other->why;
}

/* Return the first two columns of a list with OTHER: its name, and its file if it has one of its own. */
static const char *
name_of(const struct mp_other *other)
{
    return other->part ? other->part : other->program;
}

static const char *
own_file_of(const struct mp_other *other)
{
    return other->part ? "" : other->file;
}

/* Sorts recordings whose figures are incomplete first. Then sorts by allocated bytes, largest first, then by file. */
static int
compare_others(const void *a, const void *b)
{
    const struct mp_other *left = a, *right = b;
    int order;

    if (is_incomplete(left) != is_incomplete(right))
        return is_incomplete(left) ? -1 : 1;
    if (left->bytes != right->bytes)
        return mp_order(right->bytes, left->bytes);
    order = strcmp(left->file, right->file);
    return order != 0 ? order : strcmp(name_of(left), name_of(right));
}

static void
print_other(const struct mp_other *other, const int widths[static 4], FILE *out)
{
    char number[3][MP_NUMBER_SIZE];

    fprintf(out, "mprof:   %-*s  %-*s%s%*s, %*s allocation%s (%s)%s%s%s%s\n", widths[0],
            name_of(other), widths[1], own_file_of(other), widths[1] > 0 ? "  " : "", widths[2],
            mp_number_bytes(other->size, number[0]), widths[3],
            mp_number_grouped(other->allocs, number[1]), mp_plural(other->allocs),
            mp_number_bytes(other->bytes, number[2]), other->running ? ", still running" : "",
            other->not_seen ? ", blocks of its own allocator are not seen" : "",
            other->arguments ? "  " : "", other->arguments ? other->arguments : "");
    if (other->why)
        fprintf(out, "mprof:     %s\n", other->why);
}

static void
widen(int *width, const char *text)
{
    if ((int)strlen(text) > *width)
        *width = (int)strlen(text);
}

/* Prints the title of the other recordings, with the file in which most are. It calls them "recordings" if one is
 * another recording of the same process, else "processes". */
static void
print_others_title(const struct mp_summary *summary, const struct mp_meta *meta, FILE *out)
{
    uint32_t n = summary->n_others;
    const char *file = NULL;
    bool again = false;
    char number[MP_NUMBER_SIZE];

    for (uint32_t i = 0; i < n; i++) {
        again |= summary->others[i].pid == meta->pid;
        file = summary->others[i].part ? summary->others[i].file : file;
    }
    mp_number_grouped(n, number);
    if (again)
        fprintf(out, "mprof: %s more recording%s", number, mp_plural(n));
    else
        fprintf(out, "mprof: %s more process%s profiled", number, n == 1 ? "" : "es");
    fprintf(out, "%s%s:\n", file ? ", in " : "", file ? file : "");
}

static void
add_other(struct mp_other *sum, const struct mp_other *other)
{
    sum->allocs = mp_plus(sum->allocs, other->allocs);
    sum->bytes = mp_plus(sum->bytes, other->bytes);
    sum->dropped = mp_plus(sum->dropped, other->dropped);
}

/* Prints the sum of all recordings. */
static void
print_sum(const struct mp_other *sum, FILE *out)
{
    char number[3][MP_NUMBER_SIZE], lacks[MP_MISSING_SIZE];

    fprintf(out, "mprof:   all of them: %s allocation%s, %s byte%s (%s)%s%s\n",
            mp_number_grouped(sum->allocs, number[0]), mp_plural(sum->allocs),
            mp_number_grouped(sum->bytes, number[1]), mp_plural(sum->bytes), mp_number_bytes(sum->bytes, number[2]),
            sum->dropped > 0 ? "; " : "",
            sum->dropped > 0 ? mp_missing_text(MP_MISS_DROPPED, sum->dropped, lacks) : "");
}

/* Prints in one line how many more recordings there are, and what the N recordings REST have together. */
static void
print_rest(const struct mp_other *rest, uint32_t n, FILE *out)
{
    struct mp_other sum = {.allocs = 0};
    uint32_t incomplete = 0;
    char number[3][MP_NUMBER_SIZE];

    for (uint32_t i = 0; i < n; i++) {
        add_other(&sum, &rest[i]);
        incomplete += is_incomplete(&rest[i]);
    }
    fprintf(out, "mprof:   and %s more: %s allocation%s (%s)", mp_number_grouped(n, number[0]),
            mp_number_grouped(sum.allocs, number[1]), mp_plural(sum.allocs), mp_number_bytes(sum.bytes, number[2]));
    if (incomplete > 0)
        fprintf(out, ", of which %s %s incomplete", mp_number_grouped(incomplete, number[0]),
                incomplete == 1 ? "is" : "are");
    fputc('\n', out);
}

/* Returns how many of the sorted recordings are listed. A single one is always listed, because its line says more. */
static uint32_t
count_shown(const struct mp_summary *summary, uint64_t bytes)
{
    const uint32_t n = summary->n_others;
    uint32_t shown = 0;

    while (shown < n && shown < OTHERS_SHOWN &&
           (is_incomplete(&summary->others[shown]) || summary->others[shown].bytes >= bytes / SMALL))
        shown++;
    return shown + 1 == n ? n : shown;
}

static void
print_others(const struct mp_summary *summary, const struct mp_meta *meta,
             const struct mp_totals *totals, FILE *out)
{
    struct mp_other sum = {.allocs = totals->allocs, .bytes = totals->bytes,
                           .dropped = meta->missing[MP_MISS_DROPPED]};
    const uint32_t n = summary->n_others;
    uint32_t shown;
    char number[MP_NUMBER_SIZE];
    int widths[4] = {0, 0, 0, 0};

    if (n == 0)
        return;
    qsort(summary->others, n, sizeof *summary->others, compare_others);
    for (uint32_t i = 0; i < n; i++)
        add_other(&sum, &summary->others[i]);
    shown = count_shown(summary, sum.bytes);
    for (uint32_t i = 0; i < shown; i++) {
        widen(&widths[0], name_of(&summary->others[i]));
        widen(&widths[1], own_file_of(&summary->others[i]));
        widen(&widths[2], mp_number_bytes(summary->others[i].size, number));
        widen(&widths[3], mp_number_grouped(summary->others[i].allocs, number));
    }
    print_others_title(summary, meta, out);
    for (uint32_t i = 0; i < shown; i++)
        print_other(&summary->others[i], widths, out);
    if (n > shown)
        print_rest(summary->others + shown, n - shown, out);
    print_sum(&sum, out);
}

/* Prints the command that shows FILE, or PART of it unless that is NULL, on a line of its own, so that it can be
 * copied. */
static void
print_command(const char *file, const char *part, bool lisp, FILE *out)
{
    fputs(lisp ? "mprof --lisp report" : "mprof report", out);
    if (part) {
        fputs(" --process=", out);
        mp_text_shell(out, part);
    }
    if (strcmp(file, MP_DEFAULT_FILE) != 0) {
        fputs(file[0] == '-' ? " -- " : " ", out);
        mp_text_shell(out, file);
    }
    fputc('\n', out);
}

void
mp_summary_print(const struct mp_profile *profile, const struct mp_summary *summary, FILE *out)
{
    const char *name = mp_text_basename(summary->name ? summary->name : profile->meta.program);
    const char *file = summary->most ? summary->most->file : summary->file;
    char ending[MP_ENDING_SIZE], text[MP_NUMBER_SIZE];
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    fprintf(out, "mprof: %s: %s, after %s\n", name, summary->ended,
            mp_number_duration(summary->duration, text));
    if (mp_ending_is_early(&profile->meta))
        fprintf(out, "mprof:   %s, after %s\n", mp_ending_text(&profile->meta, ending),
                mp_number_duration(profile->meta.duration, text));
    print_sums(profile, &totals, out);
    print_before(summary, name, out);
    print_programs(&profile->meta, summary, name, out);
    print_unrecorded(&summary->unrecorded, out);
    print_others(summary, &profile->meta, &totals, out);
    if (summary->most)
        fprintf(out, "mprof: %s has the most, %s%s%s\n", summary->most->program,
                mp_number_bytes(summary->most->bytes, text), summary->finding ? ": " : "",
                summary->finding ? summary->finding : "");
    else if (summary->finding)
        fprintf(out, "mprof: %s\n", summary->finding);
    if (summary->taken) {
        fputs("mprof: another process records in ", out);
        mp_text_print(out, summary->taken);
        fputs(": this run has a file of its own\n", out);
    }
    fprintf(out, "mprof: %s of data in ", mp_number_bytes(summary->most ? summary->most->size : summary->size, text));
    mp_text_print(out, file);
    fputs("; to see it:\n", out);
    print_command(file, summary->most ? summary->most->part : NULL,
                  summary->most ? summary->most->lisp : totals.lisp.allocs > 0, out);
}
