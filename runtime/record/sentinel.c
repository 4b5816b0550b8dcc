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
mp_sentinel_overrun(const void *block)
{
    size_t size;

    return mp_block_find_size(block, &size) && mp_sentinel_is_damaged(block, size);
}
