#include "chain_known.h"

#include <string.h>

#include "rule.h"

_Static_assert(sizeof(struct mp_known_chain) % sizeof(struct mp_known_tag) == 0,
               "mp_known_chain() multiplies the place of a tag");

/* ------------------------------------------------------------------ which chains */

/* Returns whether WORD is near enough to the hook's frame at STACK and has its remembered value. The word of an
 * irregular step never has it. */
static bool
is_provable(const struct mp_word *word, const uint64_t *stack)
{
    uint64_t distance = (uintptr_t)word->address - (uintptr_t)stack;

    return distance % sizeof *stack == 0 && distance / sizeof *stack <= UINT16_MAX &&
           mp_stack_equals(word->address, word->value);
}

/* Returns whether the chain that MEMO holds can be stored as a known chain of the hook whose frame is at STACK. */
static bool
can_be_kept(const struct mp_memo *memo, const uint64_t *stack)
{
    const struct mp_cached_frame *top = memo->top;

    if (top < memo->frames || top->sp != mp_machine_caller_sp(stack) ||
        top->words_end - memo->words + 1 > MP_KNOWN_GROUPS * 4)
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

/* Puts the words of all frames of MEMO into CHAIN, innermost first. Repeats the last word to fill the last group. */
static void
put_words(struct mp_known_chain *chain, const uint64_t *stack, const struct mp_memo *memo)
{
    const struct mp_word *word = memo->top->words_end;
    uint32_t n = 0;

    if (memo->top->fp_live)
        put_word(chain, n++, 0, memo->top->fp);
    for (; word > memo->words; word--)
        put_word(chain, n++, (uint64_t)(word[-1].address - stack), word[-1].value);
    if (n == 0)                 /* there is one frame, which has no caller whatever the stack contains */
        put_word(chain, n++, 1, memo->top->key);
    for (uint32_t last = n - 1; n % 4 != 0; n++)
        put_word(chain, n, chain->groups[last / 4].places[last % 4],
                 chain->groups[last / 4].values[last % 4]);
    chain->end = chain->groups + n / 4;
}

/* ------------------------------------------------------------------ the table */

/* Adapts the number of chains that are skipped before one is kept. Called when a chain replaces VICTIM. If most
 * victims were never met again, keeping chains costs more than it saves, so more and more chains are skipped. */
static void
learn(struct mp_known *known, const struct mp_known_chain *victim)
{
    if (victim->met)
        known->pass /= 2;
    else if (known->pass < MP_KNOWN_PASS)
        known->pass = 2 * known->pass + 1;
    known->passed = known->pass;
}

/* Returns the place of the first word in which CHAIN and STACK differ. Returns 0 if that word is in another page
 * than the hook's frame, because then it may be unreadable until the words before it are compared. */
static uint16_t
first_difference(const struct mp_known_chain *chain, const uint64_t *stack)
{
    for (const struct mp_known_group *group = chain->groups; group < chain->end; group++)
        for (unsigned i = 0; i < 4; i++)
            if (!mp_stack_equals(&stack[group->places[i]], group->values[i]))
                return ((uintptr_t)&stack[group->places[i]] ^ (uintptr_t)stack) < MP_STACK_PAGE ? group->places[i] : 0;
    return 0;
}

static bool
is_turn(const struct mp_known_turns *turns, uint64_t sp, uint16_t place)
{
    return turns->sp == sp && (place == turns->places[0] || place == turns->places[1] ||
                               place == turns->places[2]);
}

/* Makes the word at PLACE one of the words that determine the set of chains with the innermost frame of STACK. */
static void
tell_apart(struct mp_known_turns *turns, const uint64_t *stack, uint16_t place)
{
    const uint64_t sp = mp_machine_caller_sp(stack);
    const bool first = turns->sp != sp;

    turns->sp = 0;
    MP_IN_ORDER();
    turns->places[2] = first ? place : turns->places[1];
    turns->places[1] = first ? place : turns->places[0];
    turns->places[0] = place;
    MP_IN_ORDER();
    turns->sp = sp;
}

/* Distributes the chains of the full set that begins at AT, which is the set for STACK. If chains in it have the
 * same innermost frame as STACK and a word is found that distinguishes them, removes these chains and returns true. */
static bool
spread(struct mp_known *known, size_t at, const uint64_t *stack)
{
    const uint64_t sp = mp_machine_caller_sp(stack), key = mp_machine_caller_key(stack);
    struct mp_known_turns *turns = &known->turns[mp_known_hash(sp, key)];
    uint16_t place = 0;

    for (size_t way = 0; way < MP_KNOWN_WAYS && !place; way++) {
        const struct mp_known_tag *tag = mp_known_tag(known, at + way * sizeof *tag);

        if (tag->sp == sp && tag->key == key)
            place = first_difference(mp_known_chain(known, at + way * sizeof *tag), stack);
        if (is_turn(turns, sp, place))
            place = 0;
    }
    if (!place)
        return false;
    tell_apart(turns, stack, place);
    for (size_t way = 0; way < MP_KNOWN_WAYS; way++) {
        struct mp_known_tag *tag = mp_known_tag(known, at + way * sizeof *tag);

        if (tag->sp == sp && tag->key == key)
            tag->sp = 0;
    }
    return true;
}

/* Returns an unused tag of the set that begins at AT, or -1. */
static long
unused(struct mp_known *known, size_t at)
{
    for (size_t way = 0; way < MP_KNOWN_WAYS; way++)
        if (mp_known_tag(known, at + way * sizeof(struct mp_known_tag))->sp == 0)
            return (long)(at + way * sizeof(struct mp_known_tag));
    return -1;
}

/* Returns the tag for the chain of STACK. It is an unused tag of the chain's set, or else the set's next one in
 * rotation. */
static size_t
choose(struct mp_known *known, const uint64_t *stack)
{
    size_t at = mp_known_set(known, stack);
    long found = unused(known, at);

    if (found < 0 && spread(known, at, stack)) {
        at = mp_known_set(known, stack);
        found = unused(known, at);
    }
    if (found >= 0)
        return (size_t)found;
    at += known->victim++ % MP_KNOWN_WAYS * sizeof(struct mp_known_tag);
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
    at = choose(known, hook_frame);
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
