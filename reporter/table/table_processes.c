/* SPDX-License-Identifier: MIT */
/* The processes of a merged profile, one row each. */
#include <inttypes.h>
#include <stdlib.h>

#include "estimates.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/profile/ending.h"
#include "tables.h"

enum {
    ALLOCS, BYTES, PERCENT, TEMPORARY, KEPT, KEPT_PERCENT, PEAK, PROCESS, HOST, ENDED, DATA_FILE, N_COLUMNS
};

static const struct mp_table_column columns[N_COLUMNS] = {
    [ALLOCS] = {"allocs", "allocs", MP_UNIT_BLOCKS, "Blocks and objects that the process allocated.", MP_OF(ALLOCS)},
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES, "Bytes of these.", MP_OF(BYTES)},
    [PERCENT] = {"bytes_share", "(%)", MP_UNIT_PERCENT, "Their share of those of all processes.", MP_OF(BYTES)},
    [TEMPORARY] = {"temporary", "temporary", MP_UNIT_BLOCKS,
                   "Blocks that their own thread freed before its next allocation.", MP_OF(TEMPORARY)},
    [KEPT] = MP_COLUMN_KEPT_BYTES(MP_LAYOUT_USUAL),
    [KEPT_PERCENT] = {"kept_share", "(%)", MP_UNIT_PERCENT, "Their share of those of all processes.", MP_OF(KEPT)},
    [PEAK] = {"peak", "peak", MP_UNIT_BYTES,
              "The most bytes that were alive in the process at once; each process had its peak at its own "
              "time, so these have no sum.", MP_OF(PEAK_BYTES)},
    [PROCESS] = {"process", "process", MP_UNIT_TEXT, "The program and the number of the process."},
    [HOST] = {"host", "host", MP_UNIT_TEXT, "The machine that it ran on.", MP_LAYOUT_OPTIONAL},
    [ENDED] = {"ended", "ended", MP_UNIT_TEXT, "How it ended."},
    [DATA_FILE] = {"file", "data file", MP_UNIT_TEXT, "The file that it was merged from."},
};

static const struct mp_table_said said[] = {
    {ALLOCS, "%s allocation", "%s allocations"},
    {BYTES, "%s byte", "%s bytes"},
    {KEPT, "%s byte kept", "%s bytes kept"},
};

const struct mp_table_kind mp_table_processes_kind = {
    .key = "processes", .title = "PROCESSES", .one = "process", .many = "processes",
    .explanation = "The processes that the file was merged of, each with all that it allocated.",
    .columns = columns, .n_columns = N_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said,
};

static struct mp_counts
counts_of(const struct mp_member *member)
{
    const struct mp_process_sums *sums = &member->sums;

    return (struct mp_counts){
        .allocs = sums->allocs, .bytes = sums->bytes, .frees = sums->frees, .freed = sums->freed,
        .kept = sums->kept, .kept_blocks = sums->kept_blocks, .temporary = sums->temporary,
        .peak_bytes = member->meta.peak_bytes, .peak_blocks = member->meta.peak_blocks};
}

struct row {
    const struct mp_member *member;
    struct mp_counts counts;
    uint64_t key;
};

/* Sorts by key, largest first. */
static int
compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->key != y->key)
        return mp_order(y->key, x->key);
    return (x->member > y->member) - (x->member < y->member);
}

static void
fill(const struct mp_table *table, struct mp_value values[static N_COLUMNS], const struct mp_counts *counts,
     const struct mp_counts *all)
{
    mp_table_fill(table, values, counts, all);
    values[PEAK] = (struct mp_value){0};
}

static void
add_total(struct mp_table *table, const struct mp_counts *all)
{
    struct mp_value *values = mp_table_add_total(table);

    fill(table, values, all, all);
    values[PROCESS] = mp_value_none("<TOTAL>");
}

static void
add_row(struct mp_table *table, const struct row *row, const struct mp_counts *all, bool hosts)
{
    const struct mp_meta *meta = &row->member->meta;
    struct mp_value *values = mp_table_add_item(table);
    char ended[MP_ENDING_SIZE];

    fill(table, values, &row->counts, all);
    if (!meta->damaged)
        values[PEAK] = mp_value_number(mp_not_negative(meta->peak_bytes));
    values[PROCESS] = mp_value_text(mp_arena_printf(table->arena, "%s[%" PRIu32 "]",
                                                    mp_text_basename(meta->program), meta->pid));
    if (hosts)
        values[HOST] = mp_value_text(meta->host[0] ? meta->host : "?");
    values[ENDED] = mp_value_text(mp_arena_strdup(table->arena, mp_ending_text(meta, ended)));
    values[DATA_FILE] = mp_value_text(row->member->file);
}

/* Returns the sorted rows. Adds the counts of all rows to *ALL. */
static struct row *
make_rows(const struct mp_processes *processes, const struct mp_print_options *options,
          struct mp_counts *all, struct mp_arena *arena)
{
    struct row *rows = mp_arena_alloc(arena, processes->n * sizeof *rows);

    for (uint32_t i = 0; i < processes->n; i++) {
        rows[i] = (struct row){.member = &processes->list[i], .counts = counts_of(&processes->list[i])};
        rows[i].key = mp_print_key(options, &rows[i].counts);
        mp_counts_add(all, &rows[i].counts);
    }
    qsort(rows, processes->n, sizeof *rows, compare_rows);
    return rows;
}

static const char *
note_of(const struct mp_profile *profile)
{
    return profile->meta.sample_period > 0
               ? "Estimated from samples, but for allocations and bytes." : NULL;
}

struct mp_table *
mp_table_processes(const struct mp_table_request *request)
{
    const struct mp_processes *processes = request->profile->processes;
    const struct mp_print_options *options = request->options;
    struct mp_table *table = mp_table_begin(&mp_table_processes_kind, options);
    struct mp_counts all = {0}, rest = {0};
    struct row *rows;
    uint32_t shown = 0;

    if (!processes) {
        table->nothing = "The file was not merged: it is of one process.";
        return table;
    }
    rows = make_rows(processes, options, &all, table->arena);
    add_total(table, &all);
    while (shown < processes->n && mp_print_room(options, shown) &&
           mp_print_shows(options, rows[shown].key, mp_print_key(options, &all)))
        add_row(table, &rows[shown++], &all, mp_processes_hosts(processes) > 1);
    for (uint32_t i = shown; i < processes->n; i++)
        mp_counts_add(&rest, &rows[i].counts);
    fill(table, mp_table_leave_out(table, processes->n - shown), &rest, &all);
    table->full = !mp_print_room(options, shown);
    table->note = note_of(request->profile);
    return table;
}
