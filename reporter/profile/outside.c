/* SPDX-License-Identifier: MIT */
#include "outside.h"

#include <stdio.h>

#include "reporter/base/format_number.h"

#define ALWAYS      ((uint64_t)16 << 20)        /* bytes that programs and mprof may have beside blocks: variables,
                                                   stacks, tables */
#define OF_BLOCK    32u         /* bytes that a small block can take beyond those that were requested */
#define FRAGMENTED  4u          /* malloc usually holds less than this many times what is live at the peak */

/* Returns whether BYTES are far more than TOTALS explain. */
static bool
is_far_above(uint64_t bytes, const struct mp_totals *totals)
{
    const struct mp_counts *all = &totals->all;
    const int64_t blocks = all->peak_blocks > 0 ? all->peak_blocks : 0;
    const int64_t peak = all->peak_bytes > 0 ? all->peak_bytes : 0;

    return bytes > ALWAYS && (bytes - ALWAYS) / FRAGMENTED > mp_plus((uint64_t)peak, (uint64_t)blocks) &&
           ((bytes - ALWAYS) / FRAGMENTED - (uint64_t)peak) / OF_BLOCK > (uint64_t)blocks;
}

bool
mp_outside_text(const struct mp_profile *profile, const struct mp_totals *totals,
                char out[static MP_OUTSIDE_SIZE])
{
    char number[MP_NUMBER_SIZE];

    if (!is_far_above(profile->private_peak, totals) || profile->meta.missing[MP_MISS_DROPPED] > 0)
        return false;
    snprintf(out, MP_OUTSIDE_SIZE, "the process had %s of private memory, most of which does not come from malloc",
             mp_number_bytes(profile->private_peak, number));
    return true;
}
