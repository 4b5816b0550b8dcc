/* SPDX-License-Identifier: MIT */
#include "html_parts.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/format_number.h"
#include "reporter/base/json.h"
#include "reporter/base/text.h"
#include "reporter/table/tables.h"

struct mp_html_below_sums *
mp_html_below_add(struct mp_html_below *below, uint32_t node)
{
    uint32_t *slot = &below->slot[node];

    if (*slot == 0) {
        if (below->unused == 0) {
            below->list = mp_grow(below->list, below->n, &below->room, sizeof *below->list);
            below->list[below->n].next = 0;
            below->unused = ++below->n;
        }
        *slot = below->unused;
        below->unused = below->list[*slot - 1].next;
        memset(&below->list[*slot - 1], 0, sizeof *below->list);
    }
    return &below->list[*slot - 1];
}

struct mp_html_below_sums
mp_html_below_take(struct mp_html_below *below, uint32_t node)
{
    const uint32_t slot = below->slot[node];
    struct mp_html_below_sums sums = {.next = 0};

    if (slot == 0)
        return sums;
    sums = below->list[slot - 1];
    below->list[slot - 1].next = below->unused;
    below->unused = slot;
    below->slot[node] = 0;
    return sums;
}

void
mp_html_names_write(const char *key, const struct mp_map *names, struct mp_buffer *out)
{
    mp_json_key_open(out, key, '[');
    for (uint32_t i = 0; i < names->count; i++)
        mp_json_text(out, mp_map_key(names, i));
    mp_json_close(out, ']');
}

/* ---------------------------------------------------------------- kinds */

uint32_t
mp_html_kind(const struct mp_profile *profile, uint32_t kind)
{
    const struct mp_object_kind *known = mp_profile_kind(profile, kind);

    return known                    ? MP_KIND_C_COUNT + (uint32_t)(known - profile->kinds)
           : kind < MP_KIND_C_COUNT ? kind
                                    : (uint32_t)MP_KIND_EXTRA;
}

static void
write_kind(const char *name, char category, bool lisp, uint32_t base, struct mp_buffer *out)
{
    const char letter[] = {category, '\0'};

    mp_json_open(out, '{');
    mp_json_key_text(out, "name", name);
    mp_json_key_text(out, "category", letter);
    mp_json_key_bool(out, "lisp", lisp);
    mp_json_key_number(out, "base", base);
    mp_json_close(out, '}');
}

void
mp_html_kinds_write(const struct mp_profile *profile, struct mp_buffer *out)
{
    static const char *const sizes[] = {"blocks to 32 bytes", "blocks of 33 to 256 bytes",
                                        "blocks of 257 to 2048 bytes", "blocks over 2048 bytes"};

    mp_json_key_open(out, "kinds", '[');
    for (uint32_t i = 0; i < MP_KIND_C_COUNT; i++)
        write_kind(sizes[i], "smlx"[i], false, i, out);
    for (uint32_t i = 0; i < profile->n_kinds; i++) {
        const struct mp_object_kind *kind = &profile->kinds[i];

        write_kind(kind->name, kind->category, true, mp_html_kind(profile, kind->base), out);
    }
    mp_json_close(out, ']');
}

/* ---------------------------------------------------------------- head */

static void
write_figures(const struct mp_head_row *row, struct mp_buffer *out)
{
    char number[2][MP_NUMBER_SIZE], text[3 * MP_NUMBER_SIZE];

    if (row->has != MP_HEAD_BYTES)
        mp_json_number(out, row->blocks);
    if (row->has == MP_HEAD_BLOCKS)
        return;
    snprintf(text, sizeof text, "%s byte%s (%s)", mp_number_grouped(row->bytes, number[0]),
             mp_plural(row->bytes), mp_number_bytes(row->bytes, number[1]));
    mp_json_text(out, text);
}

void
mp_html_head_write(const struct mp_head *head, struct mp_buffer *out)
{
    mp_json_key_open(out, "head", '[');
    for (uint32_t i = 0; i < head->n_rows; i++) {
        const struct mp_head_row *row = &head->rows[i];

        mp_json_open(out, '[');
        mp_json_text(out, row->label);
        if (row->has == MP_HEAD_NAMES)
            for (uint32_t j = 0; j < row->n_names; j++)
                mp_json_text(out, row->names[j]);
        else if (row->has != MP_HEAD_TEXT)
            write_figures(row, out);
        if (row->text[0])
            mp_json_text(out, row->text);
        mp_json_close(out, ']');
    }
    mp_json_close(out, ']');
}

/* ---------------------------------------------------------------- part */

static void
write_window(const struct mp_window *window, struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();

    mp_json_key_open(out, "window", '{');
    mp_json_key_bool(out, "alive", window->alive);
    mp_json_key_text(out, "text", mp_window_text(window, arena));
    mp_json_key_bool(out, "exact", window->exact);
    mp_json_key_bool(out, "temporary", window->temporary);
    mp_json_close(out, '}');
    mp_arena_free(arena);
}

void
mp_html_part_write(const struct mp_said_part *part, struct mp_buffer *out)
{
    struct mp_text_stream words;
    char *text, *rest;

    mp_said_part_print(part, mp_text_open(&words));
    text = mp_text_close(&words);
    mp_json_key_open(out, "part", '[');
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        mp_json_text(out, line);
    mp_json_close(out, ']');
    free(text);
    if (part->view->window)
        write_window(part->view->window, out);
}

/* ---------------------------------------------------------------- tables */

static void
write_value(const struct mp_value *value, enum mp_unit unit, struct mp_buffer *out)
{
    if (value->text || !value->known) {
        mp_json_text(out, value->text ? value->text : "");
    } else if (unit == MP_UNIT_NAMES) {
        mp_json_open(out, '[');
        for (uint64_t i = 0; i < value->number; i++)
            mp_json_text(out, value->names[i]);
        mp_json_close(out, ']');
    } else {
        mp_json_signed(out, value->negative ? -(int64_t)value->number : (int64_t)value->number);
    }
}

/* Returns whether the page cannot compute COLUMN from other columns. */
static bool
is_written(const struct mp_table_column *column)
{
    return column->unit != MP_UNIT_PERCENT && column->unit != MP_UNIT_MEAN &&
           column->unit != MP_UNIT_PARTS;
}

void
mp_html_table_write(const char *key, const struct mp_table *table, struct mp_buffer *out)
{
    mp_json_key_open(out, key, '[');
    for (uint32_t i = 0; i < table->n_rows; i++) {
        const struct mp_table_row *row = &table->rows[i];

        if (row->is != MP_ROW_ITEM)
            continue;
        mp_json_open(out, '{');
        for (size_t c = 0; c < table->kind->n_columns; c++) {
            const struct mp_table_column *column = &table->kind->columns[c];

            if (!is_written(column))
                continue;
            mp_json_key(out, column->key);
            write_value(&row->values[c], column->unit, out);
        }
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

void
mp_html_tables_write(const struct mp_html_model *model, struct mp_buffer *out)
{
    const struct mp_print_options print = {.verbosity = MP_VERBOSE};
    const struct mp_table_request request = {
        .profile = model->tree->tree->profile, .options = &print, .lisp = model->lisp};
    struct mp_table *table;

    if (!model->lisp) {
        table = mp_table_bins(&request);
        mp_html_table_write("bins", table, out);
        mp_table_free(table);
    }
    table = mp_table_types(&request);
    mp_html_table_write("types", table, out);
    mp_table_free(table);
}
