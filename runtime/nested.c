#include "nested.h"

#include "module.h"
#include "store.h"
#include "sys.h"

bool
mp_nested_was_left(uintptr_t older, uintptr_t newer)
{
    uintptr_t low, high;
    bool on_alternate = mp_sys_on_alternate_stack(&low, &high);
    bool older_on_alternate = older >= low && older < high;

    if (on_alternate != older_on_alternate)
        return older_on_alternate;
    return newer >= older;
}

bool
mp_nested_is_alone(uint32_t context)
{
    if (context == 0)
        return false;
    for (; context != 0; context = mp_store.contexts[context].parent) {
        uint32_t id = mp_store.contexts[context].frame;
        const struct mp_live_frame *frame = &mp_store.frames[id];

        if (id < MP_FRAME_FIRST || frame->flags & MP_LIVE_FRAME_SIGNAL)
            return false;
        if (mp_module_same(frame->ip - 1, (uintptr_t)&mp_nested_is_alone))
            return false;
    }
    return true;
}
