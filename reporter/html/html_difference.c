/* SPDX-License-Identifier: MIT */
#include "html_difference.h"

#include <string.h>

#include "html_parts.h"
#include "reporter/base/json.h"
#include "reporter/diff/table_changes.h"
#include "reporter/view/sort.h"

enum { MOST_CHANGES = 25 };     /* functions in the page's table of changes */

/* Returns the page's key of a figure whose key in struct mp_side_figure is KEY. */
static const char *
page_key(const char *key)
{
    size_t c = 0;

    while (c < MP_HTML_COLUMNS - 1 && strcmp(mp_figures[mp_html_columns[c].figure].key, key) != 0)
        c++;
    return mp_html_columns[c].key;
}

static void
write_figures(const struct mp_html_difference *d, struct mp_buffer *out)
{
    struct mp_side_figure known[MP_SIDE_FIGURES];
    unsigned n = mp_side_figures(d->comparison->join, known);
    const char *figures[MP_SIDE_FIGURES];
    struct mp_table *sides = mp_table_sides(d->comparison->join);

    for (unsigned i = 0; i < n; i++)
        figures[i] = page_key(known[i].key);

    mp_json_key_text(out, "cost", mp_sorts[d->comparison->options->print.sort].key);
    mp_json_key_texts(out, "figures", figures, n);
    mp_html_table_write("sides", sides, out);
    mp_table_free(sides);
}

static void
write_runs(const struct mp_html_difference *d, struct mp_buffer *out)
{
    mp_json_key_open(out, "shown", '[');
    for (unsigned side = 0; side < MP_SIDES; side++)
        mp_json_text(out, d->comparison->join->runs[d->shown[side]].label);
    mp_json_close(out, ']');
    mp_json_key_bool(out, "several", d->comparison->join->n_runs > MP_SIDES);
}

static void
write_changes(const struct mp_html_difference *d, struct mp_buffer *out)
{
    static const struct mp_print_options print = {.verbosity = MP_VERBOSE, .most = MOST_CHANGES};
    struct mp_table *table = mp_table_changes(d->comparison->changes[MP_BY_FUNCTION], &print);

    mp_json_key_number(out, "changed", d->comparison->changes[MP_BY_FUNCTION]->n_changed);
    mp_html_table_write("changes", table, out);
    mp_table_free(table);
}

static void
write_sentences(const struct mp_html_difference *d, struct mp_buffer *out)
{
    mp_json_key_open(out, "sentences", '[');
    for (unsigned i = 0; i < d->comparison->n_sentences; i++) {
        mp_json_open(out, '[');
        mp_json_text(out, d->comparison->sentences[i].key);
        mp_json_text(out, d->comparison->sentences[i].text);
        mp_json_close(out, ']');
    }
    mp_json_close(out, ']');
}

static void
write_part(const char *part, struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();

    mp_json_key_open(out, "part", '[');
    mp_json_text(out, mp_arena_printf(arena, "Only what was allocated %s.", part));
    mp_json_close(out, ']');
    mp_arena_free(arena);
}

void
mp_html_difference_write(const struct mp_html_difference *d, struct mp_buffer *out)
{
    mp_html_head_write(d->comparison->head, out);
    if (d->comparison->options->part[0])
        write_part(d->comparison->options->part, out);
    mp_json_key_open(out, "difference", '{');
    write_figures(d, out);
    write_runs(d, out);
    write_changes(d, out);
    write_sentences(d, out);
    mp_json_close(out, '}');
}
