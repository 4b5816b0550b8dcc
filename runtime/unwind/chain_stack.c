#include "chain_stack.h"

#include <stdbool.h>

#include "machine.h"
#include "rule.h"
#include "stack_word.h"

#define MOST_PAGES  4096u       /* maximum number of pages of a frame that is examined */

/* Returns whether all whole pages from LOW to HIGH can be read. */
static bool
is_mapped(uint64_t low, uint64_t high)
{
    if (high - low > (uint64_t)MOST_PAGES * MP_STACK_PAGE)
        return false;
    for (uint64_t page = mp_stack_page_end(low + 1); page < high; page += MP_STACK_PAGE)
        if (!mp_stack_is_readable(page))
            return false;
    return true;
}

/* Returns whether the frame that the kernel made for a handler at SP is on the thread's alternate stack. */
static bool
is_on_alternate_stack(uint64_t sp)
{
    return sp - mp_stack_load(sp + MP_SIGNAL_STACK) < mp_stack_load(sp + MP_SIGNAL_STACK + 16);
}

/* Returns whether FRAME is on the same stack as its caller, the next frame outwards. */
static bool
is_on_stack_of_caller(const struct mp_cached_frame *frame)
{
    const uint64_t size = frame[-1].sp - frame->sp;

    switch (mp_rule_kind(frame->rule)) {
    case MP_RULE_SP:
        return true;
    case MP_RULE_SIGNAL:
        return frame[-1].sp > frame->sp && !is_on_alternate_stack(frame->sp);
    default:
        return size < MP_STACK_PAGE || is_mapped(frame->sp, frame[-1].sp);
    }
}

/* Marks all frames of MEMO with MP_CACHED_ONE or MP_CACHED_OTHER. */
static void
look_at_frames(const struct mp_memo *memo)
{
    const uint32_t known = MP_CACHED_ONE | MP_CACHED_OTHER;
    struct mp_cached_frame *frame = memo->top;

    while (frame > memo->frames && !(frame->flags & known))
        frame--;
    if (!(frame->flags & known))
        frame->flags |= MP_CACHED_ONE;
    while (frame < memo->top) {
        const uint32_t outer = frame->flags & known;

        frame++;
        frame->flags |= outer == MP_CACHED_ONE && !is_on_stack_of_caller(frame) ? MP_CACHED_OTHER : outer;
    }
}

MP_COLD MP_NOINLINE void
mp_stack_deeper(struct mp_memo *memo)
{
    const struct mp_cached_frame *top = memo->top;

    if (top < memo->frames)
        return;
    look_at_frames(memo);
    if (top->flags & MP_CACHED_ONE)
        memo->low = top->sp;
}
