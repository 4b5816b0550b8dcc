#include "table_graph.h"

struct mp_table_row *
mp_graph_add_row(struct mp_graph_rows *rows)
{
    struct mp_table_row *row = mp_table_add(rows->table);

    row->section = rows->section;
    row->under = rows->section == MP_GRAPH_SELF ? MP_NO_ID : rows->entry;
    return row;
}

void
mp_graph_fill(struct mp_value values[static MP_GRAPH_COLUMNS], const struct mp_sums *sums)
{
    const struct mp_counts counts = mp_sums_counts(sums);

    values[MP_GRAPH_BYTES] = mp_value_figure(&counts, MP_FIGURE_BYTES);
    values[MP_GRAPH_KINDS] = mp_value_parts(sums->bytes, mp_sums_bytes(sums));
}

struct mp_value
mp_graph_called(const struct mp_sums *sums)
{
    const struct mp_counts counts = mp_sums_counts(sums);

    return mp_value_figure(&counts, MP_FIGURE_ALLOCS);
}

static void
fill_part(struct mp_value values[static MP_GRAPH_COLUMNS], const struct mp_sums *sums,
          uint64_t whole)
{
    mp_graph_fill(values, sums);
    values[MP_GRAPH_PART] = mp_value_share(mp_sums_bytes(sums), whole);
    values[MP_GRAPH_FRACTIONS] = mp_value_parts(sums->bytes, whole);
}

static void
fill_entry(const struct mp_graph_rows *rows, struct mp_value values[static MP_GRAPH_COLUMNS],
           const struct mp_entry *entry)
{
    values[MP_GRAPH_INDEX] = mp_value_number((uint64_t)(entry - rows->reduced->entries));
    if (entry->function != MP_NO_ID)
        values[MP_GRAPH_FUNCTION] = mp_value_function(rows->reduced->profile, entry->function);
    if (entry->cycle)
        values[MP_GRAPH_CYCLE] = mp_value_number(entry->cycle);
}

struct mp_value *
mp_graph_add(struct mp_graph_rows *rows, const struct mp_sums *sums, uint64_t whole)
{
    struct mp_value *values = mp_graph_add_row(rows)->values;

    fill_part(values, sums, whole);
    values[MP_GRAPH_CALLED] = mp_graph_called(sums);
    return values;
}

struct mp_value *
mp_graph_add_entry(struct mp_graph_rows *rows, const struct mp_sums *sums, uint64_t whole,
                   const struct mp_entry *entry)
{
    struct mp_value *values = mp_graph_add(rows, sums, whole);

    fill_entry(rows, values, entry);
    return values;
}

void
mp_graph_add_rest(struct mp_graph_rows *rows, const struct mp_sums *sums, uint64_t whole,
                  uint32_t n)
{
    struct mp_table_row *row;
    struct mp_sums *kept;

    if (n == 0)
        return;
    row = mp_graph_add_row(rows);
    row->is = MP_ROW_REST;
    row->n = n;
    row->overlaps = !sums;
    if (!sums)
        return;
    kept = mp_arena_alloc(rows->table->arena, sizeof *kept);
    *kept = *sums;
    fill_part(row->values, kept, whole);
    if (sums->allocs > 0)
        row->values[MP_GRAPH_CALLED] = mp_graph_called(sums);
}

uint32_t
mp_graph_shown(const struct mp_graph_rows *rows, const struct mp_row *list, uint32_t n,
               uint64_t whole, uint32_t most)
{
    uint32_t shown = 0;

    while (shown < n && shown < most &&
           mp_print_shows(rows->options, mp_sums_bytes(list[shown].sums), whole))
        shown++;
    return shown + 1 == n && shown < most ? n : shown;
}

uint32_t
mp_graph_most(const struct mp_graph_rows *rows, uint32_t usual)
{
    if (rows->options->most > 0)
        return rows->options->most;
    return rows->options->verbosity == MP_VERBOSE ? UINT32_MAX : usual;
}
