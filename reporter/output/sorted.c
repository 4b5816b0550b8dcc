#include "sorted.h"

#include "reporter/profile/sort.h"

/* By what is sorted by: where it stands, of these columns, and its share; 0: in a column of the table's
 * own. */
static const struct {
    uint8_t value, share;
} places[MP_SORTS] = {
    [MP_SORT_OBJECTS] = {0, MP_SORTED_ALLOCS_SHARE},
    [MP_SORT_KEPT] = {0, MP_SORTED_KEPT_SHARE},
    [MP_SORT_PEAK] = {MP_SORTED_PEAK, MP_SORTED_PEAK_SHARE},
    [MP_SORT_TEMPORARY] = {MP_SORTED_TEMPORARY, MP_SORTED_TEMPORARY_SHARE},
};

void
mp_sorted_fill(struct mp_value values[static MP_SORTED_COLUMNS],
               const struct mp_print_options *options, const struct mp_counts *counts,
               const struct mp_counts *whole, bool kept_share)
{
    enum mp_sort sort = options->sort;

    if (sort == MP_SORT_BYTES || (sort == MP_SORT_KEPT && !kept_share))
        return;
    if (places[sort].value != 0)
        values[places[sort].value] = mp_value_figure(counts, mp_sorts[sort].figure);
    values[places[sort].share] =
        mp_value_share(mp_counts_key(counts, sort), mp_counts_key(whole, sort));
}
