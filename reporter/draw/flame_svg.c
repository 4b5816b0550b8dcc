/* SPDX-License-Identifier: MIT */
#include "flame.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/fit.h"
#include "reporter/base/format_number.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/base/xml.h"
#include "reporter/table/said_part.h"

#define MARGIN 10u
#define TOP 52u                 /* y coordinate of the legend */
#define LEGEND_ROW 20u
#define ROW 18u                 /* height of a box, including the gap between rows */
#define FEWEST 5u               /* minimum characters shown of a cut name; fewer are useless */
#define CHARACTER 6.7           /* width of a character in pixels, a little more than 0.6 of the font size 11 */

/* Colours and hatches. Lisp has one, each of the modules that cover the largest area has one, and all other modules
 * share one. If widths are changes, there are three: for boxes that grew, for boxes that shrank, and for boxes where
 * both are about equal. */
enum {
    GREW = 0, SHRANK,
    MODULES = 6,                /* modules with a colour of their own: 0 to 5 */
    LISP = MODULES,
    OTHER,                      /* other modules, generated code, unknown code */
    TOGETHER,                   /* merged boxes of several functions */
    COLORS
};

struct page {
    const struct mp_profile *profile;
    const struct mp_tree *tree;
    const struct mp_flame_options *options;
    const struct mp_flame *flame;
    const char *colors[COLORS]; /* legend by colour; NULL if no box has the colour */
    uint8_t *of_module;         /* colour by module */
    const char *part;
    struct { const char *lines[16]; uint32_t n; } notes;
    uint32_t legend, boxes, below, height;      /* y coordinates where these begin, and the total height */
    struct mp_arena *arena;
    FILE *out;
};

/* ---------------------------------------------------------------- colours */

/* Returns true if BOX represents a Lisp function. The view numbers Lisp functions after those of the profile. */
static bool
is_lisp(const struct page *p, const struct mp_flame_box *box)
{
    return box->node != MP_NO_ID && mp_tree_function(p->tree, box->node) >= p->profile->n_functions;
}

/* Returns the module of BOX, or MP_NO_ID. */
static uint32_t
module_of(const struct page *p, const struct mp_flame_box *box)
{
    const struct mp_profile *view = p->tree->profile;
    uint32_t module = MP_NO_ID;

    if (box->node != MP_NO_ID && !is_lisp(p, box))
        module = view->functions[mp_tree_function(p->tree, box->node)].module;
    return module < view->n_modules ? module : MP_NO_ID;
}

/* Growth and shrinkage are treated as equal if their difference is at most 1/50 of the width. */
static unsigned
color_of_change(const struct mp_flame_box *box)
{
    const long double net = (long double)box->value - 2 * (long double)box->less;

    return net * 50 > (long double)box->value ? GREW : -net * 50 > (long double)box->value ? SHRANK : OTHER;
}

/* Returns the colour of BOX, which is not the root. */
static unsigned
color_of(const struct page *p, const struct mp_flame_box *box)
{
    uint32_t module;

    if (box->node == MP_NO_ID)
        return TOGETHER;
    if (p->flame->change)
        return color_of_change(box);
    if (is_lisp(p, box))
        return LISP;
    module = module_of(p, box);
    return module == MP_NO_ID ? OTHER : p->of_module[module];
}

struct rank {
    uint32_t module;
    uint64_t area;
};

static int
compare_ranks(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->area != y->area)
        return mp_order(y->area, x->area);
    return mp_order(x->module, y->module);
}

/* Assigns colours to modules by the area that their boxes cover. Modules with the same name get the same colour. */
static void
color_modules(struct page *p)
{
    const struct mp_profile *view = p->tree->profile;
    struct rank *ranks = mp_arena_alloc(p->arena, view->n_modules * sizeof *ranks);
    unsigned n = 0;

    for (uint32_t i = 0; i < view->n_modules; i++)
        ranks[i].module = i;
    for (uint32_t i = 1; i < p->flame->n_boxes; i++) {
        uint32_t module = module_of(p, &p->flame->boxes[i]);

        if (module != MP_NO_ID)
            ranks[module].area = mp_plus(ranks[module].area, p->flame->boxes[i].value);
    }
    if (view->n_modules > 0)
        qsort(ranks, view->n_modules, sizeof *ranks, compare_ranks);
    for (uint32_t i = 0; i < view->n_modules && ranks[i].area > 0; i++) {
        const char *name = view->modules[ranks[i].module].name;
        unsigned color = 0;

        while (color < n && strcmp(p->colors[color], name) != 0)
            color++;
        if (color == MODULES)
            color = OTHER;
        else if (color == n)
            p->colors[n++] = name;
        p->of_module[ranks[i].module] = (uint8_t)color;
    }
}

/* Chooses the colours of modules, and the legend. */
static void
choose_colors(struct page *p)
{
    static const char *const others[COLORS] = {
        [LISP] = "Lisp", [OTHER] = "other modules", [TOGETHER] = "several together"};
    static const char *const changes[COLORS] = {
        [GREW] = "more than before", [SHRANK] = "less than before", [OTHER] = "as much as before",
        [TOGETHER] = "several together"};

    p->of_module = mp_arena_alloc(p->arena, p->tree->profile->n_modules);
    if (!p->flame->change)
        color_modules(p);
    for (uint32_t i = 1; i < p->flame->n_boxes; i++) {
        unsigned color = color_of(p, &p->flame->boxes[i]);

        if (p->flame->change || color >= MODULES)
            p->colors[color] = (p->flame->change ? changes : others)[color];
    }
}

/* ---------------------------------------------------------------- texts */

/* Returns, for example, "1,234 bytes kept". */
static const char *
amount(const struct page *p, uint64_t value)
{
    char number[MP_NUMBER_SIZE];

    return mp_arena_printf(p->arena, "%s %s", mp_number_grouped(value, number),
                           p->flame->change ? "bytes of change"
                                            : mp_said_cost(p->tree->profile->window, p->options->cost));
}

/* Returns, for example, "1,234 bytes less (1,000 grew, 2,234 shrank)". */
static const char *
change(const struct page *p, const struct mp_flame_box *box)
{
    const uint64_t less = box->less < box->value ? box->less : box->value, more = box->value - less;
    char number[3][MP_NUMBER_SIZE];
    const char *both = "";

    if (less > 0 && more > 0)
        both = mp_arena_printf(p->arena, " (%s grew, %s shrank)", mp_number_grouped(more, number[0]),
                               mp_number_grouped(less, number[1]));
    return mp_arena_printf(p->arena, "%s bytes %s%s",
                           mp_number_grouped(more >= less ? more - less : less - more, number[2]),
                           more >= less ? "more" : "less", both);
}

static const char *
amount_of(const struct page *p, const struct mp_flame_box *box)
{
    return p->flame->change ? change(p, box) : amount(p, box->value);
}

static void
note(struct page *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    p->notes.lines[p->notes.n++] = mp_arena_vprintf(p->arena, format, args);
    va_end(args);
}

static const char *
skipped_names(const struct page *p)
{
    const struct mp_profile *view = p->tree->profile;
    const char *names = "";

    for (uint32_t i = 0; i < view->n_skipped && i < 8; i++)
        names = mp_arena_printf(p->arena, "%s%s%s", names, i > 0 ? ", " : "", view->skipped[i]);
    return view->n_skipped > 8 ? mp_arena_printf(p->arena, "%s and others", names) : names;
}

/* Adds the sentences about the window, one note for each line. */
static void
note_window(struct page *p)
{
    const struct mp_said_part part = {.profile = p->profile, .view = p->tree->profile,
                                      .focus = p->part[0] ? p->part : NULL};
    struct mp_text_stream words;
    char *text, *rest;

    mp_said_window_print(&part, mp_text_open(&words));
    text = mp_text_close(&words);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        note(p, "%s", line);
    free(text);
}

/* Collects notes on what the drawing omits or shows inexactly. */
static void
take_notes(struct page *p)
{
    const struct mp_flame *flame = p->flame;
    const struct mp_meta *meta = &p->profile->meta;
    char number[MP_NUMBER_SIZE];

    if (p->part[0])
        note(p, "Only what was allocated %s.", p->part);
    note_window(p);
    if (flame->change)
        note(p, "A chain is as wide as what it holds became more or less, and its callers as those together.");
    if (meta->sample_period > 0)
        note(p, "All figures are estimates, from samples at a mean distance of %s bytes.",
             mp_number_grouped(meta->sample_period, number));
    if (meta->foreign_period > 0)
        note(p, "All figures are estimates: %s.", meta->source);
    if (flame->n_merged > 0)
        note(p, "Too narrow for a box of their own: %s branch%s, %s; neighbours share one where they "
             "are wide enough together.",
             mp_number_grouped(flame->n_merged, number), flame->n_merged == 1 ? "" : "es",
             amount(p, flame->merged));
    if (flame->cut > 0)
        note(p, "Only %u functions of a chain are drawn; further %s: %s.", MP_FLAME_LEVELS,
             p->options->reverse ? "out" : "in", amount(p, flame->cut));
    if (p->tree->profile->n_skipped > 0)
        note(p, "Counted for their callers: %s.", skipped_names(p));
    if (p->options->cost == MP_SORT_PEAK && meta->peak_slack > 0)
        note(p, "With several threads, chains have shares of several moments: the peak is known to "
             "within %s bytes.", mp_number_grouped(meta->peak_slack, number));
    if (flame->boxes[0].value == 0 && flame->change)
        note(p, "Nothing changed.");
    else if (flame->boxes[0].value == 0)
        note(p, "There are no %s.", mp_said_cost(p->tree->profile->window, p->options->cost));
}

/* Returns TEXT, cut to at most WIDTH pixels. Returns "" if it must be cut and fewer than FEWEST characters fit. */
static const char *
fitted(const struct page *p, const char *text, double width)
{
    unsigned columns = width > 0 ? (unsigned)(width / CHARACTER) : 0;
    struct mp_text_stream cut;

    if (mp_fit_width(text, strlen(text)) <= columns)
        return text;
    if (columns < FEWEST)
        return "";
    mp_fit_print(text, strlen(text), columns, "\u2026", mp_text_open(&cut));
    return mp_text_close_in(&cut, p->arena);
}

static void
put_text(const struct page *p, double x, uint32_t y, const char *class, const char *text)
{
    fprintf(p->out, "<text x=\"%.1f\" y=\"%u\"%s>", x, (unsigned)y, class);
    mp_xml_put(p->out, text);
    fputs("</text>\n", p->out);
}

/* ---------------------------------------------------------------- style */

static const char style[] =
    "<style>\n"
    "svg{color-scheme:light dark;--back:#fff;--text:#111;--faint:#555;--root:#e4e4e4;\n"
    "--c0:#f3c98b;--c1:#a5d0ee;--c2:#97d9bd;--c3:#e8b9d6;--c4:#e9e28a;--c5:#efab92;--c6:#bdbbf2;"
    "--c7:#d3d3d3;--c8:#efefef}\n"
    "@media (prefers-color-scheme:dark){svg{--back:#161616;--text:#f2f2f2;--faint:#b5b5b5;"
    "--root:#3a3a3a;\n"
    "--c0:#7b4d0c;--c1:#1c557c;--c2:#0f5c46;--c3:#743b63;--c4:#5d570c;--c5:#833a20;--c6:#48459c;"
    "--c7:#4d4d4d;--c8:#343434}}\n"
    "text{font:11px ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;fill:var(--text)}\n"
    "text.t{font-size:16px;font-weight:bold}\n"
    "text.n{fill:var(--faint)}\n"
    ".h{stroke:var(--text);stroke-opacity:.2;fill:none}\n"
    ".r{fill:var(--root)}\n"
    ".i{stroke:var(--text);stroke-dasharray:3 2}\n"
    "g:hover>rect{stroke:var(--text)}\n";

/* By colour: path of the hatch in a square of eight pixels, or NULL for no hatch. */
static const char *const hatches[COLORS] = {
    [1] = "M-2 2L2 -2M0 8L8 0M6 10L10 6",
    [2] = "M2 2h1M6 6h1",
    [3] = "M-2 6L2 10M0 0L8 8M6 -2L10 2",
    [4] = "M0 4h8",
    [5] = "M4 0v8",
    [OTHER] = "M4 0v8M0 4h8",
};

static void
put_style(const struct page *p)
{
    fputs(style, p->out);
    for (unsigned i = 0; i < COLORS; i++) {
        if (hatches[i])
            fprintf(p->out, ".k%u{fill:url(#mprof-hatch-%u)}\n", i, i);
        else
            fprintf(p->out, ".k%u{fill:var(--c%u)}\n", i, i);
    }
    fputs("</style>\n<defs>\n", p->out);
    for (unsigned i = 0; i < COLORS; i++)
        if (hatches[i])
            fprintf(p->out, "<pattern id=\"mprof-hatch-%u\" width=\"8\" height=\"8\" "
                    "patternUnits=\"userSpaceOnUse\"><rect width=\"8\" height=\"8\" "
                    "style=\"fill:var(--c%u)\"/><path class=\"h\" d=\"%s\"/></pattern>\n",
                    i, i, hatches[i]);
    fputs("</defs>\n", p->out);
}

/* ---------------------------------------------------------------- boxes */

static double
pixels(const struct page *p, uint64_t value)
{
    uint64_t whole = p->flame->boxes[0].value;

    return (double)value * (double)(p->options->width - 2 * MARGIN) / (whole > 0 ? (double)whole : 1);
}

static const char *
name_of(const struct page *p, const struct mp_flame_box *box)
{
    char number[MP_NUMBER_SIZE];

    if (box->level == 0)
        return amount_of(p, box);
    if (box->node == MP_NO_ID)
        return mp_arena_printf(p->arena, "(%s narrower)", mp_number_grouped(box->n, number));
    return p->tree->profile->functions[mp_tree_function(p->tree, box->node)].text;
}

/* Returns the label of BOX. If widths are changes, a sign marks the direction. */
static const char *
label_of(const struct page *p, const struct mp_flame_box *box)
{
    static const char *const signs[COLORS] = {
        [GREW] = "+ ", [SHRANK] = "\u2212 ", [OTHER] = "= "};
    const char *name = name_of(p, box);

    if (!p->flame->change || box->level == 0 || box->node == MP_NO_ID)
        return name;
    return mp_arena_printf(p->arena, "%s%s", signs[color_of(p, box)], name);
}

/* Returns the module and file of BOX's function, "libfoo.so, foo.c", or "" if unknown. */
static const char *
origin_of(const struct page *p, const struct mp_flame_box *box)
{
    const struct mp_profile *view = p->tree->profile;
    const struct mp_function *function = &view->functions[mp_tree_function(p->tree, box->node)];
    const char *module =
        function->module < view->n_modules ? view->modules[function->module].name : "";
    const char *file = function->file ? mp_text_basename(function->file) : "";

    return mp_arena_printf(p->arena, "%s%s%s", module, module[0] && file[0] ? ", " : "", file);
}

static void
put_title(const struct page *p, const struct mp_flame_box *box)
{
    char percent[MP_NUMBER_SIZE], number[MP_NUMBER_SIZE];
    const char *origin = box->level > 0 && box->node != MP_NO_ID ? origin_of(p, box) : "";

    fputs("<title>", p->out);
    if (box->level > 0) {
        mp_xml_put(p->out, name_of(p, box));
        fprintf(p->out, "%s\n",
                box->node == MP_NO_ID ? "" : box->inlined ? " (inlined)" : box->tail ? MP_TAIL_NOTE : "");
    }
    if (origin[0]) {
        mp_xml_put(p->out, origin);
        fputc('\n', p->out);
    }
    fprintf(p->out, "%s (%s %%%s)", amount_of(p, box),
            mp_number_tenths(box->value, p->flame->boxes[0].value, percent),
            p->flame->change ? " of all that changed" : "");
    if (box->self > 0 && box->self < box->value)
        fprintf(p->out, "\n%s: %s", p->options->reverse ? "called by nobody" : "itself",
                mp_number_grouped(box->self, number));
    fputs("</title>", p->out);
}

static void
put_box(const struct page *p, const struct mp_flame_box *box)
{
    double x = MARGIN + pixels(p, box->at), width = pixels(p, box->value);
    uint32_t y = p->boxes + box->level * ROW;
    unsigned color = box->level > 0 ? color_of(p, box) : 0;
    const char *name = fitted(p, label_of(p, box), width - 6);
    bool together = box->node == MP_NO_ID;

    fputs("<g>", p->out);
    put_title(p, box);
    fprintf(p->out, "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%u\"", x, (unsigned)y,
            width > 3 ? width - 0.8 : width, ROW - 1);
    if (box->level == 0)
        fputs(" class=\"r\"/>", p->out);
    else
        fprintf(p->out, " class=\"k%u%s\"%s/>", color,
                box->inlined && !together && width > 6 ? " i" : "",
                is_lisp(p, box) ? " rx=\"6\"" : "");
    if (name[0])
        put_text(p, x + 3, y + 13, together ? " class=\"n\"" : "", name);
    fputs("</g>\n", p->out);
}

/* ---------------------------------------------------------------- around them */

static bool
any_inlined(const struct mp_flame *flame)
{
    for (uint32_t i = 1; i < flame->n_boxes; i++)
        if (flame->boxes[i].inlined && flame->boxes[i].node != MP_NO_ID)
            return true;
    return false;
}

/* Places one entry of the legend at (*X, *Y), or at the beginning of the next row if it does not fit, and advances *X
 * and *Y. Writes it only if WRITTEN; otherwise only its size is used. */
static void
put_entry(const struct page *p, const char *name, const char *class, const char *round,
          bool written, double *x, uint32_t *y)
{
    const char *text = fitted(p, name, 40 * CHARACTER);
    double width = 30 + CHARACTER * mp_fit_width(text, strlen(text));

    if (*x + width > p->options->width - MARGIN && *x > MARGIN) {
        *x = MARGIN;
        *y += LEGEND_ROW;
    }
    if (written) {
        fprintf(p->out, "<rect x=\"%.1f\" y=\"%u\" width=\"16\" height=\"12\" class=\"%s\"%s/>", *x,
                (unsigned)*y, class, round);
        put_text(p, *x + 20, *y + 10, "", text);
    }
    *x += width + 8;
}

/* Places the legend, and writes it if WRITTEN. Returns the y coordinate of its end. */
static uint32_t
put_legend(const struct page *p, bool written)
{
    char class[8];
    double x = MARGIN;
    uint32_t y = p->legend;

    for (unsigned i = 0; i < COLORS; i++) {
        snprintf(class, sizeof class, "k%u", i);
        if (p->colors[i])
            put_entry(p, p->colors[i], class, i == LISP ? " rx=\"5\"" : "", written,
                      &x, &y);
    }
    if (any_inlined(p->flame))
        put_entry(p, "inlined", "r i", "", written, &x, &y);
    return y + LEGEND_ROW;
}

static void
put_heading(const struct page *p)
{
    const char *program = mp_text_basename(p->profile->meta.program);
    const struct mp_window *window = p->tree->profile->window;
    const char *what = mp_said_cost(window, p->options->cost);
    double room = p->options->width - 2 * MARGIN;

    put_text(p, MARGIN, 24, " class=\"t\"",
             fitted(p, mp_arena_printf(p->arena, "%s: %s%s%s", program, what, window ? " " : "",
                                       window ? mp_window_text(window, p->arena) : ""), room / 1.5));
    put_text(p, MARGIN, 42, " class=\"n\"",
             fitted(p, mp_arena_printf(p->arena, "%s  A box is as wide as what %s there%s.",
                                       p->options->reverse ? "On top the functions that allocate; below each "
                                                             "one stand its callers."
                                                           : "Below each function stands what it called.",
                                       p->flame->change ? "grew or shrank" : "was allocated",
                                       p->options->reverse ? "" : " and further in"), room));
}

static void
open_svg(const struct page *p)
{
    fprintf(p->out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
            "viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"",
            (unsigned)p->options->width, (unsigned)p->height, (unsigned)p->options->width,
            (unsigned)p->height);
    mp_xml_put(p->out, mp_arena_printf(p->arena, "Flame graph of %s: %s",
                                       mp_text_basename(p->profile->meta.program),
                                       amount_of(p, &p->flame->boxes[0])));
    fputs("\">\n", p->out);
    put_style(p);
    fputs("<rect width=\"100%\" height=\"100%\" style=\"fill:var(--back)\"/>\n", p->out);
}

void
mp_flame_svg(const struct mp_profile *profile, const struct mp_tree *tree,
             const struct mp_flame_options *options, const char *part, FILE *out)
{
    struct mp_flame_options drawn = *options;
    struct mp_fit fit = mp_fit_begin();
    struct mp_flame *flame;
    struct page p;

    drawn.width -= 2 * MARGIN;
    flame = mp_flame_new(tree, &drawn);
    p = (struct page){.profile = profile, .tree = tree, .options = options, .flame = flame,
                      .part = part, .legend = TOP, .arena = flame->arena, .out = out};
    choose_colors(&p);
    take_notes(&p);
    p.boxes = put_legend(&p, false) + 4;
    p.below = p.boxes + flame->levels * ROW + 8;
    p.height = p.below + p.notes.n * ROW + MARGIN;
    open_svg(&p);
    put_heading(&p);
    put_legend(&p, true);
    for (uint32_t i = 0; i < flame->n_boxes; i++)
        put_box(&p, &flame->boxes[i]);
    for (uint32_t i = 0; i < p.notes.n; i++)
        put_text(&p, MARGIN, p.below + i * ROW + 11, " class=\"n\"",
                 fitted(&p, p.notes.lines[i], options->width - 2 * MARGIN));
    fputs("</svg>\n", out);
    mp_flame_free(flame);
    mp_fit_end(&fit);
}
