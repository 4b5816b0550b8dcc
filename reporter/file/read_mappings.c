/* SPDX-License-Identifier: MIT */
/* read_mappings.c -- reads from a live file what the program mapped, and from the observer what its resident memory
 * consisted of. Codes both sections of a sealed file. */
#include <stdlib.h>
#include <string.h>

#include "live_parts.h"
#include "reporter/base/text.h"
#include "sealed_parts.h"

static struct mp_mappings *
new_mappings(struct mp_profile *profile)
{
    struct mp_mappings *mappings = mp_arena_alloc(profile->arena, sizeof *mappings);

    mappings->of = profile;
    return mappings;
}

static int
compare(const void *a, const void *b)
{
    const struct mp_mapping *left = a, *right = b;

    return left->context != right->context ? (left->context > right->context) - (left->context < right->context)
                                           : (left->kind > right->kind) - (left->kind < right->kind);
}

/* Adds up neighbours with the same context and kind. Different threads may have contexts with the same chain. */
static void
join(struct mp_mappings *mappings)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < mappings->n; i++) {
        const struct mp_mapping *from = &mappings->list[i];
        struct mp_mapping *to = n > 0 ? &mappings->list[n - 1] : NULL;

        if (!to || compare(to, from) != 0) {
            mappings->list[n++] = *from;
            continue;
        }
        to->calls = mp_plus(to->calls, from->calls);
        to->bytes = mp_plus(to->bytes, from->bytes);
        to->unmapped = mp_plus(to->unmapped, from->unmapped);
        to->discarded = mp_plus(to->discarded, from->discarded);
        to->peak = mp_plus(to->peak, from->peak);
    }
    mappings->n = n;
}

/* Returns the context of a record of mapped memory, or 0 if it is unknown. */
static uint32_t
context_of(const struct mp_live_reading *reading, const struct mp_live_mapper *from)
{
    const size_t record = from->context ? mp_image_find(&reading->image, MP_EXT_CONTEXTS, from->context)
                                        : MP_NO_RECORD;
    const uint32_t context = record == MP_NO_RECORD ? MP_NO_ID : reading->context_of[record];

    return context == MP_NO_ID ? 0 : context;
}

/* Returns 1 plus the index of the mapping that includes the figures of the live file's record ID, or 0 if it is
 * unknown. */
static uint32_t
mapping_of(const struct mp_live_reading *reading, uint32_t id)
{
    const struct mp_mappings *mappings = reading->profile->mappings;
    const size_t record = mp_image_find(&reading->image, MP_EXT_MAPPERS, id);
    const struct mp_live_mapper *from = (const void *)reading->image.tables[MP_EXT_MAPPERS].records;
    const struct mp_mapping *found;
    struct mp_mapping key;

    if (!mappings || mappings->n == 0 || record == MP_NO_RECORD)
        return 0;
    key = (struct mp_mapping){.context = context_of(reading, &from[record]), .kind = from[record].kind};
    found = bsearch(&key, mappings->list, mappings->n, sizeof key, compare);
    return found ? (uint32_t)(found - mappings->list) + 1 : 0;
}

/* Returns a copy of the observer's account FROM, in which mappings are those of the profile. */
static struct mp_resident *
copy_account(const struct mp_live_reading *reading, const struct mp_resident *from)
{
    struct mp_profile *profile = reading->profile;
    struct mp_resident *to = mp_arena_alloc(profile->arena, sizeof *to);

    *to = *from;
    to->next = NULL;
    to->items = mp_arena_alloc(profile->arena, from->n * sizeof *to->items);
    for (uint32_t i = 0; i < from->n; i++) {
        to->items[i] = from->items[i];
        to->items[i].mapping = from->items[i].part == MP_PART_MAPPED ? mapping_of(reading, from->items[i].mapping) : 0;
        if (from->items[i].name)
            to->items[i].name = mp_text_clean(profile->arena, from->items[i].name, strlen(from->items[i].name));
    }
    return to;
}

void
mp_live_resident(struct mp_live_reading *reading)
{
    const struct mp_observed *observed = reading->request->observed;
    const struct mp_timeline *line = reading->profile->timeline;
    const struct mp_resident *from;
    struct mp_resident *first, **last;
    uint32_t number = 0;

    if (!observed || observed->account.resident == 0)
        return;
    first = reading->profile->account = copy_account(reading, &observed->account);
    last = &first->next;
    from = observed->checkpoints.next;
    for (uint32_t i = 0; line && i < line->n_moments; i++) {
        const struct mp_moment *moment = &line->moments[i];

        if (moment->kind != MP_MOMENT_CHECKPOINT)
            continue;
        number++;
        if (!from || from->number != number) {
            first->missing++;
            continue;
        }
        *last = copy_account(reading, from);
        (*last)->checkpoint = moment->name;
        (*last)->checkpoint_time = moment->time;
        last = &(*last)->next;
        from = from->next;
    }
}

/* A mapping whose context is unknown gets context 0. In a running process a context may have been created after
 * contexts were copied. */
bool
mp_live_mappings(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_live_mappings *sums = &reading->image.header.mappings;
    const struct mp_image_table *table = &reading->image.tables[MP_EXT_MAPPERS];
    const struct mp_live_mapper *records = (const void *)table->records;
    const bool peak_now = sums->mapped > sums->peak;
    struct mp_mappings *to;

    if (table->count == 0 && sums->missing == 0)
        return true;
    to = new_mappings(reading->profile);
    to->list = mp_arena_alloc(reading->profile->arena, (table->count + 1) * sizeof *to->list);
    for (size_t i = 0; i < table->count; i++) {
        const struct mp_live_mapper *from = &records[i];
        const uint64_t left = from->bytes - from->unmapped;

        if (from->kind == 0 || from->kind == MP_MAPPED_ALLOCATOR)
            continue;
        if (from->kind >= MP_MAPPED_KINDS || from->unmapped > from->bytes)
            return mp_live_damaged(reading, MP_EXT_MAPPERS, i, 0, "mapped memory that cannot be", error);
        to->list[to->n++] = (struct mp_mapping){
            .context = context_of(reading, from), .kind = from->kind, .calls = from->calls,
            .bytes = from->bytes, .unmapped = from->unmapped, .discarded = from->discarded,
            .peak = !peak_now && from->stamp == sums->peaks && sums->peaks > 0 ? from->saved : left};
    }
    if (to->n > 0)
        qsort(to->list, to->n, sizeof *to->list, compare);
    join(to);
    to->peak = peak_now ? sums->mapped : sums->peak;
    to->missing = sums->missing;
    if (to->n > 0 || to->missing > 0)
        reading->profile->mappings = to;
    return true;
}

void
mp_code_mappings(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_mappings *mappings = codec->from ? new_mappings(profile) : profile->mappings;

    if (!mappings || mappings->of != profile)
        return;
    mp_code_u64(codec, &mappings->peak);
    mp_code_u64(codec, &mappings->missing);
    mp_code_count(codec, &mappings->n, 7);
    mappings->list = mp_code_array(codec, mappings->list, mappings->n, sizeof *mappings->list);
    for (uint32_t i = 0; i < mappings->n && !mp_code_failed(codec); i++) {
        struct mp_mapping *mapping = &mappings->list[i];

        mp_code_below(codec, &mapping->context, profile->n_contexts);
        mp_code_below(codec, &mapping->kind, MP_MAPPED_KINDS);
        mp_code_u64(codec, &mapping->calls);
        mp_code_u64(codec, &mapping->bytes);
        mp_code_u64(codec, &mapping->unmapped);
        mp_code_u64(codec, &mapping->discarded);
        mp_code_u64(codec, &mapping->peak);
        mp_code_check(codec, mapping->unmapped <= mapping->bytes, "mapped memory that cannot be");
    }
    if (codec->from)
        profile->mappings = mappings;
}

static void
code_account(struct mp_codec *codec, struct mp_resident *account)
{
    const uint32_t limit = codec->profile->mappings ? codec->profile->mappings->n + 1 : 1;
    uint32_t last = MP_NO_ID;
    uint64_t sum = 0;

    mp_code_u64(codec, &account->time);
    mp_code_u64(codec, &account->resident);
    mp_code_u64(codec, &account->surely_free);
    mp_code_bool(codec, &account->blocks_known);
    mp_code_count(codec, &account->n, 4);
    account->items = mp_code_array(codec, account->items, account->n, sizeof *account->items);
    for (uint32_t i = 0; i < account->n && !mp_code_failed(codec); i++) {
        struct mp_resident_item *item = &account->items[i];

        mp_code_below(codec, &item->part, MP_PARTS);
        mp_code_below(codec, &item->mapping, limit);
        mp_code_string_or_none(codec, &item->name, &last);
        mp_code_u64(codec, &item->bytes);
        mp_code_check(codec, !__builtin_add_overflow(sum, item->bytes, &sum), "more resident memory than there can be");
    }
    mp_code_check(codec, sum == account->resident && account->surely_free <= sum, "parts of memory that do not add up");
}

/* Codes the accounts of checkpoints, if there are any. */
static void
code_checkpoints(struct mp_codec *codec, struct mp_resident *first)
{
    struct mp_resident **at = &first->next;
    uint32_t n = 0, name = MP_NO_ID;

    for (const struct mp_resident *each = first->next; each; each = each->next)
        n++;
    if (codec->from ? codec->from->at == codec->from->end : n == 0 && first->missing == 0)
        return;
    mp_code_u32(codec, &first->missing);
    mp_code_count(codec, &n, 7);
    for (uint32_t i = 0; i < n && !mp_code_failed(codec); i++, at = &(*at)->next) {
        if (codec->from)
            *at = mp_arena_alloc(codec->profile->arena, sizeof **at);
        mp_code_string(codec, &(*at)->checkpoint, &name);
        mp_code_u64(codec, &(*at)->checkpoint_time);
        code_account(codec, *at);
    }
}

void
mp_code_resident(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_resident *account = codec->from ? mp_arena_alloc(profile->arena, sizeof *account) : profile->account;

    if (!account)
        return;
    code_account(codec, account);
    code_checkpoints(codec, account);
    if (codec->from)
        profile->account = account;
}
