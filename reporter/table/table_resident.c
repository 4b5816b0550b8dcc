/* SPDX-License-Identifier: MIT */
/* What the resident memory of the process consisted of when the observer of mprof run found most of it, and soon after
 * checkpoints. */
#include "tables.h"

#include "reporter/base/format_number.h"
#include <string.h>

enum { BYTES, SHARE, PART, OWNER, CHECKPOINT, LATE, N_COLUMNS };

static const struct mp_table_column columns[N_COLUMNS] = {
    [BYTES] = {"resident_bytes", "resident", MP_UNIT_BYTES, "Bytes of the process that were in memory."},
    [SHARE] = {"resident_share", "(%)", MP_UNIT_PERCENT, "Their share of all of them."},
    [PART] = {"part", "part", MP_UNIT_TEXT,
              "blocks of malloc, free in allocator, mapped by the program, files, stacks, mprof, or other."},
    [OWNER] = {"owner", "owner", MP_UNIT_TEXT, "The library or program that mapped the memory, or the file.",
               MP_LAYOUT_OPTIONAL},
    [CHECKPOINT] = {"checkpoint", "checkpoint", MP_UNIT_TEXT,
                    "The checkpoint after which it was seen; none in the rows of the most that was seen.",
                    MP_LAYOUT_OPTIONAL},
    [LATE] = {"checkpoint_ms", "ms after", MP_UNIT_COUNT,
              "Of the total at a checkpoint: how many milliseconds after it that was seen.", MP_LAYOUT_OPTIONAL},
};

static const struct mp_table_said said[] = {
    {BYTES, "%s byte", "%s bytes"},
};

const struct mp_table_kind mp_table_resident_kind = {
    .key = "resident", .title = "RESIDENT MEMORY", .one = "part", .many = "parts",
    .explanation = "What the memory consisted of when most of it was seen; the parts add up to it.",
    .columns = columns, .n_columns = N_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said,
};

static void
fill(struct mp_value values[static N_COLUMNS], uint64_t bytes, uint64_t whole)
{
    values[BYTES] = mp_value_number(bytes);
    values[SHARE] = mp_value_share(bytes, whole);
}

/* Returns the owner of ITEM, or NULL if it has none. */
static const char *
owner_of(const struct mp_profile *profile, const struct mp_resident_item *item)
{
    if (item->part == MP_PART_MAPPED)
        return item->mapping > 0 ? mp_mapping_owner(profile, item->mapping - 1) : "?";
    if (item->part == MP_PART_FILES)
        return item->name ? item->name : "smaller files";
    return NULL;
}

/* Returns whether both items belong in one row. */
static bool
is_same(const struct mp_profile *profile, const struct mp_resident_item *a, const struct mp_resident_item *b)
{
    const char *left = owner_of(profile, a), *right = owner_of(profile, b);

    return a->part == b->part && (left && right ? strcmp(left, right) == 0 : left == right);
}

/* Adds up the items of ACCOUNT that belong with item FIRST, and marks them as DONE. */
static uint64_t
sum_up(const struct mp_profile *profile, const struct mp_resident *account, uint32_t first, bool *done)
{
    uint64_t sum = 0;

    for (uint32_t i = first; i < account->n; i++)
        if (!done[i] && is_same(profile, &account->items[first], &account->items[i])) {
            sum += account->items[i].bytes;
            done[i] = true;
        }
    return sum;
}

/* Adds the rows of ACCOUNT. Small parts are left out of the table. At a checkpoint they have one row together. */
static void
add_account(struct mp_table *table, const struct mp_table_request *request, const struct mp_resident *account)
{
    const struct mp_profile *profile = request->profile;
    bool *done = mp_arena_alloc(table->arena, account->n * sizeof *done);
    struct mp_value *values = mp_table_add_total(table);
    const struct mp_value checkpoint =
        account->checkpoint ? mp_value_text(account->checkpoint) : (struct mp_value){.known = false};
    const uint64_t late = account->time > account->checkpoint_time ? account->time - account->checkpoint_time : 0;
    uint64_t rest = 0, left_out = 0;

    fill(values, account->resident, account->resident);
    values[PART] = mp_value_none("<TOTAL>");
    values[CHECKPOINT] = checkpoint;
    if (account->checkpoint)
        values[LATE] = mp_value_number(late / 1000000);
    for (uint32_t i = 0; i < account->n; i++) {
        const char *owner = owner_of(profile, &account->items[i]);
        const uint64_t bytes = done[i] ? 0 : sum_up(profile, account, i, done);

        if (bytes == 0)
            continue;
        if (!mp_print_shows(request->options, bytes, account->resident)) {
            rest += bytes;
            left_out++;
            continue;
        }
        values = mp_table_add_item(table);
        fill(values, bytes, account->resident);
        values[PART] = mp_value_text(mp_resident_part_name(account, account->items[i].part));
        if (owner)
            values[OWNER] = mp_value_text(owner);
        values[CHECKPOINT] = checkpoint;
    }
    if (account->checkpoint && left_out > 0) {
        values = mp_table_add_item(table);
        values[PART] = mp_value_text("smaller parts");
        values[CHECKPOINT] = checkpoint;
        fill(values, rest, account->resident);
    } else if (!account->checkpoint) {
        fill(mp_table_leave_out(table, left_out), rest, account->resident);
    }
}

/* Returns "Seen 0.5 s after the recording began. Of 2 checkpoints, 1 is missing: the observer saw the memory too late."
 */
static const char *
note_of(const struct mp_resident *account, struct mp_arena *arena)
{
    char when[MP_NUMBER_SIZE], missing[MP_NUMBER_SIZE], all[MP_NUMBER_SIZE];
    uint64_t checkpoints = account->missing;
    const char *text = mp_arena_printf(arena, "Seen %s after the recording began.",
                                       mp_number_duration(account->time, when));

    for (const struct mp_resident *each = account->next; each; each = each->next)
        checkpoints++;
    if (account->missing == 0)
        return text;
    return mp_arena_printf(arena, "%s Of %s checkpoint%s, %s %s missing: the observer saw the memory too late.", text,
                           mp_number_grouped(checkpoints, all), mp_plural(checkpoints),
                           mp_number_grouped(account->missing, missing), account->missing == 1 ? "is" : "are");
}

struct mp_table *
mp_table_resident(const struct mp_table_request *request)
{
    const struct mp_profile *profile = request->profile;
    struct mp_table *table = mp_table_begin(&mp_table_resident_kind, request->options);

    if (!profile->account) {
        table->nothing = profile->processes ? "Resident memory is not added up for several processes."
                         : profile->window  ? "Resident memory is known for the whole recording only."
                                            : "Nobody has observed the resident memory, as mprof run does, or the "
                                              "program was too short.";
        return table;
    }
    for (const struct mp_resident *each = profile->account; each; each = each->next)
        add_account(table, request, each);
    table->note = note_of(profile->account, table->arena);
    return table;
}
