#include "session_stacks.h"

#include "runtime/record/cct_slots.h"
#include "runtime/record/stack.h"
#include "runtime/system/gate.h"
#include "runtime/unwind/module.h"

/* Number of outermost frames of a chain among which the thread's start function is searched. Two or three frames of
 * libc are further out. If all searched frames are libc's, as in a static program, the third one is used. */
#define OUTERMOST 8u
#define THIRD     2u

/* Returns the outermost context of CONTEXT's chain whose function is not libc's. */
static uint32_t
start_of(uint32_t context)
{
    uint32_t ring[OUTERMOST] = {0}, n = 0;

    for (; context != 0; context = mp_cct_parent(context))
        ring[n++ % OUTERMOST] = context;
    for (uint32_t i = 0; i < n && i < OUTERMOST; i++) {
        const uint32_t at = ring[(n - 1 - i) % OUTERMOST];

        if (!mp_module_is_libc(mp_store.frames[mp_cct_frame(at)].ip - 1))
            return at;
    }
    return n == 0 ? 0 : ring[n > THIRD ? (n - 1 - THIRD) % OUTERMOST : 0];
}

/* Returns the row of threads that begin in START, or a new one. The last row is for threads that find no other. */
static struct mp_live_stack *
find_row(struct mp_live_recorder *live, uint32_t start)
{
    struct mp_live_stack *row = live->stacks, *last = &live->stacks[MP_STACK_STARTS - 1];

    while (row < last && row->threads > 0 && row->start != start)
        row++;
    row->start = row < last ? start : 0;
    return row;
}

void
mp_stacks_thread_ended(struct mp_recorder *recorder)
{
    MP_LOCK_HELD();
    struct mp_live_recorder *live = recorder->live;
    const uint64_t stack = live->stack;
    struct mp_live_stack *row;

    if (stack == 0)
        return;
    row = find_row(live, start_of(mp_stack_context(stack)));
    mp_stack_raise(&row->deepest, stack);
    __atomic_store_n(&row->threads, row->threads + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&live->stack, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&live->stacks_ended, live->stacks_ended + 1, __ATOMIC_RELEASE);
}

void
mp_stacks_lent_back(struct mp_recorder *recorder, struct mp_recorder *own)
{
    MP_LOCK_HELD();
    if (own && own->header == recorder->header)
        mp_stack_raise(&own->live->stack, recorder->live->stack);
    recorder->live->stack = 0;
}
