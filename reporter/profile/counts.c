#include "counts.h"

#define KIND(name, member, key, bytes, what) [MP_FIGURE_##name] = {key, bytes, what},
const struct mp_figure_kind mp_figures[MP_FIGURES] = {MP_EACH_FIGURE(KIND)};

int64_t
mp_counts_figure(const struct mp_counts *counts, enum mp_figure figure)
{
#define VALUE(name, member, key, bytes, what) [MP_FIGURE_##name] = (int64_t)counts->member,
    const int64_t values[MP_FIGURES] = {MP_EACH_FIGURE(VALUE)};

    return values[figure];
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
    to->temporary += from->temporary;
    to->peak_bytes += from->peak_bytes;
    to->peak_blocks += from->peak_blocks;
    raise(&to->most, from->most);
    raise(&to->most_bytes, from->most_bytes);
}

void
mp_counts_add(struct mp_counts *to, const struct mp_counts *from)
{
    add(&to->allocs, from->allocs);
    add(&to->bytes, from->bytes);
    add(&to->frees, from->frees);
    add(&to->freed, from->freed);
    add(&to->temporary, from->temporary);
    add(&to->crossed, from->crossed);
    add(&to->reallocs, from->reallocs);
    add(&to->moved, from->moved);
    add(&to->steps, from->steps);
    add(&to->steps_from, from->steps_from);
    add(&to->steps_by, from->steps_by);
    to->peak_bytes = mp_plus_signed(to->peak_bytes, from->peak_bytes);
    to->peak_blocks = mp_plus_signed(to->peak_blocks, from->peak_blocks);
    to->kept = mp_plus_kept(to->kept, from->kept);
    to->kept_blocks = mp_plus_kept(to->kept_blocks, from->kept_blocks);
    add(&to->requested, from->requested);
    for (int i = 0; i < MP_AGES; i++)
        add(&to->survived[i], from->survived[i]);
    add(&to->aged, from->aged);
    add(&to->aged_frees, from->aged_frees);
    add(&to->aged_freed, from->aged_freed);
    mp_spread_add(&to->spread, &from->spread);
}

void
mp_counts_set_kept(struct mp_counts *counts, bool lisp)
{
    counts->kept = lisp ? counts->aged - counts->aged_freed : counts->bytes - counts->freed;
    counts->kept_blocks =
        lisp ? counts->survived[0] - counts->aged_frees : counts->allocs - counts->frees;
}
