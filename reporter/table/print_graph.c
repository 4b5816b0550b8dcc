/* SPDX-License-Identifier: MIT */
/* Prints table 4 in the layout of 1988, except that indices are in a column before the names, where they are easy to
 * find even if names are long. */
#include <inttypes.h>
#include <string.h>

#include "breakdown.h"
#include "table.h"
#include "reporter/base/columns.h"
#include "reporter/base/fit.h"
#include "reporter/base/format_number.h"
#include "table_graph.h"

#define INDENT 4                /* of callers and callees, relative to the entry's name */
#define NAME_RULE 24            /* number of dashes under the names */
#define LEAST_NAME 24           /* minimum columns of a name, even if the terminal is too narrow */

struct lines {
    FILE *out;
    const struct mp_table *table;
    bool color, form_1988;
    bool narrow;                /* breakdowns are omitted: they are unknown, or names need their columns */
    int index_width, bytes_width, called_width, total_width;
    int error_width;            /* of "+-1234 " after bytes; 0 if nothing is estimated */
    int width;                  /* of a breakdown */
    int name_width;             /* of names without indentation */
    const char *ellipsis;       /* replaces the middle of wider names; NULL to print whole names */
    bool stars;                 /* a star was printed */
};

static int
digits(uint64_t number)
{
    return snprintf(NULL, 0, "%" PRIu64, number);
}

static int
wider(int width, int other)
{
    return width > other ? width : other;
}

static void
set_widths(struct lines *lines)
{
    const uint64_t *largest = lines->table->largest;

    lines->index_width = wider(digits(largest[MP_GRAPH_INDEX]) + 2, (int)strlen("index"));
    lines->bytes_width = wider(digits(largest[MP_GRAPH_BYTES]), 8);
    lines->called_width = wider(digits(largest[MP_GRAPH_CALLED]), 6);
    lines->total_width = wider(digits(largest[MP_GRAPH_TOTAL]), 5);
    lines->width = mp_breakdown_width(lines->table->breakdown);
    for (uint32_t i = 0; i < lines->table->n_rows; i++) {
        const struct mp_value *bytes = &lines->table->rows[i].values[MP_GRAPH_BYTES];

        if (bytes->estimated)
            lines->error_width = wider(lines->error_width, digits(mp_value_error(bytes)) + 3);
    }
}

/* Returns the width of the indices before names, including a blank. */
static int
indices_width(const struct lines *lines)
{
    return lines->form_1988 ? 0 : lines->index_width + 1;
}

/* ---------------------------------------------------------------- heads and rules */

/* Returns the number of columns before the name. */
static int
columns_before(const struct lines *lines)
{
    int amount = lines->bytes_width + 1 + lines->error_width + 6;

    return lines->index_width + 1 + 11 + 1 + amount + 1 + (lines->narrow ? 1 : 2 * lines->width + 6) +
           lines->called_width + 1 + lines->total_width + 2 + indices_width(lines);
}

/* Prints the rule that ends an entry and contains the letters of the breakdowns. */
static void
print_rule(const struct lines *lines)
{
    char letters[MP_BREAKDOWN_WIDTH + 1];
    int amount = lines->bytes_width + 1 + lines->error_width + 6;
    int before = lines->index_width + 1 + 11 + 1 + amount + 1;
    int after = 1 + lines->called_width + 1 + lines->total_width + 2 + indices_width(lines) + NAME_RULE;

    mp_breakdown_heads(lines->table->breakdown, letters);
    for (char *c = letters; *c; c++)
        if (*c == ' ')
            *c = '-';
    while (before-- > 0)
        fputc('-', lines->out);
    if (lines->narrow)
        fputc('+', lines->out);
    else
        fprintf(lines->out, "%s-+-%s-+", letters, letters);
    while (after-- > 0)
        fputc('-', lines->out);
    fputc('\n', lines->out);
}

static void
print_head(const struct lines *lines, const char *index, const char *self_desc, const char *self,
           const char *of, const char *fractions, const char *called, const char *name)
{
    const bool lacking = mp_table_lacks(lines->table, MP_GRAPH_CALLED);
    int before = indices_width(lines);
    char sizes[32];

    snprintf(sizes, sizeof sizes, "%s-%s", mp_breakdown_what(lines->table->breakdown), of);
    fprintf(lines->out, "%-*s %11s %*s ", lines->index_width, index, self_desc,
            lines->bytes_width + lines->error_width + 7, self);
    if (lines->narrow)
        fputs("|", lines->out);
    else
        fprintf(lines->out, "%*s | %*s |", lines->width, sizes, lines->width, fractions);
    fprintf(lines->out, " %*s  %-*s%s\n", lines->called_width + 1 + lines->total_width, lacking ? "" : called, before,
            before > 0 ? index : "", name);
}

static void
print_heads(const struct lines *lines)
{
    print_head(lines, "", "", "", "ances", "frac-ances", "called/total", "    ancestors");
    print_head(lines, "index", "self + desc", "self   (%)", "func", "", "called/recur",
               lines->form_1988 ? "name [index]" : "name");
    print_head(lines, "", "", "", "desc", "frac-desc", "called/total", "    descendents");
    print_rule(lines);
}

/* ---------------------------------------------------------------- figures */

/* Prints the index and the share of all bytes of an entry's own row, or "all" in a row that sums up others. */
static void
print_index(const struct lines *lines, const struct mp_table_row *row)
{
    const struct mp_value *share = &row->values[MP_GRAPH_SHARE];
    char index[24] = "", text[MP_NUMBER_SIZE] = "";

    if (share->known) {
        snprintf(index, sizeof index, "[%" PRIu64 "]", row->values[MP_GRAPH_INDEX].number);
        mp_number_tenths(share->number, share->whole, text);
    }
    fprintf(lines->out, "%-*s %11s", lines->index_width, index,
            row->is == MP_ROW_TOTAL ? "all" : text);
}

static void
print_amount(const struct lines *lines, const struct mp_table_row *row)
{
    const struct mp_value *bytes = &row->values[MP_GRAPH_BYTES];
    const struct mp_value *part = &row->values[MP_GRAPH_PART];
    const struct mp_value *kinds = &row->values[MP_GRAPH_KINDS];
    char share[16] = "", error[MP_NUMBER_SIZE] = "", text[MP_BREAKDOWN_WIDTH + 1];

    if (!bytes->known) {
        fprintf(lines->out, " %*s%c%*s %5s %*s", lines->bytes_width, "", row->overlaps ? '*' : ' ',
                lines->error_width, "", "", lines->narrow ? 0 : lines->width, "");
        return;
    }
    if (bytes->estimated)
        snprintf(error, sizeof error, "+-%" PRIu64, mp_value_error(bytes));
    if (part->known)
        snprintf(share, sizeof share, "(%u)", mp_number_share_down(part->number, part->whole));
    text[0] = '\0';
    if (!lines->narrow)
        mp_breakdown_cells(lines->table->breakdown, kinds->parts, kinds->whole, text);
    fprintf(lines->out, " %*" PRIu64 "%c%*s %5s %s", lines->bytes_width, bytes->number,
            row->overlaps ? '*' : ' ', lines->error_width, error, share, text);
}

/* Prints the fractions, or a rule in an entry's own row. */
static void
print_fractions(const struct lines *lines, const struct mp_table_row *row)
{
    const struct mp_value *fractions = &row->values[MP_GRAPH_FRACTIONS];
    char text[MP_BREAKDOWN_WIDTH + 1];

    if (lines->narrow) {
        fputs("|", lines->out);
        return;
    }
    memset(text, row->section == MP_GRAPH_SELF ? '-' : ' ', MP_BREAKDOWN_WIDTH);
    text[lines->width] = '\0';
    if (fractions->known && row->section != MP_GRAPH_SELF)
        mp_breakdown_cells(lines->table->breakdown, fractions->parts, fractions->whole, text);
    fprintf(lines->out, " | %s |", text);
}

static void
print_calls(const struct lines *lines, const struct mp_table_row *row)
{
    const struct mp_value *called = &row->values[MP_GRAPH_CALLED];
    const struct mp_value *total = &row->values[MP_GRAPH_TOTAL];

    if (called->known)
        fprintf(lines->out, " %*" PRIu64, lines->called_width, called->number);
    else
        fprintf(lines->out, " %*s", lines->called_width, "");
    if (total->known && !total->blank)
        fprintf(lines->out, "/%-*" PRIu64, lines->total_width, total->number);
    else
        fprintf(lines->out, " %*s", lines->total_width, "");
}

/* ---------------------------------------------------------------- names */

/* Prints NAME, cut so that INDENT columns before it and SUFFIX columns after it fit into the line. */
static void
put_name(const struct lines *lines, const char *name, int indent, int suffix)
{
    int room = wider(lines->name_width - indent - suffix, LEAST_NAME);

    mp_fit_print(name, strlen(name), (unsigned)room, lines->ellipsis, lines->out);
}

static void
print_rest(const struct lines *lines, const struct mp_table_row *row)
{
    bool in_cycle = row->overlaps && row->section != MP_GRAPH_CALLS;

    fprintf(lines->out, "(%" PRIu64 " other%s%s)", row->n, row->n == 1 ? "" : "s",
            in_cycle ? " in the cycle" : "");
}

/* Prints the index of the row's function, unless the layout of 1988 is used, where it follows the name. */
static void
print_index_before(const struct lines *lines, const struct mp_value *index)
{
    char text[24] = "";

    if (lines->form_1988)
        return;
    if (index->known)
        snprintf(text, sizeof text, "[%" PRIu64 "]", index->number);
    fprintf(lines->out, "%-*s", indices_width(lines), text);
}

static void
print_index_behind(const struct lines *lines, const struct mp_value *index)
{
    if (lines->form_1988)
        fprintf(lines->out, " [%" PRIu64 "]", index->number);
}

static void
print_call(const struct lines *lines, const struct mp_value *values)
{
    const struct mp_value *callee = &values[MP_GRAPH_CALLEE_INDEX];
    int half = (lines->name_width - INDENT) / 2;

    put_name(lines, values[MP_GRAPH_FUNCTION].text, INDENT, half);
    print_index_behind(lines, &values[MP_GRAPH_INDEX]);
    fputs(" > ", lines->out);
    if (!lines->form_1988)
        fprintf(lines->out, "[%" PRIu64 "] ", callee->number);
    put_name(lines, values[MP_GRAPH_CALLEE].text, INDENT, half + 3 + digits(callee->number) + 3);
    print_index_behind(lines, callee);
}

static void
print_entry(const struct lines *lines, const struct mp_value *values, bool self)
{
    const struct mp_value *cycle = &values[MP_GRAPH_CYCLE], *name = &values[MP_GRAPH_FUNCTION];
    bool bold = self && lines->color;
    char suffix[48] = "";

    if (cycle->known)
        snprintf(suffix, sizeof suffix, name->known ? " <cycle %" PRIu64 ">" : "<cycle %" PRIu64 " as a whole>",
                 cycle->number);
    fputs(bold ? "\033[1m" : "", lines->out);
    if (name->known)
        put_name(lines, name->text, self ? 0 : INDENT, (int)strlen(suffix));
    fprintf(lines->out, "%s%s", suffix, bold ? "\033[0m" : "");
    print_index_behind(lines, &values[MP_GRAPH_INDEX]);
}

static void
print_name(const struct lines *lines, const struct mp_table_row *row)
{
    const struct mp_value *values = row->values;
    bool self = row->section == MP_GRAPH_SELF;

    fputs("  ", lines->out);
    print_index_before(lines, &values[MP_GRAPH_INDEX]);
    fprintf(lines->out, "%*s", self ? 0 : INDENT, "");
    if (row->is == MP_ROW_REST)
        print_rest(lines, row);
    else if (values[MP_GRAPH_CALLEE].known)
        print_call(lines, values);
    else if (values[MP_GRAPH_INDEX].known)
        print_entry(lines, values, self);
    else
        put_name(lines, values[MP_GRAPH_FUNCTION].text, INDENT, 0);
}

/* ---------------------------------------------------------------- rows */

/* Prints ROW without a newline. */
static void
print_row(struct lines *lines, const struct mp_table_row *row)
{
    lines->stars |= row->overlaps;
    print_index(lines, row);
    print_amount(lines, row);
    print_fractions(lines, row);
    if (row->is == MP_ROW_TOTAL)
        return;
    print_calls(lines, row);
    print_name(lines, row);
}

static uint32_t
entry_of(const struct mp_table *table, uint32_t row)
{
    return table->rows[row].under != MP_NO_ID ? table->rows[row].under : row;
}

/* Prints the members of the cycle whose own row is ENTRY, which begin with row FIRST, and the rule below them. Returns
 * the index of the row after them. */
static uint32_t
print_members(struct lines *lines, uint32_t first, const struct mp_table_row *entry)
{
    const struct mp_table *table = lines->table;
    const struct mp_value *values = entry->values;
    uint32_t i;

    fprintf(lines->out, "Cycle %" PRIu64 ", %" PRIu64 " members: a chain passes many, so that "
            "shares inside overlap, and near 100 %% in the core.\n",
            values[MP_GRAPH_CYCLE].number, values[MP_GRAPH_MEMBERS].number);
    print_row(lines, entry);
    fprintf(lines->out, ", %" PRIu64 " members:\n", values[MP_GRAPH_MEMBERS].number);
    for (i = first; table->rows[i].section == MP_GRAPH_OF_CYCLE; i++) {
        print_row(lines, &table->rows[i]);
        fputc('\n', lines->out);
    }
    print_rule(lines);
    return i;
}

/* Prints the entry that begins with row FIRST. Returns the index of the row after it. */
static uint32_t
print_one(struct lines *lines, uint32_t first)
{
    const struct mp_table *table = lines->table;
    uint32_t self = entry_of(table, first), i = first;
    const struct mp_table_row *entry = &table->rows[self];
    uint8_t section = table->rows[first].section;

    if (section == MP_GRAPH_OF_CYCLE)
        i = print_members(lines, first, entry);
    for (; i < table->n_rows && entry_of(table, i) == self; i++) {
        const char *heading = table->kind->sections[table->rows[i].section].heading;

        if (table->rows[i].section != section && heading)
            fprintf(lines->out, "%s\n", heading);
        section = table->rows[i].section;
        print_row(lines, &table->rows[i]);
        fputc('\n', lines->out);
    }
    if (entry->values[MP_GRAPH_MEMBERS].known && entry->values[MP_GRAPH_CYCLE].number > MP_CYCLES_TOLD)
        fprintf(lines->out, "(what is inside is told of %u cycles only)\n", MP_CYCLES_TOLD);
    print_rule(lines);
    return i;
}

bool
mp_table_graph_print(const struct mp_table *table, const struct mp_print_options *options,
                     FILE *out, struct mp_error *error)
{
    struct lines lines = {.out = out, .table = table, .color = options->color,
                          .form_1988 = options->form_1988, .ellipsis = options->ellipsis};
    const struct mp_fit fit = mp_fit_begin();

    mp_table_print_title(table, options, out);
    if (!table->nothing) {
        set_widths(&lines);
        lines.narrow = mp_table_lacks(table, MP_GRAPH_KINDS) ||
                       (options->width > 0 && !lines.form_1988 &&
                        columns_before(&lines) + LEAST_NAME > (int)options->width);
        lines.name_width = (int)options->width - columns_before(&lines);
        print_heads(&lines);
    }
    for (uint32_t i = 0; i < table->n_rows;)
        i = print_one(&lines, i);
    if (lines.stars)
        fputs("* between members of one cycle: each byte counts once in its row, however often "
              "the chain\n  recurs; rows with a star overlap and do not add up.\n", out);
    mp_fit_end(&fit);
    mp_table_print_left_out(table, out);
    return mp_table_printed(out, error);
}
