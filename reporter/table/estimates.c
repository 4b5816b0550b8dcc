/* SPDX-License-Identifier: MIT */
#include "estimates.h"

#include <inttypes.h>

#include "reporter/base/format_number.h"

const char *
mp_estimate_text(const struct mp_estimate *blocks, const struct mp_estimate *bytes,
                 char out[static MP_ESTIMATE_SIZE])
{
    char number[2][MP_NUMBER_SIZE];

    out[0] = '\0';
    mp_number_grouped(mp_estimate_error(blocks), number[0]);
    if (bytes && !(blocks->exact && bytes->exact))
        snprintf(out, MP_ESTIMATE_SIZE, "estimated, +- %s and %s bytes", number[0],
                 mp_number_grouped(mp_estimate_error(bytes), number[1]));
    else if (!bytes && !blocks->exact)
        snprintf(out, MP_ESTIMATE_SIZE, "estimated, +- %s", number[0]);
    return out;
}

const char *
mp_totals_text(const struct mp_totals *totals, char out[static MP_TOTALS_SIZE])
{
    const uint64_t blocks = totals->c.allocs, objects = totals->lisp.allocs;
    char number[2][MP_NUMBER_SIZE];

    mp_number_grouped(blocks, number[0]);
    mp_number_grouped(objects, number[1]);
    if (objects == 0)
        snprintf(out, MP_TOTALS_SIZE, "%s block%s", number[0], mp_plural(blocks));
    else if (blocks == 0)
        snprintf(out, MP_TOTALS_SIZE, "%s object%s", number[1], mp_plural(objects));
    else
        snprintf(out, MP_TOTALS_SIZE, "%s object%s and %s block%s", number[1], mp_plural(objects), number[0],
                 mp_plural(blocks));
    return out;
}

const char *
mp_totals_kept(const struct mp_totals *totals)
{
    return totals->lisp.allocs == 0 ? "not freed until the end"
           : totals->c.allocs == 0  ? "alive after the last collection"
                                    : "alive after the last collection, or not freed until the end";
}

struct mp_estimate
mp_estimates_peak(const struct mp_profile *profile, const struct mp_totals *totals,
                  enum mp_figure figure)
{
    const struct mp_counts *all = &totals->all;
    const struct mp_meta *meta = &profile->meta;
    const bool bytes = figure == MP_FIGURE_PEAK_BYTES;
    const int64_t exact = bytes ? meta->peak_bytes : meta->peak_blocks;
    uint64_t slack = bytes ? meta->peak_slack : 0;
    struct mp_estimate peak;

    if (meta->sample_period == 0)
        return mp_estimate(mp_not_negative(exact), 0, 0);
    if (meta->damaged)
        return (struct mp_estimate){.exact = true};
    peak = mp_estimate_peak(all, figure, all->peak_bytes > 0 ? (double)all->bytes / (double)all->peak_bytes : 1);
    if (peak.exact)
        return peak;
    peak.low -= slack < peak.low ? slack : peak.low;
    peak.high = mp_plus(peak.high, slack);
    return peak;
}

void
mp_estimates_put(FILE *out, const char *name, const struct mp_estimate *estimate)
{
    fprintf(out, "%s %" PRIu64 "\n", name, estimate->value);
    if (!estimate->exact)
        fprintf(out, "%s.low %" PRIu64 "\n%s.high %" PRIu64 "\n", name, estimate->low, name,
                estimate->high);
}

void
mp_estimates_put_field(FILE *out, const struct mp_counts *counts, enum mp_figure figure)
{
    struct mp_estimate estimate = mp_counts_estimate(counts, figure);

    fprintf(out, "%" PRIu64, estimate.value);
    if (!estimate.exact)
        fprintf(out, "~%" PRIu64 "~%" PRIu64, estimate.low, estimate.high);
    fputc(' ', out);
}
