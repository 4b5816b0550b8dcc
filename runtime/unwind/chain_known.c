#include "chain_known.h"

#include <string.h>

#include "rule.h"

_Static_assert(sizeof(struct mp_known_chain) % sizeof(struct mp_known_tag) == 0,
               "mp_known_chain() multiplies the place of a tag");

/* ------------------------------------------------------------------ which chains */

/* A frame so large that unwinding asks what can be read there. */
static bool
is_doubtful(const struct mp_memo *memo, const struct mp_cached_frame *frame)
{
    return frame > memo->frames && frame[-1].sp - frame->sp >= MP_PLAUSIBLE_FRAME;
}

/* Is WORD within reach of the hook's frame at STACK?  And is it what is remembered?  A word of an
 * irregular step never is. */
static bool
is_provable(const struct mp_word *word, const uint64_t *stack)
{
    uint64_t distance = (uintptr_t)word->address - (uintptr_t)stack;

    return distance % sizeof *stack == 0 && distance / sizeof *stack <= UINT16_MAX &&
           *word->address == word->value;
}

/* Can the chain that MEMO holds be kept, for the hook's frame at STACK? */
static bool
can_be_kept(const struct mp_memo *memo, const uint64_t *stack)
{
    const struct mp_cached_frame *top = memo->top;

    if (top < memo->frames || top->sp != mp_machine_caller_sp(stack) ||
        top->words_end - memo->words + 1 > MP_KNOWN_GROUPS * 4)
        return false;
    for (const struct mp_cached_frame *frame = top; frame >= memo->frames; frame--)
        if (is_doubtful(memo, frame))
            return false;
    for (const struct mp_word *word = top->words_end; word > memo->words; word--)
        if (!is_provable(&word[-1], stack))
            return false;
    return true;
}

/* ------------------------------------------------------------------ words */

static void
put_word(struct mp_known_chain *chain, uint32_t n, uint64_t place, uint64_t value)
{
    chain->groups[n / 4].places[n % 4] = (uint16_t)place;
    chain->groups[n / 4].values[n % 4] = value;
}

/* The words of all frames of MEMO, innermost first; the last one as often as is needed for a whole
 * number of groups. */
static void
put_words(struct mp_known_chain *chain, const uint64_t *stack, const struct mp_memo *memo)
{
    const struct mp_word *word = memo->top->words_end;
    uint32_t n = 0;

    if (memo->top->fp_live)
        put_word(chain, n++, 0, memo->top->fp);
    for (; word > memo->words; word--)
        put_word(chain, n++, (uint64_t)(word[-1].address - stack), word[-1].value);
    if (n == 0)                 /* one frame, which has no caller whatever the stack holds */
        put_word(chain, n++, 1, memo->top->key);
    for (uint32_t last = n - 1; n % 4 != 0; n++)
        put_word(chain, n, chain->groups[last / 4].places[last % 4],
                 chain->groups[last / 4].values[last % 4]);
    chain->end = chain->groups + n / 4;
}

/* ------------------------------------------------------------------ the table */

/* A chain makes room for another one.  As long as most were not met in the meantime, keeping them is not
 * worth its price: pass over more and more of those that could be kept. */
static void
learn(struct mp_known *known, const struct mp_known_chain *victim)
{
    if (victim->met)
        known->pass /= 2;
    else if (known->pass < MP_KNOWN_PASS)
        known->pass = 2 * known->pass + 1;
    known->passed = known->pass;
}

/* An unused tag of the set that begins at AT, or else each in turn. */
static size_t
choose(struct mp_known *known, size_t at)
{
    const size_t each = sizeof(struct mp_known_tag);

    for (size_t way = 0; way < MP_KNOWN_WAYS; way++)
        if (mp_known_tag(known, at + way * each)->sp == 0)
            return at + way * each;
    at += known->victim++ % MP_KNOWN_WAYS * each;
    learn(known, mp_known_chain(known, at));
    return at;
}

void
mp_known_keep(struct mp_recorder *recorder, const void *hook_frame, uint32_t context)
{
    const struct mp_memo *memo = recorder->memo;
    struct mp_known *known = &recorder->known;
    struct mp_known_chain *chain;
    struct mp_known_tag *tag;
    size_t at;

    if (known->passed > 0) {
        known->passed--;
        return;
    }
    if (!can_be_kept(memo, hook_frame))
        return;
    at = choose(known, mp_known_set(memo->top->sp, memo->top->key));
    tag = mp_known_tag(known, at);
    tag->sp = 0;
    MP_IN_ORDER();
    chain = mp_known_chain(known, at);
    chain->context = context;
    chain->met = 0;
    memset(chain->cells, 0, sizeof chain->cells);
    memset(chain->heap_cells, 0, sizeof chain->heap_cells);
    put_words(chain, hook_frame, memo);
    tag->key = memo->top->key;
    MP_IN_ORDER();
    tag->sp = memo->top->sp;
}
