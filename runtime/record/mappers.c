/* SPDX-License-Identifier: MIT */
#include "mappers.h"

#include <time.h>

#include "ranges.h"
#include "runtime/store/store.h"
#include "runtime/store/store_rows.h"
#include "runtime/system/gate.h"
#include "runtime/system/sys.h"

#define CHUNK 64u               /* number of ranges by which the list grows */

static uint64_t
now_mapped(const struct mp_live_mapper *mapper)
{
    return mapper->bytes - mapper->unmapped;
}

static bool
is_summed(const struct mp_live_mapper *mapper)
{
    return mapper->kind != MP_MAPPED_ALLOCATOR;
}

/* Saves the share of the last peak before MAPPER changes. */
static void
save(struct mp_live_mapper *mapper)
{
    const uint32_t peaks = mp_store.header->mappings.peaks;

    if (mapper->stamp == peaks)
        return;
    mapper->saved = now_mapped(mapper);
    mapper->stamp = peaks;
}

/* Notes a peak, which is known only when the sum is about to fall. */
static void
note_peak(struct mp_live_mappings *sums)
{
    if (sums->mapped <= sums->peak)
        return;
    sums->peak = sums->mapped;
    sums->peak_monotonic = mp_sys_clock(CLOCK_MONOTONIC);
    sums->peaks++;
}

/* Returns the list of ranges. It is empty if the file has none. */
static struct mp_ranges
list_of_ranges(void)
{
    const struct mp_id_row *row = &mp_rows[MP_EXT_RANGES];

    return (struct mp_ranges){ &mp_store.ranges[row->first], mp_store.header->mappings.n_ranges,
                               row->next - row->first };
}

static struct mp_ranges
begin_change(void)
{
    __atomic_add_fetch(&mp_store.header->mappings.changes, 1, __ATOMIC_SEQ_CST);
    return list_of_ranges();
}

static void
end_change(const struct mp_ranges *ranges)
{
    mp_store.header->mappings.n_ranges = ranges->n;
    __atomic_add_fetch(&mp_store.header->mappings.changes, 1, __ATOMIC_SEQ_CST);
}

static void
count_missing(void)
{
    mp_store.header->mappings.missing++;
}

static void
count_gone(void *data, const struct mp_live_range *piece)
{
    struct mp_mapping_pieces *pieces = data;
    struct mp_live_mapper *mapper = &mp_store.mappers[piece->mapper];
    struct mp_live_mappings *sums = &mp_store.header->mappings;
    const uint64_t size = piece->end - piece->start;

    if (pieces->n < MP_MAX_PIECES)
        pieces->list[pieces->n] = *piece;
    pieces->n++;
    if (is_summed(mapper))
        note_peak(sums);
    save(mapper);
    mapper->unmapped += size;
    if (is_summed(mapper))
        sums->mapped -= size;
}

static void
cut(struct mp_ranges *ranges, uint64_t start, uint64_t end, struct mp_mapping_pieces *pieces)
{
    if (!mp_ranges_cut(ranges, start, end, count_gone, pieces))
        count_missing();
}

/* Returns the record for CONTEXT and KIND, or 0 if there is no space. */
static uint32_t
find_mapper(struct mp_recorder *recorder, uint32_t context, enum mp_mapped_kind kind)
{
    const uint64_t key = (uint64_t)context << 32 | kind;
    uint32_t id = mp_id_map_find(&recorder->mappers, key);

    if (id || !mp_id_map_make_room(&recorder->mappers) || !(id = mp_store_take_if_room(MP_EXT_MAPPERS, 1)))
        return id;
    mp_store.mappers[id].context = context;
    mp_store.mappers[id].stamp = mp_store.header->mappings.peaks;
    __atomic_store_n(&mp_store.mappers[id].kind, (uint16_t)kind, __ATOMIC_RELEASE);
    mp_id_map_put(&recorder->mappers, key, id);
    return id;
}

/* Adds the range from START to END to RANGES and to the sums. */
static bool
put(struct mp_ranges *ranges, uint64_t start, uint64_t end, uint32_t id)
{
    if (!mp_ranges_add(ranges, start, end, id))
        return false;
    save(&mp_store.mappers[id]);
    if (is_summed(&mp_store.mappers[id]))
        mp_store.header->mappings.mapped += end - start;
    return true;
}

void
mp_mappings_add(struct mp_recorder *recorder, uint32_t context, enum mp_mapped_kind kind, uint64_t start, uint64_t end)
{
    MP_LOCK_HELD();
    const uint32_t id = find_mapper(recorder, context, kind);
    struct mp_ranges ranges = list_of_ranges();
    struct mp_mapping_pieces pieces = { .n = 0 };

    if (ranges.n + 2 > ranges.most)     /* one more range, and one more by splitting another */
        mp_store_take_if_room(MP_EXT_RANGES, CHUNK);
    ranges = begin_change();
    cut(&ranges, start, end, &pieces);
    if (id && put(&ranges, start, end, id)) {
        mp_store.mappers[id].calls++;
        mp_store.mappers[id].bytes += end - start;
    } else {
        count_missing();
    }
    end_change(&ranges);
}

void
mp_mappings_cut(uint64_t start, uint64_t end, struct mp_mapping_pieces *pieces)
{
    MP_LOCK_HELD();
    struct mp_ranges ranges = list_of_ranges();
    const uint32_t at = mp_ranges_find(&ranges, start);

    if (at == ranges.n || ranges.list[at].start >= end)
        return;
    if (ranges.n == ranges.most)
        mp_store_take_if_room(MP_EXT_RANGES, CHUNK);
    ranges = begin_change();
    cut(&ranges, start, end, pieces);
    end_change(&ranges);
}

void
mp_mappings_restore(const struct mp_mapping_pieces *pieces)
{
    MP_LOCK_HELD();
    struct mp_ranges ranges = begin_change();

    for (uint32_t i = 0; i < pieces->n; i++) {
        const struct mp_live_range *piece = &pieces->list[i];

        if (i < MP_MAX_PIECES && put(&ranges, piece->start, piece->end, piece->mapper))
            mp_store.mappers[piece->mapper].unmapped -= piece->end - piece->start;
        else
            count_missing();
    }
    end_change(&ranges);
}

void
mp_mappings_discard(uint64_t start, uint64_t end)
{
    MP_LOCK_HELD();
    const struct mp_ranges ranges = list_of_ranges();

    for (uint32_t i = mp_ranges_find(&ranges, start); i < ranges.n && ranges.list[i].start < end; i++) {
        const struct mp_live_range *range = &ranges.list[i];

        mp_store.mappers[range->mapper].discarded += (range->end < end ? range->end : end) -
                                                     (range->start > start ? range->start : start);
    }
}

enum mp_mapped_kind
mp_mappings_kind(uint64_t address)
{
    MP_LOCK_HELD();
    const struct mp_ranges ranges = list_of_ranges();
    const uint32_t at = mp_ranges_find(&ranges, address);

    return at < ranges.n && ranges.list[at].start <= address ? mp_store.mappers[ranges.list[at].mapper].kind : 0;
}
