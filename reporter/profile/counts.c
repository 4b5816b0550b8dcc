/* SPDX-License-Identifier: MIT */
#include "counts.h"

#define KIND(name, member, key, bytes, what) [MP_FIGURE_##name] = {key, bytes, what},
const struct mp_figure_kind mp_figures[MP_FIGURES] = {MP_EACH_FIGURE(KIND)};

int64_t
mp_basic_figure(const struct mp_basic_counts *counts, enum mp_figure figure)
{
#define VALUE(name, member, key, bytes, what)                                                     \
    case MP_FIGURE_##name:                                                                        \
        return (int64_t)counts->member;

    switch (figure) {
        MP_EACH_FIGURE(VALUE)
    default:
        return 0;
    }
}

static void
add(uint64_t *to, uint64_t more)
{
    *to = mp_plus(*to, more);
}

static void
raise(float *to, float other)
{
    if (other > *to)
        *to = other;
}

void
mp_spread_add(struct mp_spread *to, const struct mp_spread *from)
{
    to->frees += from->frees;
    to->freed += from->freed;
    to->kept += from->kept;
    to->kept_blocks += from->kept_blocks;
    to->new_blocks += from->new_blocks;
    to->new_bytes += from->new_bytes;
    to->temporary += from->temporary;
    to->peak_bytes += from->peak_bytes;
    to->peak_blocks += from->peak_blocks;
    raise(&to->most, from->most);
    raise(&to->most_bytes, from->most_bytes);
}

/* The next functions add groups of counters that are 0 in most cells. mp_counts_add_further() skips such a group as a
 * whole. */

static bool
has_resized(const struct mp_further_counts *counts)
{
    return (counts->reallocs | counts->moved | counts->steps | counts->steps_from | counts->steps_by) != 0;
}

static void
add_resized(struct mp_further_counts *to, const struct mp_further_counts *from)
{
    add(&to->reallocs, from->reallocs);
    add(&to->moved, from->moved);
    add(&to->steps, from->steps);
    add(&to->steps_from, from->steps_from);
    add(&to->steps_by, from->steps_by);
}

static bool
has_order(const struct mp_further_counts *counts)
{
    return (counts->compared | counts->larger | counts->replaced | counts->replaced_bytes) != 0;
}

static void
add_order(struct mp_further_counts *to, const struct mp_further_counts *from)
{
    add(&to->compared, from->compared);
    add(&to->larger, from->larger);
    add(&to->replaced, from->replaced);
    add(&to->replaced_bytes, from->replaced_bytes);
}

static bool
has_objects(const struct mp_further_counts *counts)
{
    uint64_t any = counts->requested | counts->aged | counts->aged_frees | counts->aged_freed;

    for (int i = 0; i < MP_AGES; i++)
        any |= counts->survived[i];
    return any != 0;
}

static void
add_objects(struct mp_further_counts *to, const struct mp_further_counts *from)
{
    add(&to->requested, from->requested);
    for (int i = 0; i < MP_AGES; i++)
        add(&to->survived[i], from->survived[i]);
    add(&to->aged, from->aged);
    add(&to->aged_frees, from->aged_frees);
    add(&to->aged_freed, from->aged_freed);
}

void
mp_counts_add_basic(struct mp_basic_counts *to, const struct mp_basic_counts *from)
{
    add(&to->allocs, from->allocs);
    add(&to->bytes, from->bytes);
    add(&to->frees, from->frees);
    add(&to->freed, from->freed);
    add(&to->temporary, from->temporary);
    to->peak_bytes = mp_plus_signed(to->peak_bytes, from->peak_bytes);
    to->peak_blocks = mp_plus_signed(to->peak_blocks, from->peak_blocks);
    to->kept = mp_plus_kept(to->kept, from->kept);
    to->kept_blocks = mp_plus_kept(to->kept_blocks, from->kept_blocks);
}

void
mp_counts_add_further(struct mp_further_counts *to, const struct mp_further_counts *from)
{
    add(&to->crossed, from->crossed);
    if (has_resized(from))
        add_resized(to, from);
    if (has_order(from))
        add_order(to, from);
    if (has_objects(from))
        add_objects(to, from);
    if (!mp_spread_is_exact(&from->spread))
        mp_spread_add(&to->spread, &from->spread);
}

static uint64_t
not_negative(int64_t number)
{
    return number > 0 ? (uint64_t)number : 0;
}

/* Returns counts of BLOCKS and BYTES, all kept, with the variances OF_BLOCKS and OF_BYTES. */
static struct mp_counts
all_kept(const struct mp_counts *counts, uint64_t blocks, float of_blocks, uint64_t bytes,
         float of_bytes)
{
    return (struct mp_counts){
        .allocs = blocks, .bytes = bytes, .kept = bytes, .kept_blocks = blocks,
        .spread = {.kept = of_bytes, .kept_blocks = of_blocks, .most = counts->spread.most,
                   .most_bytes = counts->spread.most_bytes}};
}

/* Does what all_kept() does for a figure that counts blocks, and sets the bytes to the same number. */
static struct mp_counts
blocks_kept(const struct mp_counts *counts, uint64_t blocks, float of_blocks)
{
    struct mp_counts all = all_kept(counts, blocks, of_blocks, blocks, of_blocks);

    all.spread.most_bytes = all.spread.most;
    return all;
}

static struct mp_counts
at_peak(const struct mp_counts *counts)
{
    const struct mp_spread *spread = &counts->spread;
    struct mp_counts all = all_kept(counts, not_negative(counts->peak_blocks), spread->peak_blocks,
                                    not_negative(counts->peak_bytes), spread->peak_bytes);

    all.peak_blocks = (int64_t)all.allocs;
    all.peak_bytes = (int64_t)all.bytes;
    all.spread.peak_blocks = spread->peak_blocks;
    all.spread.peak_bytes = spread->peak_bytes;
    return all;
}

struct mp_counts
mp_counts_only(const struct mp_counts *counts, enum mp_sort sort)
{
    const struct mp_spread *spread = &counts->spread;

    switch (sort) {
    case MP_SORT_OBJECTS:
        return blocks_kept(counts, counts->allocs, spread->frees + spread->kept_blocks + spread->new_blocks);
    case MP_SORT_KEPT:                  /* in a window: the growth */
        return all_kept(counts, not_negative((int64_t)counts->kept_blocks), spread->kept_blocks,
                        not_negative((int64_t)counts->kept), spread->kept);
    case MP_SORT_PEAK:
        return at_peak(counts);
    case MP_SORT_TEMPORARY:
        return blocks_kept(counts, counts->temporary, spread->temporary);
    default:
        return *counts;
    }
}
