/* SPDX-License-Identifier: MIT */
/* What the program mapped itself, beside malloc's blocks: who asked for it, and how much of it was mapped at a time. */
#include "tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/fit.h"
#include "reporter/base/search.h"
#include "reporter/graph/context_calls.h"

enum { PEAK, SHARE, LEFT, CALLS, BYTES, DISCARDED, KIND, CHAIN, N_COLUMNS };

static const struct mp_table_column columns[N_COLUMNS] = {
    [PEAK] = {"peak_bytes", "peak", MP_UNIT_BYTES,
              "Bytes that the chain had mapped when the program had mapped most."},
    [SHARE] = {"peak_share", "(%)", MP_UNIT_PERCENT, "Their share of all that was mapped then."},
    [LEFT] = {"mapped_bytes", "mapped", MP_UNIT_BYTES, "Bytes that are mapped at the end."},
    [CALLS] = {"calls", "calls", MP_UNIT_COUNT, "Calls that mapped, enlarged or moved memory."},
    [BYTES] = {"bytes", "bytes", MP_UNIT_BYTES, "Bytes that these calls mapped together."},
    [DISCARDED] = {"discarded_bytes", "discarded", MP_UNIT_BYTES,
                   "Bytes that madvise(2) released, counted at each call; they remain mapped.", MP_LAYOUT_OPTIONAL},
    [KIND] = {"kind", "kind", MP_UNIT_TEXT,
              "private or shared anonymous memory, a file, the break (sbrk), or other if unknown."},
    [CHAIN] = {"chain", "path", MP_UNIT_CHAIN, "Callers, and the function that mapped."},
};

static const struct mp_table_said said[] = {
    {PEAK, "%s byte at the peak", "%s bytes at the peak"},
    {LEFT, "%s byte mapped", "%s bytes mapped"},
};

const struct mp_table_kind mp_table_mappings_kind = {
    .key = "mappings", .title = "MAPPED MEMORY", .one = "chain", .many = "chains",
    .explanation = "Chains of callers that mapped memory beside malloc, by mmap, mremap or sbrk.",
    .columns = columns, .n_columns = N_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said,
};

struct row {
    struct mp_mapping sum;
    const char *text;           /* visible part of the chain */
    const char *const *words;
    struct mp_calls calls;
};

/* Sets the visible part of the chain of ROW: its innermost functions, as many as OPTIONS has. */
static void
set_chain(struct row *row, const struct mp_mappings *mappings, const struct mp_print_options *options,
          struct mp_arena *arena)
{
    struct mp_calls calls = mp_context_calls(mappings->of, row->sum.context, arena);
    const char **words = mp_arena_alloc(arena, (2 * (size_t)calls.n + 3) * sizeof *words);
    size_t n = 0;

    if (options->chain > 0 && calls.n > options->chain) {
        calls.list += calls.n - options->chain;
        calls.n = options->chain;
        calls.whole = false;
    }
    words[n++] = calls.n == 0 ? "?" : calls.whole ? "||" : "...";
    for (uint32_t i = 0; i < calls.n; i++) {
        words[n++] = ">";
        words[n++] = options->lines ? mp_context_call(&calls, i, arena)
                                    : calls.profile->functions[calls.list[i].function].text;
    }
    row->words = words;
    row->text = mp_fit_join(words, SIZE_MAX, " ", ' ', arena);
    row->calls = calls;
}

static int
compare_chains(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    const int order = strcmp(left->text, right->text);

    return order ? order : (left->sum.kind > right->sum.kind) - (left->sum.kind < right->sum.kind);
}

/* Sorts by the bytes at the peak, then by all bytes, largest first, then by chain. */
static int
compare_rows(const void *a, const void *b)
{
    const struct row *left = a, *right = b;

    if (left->sum.peak != right->sum.peak)
        return mp_order(right->sum.peak, left->sum.peak);
    return left->sum.bytes != right->sum.bytes ? mp_order(right->sum.bytes, left->sum.bytes) : compare_chains(a, b);
}

static void
add_mapping(struct mp_mapping *to, const struct mp_mapping *from)
{
    to->calls = mp_plus(to->calls, from->calls);
    to->bytes = mp_plus(to->bytes, from->bytes);
    to->unmapped = mp_plus(to->unmapped, from->unmapped);
    to->discarded = mp_plus(to->discarded, from->discarded);
    to->peak = mp_plus(to->peak, from->peak);
}

/* Returns the sorted rows, and their number in *N. Chains that look the same have one row. */
static struct row *
make_rows(const struct mp_mappings *mappings, const struct mp_print_options *options, struct mp_arena *arena,
          uint32_t *n)
{
    struct row *rows = mp_arena_alloc(arena, (mappings->n + (size_t)1) * sizeof *rows);

    *n = 0;
    for (uint32_t i = 0; i < mappings->n; i++) {
        rows[i].sum = mappings->list[i];
        set_chain(&rows[i], mappings, options, arena);
    }
    if (mappings->n > 0)
        qsort(rows, mappings->n, sizeof *rows, compare_chains);
    for (uint32_t i = 0; i < mappings->n; i++) {
        if (*n > 0 && compare_chains(&rows[*n - 1], &rows[i]) == 0)
            add_mapping(&rows[*n - 1].sum, &rows[i].sum);
        else
            rows[(*n)++] = rows[i];
    }
    if (*n > 0)
        qsort(rows, *n, sizeof *rows, compare_rows);
    return rows;
}

static void
fill(struct mp_value values[static N_COLUMNS], const struct mp_mapping *sum, uint64_t peak)
{
    values[PEAK] = mp_value_number(sum->peak);
    values[SHARE] = mp_value_share(sum->peak, peak);
    values[LEFT] = mp_value_number(mp_mapping_left(sum));
    values[CALLS] = mp_value_number(sum->calls);
    values[BYTES] = mp_value_number(sum->bytes);
    if (sum->discarded > 0)
        values[DISCARDED] = mp_value_number(sum->discarded);
}

static void
add_row(struct mp_table *table, const struct row *row, uint64_t peak)
{
    struct mp_value *values = mp_table_add_item(table);
    struct mp_calls *calls = mp_arena_alloc(table->arena, sizeof *calls);

    *calls = row->calls;
    fill(values, &row->sum, peak);
    values[KIND] = mp_value_text(mp_mapped_kind_name(row->sum.kind));
    values[CHAIN] = mp_value_chain(row->sum.context, row->text, row->words, table->calls ? calls : NULL);
}

/* Returns why PROFILE has no mappings. */
static const char *
nothing(const struct mp_profile *profile)
{
    return profile->processes ? "Mapped memory is not added up for several processes."
           : profile->window  ? "Mapped memory is known for the whole recording only."
                              : "The program mapped no memory itself, or it was not recorded.";
}

struct mp_table *
mp_table_mappings(const struct mp_table_request *request)
{
    const struct mp_mappings *mappings = request->profile->mappings;
    const struct mp_print_options *options = request->options;
    struct mp_table *table = mp_table_begin(&mp_table_mappings_kind, options);
    struct mp_mapping all = {0}, rest = {0};
    uint32_t n, shown = 0;
    struct row *rows;

    if (!mappings) {
        table->nothing = nothing(request->profile);
        return table;
    }
    rows = make_rows(mappings, options, table->arena, &n);
    for (uint32_t i = 0; i < n; i++)
        add_mapping(&all, &rows[i].sum);
    while (shown < n && mp_print_room(options, shown) && mp_print_shows(options, rows[shown].sum.peak, all.peak))
        add_row(table, &rows[shown++], all.peak);
    for (uint32_t i = shown; i < n; i++)
        add_mapping(&rest, &rows[i].sum);
    fill(mp_table_leave_out(table, n - shown), &rest, all.peak);
    table->full = !mp_print_room(options, shown);
    if (mappings->missing > 0)
        table->note = mp_arena_printf(table->arena, "%" PRIu64 " call%s of mmap and the like could not be recorded.",
                                      mappings->missing, mappings->missing == 1 ? "" : "s");
    return table;
}
