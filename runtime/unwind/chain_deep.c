/* SPDX-License-Identifier: MIT */
#include "chain_deep.h"

#include "chain_check.h"
#include "machine.h"
#include "runtime/compiler.h"
#include "runtime/system/options.h"

/* After IN_VAIN successive captures in which all frames could have changed, the next UNASKED chains are compared as
 * a whole, without reading the clock. */
#define IN_VAIN 4u
#define UNASKED 16u

/* Upper bound of the number of calls that a processor makes in one tick of its clock. UNKNOWN before it was
 * computed. NONE, which is final, means that there is no clock. The first thread that needs the bound computes it.
 * Another thread may do so at the same time, with the same result. */
#define UNKNOWN 0u
#define NONE    1u
static uint32_t most_calls;

static uint32_t
calls_in_a_tick(void)
{
    uint32_t known = __atomic_load_n(&most_calls, __ATOMIC_RELAXED);

    if (MP_UNLIKELY(known == UNKNOWN)) {
        const unsigned calls = mp_machine_calls_in_a_tick();
        const uint32_t found = calls > NONE ? calls : NONE;

        if (__atomic_compare_exchange_n(&most_calls, &known, found, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            known = found;
    }
    return known;
}

static bool
has_clock(void)
{
    return calls_in_a_tick() != NONE;
}

void
mp_deep_no_clock(void)
{
    __atomic_store_n(&most_calls, NONE, __ATOMIC_RELAXED);
}

bool
mp_deep_captured(struct mp_memo *memo)
{
    memo->noted = 0;
    if (MP_LIKELY(memo->in_vain < IN_VAIN))
        return false;
    if (++memo->in_vain == IN_VAIN + UNASKED)
        memo->in_vain = IN_VAIN - 1;
    return true;
}

void
mp_deep_note(struct mp_memo *memo)
{
    if (memo->noted || !memo->room)
        return;
    memo->whole = !has_clock();
    if (MP_LIKELY(!memo->whole))
        memo->noted = mp_machine_clock(&memo->processor);
}

/* Returns an upper bound of the calls made since MEMO was noted, or UINT64_MAX if it is unknown. */
static uint64_t
calls_since(const struct mp_memo *memo)
{
    uint32_t processor;
    uint64_t ticks;

    if (!memo->noted || !has_clock())
        return UINT64_MAX;
    ticks = mp_machine_clock(&processor) - memo->noted;
    return processor == memo->processor && ticks < UINT32_MAX ? ticks * calls_in_a_tick() : UINT64_MAX;
}

void
mp_deep_look(struct mp_memo *memo)
{
    const uint64_t all = (uint64_t)(memo->top + 1 - memo->frames), calls = calls_since(memo);

    memo->fresh = calls < all ? calls : all;
    memo->in_vain = calls < all ? 0 : memo->in_vain + 1;
    if (MP_UNLIKELY(mp_options.check))
        mp_check_deep(memo->fresh);
}

const struct mp_word *
mp_deep_words(const struct mp_memo *memo, const struct mp_cached_frame *cached, size_t n)
{
    size_t frames = memo->fresh > n ? memo->fresh - n : 0;

    return frames <= (size_t)(cached - memo->frames) ? cached[-(ptrdiff_t)frames].words_end
                                                     : memo->words;
}
