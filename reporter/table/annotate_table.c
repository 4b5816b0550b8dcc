/* SPDX-License-Identifier: MIT */
#include "annotate_table.h"

#include <string.h>

#include "json_head.h"
#include "reporter/base/text.h"
#include "reporter/view/window.h"
#include "tables.h"

#define CONTEXT 3u              /* lines shown before and after a line with figures */
#define NEAR 10u                /* lines shown before and after the requested line */
#define MOST_LINE 1000u         /* maximum bytes shown of a line */
#define TAB 8u

enum { BYTES, PERCENT, SELF, ALLOCS, KEPT, LINE, SOURCE, N_COLUMNS };

static const struct mp_table_column columns[N_COLUMNS] = {
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES,
               "Bytes that were allocated by calls in this line, or further in.", MP_OF(BYTES)},
    [PERCENT] = MP_COLUMN_BYTES_SHARE,
    [SELF] = {"self_bytes", "self", MP_UNIT_BYTES, "Bytes of these that the line allocated itself.",
              MP_LAYOUT_SPARE},
    [ALLOCS] = {"allocs", "allocs", MP_UNIT_BLOCKS, "Blocks or objects with all these bytes.", MP_LAYOUT_SPARE,
                MP_OF(ALLOCS)},
    [KEPT] = MP_COLUMN_KEPT_BYTES(MP_LAYOUT_AFTER | MP_LAYOUT_SPARE),
    [LINE] = {"line", "line", MP_UNIT_COUNT, "Number of the line."},
    [SOURCE] = {"source", "source", MP_UNIT_TEXT, "Its text; or the call that was inlined there.",
                MP_LAYOUT_CODE},
};

static const struct mp_table_kind annotate_kind = {
    .key = "source", .one = "line", .many = "lines",
    .explanation = "Lines of source, with what was allocated there.",
    .columns = columns, .n_columns = N_COLUMNS,
};

struct maker {
    const struct mp_annotated *from;
    const struct mp_source_section *section;
    const struct mp_annotate_options *options;
    struct mp_table *table;
    uint32_t first, end;        /* range of the section's rows */
    uint32_t shown;             /* number of the last line that has a row */
};

/* ---------------------------------------------------------------- text */

/* Converts LENGTH bytes of a source line to printable text: expands tabs and removes blanks at the end. */
static const char *
readable(struct maker *m, const char *bytes, size_t length)
{
    struct mp_arena *arena = m->table->arena;
    size_t n = 0;
    char *plain;

    length = length < MOST_LINE ? length : MOST_LINE;
    while (length > 0 && strchr(" \t\r\f", bytes[length - 1]) && bytes[length - 1])
        length--;
    plain = mp_arena_alloc(arena, length * TAB + 1);
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\t')
            do
                plain[n++] = ' ';
            while (n % TAB != 0);
        else
            plain[n++] = bytes[i];
    }
    return mp_text_clean(arena, plain, n);
}

/* Returns the text of line NUMBER in FILE, or NULL if the file has no such line. */
static const char *
line_text(struct maker *m, const char *file, uint32_t number)
{
    size_t length;
    const char *bytes = mp_source_text(m->from->sources, file, number, &length);

    return bytes ? readable(m, bytes, length) : NULL;
}

static const char *
name_of(const struct maker *m, const struct mp_source_row *row)
{
    return m->from->view->functions[row->function].text;
}

/* Returns the text that replaces a line whose source is unavailable. */
static const char *
stand_in(struct maker *m, const struct mp_source_row *row)
{
    return mp_arena_printf(m->table->arena, "(%s%s)", name_of(m, row),
                           row->line == 0 ? ", line not known" : "");
}

/* Describes an inlined call: "> get (list.h:12): return malloc(size);" */
static const char *
inlined_text(struct maker *m, const struct mp_source_row *row)
{
    const char *line = row->line > 0 ? line_text(m, row->file, row->line) : NULL;
    const char *file = mp_text_basename(row->file);

    if (row->line == 0)
        return mp_arena_printf(m->table->arena, "> %s", name_of(m, row));
    return mp_arena_printf(m->table->arena, "> %s (%s:%u)%s%s", name_of(m, row), file,
                           (unsigned)row->line, line ? ": " : "",
                           line ? line + strspn(line, " ") : "");
}

/* ---------------------------------------------------------------- rows */

static void
fill(const struct maker *m, struct mp_value *values, const struct mp_counts *whole,
     const struct mp_counts *self)
{
    mp_table_fill(m->table, values, whole, &(struct mp_counts){.bytes = m->from->all});
    values[SELF] = mp_value_if(mp_counts_any(self), mp_value_figure(self, MP_FIGURE_BYTES));
}

static struct mp_value *
add_line(struct maker *m, uint32_t line, const char *text)
{
    struct mp_value *values = mp_table_add_item(m->table);

    if (line > 0)
        values[LINE] = mp_value_number(line);
    values[SOURCE] = mp_value_text(text);
    m->shown = line;
    return values;
}

/* Adds lines FIRST to LAST, which have no figures. Skips those already shown and stops at the end of the file. */
static void
add_context(struct maker *m, uint32_t first, uint32_t last)
{
    const char *text;

    if (first <= m->shown)
        first = m->shown + 1;
    if (first > last || !(text = line_text(m, m->section->file, first)))
        return;
    if (m->shown > 0 && first > m->shown + 1)
        mp_table_add_item(m->table)[SOURCE] = mp_value_text("...");
    for (; text && first <= last; text = line_text(m, m->section->file, ++first))
        add_line(m, first, text);
}

/* Adds the table row for row I and the rows for calls inlined there. Returns the index of the next row. */
static uint32_t
add_row(struct maker *m, uint32_t i)
{
    const struct mp_source_row *rows = m->from->rows, *row = &rows[i];
    const char *text = row->line > 0 ? line_text(m, row->file, row->line) : NULL;
    uint32_t base = m->table->n_rows, first = i;

    fill(m, add_line(m, row->line, text ? text : stand_in(m, row)), &row->whole, &row->self);
    for (i++; i < m->end && rows[i].under != MP_NO_ID; i++) {
        struct mp_table_row *added = mp_table_add(m->table);

        added->under = base + (rows[i].under - first);
        fill(m, added->values, &rows[i].whole, &rows[i].self);
        added->values[SOURCE] = mp_value_text(inlined_text(m, &rows[i]));
    }
    return i;
}

/* Returns the last line to show after row I. */
static uint32_t
context_end(const struct maker *m, uint32_t i)
{
    const struct mp_source_row *row = &m->from->rows[i];

    return row->last > row->line ? row->last : row->line + CONTEXT;
}

static bool
is_near(const struct maker *m, uint32_t line)
{
    uint32_t around = m->options->around;

    return around == 0 || (line + NEAR >= around && line <= around + NEAR);
}

static void
add_lines(struct maker *m)
{
    const struct mp_source_row *rows = m->from->rows;
    uint32_t around = m->options->around, end = 0;

    if (around > 0)
        add_context(m, around > NEAR ? around - NEAR : 1, around > NEAR ? around - NEAR : 1);
    for (uint32_t i = m->first; i < m->end;) {
        uint32_t line = rows[i].line, next = i;

        while (++next < m->end && rows[next].under != MP_NO_ID)
            continue;
        if (!is_near(m, line)) {
            i = next;
            continue;
        }
        if (line > 0 && (m->options->all || around > 0))
            add_context(m, 1 + m->shown, line - 1);
        else if (line > 0) {
            add_context(m, m->shown + 1, end < line ? end : line - 1);
            add_context(m, line > CONTEXT ? line - CONTEXT : 1, line - 1);
        }
        end = context_end(m, i);
        i = add_row(m, i);
    }
    if (around > 0)
        end = around + NEAR;
    add_context(m, m->shown + 1, m->options->all ? UINT32_MAX - 1 : end);
}

/* Removes the indentation that all lines with a number share. */
static void
take_indentation(struct maker *m)
{
    size_t common = SIZE_MAX;

    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < m->table->n_rows; i++) {
            struct mp_value *values = m->table->rows[i].values;
            size_t blanks = values[LINE].known ? strspn(values[SOURCE].text, " ") : 0;

            if (!values[LINE].known || values[SOURCE].text[blanks] == '\0')
                continue;
            if (pass == 0)
                common = blanks < common ? blanks : common;
            else
                values[SOURCE].text += common;
        }
}

/* ---------------------------------------------------------------- around them */

static void
set_note(struct maker *m)
{
    const struct mp_source_section *section = m->section;
    struct mp_arena *arena = m->table->arena;
    enum mp_source_problem problem = mp_source_problem(m->from->sources, section->file);
    const char *found = mp_source_found(m->from->sources, section->file), *doubt = mp_source_doubt(problem);

    if (!section->file[0])
        m->table->note = "Its lines are not known: it has no debug information.";
    else if (!found)
        m->table->note = mp_arena_printf(arena, "%s: %s%s.", section->file, mp_source_problem_words[problem],
                                         problem <= MP_SOURCE_MISSING ? "; --source=DIR names a directory of sources"
                                                                      : "");
    else
        m->table->note = doubt ? mp_arena_printf(arena, "%s: %s", found, doubt) : found;
}

static void
set_title(struct maker *m)
{
    const struct mp_source_section *section = m->section;
    struct mp_table_kind *kind = mp_arena_alloc(m->table->arena, sizeof *kind);
    const char *file = mp_text_basename(section->file);

    *kind = annotate_kind;
    kind->title = !section->name ? file
                                 : mp_arena_printf(m->table->arena, "%s%s%s", section->name,
                                                   file[0] ? ", " : "", file);
    m->table->kind = kind;
}

struct mp_table *
mp_annotate_table(const struct mp_annotated *annotated, uint32_t number,
                  const struct mp_annotate_options *options)
{
    struct maker m = {.from = annotated, .section = &annotated->sections[number],
                      .options = options, .table = mp_table_new(&annotate_kind)};
    const struct mp_window *window = annotated->view->window;
    struct mp_value *total;

    m.table->moment = window && window->alive;
    m.table->growth = mp_window_is_growth(window);

    while (m.first < annotated->n_rows && annotated->rows[m.first].section != number)
        m.first++;
    for (m.end = m.first; m.end < annotated->n_rows && annotated->rows[m.end].section == number;)
        m.end++;
    set_title(&m);
    set_note(&m);
    add_lines(&m);
    if (options->flush)
        take_indentation(&m);
    total = mp_table_add_total(m.table);
    fill(&m, total, &m.section->whole, &m.section->self);
    total[SOURCE] = mp_value_none("<TOTAL>");
    mp_table_forget(m.table, annotated->view);
    return m.table;
}

/* ---------------------------------------------------------------- JSON */

static void
put_section(struct mp_json_out *to, const struct mp_annotated *annotated, uint32_t number,
            const struct mp_annotate_options *options)
{
    const struct mp_source_section *section = &annotated->sections[number];
    struct mp_table *table = mp_annotate_table(annotated, number, options);
    struct mp_buffer *out = &to->buffer;

    mp_json_line(out);
    mp_json_open(out, '{');
    mp_json_key_text_or_null(out, "function", section->name);
    mp_json_key_text_or_null(out, "file", section->file);
    mp_json_key_text_or_null(out, "found", mp_source_found(annotated->sources, section->file));
    mp_json_key(out, "table");
    mp_json_table(to, table, annotated->view);
    mp_json_close(out, '}');
    mp_table_free(table);
}

bool
mp_annotate_json(const struct mp_annotated *annotated, const struct mp_annotate_options *options,
                 const struct mp_json_subject *subject, FILE *file, struct mp_error *error)
{
    struct mp_json_out out = {.file = file};

    mp_json_begin(&out, subject);
    mp_json_line(&out.buffer);
    mp_json_key(&out.buffer, "sections");
    mp_json_open(&out.buffer, '[');
    for (uint32_t i = 0; i < annotated->n_sections; i++)
        put_section(&out, annotated, i, options);
    mp_json_close(&out.buffer, ']');
    return mp_json_finish(&out, error);
}
