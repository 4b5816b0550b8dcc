/*
 * sorted.h -- columns for the figure that rows are sorted by and for its share. Tables use them for figures without a
 * column of their own.
 *
 * A table reserves MP_SORTED_COLUMNS columns, beginning at AT. Those that rows are not sorted by are blank in text.
 */
#ifndef MP_SORTED_H
#define MP_SORTED_H

#include "print.h"
#include "table.h"

enum {
    MP_SORTED_ALLOCS_SHARE, MP_SORTED_KEPT_SHARE, MP_SORTED_PEAK, MP_SORTED_PEAK_SHARE,
    MP_SORTED_TEMPORARY, MP_SORTED_TEMPORARY_SHARE, MP_SORTED_COLUMNS
};

/* Elements of a table's array of columns. */
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

/* Elements of a table's array `said`, for rows that are left out. */
#define MP_SORTED_SAID_AT(at)                                                                     \
    {(at) + MP_SORTED_PEAK, "%s byte at the peak", "%s bytes at the peak"},                       \
    {(at) + MP_SORTED_TEMPORARY, "%s temporary", "%s temporary"}

/* Properties of the table that uses these columns. */
enum mp_sorted {
    MP_SORTED_KEPT = 1,         /* the table has no other column with the share of kept bytes */
    MP_SORTED_CHAINS = 2        /* rows are of chains, so all figures are known */
};

/* Sets these columns of a row to COUNTS, as shares of WHOLE. HAS is a sum of enum mp_sorted. In text, only the figure
 * that rows are sorted by is visible. */
void mp_sorted_fill(struct mp_value values[static MP_SORTED_COLUMNS],
                    const struct mp_print_options *options, const struct mp_counts *counts,
                    const struct mp_counts *whole, unsigned has);

#endif
