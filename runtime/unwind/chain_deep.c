#include "chain_deep.h"

#include <stdbool.h>

#include "check.h"
#include "machine.h"
#include "runtime/compiler.h"
#include "runtime/system/options.h"

#define CALLS_IN_A_TICK 2u      /* more than any processor makes */

/* Calls that the processor may have begun before it read the counter, though they stand behind
 * that: not more than it has under way at once. */
#define AHEAD (mp_options.deep < 512 ? mp_options.deep : 512)

/* Is there a clock?  Whichever thread asks first finds out; another may do so too, with the same
 * result. */
enum { UNKNOWN, ABSENT, PRESENT };
static uint32_t the_clock;

static bool
has_clock(void)
{
    uint32_t known = __atomic_load_n(&the_clock, __ATOMIC_RELAXED);

    if (MP_UNLIKELY(known == UNKNOWN)) {
        known = mp_machine_has_clock() ? PRESENT : ABSENT;
        __atomic_store_n(&the_clock, known, __ATOMIC_RELAXED);
    }
    return known == PRESENT;
}

void
mp_deep_note(struct mp_memo *memo)
{
    memo->whole = !has_clock();
    if (MP_LIKELY(!memo->whole))
        memo->noted = mp_machine_clock(&memo->processor);
}

void
mp_deep_look(struct mp_memo *memo)
{
    const uint64_t all = (uint64_t)(memo->top + 1 - memo->frames);
    uint32_t processor;
    uint64_t ticks = mp_machine_clock(&processor) - memo->noted;

    memo->fresh = all;
    if (processor == memo->processor && ticks < all)
        memo->fresh = AHEAD + ticks * CALLS_IN_A_TICK;
    if (MP_UNLIKELY(mp_options.check))
        mp_check_deep(memo->fresh < all ? memo->fresh : all);
}

const struct mp_word *
mp_deep_words(const struct mp_memo *memo, const struct mp_cached_frame *cached, size_t n)
{
    size_t frames = memo->fresh > n ? memo->fresh - n : 0;

    return frames <= (size_t)(cached - memo->frames) ? cached[-(ptrdiff_t)frames].words_end
                                                     : memo->words;
}
