/* SPDX-License-Identifier: MIT */
#include "block_filter.h"

MP_LARGE uint8_t mp_filter_counts[MP_FILTER_COUNTS];

static void
change(const void *block, int by)
{
    uint8_t *count = mp_filter_count(block), before = __atomic_load_n(count, __ATOMIC_RELAXED);

    while (before != MP_FILTER_MANY &&
           !__atomic_compare_exchange_n(count, &before, (uint8_t)(before + by), 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        continue;
}

void
mp_filter_add(const void *block)
{
    change(block, 1);
}

void
mp_filter_remove(const void *block)
{
    change(block, -1);
}

void
mp_filter_keep(const void *block)
{
    __atomic_store_n(mp_filter_count(block), MP_FILTER_MANY, __ATOMIC_RELAXED);
}

void
mp_filter_keep_all(void)
{
    for (unsigned i = 0; i < MP_FILTER_COUNTS; i++)
        __atomic_store_n(&mp_filter_counts[i], MP_FILTER_MANY, __ATOMIC_RELAXED);
}
