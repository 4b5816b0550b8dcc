/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/fit.h"
#include "reporter/base/format_number.h"
#include "reporter/base/text.h"

#define CALLERS 12u             /* maximum number of callers in a site's name */
enum { HEAD_ROWS = 4, ROOMY = 9 };      /* rows above the lines; minimum height of a screen that shows them */

/* ---------------------------------------------------------------- above the lines */

static const char *const subjects[MP_BYS] = {
    [MP_BY_FUNCTION] = "functions", [MP_BY_SITE] = "call sites", [MP_BY_TYPE] = "types and sizes",
    [MP_BY_THREAD] = "threads", [MP_BY_TREE] = "callers and what they call",
};

static const char *
subject(const struct mp_lines_options *how)
{
    if (how->by == MP_BY_FUNCTION)
        return how->within ? "functions with what they call" : "functions by themselves";
    return subjects[how->by];
}

static const char *
grouped(struct mp_arena *arena, uint64_t number)
{
    char text[MP_NUMBER_SIZE];

    return mp_arena_strdup(arena, mp_number_grouped(number, text));
}

static const char *
in_bytes(struct mp_arena *arena, uint64_t bytes)
{
    char text[MP_NUMBER_SIZE];

    return mp_arena_strdup(arena, mp_number_bytes(bytes, text));
}

/* Returns COUNT per second, or 0 if SECONDS is 0. */
static uint64_t
rate(uint64_t count, double seconds)
{
    return seconds > 0 ? (uint64_t)((double)count / seconds + 0.5) : 0;
}

static const char *
process_row(const struct mp_picture_options *options, struct mp_arena *arena)
{
    const struct mp_picture_process *process = options->process;
    char text[MP_NUMBER_SIZE];

    return mp_arena_printf(arena, "%s (%" PRIu32 "), %s, %s%s%s", process->program, process->pid,
                           process->ending, mp_number_duration(process->duration, text),
                           *options->settings ? "; " : "", options->settings);
}

static const char *
totals_row(const struct mp_picture_options *options, struct mp_arena *arena)
{
    const struct mp_tally_figures *all = &options->tally->all;
    const char *about = options->process->estimated ? "about " : "";

    return mp_arena_printf(arena, "Live %s%s in %s blocks; allocated %s in %s; peak %s%s", about,
                           in_bytes(arena, all->live), grouped(arena, all->blocks),
                           in_bytes(arena, all->bytes), grouped(arena, all->allocs),
                           in_bytes(arena, options->process->peak),
                           options->process->part ? " (a part; but the peak is the process's)" : "");
}

static const char *
rates_row(const struct mp_picture_options *options, struct mp_arena *arena)
{
    const struct mp_tally *tally = options->tally;
    const struct mp_tally_figures *all = &tally->all, *before = &tally->all_before;
    uint64_t allocs = mp_tally_grown(all->allocs, before->allocs);
    bool less = all->live < before->live;
    uint64_t change = less ? before->live - all->live : all->live - before->live;

    if (tally->seconds <= 0)
        return options->process->running ? "Now  rates come with the second look"
                                         : "Now  nothing: the recording has ended";
    return mp_arena_printf(arena, "Now  %s allocations/s of %s/s; live %s%s since the look before",
                           grouped(arena, rate(allocs, tally->seconds)),
                           in_bytes(arena, rate(mp_tally_grown(all->bytes, before->bytes),
                                                tally->seconds)),
                           less ? "-" : "+", in_bytes(arena, change));
}

static const char *
view_row(const struct mp_picture_options *options, struct mp_arena *arena)
{
    const struct mp_lines_options *how = options->how;

    return mp_arena_printf(arena, "%s by %s%s%s%s", subject(how), mp_line_sorts[how->sort],
                           how->reverse ? ", least first" : "",
                           *options->only ? ", only those like " : "", options->only);
}

/* ---------------------------------------------------------------- the lines */

enum column { LIVE, SHARE, BLOCKS, ALLOCS, BYTES, COLUMNS };

struct column_kind {
    const char *now, *totals;   /* headings for rates and for totals */
    unsigned width;
    unsigned from;              /* minimum width of the screen where the column is shown */
    enum mp_line_sort sort;
};

static const struct column_kind columns[COLUMNS] = {
    [LIVE] = {"LIVE", "LIVE", 8, 0, MP_LINES_LIVE},
    [SHARE] = {"%", "%", 5, 48, MP_LINE_SORTS},
    [BLOCKS] = {"BLOCKS", "BLOCKS", 11, 62, MP_LINES_BLOCKS},
    [ALLOCS] = {"ALLOCS/s", "ALLOCS", 11, 40, MP_LINES_ALLOCS},
    [BYTES] = {"BYTES/s", "BYTES", 9, 30, MP_LINES_BYTES},
};

static const char *
value(const struct mp_picture_options *options, const struct mp_tally_item *item,
      enum column column, struct mp_arena *arena)
{
    const struct mp_lines_options *how = options->how;
    const struct mp_tally_figures *figures = mp_lines_figures(how, item, false);
    const double seconds = how->totals ? 1 : options->tally->seconds;
    char text[MP_NUMBER_SIZE];

    switch (column) {
    case LIVE:
        return in_bytes(arena, figures->live);
    case SHARE:
        return mp_arena_strdup(arena, mp_number_tenths(figures->live, options->tally->all.live, text));
    case BLOCKS:
        return grouped(arena, figures->blocks);
    case ALLOCS:
        return seconds > 0 ? grouped(arena, rate(mp_lines_allocs(how, item), seconds)) : "-";
    default:
        return seconds > 0 ? in_bytes(arena, rate(mp_lines_bytes(how, item), seconds)) : "-";
    }
}

/* Cuts TEXT to at most WIDTH columns. Keeps the beginning, and for a NAME also the end. */
static const char *
fitted(struct mp_arena *arena, const char *text, unsigned width, const char *ellipsis, bool name)
{
    const size_t length = strlen(text);
    struct mp_text_stream fits;
    FILE *out;

    if (mp_fit_width(text, length) <= width)
        return text;
    out = mp_text_open(&fits);
    if (name)
        mp_fit_print(text, length, width, ellipsis, out);
    else
        mp_fit_print_head(text, length, width, "", out);
    return mp_text_close_in(&fits, arena);
}

/* Appends TEXT to ROW, right-aligned in WIDTH columns. A wider text is not cut. */
static const char *
join(struct mp_arena *arena, const char *row, const char *text, unsigned width)
{
    unsigned has = mp_fit_width(text, strlen(text));

    return mp_arena_printf(arena, "%s%*s%s%s", row, has < width ? (int)(width - has) : 0, "", text,
                           width > 0 ? " " : "");
}

static const char *
headings(const struct mp_picture_options *options, unsigned width, struct mp_arena *arena)
{
    const struct mp_lines_options *how = options->how;
    const char *row = "";

    for (unsigned i = 0; i < COLUMNS; i++) {
        const char *name = how->totals ? columns[i].totals : columns[i].now;

        if (width < columns[i].from)
            continue;
        if (columns[i].sort == how->sort)
            name = mp_arena_printf(arena, "%s%s", how->reverse ? "^" : "v", name);
        row = join(arena, row, name, columns[i].width);
    }
    return join(arena, row, how->sort == MP_LINES_NAME ? "vNAME" : "NAME", 0);
}

static const char *
line_name(const struct mp_picture_options *options, const struct mp_line *line,
          struct mp_arena *arena)
{
    const struct mp_lines_options *how = options->how;
    const char *name = mp_lines_name(options->tally, how->by, line->item, CALLERS, arena);
    bool open = !how->open || (line->item < how->n_open && how->open[line->item]);

    if (how->by != MP_BY_TREE)
        return name;
    return mp_arena_printf(arena, "%*s%s %s", (int)(line->depth < 200 ? line->depth : 200), "",
                           !line->has_more ? " " : open ? "-" : "+", name);
}

static const char *
line_row(const struct mp_picture_options *options, const struct mp_line *line, unsigned width,
         struct mp_arena *arena)
{
    const struct mp_tally_item *item =
        &mp_tally_of(options->tally, options->how->by)->items[line->item];
    const char *row = "";
    unsigned used;

    for (unsigned i = 0; i < COLUMNS; i++)
        if (width >= columns[i].from)
            row = join(arena, row, value(options, item, (enum column)i, arena), columns[i].width);
    used = mp_fit_width(row, strlen(row));
    return join(arena, row,
                fitted(arena, line_name(options, line, arena), used < width ? width - used : 0,
                       options->ellipsis, options->how->by != MP_BY_SITE),
                0);
}

/* ---------------------------------------------------------------- pictures */

unsigned
mp_picture_room(unsigned height)
{
    if (height >= ROOMY)
        return height - HEAD_ROWS - 2;
    return height > 2 ? height - 2 : 0;
}

static struct mp_picture *
new_picture(unsigned height)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_picture *picture = mp_arena_alloc(arena, sizeof *picture);

    picture->arena = arena;
    picture->rows = mp_arena_alloc(arena, height * sizeof *picture->rows);
    return picture;
}

static void
add_row(struct mp_picture *picture, const struct mp_picture_place *place, const char *text,
        enum mp_picture_look look)
{
    if (picture->n < place->height)
        picture->rows[picture->n++] = (struct mp_picture_row){
            fitted(picture->arena, text, place->width, NULL, false), look};
}

/* Fills the screen with empty rows and puts SAYING into the last one. */
static void
add_saying(struct mp_picture *picture, const struct mp_picture_place *place, const char *saying)
{
    while (picture->n + 1 < place->height)
        picture->rows[picture->n++] = (struct mp_picture_row){"", MP_LOOK_PLAIN};
    add_row(picture, place, saying, MP_LOOK_SAYING);
}

struct mp_picture *
mp_picture_draw(const struct mp_picture_options *options, const struct mp_picture_place *place)
{
    struct mp_picture *picture = new_picture(place->height);
    struct mp_arena *arena = picture->arena;
    struct mp_fit fit = mp_fit_begin();
    uint32_t end = place->top + mp_picture_room(place->height);

    if (place->height >= ROOMY) {
        add_row(picture, place, process_row(options, arena), MP_LOOK_HEAD);
        add_row(picture, place, totals_row(options, arena), MP_LOOK_PLAIN);
        add_row(picture, place, rates_row(options, arena), MP_LOOK_PLAIN);
        add_row(picture, place, view_row(options, arena), MP_LOOK_PLAIN);
    }
    add_row(picture, place, headings(options, place->width, arena), MP_LOOK_COLUMNS);
    for (uint32_t i = place->top; i < end && i < options->lines->n; i++)
        add_row(picture, place, line_row(options, &options->lines->list[i], place->width, arena),
                i == place->chosen ? MP_LOOK_CHOSEN : MP_LOOK_PLAIN);
    add_saying(picture, place, options->saying);
    mp_fit_end(&fit);
    return picture;
}

struct mp_picture *
mp_picture_text(const char *const words[], const char *saying, const struct mp_picture_place *place)
{
    struct mp_picture *picture = new_picture(place->height);
    struct mp_fit fit = mp_fit_begin();
    uint32_t i = 0;

    while (i < place->top && words[i])
        i++;
    for (; words[i] && picture->n + 1 < place->height; i++)
        add_row(picture, place, words[i], MP_LOOK_PLAIN);
    add_saying(picture, place, saying);
    mp_fit_end(&fit);
    return picture;
}

void
mp_picture_free(struct mp_picture *picture)
{
    if (picture)
        mp_arena_free(picture->arena);
}

/* ---------------------------------------------------------------- for scripts */

static void
print_number(uint64_t number, FILE *out)
{
    fprintf(out, "%12" PRIu64 " ", number);
}

static void
print_rate(uint64_t now, uint64_t before, double seconds, FILE *out)
{
    if (seconds > 0)
        print_number(rate(mp_tally_grown(now, before), seconds), out);
    else
        fprintf(out, "%12s ", "-");
}

static void
print_line(const struct mp_picture_options *options, const struct mp_line *line,
           struct mp_arena *arena, FILE *out)
{
    const struct mp_tally_item *item =
        &mp_tally_of(options->tally, options->how->by)->items[line->item];
    const struct mp_tally_figures *now = mp_lines_figures(options->how, item, false);
    const struct mp_tally_figures *before = mp_lines_figures(options->how, item, true);

    print_number(now->live, out);
    print_number(now->blocks, out);
    print_number(now->allocs, out);
    print_number(now->bytes, out);
    print_rate(now->allocs, before->allocs, options->tally->seconds, out);
    print_rate(now->bytes, before->bytes, options->tally->seconds, out);
    fprintf(out, "%s\n", line_name(options, line, arena));
}

void
mp_picture_print(const struct mp_picture_options *options, uint32_t most, FILE *out)
{
    struct mp_arena *arena = mp_arena_new();

    fprintf(out, "%s\n%s\n%s\n%s\n", process_row(options, arena), totals_row(options, arena),
            rates_row(options, arena), view_row(options, arena));
    fprintf(out, "%12s %12s %12s %12s %12s %12s %s\n", "LIVE", "BLOCKS", "ALLOCS", "BYTES", "ALLOCS/s",
            "BYTES/s", "NAME");
    for (uint32_t i = 0; i < options->lines->n && i < most; i++)
        print_line(options, &options->lines->list[i], arena, out);
    if (options->lines->n > most)
        fprintf(out, "%" PRIu32 " more\n", options->lines->n - most);
    mp_arena_free(arena);
}
