/* SPDX-License-Identifier: MIT */
#include "sentinel.h"

#include "runtime/system/options.h"

bool mp_sentinel_on;

bool
mp_sentinel_begin(void)
{
    mp_options_read();
    mp_sentinel_on = mp_options.sentinel;
    return mp_sentinel_on;
}

bool
mp_sentinel_overrun(const void *block, uint8_t *made)
{
    size_t size;

    *made = MP_MADE_UNKNOWN;
    if (!mp_block_find_size(block, &size))
        return false;
    *made = (uint8_t)mp_sentinel_made(block, size);
    return mp_sentinel_is_damaged(block, size);
}
