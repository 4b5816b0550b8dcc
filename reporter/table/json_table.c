/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <inttypes.h>

#include "json_head.h"
#include "reporter/findings/findings.h"
#include "reporter/graph/node_chain.h"

static const char *const units[] = {
    [MP_UNIT_BYTES] = "bytes",       [MP_UNIT_BLOCKS] = "blocks", [MP_UNIT_COUNT] = "count",
    [MP_UNIT_PERCENT] = "share",     [MP_UNIT_MEAN] = "mean",     [MP_UNIT_PARTS] = "parts",
    [MP_UNIT_TEXT] = "text",         [MP_UNIT_NAMES] = "names",   [MP_UNIT_FUNCTION] = "function",
    [MP_UNIT_CHAIN] = "chain",       [MP_UNIT_FIGURES] = "figures", [MP_UNIT_TENTHS] = "tenths",
    [MP_UNIT_ADDRESS] = "address",
};

/* ---------------------------------------------------------------- functions and chains */

/* Writes the members that functions and frames have in common. */
static void
put_function(struct mp_buffer *out, const struct mp_profile *profile, uint32_t id, const char *file)
{
    const struct mp_function *function = &profile->functions[id];
    const char *module =
        function->module < profile->n_modules ? profile->modules[function->module].path : NULL;

    mp_json_key_text(out, "function", function->text);
    mp_json_key_text_or_null(out, "module", module);
    mp_json_key_text_or_null(out, "file", file && *file ? file : function->file);
}

static void
put_frame(struct mp_buffer *out, const struct mp_profile *profile, const struct mp_call *call)
{
    mp_json_open(out, '{');
    put_function(out, profile, call->function, call->file);
    mp_json_key(out, "line");
    if (call->line > 0)
        mp_json_number(out, call->line);
    else
        mp_json_null(out);
    if (call->offset != 0) {
        mp_json_key(out, "offset");
        mp_json_signed(out, call->offset);
    }
    mp_json_key_bool(out, "inlined", call->inlined);
    if (call->tail)
        mp_json_key_bool(out, "tail_call", true);
    mp_json_close(out, '}');
}

void
mp_json_frames(struct mp_buffer *out, const struct mp_calls *calls)
{
    mp_json_open(out, '[');
    for (uint32_t i = 0; calls && i < calls->n; i++)
        put_frame(out, calls->profile, &calls->list[i]);
    mp_json_close(out, ']');
}

static void
put_chain(struct mp_buffer *out, const struct mp_value *value)
{
    mp_json_open(out, '{');
    mp_json_key_text(out, "text", value->text);
    mp_json_key_bool(out, "whole", value->calls && value->calls->whole);
    mp_json_key(out, "frames");
    mp_json_frames(out, value->calls);
    mp_json_close(out, '}');
}

/* ---------------------------------------------------------------- values */

static void
put_number(struct mp_buffer *out, const struct mp_value *value)
{
    if (value->negative)
        mp_json_signed(out, (int64_t)(0 - value->number));
    else
        mp_json_number(out, value->number);
}

/* Writes a number and its divisor, or null if the divisor is 0. */
static void
put_quotient(struct mp_buffer *out, const struct mp_value *value, const char *part, const char *whole)
{
    if (value->whole == 0) {
        mp_json_null(out);
        return;
    }
    mp_json_open(out, '{');
    mp_json_key(out, part);
    put_number(out, value);
    mp_json_key_number(out, whole, value->whole);
    mp_json_close(out, '}');
}

static void
put_parts(struct mp_buffer *out, const struct mp_value *value,
          const struct mp_breakdown_style *style)
{
    mp_json_open(out, '{');
    mp_json_key_number(out, "whole", value->whole);
    mp_json_key(out, "parts");
    mp_json_open(out, '{');
    for (unsigned i = 0; i < style->n; i++)
        mp_json_key_number(out, style->keys[i], value->parts[i]);
    mp_json_close(out, '}');
    mp_json_close(out, '}');
}

static void
put_names(struct mp_buffer *out, const struct mp_value *value)
{
    mp_json_open(out, '[');
    for (uint64_t i = 0; i < value->number; i++)
        mp_json_text(out, value->names[i]);
    mp_json_close(out, ']');
}

static void
put_figures(struct mp_buffer *out, const struct mp_value *value)
{
    static const char *const of_findings[] = {
        [MP_IN_BYTES] = "bytes", [MP_IN_BLOCKS] = "blocks", [MP_IN_PERMILLE] = "permille",
        [MP_IN_NANOSECONDS] = "nanoseconds", [MP_IN_COUNT] = "count"};

    mp_json_open(out, '[');
    for (uint64_t i = 0; i < value->number; i++) {
        const struct mp_finding_figure *figure = &value->figures[i];

        mp_json_open(out, '{');
        mp_json_key_text(out, "key", figure->key);
        mp_json_key_text(out, "unit", of_findings[figure->unit]);
        mp_json_key_number(out, "value", figure->number);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

/* Writes VALUE, which is known, in UNIT. */
static void
put_value(struct mp_buffer *out, const struct mp_value *value, enum mp_unit unit,
          const struct mp_table *table, const struct mp_profile *view)
{
    char address[MP_NUMBER_SIZE];

    switch (unit) {
    case MP_UNIT_PERCENT:
        put_quotient(out, value, "part", "whole");
        break;
    case MP_UNIT_MEAN:
        put_quotient(out, value, "bytes", "blocks");
        break;
    case MP_UNIT_PARTS:
        put_parts(out, value, table->breakdown);
        break;
    case MP_UNIT_TEXT:
        mp_json_text(out, value->text);
        break;
    case MP_UNIT_NAMES:
        put_names(out, value);
        break;
    case MP_UNIT_FUNCTION:
        mp_json_open(out, '{');
        put_function(out, view, (uint32_t)value->number, NULL);
        mp_json_close(out, '}');
        break;
    case MP_UNIT_CHAIN:
        put_chain(out, value);
        break;
    case MP_UNIT_FIGURES:
        put_figures(out, value);
        break;
    case MP_UNIT_ADDRESS:
        snprintf(address, sizeof address, "0x%" PRIx64, value->number);
        mp_json_text(out, address);
        break;
    default:
        put_number(out, value);
    }
}

/* ---------------------------------------------------------------- rows */

/* Returns false for unknown values. What happened to blocks later is unknown in a table of one point in time, and
 * shares of kept bytes are unknown if those can be negative. */
static bool
is_known(const struct mp_table *table, size_t column, const struct mp_value *value)
{
    const unsigned how = table->kind->columns[column].layout;

    return value->known && !(table->moment && (how & MP_LAYOUT_AFTER)) &&
           !(table->growth && (how & MP_LAYOUT_KEPT_SHARE));
}

/* Writes VALUES as an object. */
static void
put_values(struct mp_buffer *out, const struct mp_table *table, const struct mp_value *values,
           const struct mp_profile *view)
{
    const struct mp_table_kind *kind = table->kind;

    mp_json_open(out, '{');
    for (size_t i = 0; i < kind->n_columns; i++) {
        if (!kind->columns[i].key)
            continue;
        mp_json_key(out, kind->columns[i].key);
        if (is_known(table, i, &values[i]))
            put_value(out, &values[i], kind->columns[i].unit, table, view);
        else
            mp_json_null(out);
    }
    mp_json_close(out, '}');
}

static void
put_estimates(struct mp_buffer *out, const struct mp_table *table, const struct mp_value *values)
{
    struct mp_json_estimates estimates = {.out = out};

    for (size_t i = 0; i < table->kind->n_columns; i++)
        if (is_known(table, i, &values[i]) && values[i].estimated)
            mp_json_estimate(&estimates, table->kind->columns[i].key, values[i].low,
                             values[i].high);
    mp_json_estimates_end(&estimates);
}

/* Writes the texts that replace unknown values in the human-readable table. */
static void
put_instead(struct mp_buffer *out, const struct mp_table *table, const struct mp_value *values)
{
    bool any = false;

    for (size_t i = 0; i < table->kind->n_columns; i++) {
        if (values[i].known || !values[i].text)
            continue;
        if (!any) {
            mp_json_key(out, "instead");
            mp_json_open(out, '{');
        }
        any = true;
        mp_json_key_text(out, table->kind->columns[i].key, values[i].text);
    }
    if (any)
        mp_json_close(out, '}');
}

static void
put_row(struct mp_buffer *out, const struct mp_table *table, const struct mp_table_row *row,
        const struct mp_profile *view)
{
    static const char *const are[] = {
        [MP_ROW_ITEM] = "item", [MP_ROW_TOTAL] = "total", [MP_ROW_REST] = "rest"};

    mp_json_open(out, '{');
    mp_json_key_text(out, "is", are[row->is]);
    if (row->is == MP_ROW_REST)
        mp_json_key_number(out, "n", row->n);
    if (row->under != MP_NO_ID)
        mp_json_key_number(out, "under", row->under);
    if (table->kind->sections)
        mp_json_key_text(out, "section", table->kind->sections[row->section].key);
    if (row->overlaps)
        mp_json_key_bool(out, "overlaps", true);
    mp_json_key(out, "values");
    put_values(out, table, row->values, view);
    put_estimates(out, table, row->values);
    put_instead(out, table, row->values);
    mp_json_close(out, '}');
}

/* ---------------------------------------------------------------- around the rows */

static void
put_columns(struct mp_buffer *out, const struct mp_table_kind *kind)
{
    mp_json_key(out, "columns");
    mp_json_open(out, '[');
    for (size_t i = 0; i < kind->n_columns; i++) {
        mp_json_line(out);
        mp_json_open(out, '{');
        mp_json_key_text(out, "key", kind->columns[i].key);
        mp_json_key_text(out, "unit", units[kind->columns[i].unit]);
        mp_json_key_text(out, "explanation", kind->columns[i].explanation);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

static void
put_sections(struct mp_buffer *out, const struct mp_table_kind *kind)
{
    if (!kind->sections)
        return;
    mp_json_key(out, "sections");
    mp_json_open(out, '[');
    for (size_t i = 0; i < kind->n_sections; i++)
        mp_json_text(out, kind->sections[i].key);
    mp_json_close(out, ']');
}

/* Writes the limit below which rows are left out. */
static void
put_limit(struct mp_buffer *out, const struct mp_table *table)
{
    mp_json_key(out, "limit");
    mp_json_open(out, '{');
    if (table->least > 0)
        mp_json_key_number(out, table->least_blocks ? "blocks" : "bytes", table->least);
    else
        mp_json_key_number(out, "permille", table->permille);
    mp_json_key_bool(out, "full", table->full);
    mp_json_close(out, '}');
}

static void
put_left_out(struct mp_buffer *out, const struct mp_table *table, const struct mp_profile *view)
{
    mp_json_key(out, "left_out");
    if (table->left_out.n > 0)
        put_row(out, table, &table->left_out, view);
    else
        mp_json_null(out);
}

static void
put_said(struct mp_buffer *out, const struct mp_table *table)
{
    mp_json_key_text(out, "title", table->kind->title);
    mp_json_key_text(out, "explanation", table->kind->explanation);
    mp_json_key_text(out, "row", table->kind->one);
    mp_json_key_text(out, "of", table->moment ? "moment" : table->growth ? "growth" : "all");
    mp_json_key_text_or_null(out, "note", table->note);
    mp_json_key_text_or_null(out, "nothing", table->nothing);
    if (table->collections != MP_NO_COLLECTIONS)
        mp_json_key_number(out, "collections", table->collections);
}

void
mp_json_table(struct mp_json_out *to, const struct mp_table *table, const struct mp_profile *view)
{
    struct mp_buffer *out = &to->buffer;

    mp_json_open(out, '{');
    put_said(out, table);
    put_columns(out, table->kind);
    put_sections(out, table->kind);
    mp_json_key(out, "rows");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < table->n_rows; i++) {
        mp_json_line(out);
        put_row(out, table, &table->rows[i], view);
        mp_json_piece(to);
    }
    mp_json_close(out, ']');
    put_limit(out, table);
    put_left_out(out, table, view);
    mp_json_close(out, '}');
}

void
mp_json_rows(struct mp_json_out *to, const struct mp_table *table)
{
    struct mp_buffer *out = &to->buffer;

    mp_json_key(out, "rows");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < table->n_rows; i++) {
        mp_json_line(out);
        put_values(out, table, table->rows[i].values, NULL);
        mp_json_piece(to);
    }
    mp_json_close(out, ']');
}
