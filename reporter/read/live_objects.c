/*
 * live_objects.c -- sums the counters of Lisp objects in a live file.
 *
 * A cell of the profile is the sum of up to four records: the objects, their payload, and the ages of both. See
 * struct mp_live_cell and struct mp_live_ages in runtime/format.h.
 */
#include "live_parts.h"

/* Adds VALUE to *SUM. Returns false if the sum leaves the range of int64_t. */
static bool
add(uint64_t *sum, uint64_t value)
{
    return value <= INT64_MAX && !__builtin_add_overflow(*sum, value, sum) && *sum <= INT64_MAX;
}

bool
mp_live_ages_add(struct mp_counts *sum, const struct mp_live_ages *record)
{
    bool payload = (record->kind & MP_KIND_PAYLOAD) != 0;

    if (!add(&sum->aged, record->aged) || !add(&sum->aged_freed, record->aged_freed))
        return false;
    return payload || (add(&sum->survived[0], record->survived[0]) &&
                       add(&sum->survived[1], record->survived[1]) &&
                       add(&sum->survived[2], record->survived[2]) &&
                       add(&sum->aged_frees, record->aged_frees));
}

bool
mp_live_figures_add(struct mp_counts *sum, const struct mp_live_figures *figures)
{
    bool payload = (figures->key.kind & MP_KIND_PAYLOAD) != 0;

    if (!add(&sum->bytes, figures->bytes) || !add(&sum->freed, figures->freed) ||
        !add(&sum->requested, figures->requested) || !add(&sum->temporary, figures->temporary))
        return false;
    return payload || (add(&sum->allocs, figures->allocs) && add(&sum->frees, figures->frees));
}

/* Limits *PART to WHOLE. Returns whether it was within the limit before. */
static bool
limit(uint64_t *part, uint64_t whole)
{
    if (*part <= whole)
        return true;
    *part = whole;
    return false;
}

static bool
limit_ages(struct mp_counts *counts)
{
    bool fits = limit(&counts->survived[1], counts->survived[0]);

    fits &= limit(&counts->survived[2], counts->survived[1]);
    fits &= limit(&counts->aged_frees, counts->survived[0]);
    fits &= limit(&counts->aged_freed, counts->aged);
    return fits;
}

/* Ages and objects are counted in different records, and a process may be killed between updating the two. Ages of
 * objects that the other record already counts as freed are therefore removed silently. */
bool
mp_live_cell_settle(struct mp_counts *counts, bool alive)
{
    if (!limit_ages(counts) && !alive)
        return false;
    if (counts->frees > counts->allocs || counts->freed > counts->bytes)
        return true;            /* reported by mp_check_cells() */
    limit(&counts->aged_frees, counts->frees);
    limit(&counts->aged_freed, counts->freed);
    limit(&counts->survived[0], counts->allocs - counts->frees + counts->aged_frees);
    limit(&counts->aged, counts->bytes - counts->freed + counts->aged_freed);
    limit_ages(counts);
    return true;
}
