#include "chain_stack.h"

#include <stdbool.h>

#include "code_table.h"
#include "machine.h"
#include "module.h"
#include "rule.h"
#include "runtime/record/cct_slots.h"
#include "runtime/record/stack.h"
#include "stack_word.h"

#define MOST_PAGES  4096u       /* maximum number of pages of a frame that is examined */
#define FIRST_FRAME 64u         /* bytes below the program's arguments; the frame of _start is within this
                                   distance, that of main is not */

/* The stack pointer with which the program started. It points to the program's arguments. Defined by libc or the
 * loader. */
extern const void *__libc_stack_end;

/* ------------------------------------------------------------------ one stack */

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

/* ------------------------------------------------------------------ the thread's own stack */

static bool
is_first_of_program(const struct mp_cached_frame *outermost)
{
    const uint64_t end = (uint64_t)__libc_stack_end;

    return outermost->sp - (end - FIRST_FRAME) < MP_PLAUSIBLE_FRAME;
}

/* Returns whether OUTERMOST is the first frame of the thread's own stack. It is if it is a function of libc and is
 * located below the thread's control block, which libc stores above the stack. Another stack may also have such a
 * frame, if a process that shares memory with this one (clone(2)) has no control block of its own; so the first frame
 * that was found is remembered. */
static bool
is_first_of_thread(struct mp_recorder *recorder, const struct mp_cached_frame *outermost)
{
    if (outermost->rule != MP_RULE_END || outermost->sp > (uint64_t)__builtin_thread_pointer() ||
        !mp_module_is_libc(outermost->key - 1))
        return false;
    if (recorder->stack_base == 0)
        recorder->stack_base = outermost->sp;
    return outermost->sp == recorder->stack_base;
}

/* Returns whether the own stack of RECORDER's thread begins at OUTERMOST. If the chain is cut, the parent of its
 * context is a mark. */
static bool
is_own(struct mp_recorder *recorder, const struct mp_cached_frame *outermost)
{
    const uint32_t parent = mp_cct_parent(outermost->context);

    return (parent == 0 || mp_cct_frame(parent) >= MP_FRAME_FIRST) &&
           (is_first_of_program(outermost) || is_first_of_thread(recorder, outermost));
}

/* ------------------------------------------------------------------ how deep */

/* Marks all frames of MEMO with MP_CACHED_OWN or MP_CACHED_AWAY. */
static void
look_at_frames(struct mp_recorder *recorder, const struct mp_memo *memo)
{
    const uint32_t known = MP_CACHED_OWN | MP_CACHED_AWAY;
    struct mp_cached_frame *frame = memo->top;

    while (frame > memo->frames && !(frame->flags & known))
        frame--;
    if (!(frame->flags & known))
        frame->flags |= is_own(recorder, frame) ? MP_CACHED_OWN : MP_CACHED_AWAY;
    while (frame < memo->top) {
        const uint32_t outer = frame->flags & known;

        frame++;
        frame->flags |= outer == MP_CACHED_OWN && !is_on_stack_of_caller(frame) ? MP_CACHED_AWAY
                                                                                : outer;
    }
}

MP_COLD MP_NOINLINE void
mp_stack_deeper(struct mp_recorder *recorder, struct mp_memo *memo)
{
    const struct mp_cached_frame *top = memo->top;
    uint64_t word = MP_STACK_AWAY;

    if (top < memo->frames)
        return;
    look_at_frames(recorder, memo);
    if (top->flags & MP_CACHED_OWN)
        word = mp_stack_word(memo->high - top->sp, top->context);
    if (top->flags & MP_CACHED_OWN || memo->frames->flags & MP_CACHED_AWAY)
        memo->low = top->sp;
    mp_stack_raise(&recorder->live->stack, word);
}
