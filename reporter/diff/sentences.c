/* SPDX-License-Identifier: MIT */
#include "sentences.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/format_number.h"
#include "reporter/graph/node_chain.h"
#include "reporter/view/sort.h"

enum { NAMED = 3, CALLS = 3 };  /* maximum number of chains named in a sentence, and of functions of each */

/* ---------------------------------------------------------------- figures of sides */

static bool
any_part(const struct mp_join *join, bool alive)
{
    for (uint32_t i = 0; i < join->n_runs; i++)
        if (join->runs[i].part && join->runs[i].alive == alive)
            return true;
    return false;
}

const char *
mp_cost_name(const struct mp_join *join, enum mp_sort cost)
{
    if (!any_part(join, true) || any_part(join, false))
        return mp_sorts[cost].what;
    return mp_sort_is_blocks(cost) ? "blocks alive" : "bytes alive";
}

/* Returns the difference of what was allocated. It is exact even for sampled runs, unless only a part is shown. */
static struct mp_difference
allocated(const struct mp_join *join, const struct mp_counts *totals, bool bytes)
{
    int64_t *values = mp_need(calloc(join->n_runs, sizeof *values));
    struct mp_difference d;

    for (uint32_t i = 0; i < join->n_runs; i++)
        values[i] = (int64_t)(bytes ? join->runs[i].bytes : join->runs[i].allocs);
    d = mp_difference(join, values, join->options.by_cells ? totals : NULL,
                      bytes ? MP_FIGURE_BYTES : MP_FIGURE_ALLOCS);
    free(values);
    return d;
}

unsigned
mp_side_figures(const struct mp_join *join, struct mp_side_figure figures[static MP_SIDE_FIGURES])
{
    const bool alive = any_part(join, true), part = alive || any_part(join, false);
    struct mp_counts *totals = mp_need(calloc(join->n_runs, sizeof *totals));
    const struct {
        enum mp_figure figure;
        const char *what;
    } more[] = {{MP_FIGURE_KEPT, "bytes kept"},
                {MP_FIGURE_KEPT_BLOCKS, "blocks kept"},
                {MP_FIGURE_PEAK_BYTES, "bytes at the peak"},
                {MP_FIGURE_PEAK_BLOCKS, "blocks at the peak"},
                {MP_FIGURE_TEMPORARY, "temporary allocations"}};
    const unsigned known = alive ? 0 : part ? 2 : 5;
    unsigned n = 0;

    for (uint32_t i = 0; i < join->n_runs; i++)
        totals[i] = join->runs[i].total;
    if (!mp_join_is_unknown(join, MP_FIGURE_BYTES))
        figures[n++] = (struct mp_side_figure){"bytes", alive ? "bytes alive" : "bytes allocated",
                                               allocated(join, totals, true)};
    if (!mp_join_is_unknown(join, MP_FIGURE_ALLOCS))
        figures[n++] = (struct mp_side_figure){"allocs", alive ? "blocks alive" : "allocations",
                                               allocated(join, totals, false)};
    for (unsigned i = 0; i < known; i++)
        if (!mp_join_is_unknown(join, more[i].figure))
            figures[n++] = (struct mp_side_figure){mp_figures[more[i].figure].key,
                                               part && i < 2 ? i ? "blocks grown" : "bytes grown" : more[i].what,
                                               mp_difference_of(join, totals, more[i].figure)};
    free(totals);
    return n;
}

/* ---------------------------------------------------------------- words */

static const char *
grouped(int64_t number, struct mp_arena *arena)
{
    char text[MP_NUMBER_SIZE];

    return mp_arena_printf(arena, "%s%s", number < 0 ? "-" : "", mp_number_grouped(mp_change_size(number), text));
}

static const char *
change(int64_t number, struct mp_arena *arena)
{
    return mp_arena_printf(arena, "%s%s", number > 0 ? "+" : "", grouped(number, arena));
}

/* Returns the change in percent of the figure before, such as " (12.3 %)". Returns "" if that figure is not positive or
 * the change is less than a thousandth of it. */
static const char *
share(const struct mp_difference *d, struct mp_arena *arena)
{
    char text[MP_NUMBER_SIZE];
    const uint64_t size = mp_change_size(d->change);

    if (d->before <= 0 || !mp_at_least(size, (uint64_t)d->before, 1))
        return "";
    return mp_arena_printf(arena, " (%s %%)", mp_number_tenths(size, (uint64_t)d->before, text));
}

static const char *
doubt(const struct mp_difference *d)
{
    return d->certain ? "" : d->estimated ? ", which is within its interval" : ", which is within the noise";
}

/* ---------------------------------------------------------------- sentences */

struct writer {
    struct mp_changes *functions, *chains;
    const char *what;           /* description of the cost */
    struct mp_sentence *to;
    unsigned n;
    struct mp_arena *arena;
};

static void
say(struct writer *w, const char *key, const char *text)
{
    w->to[w->n++] = (struct mp_sentence){key, text};
}

static void
say_total(struct writer *w)
{
    const struct mp_difference *d = &w->functions->total.cost;

    if (d->change == 0)
        say(w, "total", mp_arena_printf(w->arena, "The sum of %s is the same: %s.", w->what,
                                        grouped(d->after, w->arena)));
    else
        say(w, "total", mp_arena_printf(w->arena, "The sum of %s %s by %s%s, from %s to %s%s.", w->what,
                                        d->change > 0 ? "grew" : "shrank",
                                        grouped(llabs(d->change), w->arena), share(d, w->arena),
                                        grouped(d->before, w->arena), grouped(d->after, w->arena), doubt(d)));
}

/* Names the function that changed most by itself, unless the change may be chance. */
static void
say_most(struct writer *w)
{
    const struct mp_changed *item = w->functions->list;

    if (w->functions->n_changed == 0 || !item->cost.certain)
        return;
    say(w, "most", mp_arena_printf(w->arena, "The function that changed most by itself is %s: %s%s, from %s to %s.",
                                   item->name, change(item->cost.change, w->arena), share(&item->cost, w->arena),
                                   grouped(item->cost.before, w->arena), grouped(item->cost.after, w->arena)));
}

/* Returns the innermost functions of a chain. */
static const char *
short_chain(struct writer *w, const struct mp_changed *item)
{
    const struct mp_chain_options inner = {.limit = CALLS, .bare = true};

    return item->name[0] ? item->name : mp_chain_text(w->chains->tree, &inner, item->id, w->arena);
}

/* Names the chains for which the change is of kind BECAME and certain. */
static void
say_became(struct writer *w, enum mp_became became, const char *key, const char *title)
{
    const struct mp_changes *of = w->chains;
    const char *names = "";
    int64_t sum = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < of->n_changed; i++) {
        const struct mp_changed *item = &of->list[i];

        if (item->became != became || !item->cost.certain)
            continue;
        sum = mp_plus_signed(sum, item->cost.change);
        if (n < NAMED)
            names = mp_arena_printf(w->arena, "%s%s%s (%s)", names, n > 0 ? ", " : "", short_chain(w, item),
                                    change(item->cost.change, w->arena));
        n++;
    }
    if (n == 0)
        return;
    if (n > NAMED)
        names = mp_arena_printf(w->arena, "%s, and %" PRIu32 " more", names, n - NAMED);
    if (n == 1)
        say(w, key, mp_arena_printf(w->arena, "%s: %s.", title, names));
    else
        say(w, key, mp_arena_printf(w->arena, "%s: %" PRIu32 " chains, %s in all: %s.", title, n,
                                    change(sum, w->arena), names));
}

/* States how many chains changed by no more than chance explains. */
static void
say_doubt(struct writer *w)
{
    const struct mp_changes *of = w->chains;
    int64_t up = 0, down = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < of->n_changed; i++) {
        if (of->list[i].cost.certain)
            continue;
        n++;
        if (of->list[i].cost.change > 0)
            up = mp_plus_signed(up, of->list[i].cost.change);
        else
            down = mp_plus_signed(down, of->list[i].cost.change);
    }
    if (n > 0)
        say(w, "doubt", mp_arena_printf(
            w->arena, "The difference of %" PRIu32 " chain%s (+%s, %s) is within %s.", n, mp_plural(n),
            grouped(up, w->arena), grouped(down, w->arena),
            of->join->n_runs > 2 ? "the noise between runs of one side" : n == 1 ? "its interval" : "their intervals"));
}

/* Lists the other figures of the sides that changed. */
static void
say_besides(struct writer *w)
{
    struct mp_side_figure figures[MP_SIDE_FIGURES];
    const unsigned n = mp_side_figures(w->functions->join, figures);
    const char *text = "";

    for (unsigned i = 0; i < n; i++) {
        const struct mp_difference *d = &figures[i].difference;

        if (strcmp(figures[i].what, w->what) == 0 || d->change == 0 || !d->certain)
            continue;
        text = mp_arena_printf(w->arena, "%s%s%s %s%s", text, text[0] ? "; " : "", figures[i].what,
                               change(d->change, w->arena), share(d, w->arena));
    }
    if (text[0])
        say(w, "besides", mp_arena_printf(w->arena, "Besides: %s.", text));
}

unsigned
mp_sentences(struct mp_changes *functions, struct mp_changes *chains,
             struct mp_sentence sentences[static MP_SENTENCES])
{
    struct writer w = {.functions = functions, .chains = chains, .to = sentences, .arena = functions->arena,
                       .what = mp_cost_name(functions->join, functions->cost)};

    say_total(&w);
    if (functions->n_changed == 0 && chains->n_changed == 0)
        w.to[0].text = mp_arena_printf(w.arena, "No chain has more or less %s than before: %s in all.", w.what,
                                       grouped(functions->total.cost.after, w.arena));
    say_most(&w);
    say_became(&w, MP_NEW, "new", "New");
    say_became(&w, MP_GONE, "gone", "Gone");
    say_became(&w, MP_GROWN, "grown", "Grown");
    say_became(&w, MP_SHRUNK, "shrunk", "Shrunk");
    say_doubt(&w);
    say_besides(&w);
    return w.n;
}
