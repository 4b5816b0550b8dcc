#include "nested.h"

#include "runtime/record/cct_slots.h"
#include "runtime/system/sys.h"
#include "runtime/unwind/code.h"
#include "runtime/unwind/module.h"
#ifdef MP_HAVE_RULES
#include "runtime/unwind/rule_step.h"
#endif

bool
mp_nested_was_left(uintptr_t older, uintptr_t newer)
{
    uintptr_t low, high;
    int on_alternate = mp_sys_on_alternate_stack(&low, &high);
    bool older_on_alternate = older >= low && older < high;

    if (on_alternate < 0)
        return mp_nested_is_alone_at(newer);
    if (on_alternate != older_on_alternate)
        return older_on_alternate;
    return newer >= older;
}

static bool
is_ours(uint64_t ip)
{
    return mp_module_same(ip - 1, (uintptr_t)&mp_nested_is_alone);
}

bool
mp_nested_is_alone(uint32_t context)
{
    if (context == 0)
        return false;
    for (; context != 0; context = mp_cct_parent(context)) {
        uint32_t id = mp_cct_frame(context);
        const struct mp_live_frame *frame = &mp_store.frames[id];

        if (id < MP_FRAME_FIRST || frame->flags & MP_LIVE_FRAME_SIGNAL)
            return false;
        if (is_ours(frame->ip))
            return false;
    }
    return true;
}

bool
mp_nested_is_alone_at(uintptr_t frame)
{
#ifdef MP_HAVE_RULES
    struct mp_registers at = mp_machine_caller((const void *)frame);
    struct mp_cfi_walk cfi;
    struct mp_rule_walk walk = { .cfi = &cfi };

    mp_cfi_begin(&cfi);
    do
        if (mp_code_is_signal_return(mp_code_address(at.key)) || is_ours(mp_code_address(at.key)))
            return false;
    while (mp_rule_step_from(&at, &walk));
    return walk.mark == 0;
#else
    (void)frame;
    return false;
#endif
}
