/*
 * sorted.h -- the columns that tables have in common: what rows are sorted by, where a table has no
 * such column of its own, and its share.
 *
 * A table reserves MP_SORTED_COLUMNS of its columns for them, from AT on; of those that are not wanted
 * people see nothing.
 */
#ifndef MP_SORTED_H
#define MP_SORTED_H

#include "print.h"
#include "table.h"

enum {
    MP_SORTED_ALLOCS_SHARE, MP_SORTED_KEPT_SHARE, MP_SORTED_PEAK, MP_SORTED_PEAK_SHARE,
    MP_SORTED_TEMPORARY, MP_SORTED_TEMPORARY_SHARE, MP_SORTED_COLUMNS
};

/* Elements of the table's array of columns. */
#define MP_SORTED_COLUMNS_AT(at)                                                                  \
    [(at) + MP_SORTED_ALLOCS_SHARE] = {"allocs_part", "% allocs", MP_UNIT_PERCENT,                \
        "Share of the allocations of all rows.", MP_LAYOUT_TENTHS | MP_LAYOUT_OPTIONAL},          \
    [(at) + MP_SORTED_KEPT_SHARE] = {"kept_part", "% kept", MP_UNIT_PERCENT,                      \
        "Share of the bytes kept of all rows.",                                                   \
        MP_LAYOUT_TENTHS | MP_LAYOUT_OPTIONAL | MP_LAYOUT_AFTER | MP_LAYOUT_KEPT_SHARE},          \
    [(at) + MP_SORTED_PEAK] = {"peak_bytes", "peak", MP_UNIT_BYTES,                               \
        "Bytes that were alive at the peak of the process.", MP_LAYOUT_OPTIONAL},                 \
    [(at) + MP_SORTED_PEAK_SHARE] = {"peak_part", "(%)", MP_UNIT_PERCENT,                         \
        "Their share of those of all rows.", MP_LAYOUT_OPTIONAL},                                 \
    [(at) + MP_SORTED_TEMPORARY] = {"temporary", "temporary", MP_UNIT_BLOCKS,                     \
        "Blocks that their own thread freed before its next allocation.",                         \
        MP_LAYOUT_OPTIONAL | MP_LAYOUT_AFTER},                                                    \
    [(at) + MP_SORTED_TEMPORARY_SHARE] = {"temporary_part", "(%)", MP_UNIT_PERCENT,               \
        "Their share of those of all rows.", MP_LAYOUT_OPTIONAL | MP_LAYOUT_AFTER}

/* Elements of what is said of the rows that are left out. */
#define MP_SORTED_SAID_AT(at)                                                                     \
    {(at) + MP_SORTED_PEAK, "%s byte at the peak", "%s bytes at the peak"},                       \
    {(at) + MP_SORTED_TEMPORARY, "%s temporary", "%s temporary"}

/* What a table has of these columns. */
enum mp_sorted {
    MP_SORTED_KEPT = 1,         /* no other column of it has the share of the bytes kept */
    MP_SORTED_CHAINS = 2        /* its rows are of chains, so that all figures are known */
};

/* Fill these columns of a row with COUNTS, of the WHOLE; HAS is a sum of enum mp_sorted.  People are told
 * only what rows are sorted by. */
void mp_sorted_fill(struct mp_value values[static MP_SORTED_COLUMNS],
                    const struct mp_print_options *options, const struct mp_counts *counts,
                    const struct mp_counts *whole, unsigned has);

#endif
