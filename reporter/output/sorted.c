#include "sorted.h"

#include "reporter/profile/sort.h"

/* By sort order: the columns of the value and its share. `value` is 0 if the table has its own. */
static const struct {
    uint8_t value, share;
} places[MP_SORTS] = {
    [MP_SORT_OBJECTS] = {0, MP_SORTED_ALLOCS_SHARE},
    [MP_SORT_KEPT] = {0, MP_SORTED_KEPT_SHARE},
    [MP_SORT_PEAK] = {MP_SORTED_PEAK, MP_SORTED_PEAK_SHARE},
    [MP_SORT_TEMPORARY] = {MP_SORTED_TEMPORARY, MP_SORTED_TEMPORARY_SHARE},
};

/* Returns true if the figure of SORT is known for a row. In a window, the peak is unknown, and temporary blocks may
 * be unknown. The figure that the view is sorted by is always known. */
static bool
is_known(enum mp_sort sort, const struct mp_print_options *options, unsigned has)
{
    if (sort == MP_SORT_KEPT)
        return has & MP_SORTED_KEPT;
    return mp_sorts[sort].by_size || sort == options->sort ||
           ((has & MP_SORTED_CHAINS) && !options->moment &&
            (sort == MP_SORT_TEMPORARY ? !options->no_temporary : !options->growth));
}

void
mp_sorted_fill(struct mp_value values[static MP_SORTED_COLUMNS],
               const struct mp_print_options *options, const struct mp_counts *counts,
               const struct mp_counts *whole, unsigned has)
{
    for (enum mp_sort sort = MP_SORT_OBJECTS; sort < MP_SORTS; sort++) {
        const bool shown = sort == options->sort;

        if (!is_known(sort, options, has))
            continue;
        if (places[sort].value != 0)
            values[places[sort].value] =
                mp_value_if(shown, mp_value_figure(counts, mp_sorts[sort].figure));
        values[places[sort].share] = mp_value_if(
            shown, mp_value_share(mp_counts_key(counts, sort), mp_counts_key(whole, sort)));
    }
}
