/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "breakdown.h"
#include "reporter/base/columns.h"
#include "reporter/base/fit.h"
#include "reporter/base/format_number.h"
#include "reporter/base/text.h"

#define MOST_INDENTED 30        /* maximum depth of indentation, in rows */
#define NAMES_SHOWN 6u          /* of a list, unless the report is verbose */
#define BAR UINT8_MAX           /* in place of a column's index: a vertical bar */
#define ERROR 0x80u             /* flag added to a column's index: the error of its estimates */

enum { CELL_SIZE = MP_BREAKDOWN_WIDTH + 1 };    /* capacity for a number or the parts of a breakdown */

/* The columns of the text: visible columns of the table, and bars. */
struct layout {
    const struct mp_table *table;
    const struct mp_print_options *options;
    uint8_t *columns;
    size_t n;
    struct mp_columns *text;
    char (*cells)[CELL_SIZE];   /* buffers for the texts of a row */
    struct mp_arena *arena;     /* owns longer texts; freed after printing */
};

/* ---------------------------------------------------------------- values */

/* Returns true if VALUE has anything to print. */
static bool
is_said(const struct mp_value *value)
{
    return value->text || (value->known && !value->blank);
}

static const char *
names_text(struct layout *layout, const struct mp_value *value)
{
    bool all = layout->options->verbosity == MP_VERBOSE || value->number <= NAMES_SHOWN;
    uint64_t n = all ? value->number : NAMES_SHOWN;
    const char *text = mp_fit_join(value->names, n, ", ", MP_GLUE, layout->arena);

    return all ? text : mp_arena_printf(layout->arena, "%s, and %" PRIu64 " more", text, value->number - n);
}

static void
mean_text(const struct mp_value *value, char out[static MP_NUMBER_SIZE])
{
    if (value->number % value->whole == 0)
        snprintf(out, MP_NUMBER_SIZE, "%" PRIu64, value->number / value->whole);
    else
        snprintf(out, MP_NUMBER_SIZE, "%.1f", (double)value->number / (double)value->whole);
}

static const char *
sign_of(const struct mp_table_column *column, const struct mp_value *value)
{
    return value->negative ? "-" : (column->layout & MP_LAYOUT_SIGNED) && value->number > 0 ? "+" : "";
}

static const char *
text_of(struct layout *layout, const struct mp_table_column *column, const struct mp_value *value,
        char text[static CELL_SIZE])
{
    bool quotient = column->unit == MP_UNIT_PERCENT || column->unit == MP_UNIT_MEAN;
    const char *sign = sign_of(column, value);
    char *number = text + strlen(sign);

    if (column->unit == MP_UNIT_CHAIN && value->known && value->names)
        return mp_fit_join(value->names, SIZE_MAX, " ", MP_GLUE, layout->arena);
    if (value->text || !is_said(value) || (quotient && value->whole == 0))
        return value->text;
    if (column->unit == MP_UNIT_NAMES)
        return names_text(layout, value);
    mp_text_put(text, text + CELL_SIZE, sign);
    if (column->unit == MP_UNIT_PARTS)
        mp_breakdown_cells(layout->table->breakdown, value->parts, value->whole, text);
    else if (column->unit == MP_UNIT_MEAN)
        mean_text(value, number);
    else if (column->unit == MP_UNIT_TENTHS)
        snprintf(number, MP_NUMBER_SIZE, "%" PRIu64 ".%" PRIu64, value->number / 10, value->number % 10);
    else if (column->unit == MP_UNIT_ADDRESS)
        snprintf(number, MP_NUMBER_SIZE, "0x%" PRIx64, value->number);
    else if (column->unit != MP_UNIT_PERCENT && layout->table->kind->grouped)
        mp_number_grouped(value->number, number);
    else if (column->unit != MP_UNIT_PERCENT)
        snprintf(number, MP_NUMBER_SIZE, "%" PRIu64, value->number);
    else if (column->layout & MP_LAYOUT_TENTHS)
        mp_number_tenths(value->number, value->whole, number);
    else
        mp_number_percent(value->number, value->whole, number);
    return text;
}

/* ---------------------------------------------------------------- columns */

static bool
is_blank(const struct mp_table *table, size_t column)
{
    for (uint32_t i = 0; i < table->n_rows; i++)
        if (is_said(&table->rows[i].values[column]))
            return false;
    return true;
}

/* Returns true if the column is hidden because of the table's window, or because its figure is lacking. */
static bool
is_unavailable(const struct mp_table *table, size_t column)
{
    const unsigned how = table->kind->columns[column].layout;

    return (table->moment && (how & MP_LAYOUT_AFTER)) || (table->growth && (how & MP_LAYOUT_KEPT_SHARE)) ||
           mp_table_lacks(table, column);
}

/* Returns TEXT, in which "kept" is replaced by "grown" if the table shows what happened between two points in time.
 * The result may be allocated in ARENA. */
static const char *
words(const struct mp_table *table, const char *text, struct mp_arena *arena)
{
    const char *kept = table->growth ? strstr(text, "kept") : NULL;

    return kept ? mp_arena_printf(arena, "%.*sgrown%s", (int)(kept - text), text, kept + strlen("kept")) : text;
}

static bool
is_hidden(const struct mp_table *table, size_t column)
{
    unsigned how = table->kind->columns[column].layout;

    return (how & MP_LAYOUT_HIDDEN) || is_unavailable(table, column) ||
           ((how & MP_LAYOUT_OPTIONAL) && is_blank(table, column));
}

static bool
is_estimated(const struct mp_table *table, size_t column)
{
    for (uint32_t i = 0; i < table->n_rows; i++)
        if (is_said(&table->rows[i].values[column]) && table->rows[i].values[column].estimated)
            return true;
    return false;
}

static void
choose_columns(struct layout *layout)
{
    const struct mp_table_kind *kind = layout->table->kind;

    layout->columns = mp_arena_alloc(layout->arena, 3 * kind->n_columns);
    for (size_t i = 0; i < kind->n_columns; i++) {
        unsigned how = kind->columns[i].layout;

        if (is_hidden(layout->table, i))
            continue;
        layout->columns[layout->n++] = (uint8_t)i;
        if (is_estimated(layout->table, i))
            layout->columns[layout->n++] = (uint8_t)(ERROR | i);
        if (how & MP_LAYOUT_BAR)
            layout->columns[layout->n++] = BAR;
    }
}

/* Returns the title of COLUMN. Replaces %s, for example by "size". Titles of parts are as wide as the letters. */
static const char *
title_of(struct layout *layout, const struct mp_table_column *column)
{
    const struct mp_breakdown_style *style = layout->table->breakdown;
    const char *title = words(layout->table, column->title, layout->arena), *gap = strstr(title, "%s");

    if (gap)
        title = mp_arena_printf(layout->arena, "%.*s%s%s", (int)(gap - title), title, mp_breakdown_what(style),
                                gap + 2);
    if (column->unit == MP_UNIT_PARTS)
        title = mp_arena_printf(layout->arena, "%*s", mp_breakdown_width(style), title);
    return title;
}

static struct mp_column
head_of(struct layout *layout, uint8_t i)
{
    const struct mp_table_column *column = &layout->table->kind->columns[i & ~ERROR];

    if (i == BAR)
        return (struct mp_column){"|", MP_LEFT};
    if (i & ERROR)
        return (struct mp_column){"+-", column->layout & MP_LAYOUT_SPARE ? MP_SPARE : MP_RIGHT};
    switch (column->unit) {
    case MP_UNIT_PARTS:
    case MP_UNIT_TEXT:
    case MP_UNIT_FUNCTION:
        return (struct mp_column){title_of(layout, column), column->layout & MP_LAYOUT_CODE ? MP_CODE : MP_LEFT};
    case MP_UNIT_NAMES:
    case MP_UNIT_CHAIN:
        return (struct mp_column){title_of(layout, column), MP_WRAP};
    default:
        return (struct mp_column){title_of(layout, column),
                                  column->layout & MP_LAYOUT_SPARE ? MP_SPARE : MP_RIGHT};
    }
}

static void
add_heads(struct layout *layout)
{
    struct mp_column *heads = mp_arena_alloc(layout->arena, layout->n * sizeof *heads);

    for (size_t i = 0; i < layout->n; i++)
        heads[i] = head_of(layout, layout->columns[i]);
    layout->text = mp_columns_new(heads, layout->n, layout->options->width);
    mp_columns_cut(layout->text, layout->options->ellipsis);
}

/* COLUMN is one of layout->columns. */
static bool
is_parts(const struct layout *layout, uint8_t column)
{
    return !(column & ERROR) && layout->table->kind->columns[column].unit == MP_UNIT_PARTS;
}

/* Adds a row with the letters of the breakdown below the titles, if there are columns of parts. */
static void
add_letters(struct layout *layout, const char **cells)
{
    char letters[MP_BREAKDOWN_WIDTH + 1];
    bool parts = false;

    for (size_t i = 0; i < layout->n; i++)
        parts |= is_parts(layout, layout->columns[i]);
    if (!parts)
        return;
    mp_breakdown_heads(layout->table->breakdown, letters);
    for (size_t i = 0; i < layout->n; i++) {
        uint8_t column = layout->columns[i];

        cells[i] = column == BAR ? "|" : is_parts(layout, column) ? letters : NULL;
    }
    mp_columns_row(layout->text, cells);
}

static const char *
error_text(struct layout *layout, const struct mp_value *value)
{
    if (!value->estimated || !is_said(value))
        return NULL;
    return mp_arena_printf(layout->arena, "%" PRIu64, mp_value_error(value));
}

/* Returns the number of blanks before ROW: two for each row that it is under, up to a maximum. */
static int
indentation(const struct layout *layout, const struct mp_table_row *row)
{
    int depth = 0;

    for (; row->under != MP_NO_ID && depth < MOST_INDENTED; depth++)
        row = &layout->table->rows[row->under];
    return 2 * depth;
}

/* Adds ROW. Rows under another row are indented. */
static void
add_row(struct layout *layout, const struct mp_table_row *row, const char **cells)
{
    const struct mp_table_column *columns = layout->table->kind->columns;

    for (size_t i = 0; i < layout->n; i++) {
        uint8_t column = layout->columns[i];

        if (column & ERROR) {
            cells[i] = column == BAR ? "|" : error_text(layout, &row->values[column & ~ERROR]);
            continue;
        }
        cells[i] = text_of(layout, &columns[column], &row->values[column], layout->cells[i]);
        if (row->under != MP_NO_ID &&
            (columns[column].unit == MP_UNIT_TEXT || columns[column].unit == MP_UNIT_CHAIN))
            cells[i] = mp_arena_printf(layout->arena, "%*s%s", indentation(layout, row), "", cells[i]);
    }
    mp_columns_row(layout->text, cells);
}

void
mp_table_print_rows(const struct mp_table *table, const struct mp_print_options *options, FILE *out)
{
    struct layout layout = {.table = table, .options = options, .arena = mp_arena_new()};
    const char **cells;

    choose_columns(&layout);
    cells = mp_arena_alloc(layout.arena, layout.n * sizeof *cells);
    layout.cells = mp_arena_alloc(layout.arena, layout.n * sizeof *layout.cells);
    add_heads(&layout);
    add_letters(&layout, cells);
    for (uint32_t i = 0; i < table->n_rows; i++)
        add_row(&layout, &table->rows[i], cells);
    mp_columns_print(layout.text, out);
    mp_arena_free(layout.arena);
}

/* ---------------------------------------------------------------- around the rows */

void
mp_table_print_title(const struct mp_table *table, const struct mp_print_options *options,
                     FILE *out)
{
    char number[MP_NUMBER_SIZE];

    mp_columns_title(out, table->kind->title, options->color);
    if (table->collections != MP_NO_COLLECTIONS)
        fprintf(out, "%s collection%s; objects by how many of them they survived\n",
                mp_number_grouped(table->collections, number), mp_plural(table->collections));
    if (table->note && !table->nothing)
        fprintf(out, "%s\n", table->note);
    if (table->nothing)
        fprintf(out, "%s\n", table->nothing);
}

/* Prints the threshold: " of less than 0.5 %". Prints nothing if the number of rows was limited instead. */
static void
print_why(const struct mp_table *table, FILE *out)
{
    unsigned permille = table->permille;
    char number[MP_NUMBER_SIZE];

    if (table->full)
        return;
    if (table->least > 0) {
        fprintf(out, " of less than %s %s", mp_number_grouped(table->least, number),
                table->least_blocks ? "blocks" : "bytes");
        return;
    }
    fprintf(out, table->above ? " of " : " of less than ");
    fprintf(out, permille % 10 ? "%u.%u" : "%u", permille / 10, permille % 10);
    fputs(table->above ? " % or less" : " %", out);
}

static void
print_said(const struct mp_table *table, const struct mp_table_said *said,
           const struct mp_value *value, FILE *out)
{
    const char *text = words(table, value->number == 1 ? said->one : said->many, table->arena);
    const char *gap = strstr(text, "%s");
    char number[MP_NUMBER_SIZE];

    fprintf(out, "%.*s%s%s", (int)(gap - text), text,
            sign_of(&table->kind->columns[said->column], value), mp_number_grouped(value->number, number));
    if (value->estimated)
        fprintf(out, " +- %s", mp_number_grouped(mp_value_error(value), number));
    fputs(gap + 2, out);
    if (table->kind->columns[said->column].layout & MP_LAYOUT_TENTHS)
        fprintf(out, " (%s %%)", mp_number_tenths(value->number, value->whole, number));
}

void
mp_table_print_left_out(const struct mp_table *table, FILE *out)
{
    const struct mp_table_kind *kind = table->kind;
    const char *separator = ": ";
    uint64_t n = table->left_out.n;
    char number[MP_NUMBER_SIZE];

    if (n == 0)
        return;
    if (kind->plain_count)
        snprintf(number, sizeof number, "%" PRIu64, n);
    else
        mp_number_grouped(n, number);
    /* "more" if the line contains only the number */
    fprintf(out, "%s%s %s", number, table->full && kind->n_said == 0 ? " more" : "",
            n == 1 ? kind->one : kind->many);
    print_why(table, out);
    fputs(" left out", out);
    for (size_t i = 0; i < kind->n_said; i++) {
        const struct mp_value *value = &table->left_out.values[kind->said[i].column];

        if (!value->known || value->blank || is_unavailable(table, kind->said[i].column))
            continue;
        fputs(separator, out);
        separator = ", ";
        print_said(table, &kind->said[i], value, out);
    }
    fputc('\n', out);
}

bool
mp_table_printed(FILE *out, struct mp_error *error)
{
    return !ferror(out) ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "writing the report: %s", strerror(errno));
}

bool
mp_table_print(const struct mp_table *table, const struct mp_print_options *options, FILE *out,
               struct mp_error *error)
{
    mp_table_print_title(table, options, out);
    if (table->n_rows > 0)
        mp_table_print_rows(table, options, out);
    mp_table_print_left_out(table, out);
    return mp_table_printed(out, error);
}
