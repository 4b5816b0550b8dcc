/* SPDX-License-Identifier: MIT */
#include "chain_known.h"

#include <string.h>

#include "rule.h"
#include "startup.h"

_Static_assert(sizeof(struct mp_known_tag) * MP_KNOWN_WAYS == MP_KNOWN_SET, "mp_known_hash() multiplies the set");
_Static_assert(sizeof(struct mp_known_chain) % sizeof(struct mp_known_tag) == 0,
               "mp_known_chain() multiplies the place of a tag");

/* Words of FRAMES frames that are stored as a run: those from BEGIN, of the outermost frame, to END. */
struct run {
    const struct mp_word *begin, *end;
    uint32_t frames;
};

/* ------------------------------------------------------------------ comparison */

/* Compares the word at AT and the next three at distances of STRIDE. */
MP_INLINE bool
four_equal(const char *at, uint64_t stride, uint64_t value)
{
    return mp_stack_equals((const void *)at, value) && mp_stack_equals((const void *)(at + stride), value) &&
           mp_stack_equals((const void *)(at + 2 * stride), value) &&
           mp_stack_equals((const void *)(at + 3 * stride), value);
}

/* Returns whether the words above the hook's frame at STACK prove RUN. Needs half of the instructions that groups need,
 * because only the words of the stack are loaded. */
MP_INLINE bool
run_holds(const struct mp_known_run *run, const uint64_t *stack)
{
    const char *at = (const char *)&stack[run->place];
    const uint64_t stride = run->stride, value = run->values[0], second = run->values[1], growth = run->growth;
    const int64_t to_second = run->second, to_third = run->third;
    uint64_t third = run->values[2];
    uint32_t left = run->rounds;

    if (run->narrow) {
        const char *half = at + 4 * stride;

        do {
            if (!four_equal(at, stride, value) || !four_equal(half, stride, value))
                return false;
            at += MP_KNOWN_ROUND * stride;
            half += MP_KNOWN_ROUND * stride;
        } while (--left);
        return true;
    }
    do {
        if (!mp_stack_equals((const void *)at, value) || !mp_stack_equals((const void *)(at + to_second), second) ||
            !mp_stack_equals((const void *)(at + to_third), third))
            return false;
        at += stride;
        third += growth;
    } while (--left);
    return true;
}

bool
mp_known_rest_holds(const struct mp_known_chain *chain, const void *hook_frame)
{
    const struct mp_known_group *group = chain->split, *end = chain->end;

    if (!run_holds(&chain->run, hook_frame))
        return false;
    do {
        if (!mp_known_group_holds(group, hook_frame))
            return false;
    } while (++group != end);
    return true;
}

/* ------------------------------------------------------------------ which chains */

#define MOST_WORDS ((ptrdiff_t)(MP_KNOWN_GROUPS - 1) * 4)  /* maximum number of words outside of a run */

/* Returns whether WORD is near enough to the hook's frame at STACK and has its remembered value. The word of an
 * irregular step never has it. */
static bool
is_provable(const struct mp_word *word, const uint64_t *stack)
{
    uint64_t distance = (uintptr_t)word->address - (uintptr_t)stack;

    return distance % sizeof *stack == 0 && distance / sizeof *stack <= UINT16_MAX &&
           mp_stack_equals(word->address, word->value);
}

/* Returns whether the words from FIRST to the end of those of MEMO, without those of RUN, prove the chain for the hook
 * whose frame is at STACK, and fit into a known chain. */
static bool
can_be_kept(const struct mp_memo *memo, const struct mp_word *first, const struct run *run, const uint64_t *stack)
{
    const struct mp_cached_frame *top = memo->top;

    if (top->sp != mp_machine_caller_sp(stack) ||
        top->words_end - first - (run->end - run->begin) + 1 > MOST_WORDS)
        return false;
    for (const struct mp_word *word = top->words_end; word > first; word--)
        if (!is_provable(&word[-1], stack))
            return false;
    return true;
}

/*
 * Returns the end of the words of MEMO that are the same in all chains that have the other words. The callers of main()
 * on the initial stack are always the same: _start calls __libc_start_main, which calls __libc_start_call_main, which
 * calls main() in one place. None of these returns. So their frames stay where they are as long as the process runs,
 * and the return address of main() and those above need no comparison. A return address into main() proves that the
 * frame above is one of main().
 */
static const struct mp_word *
first_variable(const struct mp_memo *memo)
{
    const struct mp_cached_frame *frames = memo->frames;

    if (memo->top - frames < 3)
        return memo->words;
    return mp_startup_is_main(frames[0].sp, (const uint64_t[]){frames[1].key, frames[2].key, frames[3].key})
               ? frames[3].words_end : memo->words;
}

/* ------------------------------------------------------------------ runs */

#define LEAST_OF_RUN 64         /* words; shorter runs save nothing */
#define LONG_SEARCH  4096u      /* frames; the search for a run in a chain of more frames takes long */
#define SEARCHED     16u        /* after a long search, one chain is skipped for each SEARCHED frames of that chain */

static ptrdiff_t
count_words(const struct mp_cached_frame *frame)
{
    return frame->words_end - frame[-1].words_end;
}

/* Returns whether FRAME and its caller, each of which has a caller, have words as those of a run. */
static bool
is_like_caller(const struct mp_cached_frame *frame)
{
    const uint64_t stride = frame[-1].sp - frame->sp;
    const ptrdiff_t n = count_words(frame);

    if (frame->key != frame[-1].key || frame->rule != frame[-1].rule || frame[-2].sp - frame[-1].sp != stride ||
        n != count_words(&frame[-1]) || n < 1 || n > 3)
        return false;
    for (ptrdiff_t i = 1; i <= n; i++) {
        const struct mp_word *word = &frame->words_end[-i], *outer = &frame[-1].words_end[-i];

        if ((uintptr_t)outer->address - (uintptr_t)word->address != stride ||
            (outer->value != word->value && (i < n || n == 1 || outer->value - word->value != stride)))
            return false;
    }
    return true;
}

/* Returns by how much the last word of FRAME's caller is larger than that of FRAME. Both have as many words. */
static uint64_t
growth_of(const struct mp_cached_frame *frame)
{
    const ptrdiff_t n = count_words(frame);

    return frame[-1].words_end[-n].value - frame->words_end[-n].value;
}

/* Returns the longest run of MEMO. Neither the innermost frame belongs to it, nor the outermost one of those whose
 * words begin at FIRST or later. If there is no run, the returned one has no words and no frames. */
static struct run
find_run(const struct mp_memo *memo, const struct mp_word *first)
{
    struct run run = { memo->words, memo->words, 0 };
    const struct mp_cached_frame *frame = memo->top - 1;

    while (frame > memo->frames + 1 && frame[-2].words_end > first) {
        const struct mp_cached_frame *inner = frame;
        uint32_t frames;

        while (frame > memo->frames + 1 && frame[-2].words_end > first && is_like_caller(frame) &&
               growth_of(frame) == growth_of(inner))
            frame--;
        frames = (uint32_t)(inner - frame + 1);
        if (count_words(inner) == 1)
            frames -= frames % MP_KNOWN_ROUND;
        if (frames * count_words(inner) >= LEAST_OF_RUN && frames > run.frames)
            run = (struct run){ inner[-(ptrdiff_t)frames].words_end, inner->words_end, frames };
        frame--;
    }
    return run;
}

/* Returns false if a few frames show that the chain of MEMO cannot be kept for the hook whose frame is at STACK.
 * FIRST as for can_be_kept(). The outermost word must be near. A chain with too many words needs a run that leaves at
 * most MOST_WORDS of them. Each frame has at least one word. Therefore, if there are more than MOST_WORDS words far
 * enough outside, that run contains the frame that is MOST_WORDS frames from the innermost one, and the next two outer
 * ones. */
static bool
is_candidate(const struct mp_memo *memo, const struct mp_word *first, const uint64_t *stack)
{
    const struct mp_cached_frame *frame;

    if (first < memo->top->words_end && !is_provable(first, stack))
        return false;
    if (memo->top - memo->frames <= MOST_WORDS + 1)
        return true;
    frame = memo->top - MOST_WORDS;
    return frame[-2].words_end - first <= MOST_WORDS || is_like_caller(frame);
}

/* Stores RUN in CHAIN. */
static void
put_run(struct mp_known_run *to, const uint64_t *stack, const struct run *run)
{
    const struct mp_word *inner = run->end - 1;         /* the return address of the innermost frame */
    const ptrdiff_t n = (run->end - run->begin) / run->frames;
    const struct mp_word *second = n == 3 ? inner - 1 : inner, *third = inner - n + 1;

    to->narrow = n == 1;
    to->rounds = n == 1 ? run->frames / MP_KNOWN_ROUND : run->frames;
    to->stride = (uint32_t)((uintptr_t)inner[-n].address - (uintptr_t)inner->address);
    to->place = (uint16_t)(inner->address - stack);
    to->second = (int32_t)((const char *)second->address - (const char *)inner->address);
    to->third = (int32_t)((const char *)third->address - (const char *)inner->address);
    to->values[0] = inner->value;
    to->values[1] = second->value;
    to->values[2] = third->value;
    to->growth = third[-n].value - third->value;
}

/* ------------------------------------------------------------------ words */

static void
put_word(struct mp_known_chain *chain, uint32_t n, uint64_t place, uint64_t value)
{
    chain->groups[n / 4].places[n % 4] = (uint16_t)place;
    chain->groups[n / 4].values[n % 4] = value;
}

/* Repeats the last of N words to fill its group. Returns the end of the groups. */
static const struct mp_known_group *
fill_group(struct mp_known_chain *chain, uint32_t n)
{
    for (const uint32_t last = n - 1; n % 4 != 0; n++)
        put_word(chain, n, chain->groups[last / 4].places[last % 4],
                 chain->groups[last / 4].values[last % 4]);
    return chain->groups + n / 4;
}

/* Puts the words of MEMO from the last one to FIRST into CHAIN, and thus those of the innermost frame first. */
static void
put_words(struct mp_known_chain *chain, const uint64_t *stack, const struct mp_memo *memo, const struct mp_word *first,
          const struct run *run)
{
    const struct mp_word *word = memo->top->words_end;
    uint32_t n = 0;

    if (memo->top->fp_live)
        put_word(chain, n++, 0, memo->top->fp);
    if (run->frames) {
        for (; word > run->end; word--)
            put_word(chain, n++, (uint64_t)(word[-1].address - stack), word[-1].value);
        chain->split = fill_group(chain, n);
        n = (uint32_t)(chain->split - chain->groups) * 4;
        put_run(&chain->run, stack, run);
        word = run->begin;
    }
    for (; word > first; word--)
        put_word(chain, n++, (uint64_t)(word[-1].address - stack), word[-1].value);
    if (n == 0)                 /* whatever the stack contains, the frame has no caller, or always the same ones */
        put_word(chain, n++, 1, memo->top->key);
    chain->end = fill_group(chain, n);
    if (!run->frames)
        chain->split = chain->end;
    chain->has_run = run->frames > 0;
}

/* ------------------------------------------------------------------ the table */

/* Returns whether VICTIM may be replaced. A chain that was met again since it was stored has a second chance: it stays
 * until it is chosen once more and was not met in between. If chains come in a cycle that is too long for the table,
 * some of them are thus found each time.
 *
 * Also determines how many chains are skipped before the next one is kept. If most victims were never met again,
 * keeping chains costs more than it saves, so more and more chains are skipped. While victims are in use, so is the
 * table, and it changes slowly. */
static bool
yields(struct mp_known *known, struct mp_known_chain *victim)
{
    if (victim->met == MP_KNOWN_MET) {
        victim->met = MP_KNOWN_SPARED;
        known->passed = MP_KNOWN_PASS / 2;
        return false;
    }
    if (victim->met == MP_KNOWN_SPARED)
        known->pass /= 2;
    else if (known->pass < MP_KNOWN_PASS)
        known->pass = 2 * known->pass + 1;
    known->passed = known->pass;
    return true;
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

/* Returns whether TURNS should stay as they are, although the set that begins at AT is full and one more chain, with
 * SP, belongs to it. They stay if they have as many words for SP as possible, or are for another stack pointer, and a
 * chain of the set was met. Then another word would make chains that are in use unknown. */
static bool
is_spread(struct mp_known *known, const struct mp_known_turns *turns, size_t at, uint64_t sp)
{
    if (turns->sp == 0 || (turns->sp == sp && turns->places[1] == turns->places[2]))
        return false;
    for (size_t way = 0; way < MP_KNOWN_WAYS; way++)
        if (mp_known_chain(known, at + way * sizeof(struct mp_known_tag))->met)
            return true;
    return false;
}

/* Distributes the chains of the full set that begins at AT, which is the set for STACK. If chains in it have the
 * same innermost frame as STACK and a word is found that distinguishes them, removes these chains and returns true. */
static bool
spread(struct mp_known *known, size_t at, const uint64_t *stack)
{
    const uint64_t sp = mp_machine_caller_sp(stack), key = mp_machine_caller_key(stack);
    struct mp_known_turns *turns = mp_known_turns(known, mp_known_hash(sp, key));
    uint16_t place = 0;

    if (is_spread(known, turns, at, sp))
        return false;
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

/* Returns a tag of the set of STACK's chain where this chain can be kept: an unused one, or the one whose turn it is to
 * be replaced. Returns -1 if the chain with that tag may not be replaced yet. */
static long
choose(struct mp_known *known, const uint64_t *stack)
{
    const size_t first = mp_known_hash(mp_machine_caller_sp(stack), mp_machine_caller_key(stack));
    size_t at = mp_known_set(known, first, stack);
    long found = unused(known, at);

    if (found < 0 && spread(known, at, stack)) {
        at = mp_known_set(known, first, stack);
        found = unused(known, at);
    }
    if (found >= 0)
        return found;
    at += known->victim++ % MP_KNOWN_WAYS * sizeof(struct mp_known_tag);
    return yields(known, mp_known_chain(known, at)) ? (long)at : -1;
}

void
mp_known_keep(struct mp_recorder *recorder, const void *hook_frame, uint32_t context)
{
    const struct mp_memo *memo = recorder->memo;
    struct mp_known *known = &recorder->known;
    const struct mp_word *first;
    struct mp_known_chain *chain;
    struct mp_known_tag *tag;
    struct run run;
    long at;

    if (memo->top < memo->frames)
        return;
    first = first_variable(memo);
    if (recorder->depth < (size_t)(memo->top + 1 - memo->frames) &&
        memo->top[-(ptrdiff_t)recorder->depth].words_end > first)
        first = memo->top[-(ptrdiff_t)recorder->depth].words_end;
    if (!is_candidate(memo, first, hook_frame))
        return;
    at = choose(known, hook_frame);
    if (at < 0)
        return;
    if (memo->top - memo->frames > LONG_SEARCH)
        known->passed = (uint32_t)(memo->top - memo->frames) / SEARCHED;
    run = find_run(memo, first);
    if (!can_be_kept(memo, first, &run, hook_frame))
        return;
    tag = mp_known_tag(known, (size_t)at);
    tag->sp = 0;
    MP_IN_ORDER();
    chain = mp_known_chain(known, (size_t)at);
    chain->context = context;
    chain->met = 0;
    for (unsigned i = 0; i < MP_KNOWN_CELLS; i++)
        chain->cells[i] = (struct mp_known_cell){-1, 0};
    for (unsigned i = 0; i < MP_KNOWN_MIXED; i++)
        chain->mixed[i] = MP_KNOWN_SLOW;
    memset(chain->heap_cells, 0, sizeof chain->heap_cells);
    put_words(chain, hook_frame, memo, first, &run);
    chain->aside = chain->has_run || recorder->timed;
    tag->key = memo->top->key;
    MP_IN_ORDER();
    tag->sp = memo->top->sp;
}
