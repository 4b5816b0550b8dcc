/* SPDX-License-Identifier: MIT */
#include "said_part.h"

#include "estimates.h"
#include "reporter/base/arena.h"
#include "reporter/base/format_number.h"
#include "reporter/base/text.h"
#include "reporter/profile/timeline.h"
#include "reporter/view/sort.h"

void
mp_part_print(const char *focus, const struct mp_filters *filters, FILE *out)
{
    unsigned n = filters ? filters->n : 0;

    if (focus)
        fputs("through ", out);
    mp_text_print(out, focus ? focus : "");
    fputs(focus && n > 0 ? ", " : "", out);
    for (unsigned i = 0; i < n; i++) {
        fprintf(out, "%s--%s=", i > 0 ? " " : "of ", mp_filter_names[filters->list[i].by]);
        mp_text_print(out, filters->list[i].text);
    }
}

char *
mp_part_text(const char *focus, const struct mp_filters *filters)
{
    struct mp_text_stream words;

    mp_part_print(focus, filters, mp_text_open(&words));
    return mp_text_close(&words);
}

static const char *
about(const struct mp_said_part *part)
{
    return mp_is_estimated(&part->profile->meta) ? "estimated " : "";
}

/* Prints which share of the whole, or of the whole window, is shown. */
static void
print_share(const struct mp_said_part *part, FILE *out)
{
    char number[2][MP_NUMBER_SIZE], percent[MP_NUMBER_SIZE];
    struct mp_totals shown, totals;
    const struct mp_counts *all = part->lisp ? &totals.lisp : &totals.all;

    mp_profile_totals(part->view, &shown);
    mp_profile_totals(part->view->window && part->view->base ? part->view->base : part->profile, &totals);
    fputs("Only what was allocated ", out);
    mp_part_print(part->focus, part->filters, out);
    fprintf(out, ": %s%s of %s bytes (%s %%)\n", about(part),
            mp_number_grouped(shown.all.bytes, number[0]), mp_number_grouped(all->bytes, number[1]),
            mp_number_tenths(shown.all.bytes, all->bytes, percent));
    if (mp_counts_any(&part->undecided))
        fprintf(out, "Not shown, as their chains allocated other sizes, too: %s bytes in %s "
                "allocations\n", mp_number_grouped(part->undecided.bytes, number[0]),
                mp_number_grouped(part->undecided.allocs, number[1]));
}

static bool
is_peak(const struct mp_window *window)
{
    return window->alive && window->from == window->to;
}

/* With several threads, the chains' shares of the peak may not add up to the peak, which is then printed as well. */
static void
print_alive(const struct mp_said_part *part, FILE *out)
{
    const struct mp_window *window = part->view->window;
    const struct mp_meta *meta = &part->profile->meta;
    char number[MP_NUMBER_SIZE], made[MP_TOTALS_SIZE];
    struct mp_totals alive;
    bool whole;

    if (is_peak(window) && meta->damaged) {
        fputs("What was alive at the peak is not known: the data file is damaged.\n", out);
        return;
    }
    mp_profile_totals(part->view, &alive);
    fputs("Only what was alive at ", out);
    mp_text_print(out, window->to);
    fprintf(out, ": %s%s bytes", about(part), mp_number_grouped(alive.all.bytes, number));
    if (!mp_is_unknown(part->profile, MP_FIGURE_KEPT_BLOCKS))
        fprintf(out, " in %s", mp_totals_text(&alive, made));
    putc('\n', out);
    if (is_peak(window) && mp_profile_is_sum(part->profile))
        fputs("Each process had its peak at its own time: this is their sum.\n", out);
    whole = !part->focus && !part->filters && !part->lisp && meta->sample_period == 0;
    if (is_peak(window) && whole && meta->peak_bytes > 0 && alive.all.bytes != (uint64_t)meta->peak_bytes)
        fprintf(out, "The peak is %s bytes: chains have shares of several moments.\n",
                mp_number_grouped((uint64_t)meta->peak_bytes, number));
}

static void
print_growth(const struct mp_said_part *part, FILE *out)
{
    const struct mp_window *window = part->view->window;
    char number[2][MP_NUMBER_SIZE];
    struct mp_totals totals;
    uint64_t grown;

    mp_profile_totals(part->view, &totals);
    grown = totals.all.kept;
    fputs("Only what happened between ", out);
    mp_text_print(out, window->from);
    fputs(" and ", out);
    mp_text_print(out, window->to);
    fprintf(out, ":\n%s%s bytes in %s allocations, ", about(part),
            mp_number_grouped(totals.all.bytes, number[0]),
            mp_number_grouped(totals.all.allocs, number[1]));
    fprintf(out, "%s bytes in %s frees; %s bytes %swere alive then\n",
            mp_number_grouped(totals.all.freed, number[0]),
            mp_number_grouped(totals.all.frees, number[1]),
            mp_number_grouped((int64_t)grown < 0 ? -grown : grown, (char[MP_NUMBER_SIZE]){0}),
            (int64_t)grown < 0 ? "less " : "more ");
    if (window->net)
        fputs("Of the peak only what lived is known: what grew counts as allocated, what shrank as freed.\n",
              out);
}

/* Prints in which respects the figures of the part are inexact, and which figures are missing. */
static void
print_honestly(const struct mp_said_part *part, FILE *out)
{
    const struct mp_timeline *timeline = part->profile->timeline;
    char number[MP_NUMBER_SIZE];

    if (!part->view->window->exact)
        fputs("Seen from outside while the program ran: counters were read one after the other.\n", out);
    else if (part->profile->meta.sample_period > 0 && !is_peak(part->view->window))
        fputs("Estimated from samples, without intervals.\n", out);
    if (timeline && timeline->left_out > 0)
        fprintf(out, "%s checkpoints are left out, for want of room.\n",
                mp_number_grouped(timeline->left_out, number));
}

void
mp_said_window_print(const struct mp_said_part *part, FILE *out)
{
    const struct mp_window *window = part->view->window;

    if (!window)
        return;
    if (window->alive)
        print_alive(part, out);
    else
        print_growth(part, out);
    print_honestly(part, out);
}

bool
mp_said_part_print(const struct mp_said_part *part, FILE *out)
{
    const bool filtered = part->focus || part->filters;

    if (filtered)
        print_share(part, out);
    mp_said_window_print(part, out);
    return filtered || part->view->window;
}

const char *
mp_said_cost(const struct mp_window *window, enum mp_sort cost)
{
    if (!window || cost == MP_SORT_PEAK || cost == MP_SORT_TEMPORARY)
        return mp_sorts[cost].what;
    if (window->alive)
        return cost == MP_SORT_OBJECTS ? "blocks alive" : "bytes alive";
    return cost == MP_SORT_KEPT ? "change of bytes alive" : mp_sorts[cost].what;
}
