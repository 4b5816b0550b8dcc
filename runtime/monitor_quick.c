#include "monitor_quick.h"

#include "runtime/sizeclass.h"

void *
mp_alloc_outside(void *block, size_t size, const void *hook_frame)
{
    mp_alloc(block, size, mp_sizeclass(size), hook_frame);
    return block;
}
