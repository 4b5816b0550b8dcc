#include "chain_known.h"

#include "rule.h"

/* ------------------------------------------------------------------ which chains */

/* An interpreter's frame, or one so large that unwinding asks what can be read there. */
static bool
is_doubtful(const struct mp_memo *memo, const struct mp_cached_frame *frame)
{
    return frame->rule & MP_RULE_INTERPRETER ||
           (frame > memo->frames && frame[-1].sp - frame->sp >= MP_PLAUSIBLE_FRAME);
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
        top->words_end - memo->words + 1 > MP_KNOWN_WORDS)
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
put_word(struct mp_known_chain *chain, uint64_t place, uint64_t value)
{
    chain->places[chain->n_words] = (uint16_t)place;
    chain->values[chain->n_words++] = value;
}

/* The words of all frames of MEMO, innermost first; the last one as often as is needed for a whole
 * number of groups. */
static void
put_words(struct mp_known_chain *chain, const uint64_t *stack, const struct mp_memo *memo)
{
    uint32_t last;

    chain->n_words = 0;
    if (memo->top->fp_live)
        put_word(chain, 0, memo->top->fp);
    for (const struct mp_word *word = memo->top->words_end; word > memo->words; word--)
        put_word(chain, (uint64_t)(word[-1].address - stack), word[-1].value);
    if (chain->n_words == 0)            /* one frame, which has no caller whatever the stack holds */
        put_word(chain, 1, memo->top->key);
    last = chain->n_words - 1;
    while (chain->n_words % 4 != 0)
        put_word(chain, chain->places[last], chain->values[last]);
}

/* ------------------------------------------------------------------ the table */

/* An unused way of the set that begins at tag FIRST, or else each in turn. */
static uint32_t
choose(struct mp_known *known, uint32_t first)
{
    for (uint32_t way = 0; way < MP_KNOWN_WAYS; way++)
        if (known->tags[first + way].sp == 0)
            return first + way;
    return first + known->victim++ % MP_KNOWN_WAYS;
}

void
mp_known_keep(struct mp_recorder *recorder, const void *hook_frame, uint32_t context)
{
    const struct mp_memo *memo = recorder->memo;
    struct mp_known *known = &recorder->known;
    uint32_t at;

    if (!can_be_kept(memo, hook_frame))
        return;
    at = choose(known, mp_known_set(memo->top->sp, memo->top->key));
    known->tags[at].sp = 0;
    MP_IN_ORDER();
    known->chains[at].context = context;
    put_words(&known->chains[at], hook_frame, memo);
    known->tags[at].key = memo->top->key;
    MP_IN_ORDER();
    known->tags[at].sp = memo->top->sp;
}
