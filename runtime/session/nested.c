#include "nested.h"

#include "runtime/store/store.h"
#include "runtime/system/sys.h"
#include "runtime/unwind/cfi_step.h"
#include "runtime/unwind/chain.h"
#include "runtime/unwind/code_table.h"
#include "runtime/unwind/module.h"

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
    for (; context != 0; context = mp_store.contexts[context].parent) {
        uint32_t id = mp_store.contexts[context].frame;
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
    const uint64_t *hook = (const uint64_t *)frame;
    uint64_t key = hook[1], sp = frame + 2 * sizeof *hook, fp = hook[0];
    struct mp_cfi_walk walk;
    uint32_t mark = 0;

    walk.begun = walk.fp_lost = false;
    do
        if (mp_chain_is_signal_return(mp_code_address(key)) || is_ours(mp_code_address(key)))
            return false;
    while (mp_chain_step(&walk, &key, &sp, &fp, &mark));
    return mark == 0;
#else
    (void)frame;
    return false;
#endif
}
