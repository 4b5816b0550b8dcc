#include "legacy_scale.h"

#include <math.h>

#define MOST 0x1p61             /* limit for sums of blocks or bytes, which only damaged files exceed */

static double
probability(const struct mp_legacy_scale *s, uint64_t blocks, uint64_t bytes)
{
    double ratio;

    if (s->period == 0 || blocks == 0 || bytes == 0)
        return 1;
    ratio = (double)bytes / (double)blocks / s->period;
    return s->linear ? fmin(ratio, 1) : -expm1(-ratio);
}

static uint64_t
scaled(struct mp_legacy_scale *s, int figure, uint64_t n, double p)
{
    struct mp_legacy_carry *carry = &s->carries[figure];
    uint64_t before = carry->rounded;

    if (s->period == 0)
        return n;
    carry->exact = fmin(carry->exact + (double)n / p, MOST);
    carry->rounded = (uint64_t)carry->exact;
    return carry->rounded - before;
}

/* Sets the variances for BLOCKS with BYTES in total, which were sampled with probability P. See samples.c for the
 * formulas. */
static void
add_spread(struct mp_spread *spread, uint64_t blocks, uint64_t bytes, double p, float *of_blocks, float *of_bytes)
{
    double size = blocks > 0 ? (double)bytes / (double)blocks : 0, one = (double)blocks * (1 - p) / (p * p);

    if (blocks == 0)
        return;
    *of_blocks = (float)one;
    *of_bytes = (float)(one * size * size);
    spread->most = fmaxf(spread->most, (float)((1 - p) / p));
    spread->most_bytes = fmaxf(spread->most_bytes, (float)(size * (1 - p) / p));
}

static void
set_spread(const struct mp_legacy_scale *s, const uint64_t n[MP_LEGACY_FIGURES], struct mp_counts *counts)
{
    const uint64_t blocks = n[MP_LEGACY_BLOCKS], bytes = n[MP_LEGACY_BYTES];
    const uint64_t frees = n[MP_LEGACY_ALL_BLOCKS] - blocks, freed = n[MP_LEGACY_ALL_BYTES] - bytes;
    struct mp_spread *spread = &counts->spread;

    if (s->period == 0)
        return;
    add_spread(spread, blocks, bytes, probability(s, blocks, bytes), &spread->kept_blocks, &spread->kept);
    add_spread(spread, frees, freed, probability(s, frees, freed), &spread->frees, &spread->freed);
}

/* Raises *ALL to IN_USE if it is smaller. That can happen because both figures are scaled separately, as in pprof. If
 * ROUNDED, only rounding made it smaller, and mp_legacy_take_back() subtracts the difference again. */
static void
raise_to(struct mp_legacy_scale *s, int which, uint64_t *all, uint64_t in_use, bool rounded)
{
    if (*all >= in_use)
        return;
    if (rounded)
        s->too_much[which] += in_use - *all;
    *all = in_use;
}

bool
mp_legacy_counts(struct mp_legacy_scale *s, uint64_t n[MP_LEGACY_FIGURES], struct mp_counts *counts)
{
    uint64_t *blocks = &n[MP_LEGACY_BLOCKS], *bytes = &n[MP_LEGACY_BYTES];
    uint64_t *all_blocks = &n[MP_LEGACY_ALL_BLOCKS], *all_bytes = &n[MP_LEGACY_ALL_BYTES], in_use[2];
    double p = probability(s, *blocks, *bytes), all;

    if (s->period == 0 && !s->alive && (*blocks > *all_blocks || *bytes > *all_bytes))
        return false;
    *all_blocks = s->alive || *all_blocks < *blocks ? *blocks : *all_blocks;
    *all_bytes = s->alive || *all_bytes < *bytes ? *bytes : *all_bytes;
    all = probability(s, *all_blocks, *all_bytes);
    in_use[MP_LEGACY_BLOCKS] = scaled(s, MP_LEGACY_BLOCKS, *blocks, p);
    in_use[MP_LEGACY_BYTES] = scaled(s, MP_LEGACY_BYTES, *bytes, p);
    *counts = (struct mp_counts){.allocs = scaled(s, MP_LEGACY_ALL_BLOCKS, *all_blocks, all),
                                 .bytes = scaled(s, MP_LEGACY_ALL_BYTES, *all_bytes, all)};
    raise_to(s, MP_LEGACY_BLOCKS, &counts->allocs, in_use[MP_LEGACY_BLOCKS],
             (double)*all_blocks / all >= (double)*blocks / p);
    raise_to(s, MP_LEGACY_BYTES, &counts->bytes, in_use[MP_LEGACY_BYTES],
             (double)*all_bytes / all >= (double)*bytes / p);
    counts->frees = counts->allocs - in_use[MP_LEGACY_BLOCKS];
    counts->freed = counts->bytes - in_use[MP_LEGACY_BYTES];
    set_spread(s, n, counts);
    return true;
}

void
mp_legacy_note(struct mp_legacy_scale *s, const struct mp_profile *profile, const struct mp_counts *counts)
{
    const struct mp_cell *cells = profile->cells;
    uint32_t next = profile->n_cells;

    if (next == 0 || counts->frees > cells[s->spare[MP_LEGACY_BLOCKS]].counts.frees)
        s->spare[MP_LEGACY_BLOCKS] = next;
    if (next == 0 || counts->freed > cells[s->spare[MP_LEGACY_BYTES]].counts.freed)
        s->spare[MP_LEGACY_BYTES] = next;
}

void
mp_legacy_take_back(const struct mp_legacy_scale *s, struct mp_profile *profile)
{
    struct mp_counts *blocks, *bytes;

    if (profile->n_cells == 0)
        return;
    blocks = &profile->cells[s->spare[MP_LEGACY_BLOCKS]].counts;
    bytes = &profile->cells[s->spare[MP_LEGACY_BYTES]].counts;
    if (blocks->frees >= s->too_much[MP_LEGACY_BLOCKS]) {
        blocks->frees -= s->too_much[MP_LEGACY_BLOCKS];
        blocks->allocs -= s->too_much[MP_LEGACY_BLOCKS];
    }
    if (bytes->freed >= s->too_much[MP_LEGACY_BYTES]) {
        bytes->freed -= s->too_much[MP_LEGACY_BYTES];
        bytes->bytes -= s->too_much[MP_LEGACY_BYTES];
    }
}
