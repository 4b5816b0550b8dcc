/* SPDX-License-Identifier: MIT */
/*
 * chain_memo.c -- memoised unwinding, which finds the whole chain for the cost of its changed part.
 *
 * One step of unwinding is a function of a frame's registers (ip, sp, fp) and of the words of the stack that it
 * reads (return address, saved fp). For the last chain of the thread, the memo keeps each frame's registers, its
 * context in the tree, and those words with their addresses.
 *
 * A new chain is walked from its innermost frame by rules (rule.h). As soon as a frame has the registers of a
 * remembered one, walking stops. The remembered words are read again, from inner to outer frames, and compared. If
 * all are equal, then by induction all outer frames are the same, and the context is known. If a word differs, all
 * frames inside of its frame are proven. Its frame is stepped through by its rule, and the walk continues until it
 * meets a remembered frame again.
 *
 * Words are compared in order up to the first difference, so nothing is read that a real unwinder would not read. A
 * word that cannot be read differs (stack_word.h). A saved fp is compared only if an outer frame computes with fp
 * before it is loaded again (fp_live). Otherwise a remembered fp may be stale; it is recomputed when a walk
 * continues from there.
 *
 * In a deep chain, only the frames that can have changed since the last capture are compared (chain_deep.h).
 *
 * If chains are limited to N frames (--depth), only the words of the N innermost frames are compared. They also prove
 * whether the last of them has a caller, and thus whether the chain is cut. Frames outside of the limit may be
 * outdated, which has no effect: if a later capture has them within its limit, it compares their words.
 *
 * The 1988 mprof compared the new chain with the last one to save hash lookups. This file saves the unwinding as
 * well.
 */
#include "chain.h"

#include "chain_deep.h"
#include "chain_grow.h"
#include "code.h"
#include "code_language.h"
#include "rule_step.h"
#include "stack_word.h"
#include "runtime/record/cct.h"
#include "runtime/system/options.h"

/* A word that never equals its remembered value. It marks a step that cannot be proven again. */
static const uint64_t never_word;

/* Returns the frame id of the function that the interpreter runs in FRAME. FRAME's caller is at CFA. */
static MP_NOINLINE uint32_t
interpreted_frame(const struct mp_stepped *frame, uint64_t cfa)
{
    uint64_t key = mp_code_interpreted(frame->key, frame->sp, cfa);

    return key ? mp_code_find_interpreted(key)->frame : mp_code_find(frame->key)->frame;
}

/* Looks up the rule and frame of KEY. If the rule is a plain step, keeps both in RECENT until the chains are
 * forgotten. */
static MP_NOINLINE struct mp_recent_code
look_up_code(struct mp_recent_code *recent, uint64_t key)
{
    const struct mp_code *code = mp_code_find(mp_code_address(key));
    const enum mp_rule_kind kind = mp_rule_kind(code->rule);
    const struct mp_recent_code found = { key, code->rule, code->frame };

    if (kind == MP_RULE_SP || kind == MP_RULE_FP) {
        recent->key = 0;
        MP_IN_ORDER();
        recent->rule = found.rule;
        recent->frame = found.frame;
        MP_IN_ORDER();
        recent->key = key;
    }
    return found;
}

MP_INLINE struct mp_recent_code
find_code(struct mp_recorder *recorder, uint64_t key)
{
    struct mp_recent_code *recent = &recorder->recent_code[mp_hash(key, 64 - MP_RECENT_CODE_BITS)];

    return MP_LIKELY(recent->key == key) ? *recent : look_up_code(recent, key);
}

/* ------------------------------------------------------------------ remembered frames */

MP_INLINE bool
same_registers(const struct mp_cached_frame *frame, const struct mp_registers *at)
{
    return frame->sp == at->sp && frame->key == at->key &&
           (frame->fp == at->fp || !frame->fp_live);
}

/* Returns the fp of FRAME's caller. FRAME is proven, FP is its own fp, and CFA is its CFA. */
MP_INLINE uint64_t
proven_fp(const struct mp_cached_frame *frame, uint64_t fp, uint64_t cfa)
{
    uint64_t saved_fp = mp_rule_saved_fp(frame->rule), address;

    if (MP_LIKELY(saved_fp))
        address = cfa - saved_fp;
    else if (mp_rule_kind(frame->rule) == MP_RULE_FP_DEREF)
        address = fp;
    else if (mp_rule_kind(frame->rule) == MP_RULE_SIGNAL)
        address = frame->sp + MP_SIGNAL_FP;
    else
        return fp;
    return mp_stack_load(address);
}

/* Compares the words from BEGIN to END with the stack, from the last on, so that nothing is read beyond the first
 * difference. Returns the word that differs or cannot be read, or NULL. */
MP_INLINE const struct mp_word *
first_difference(const struct mp_word *begin, const struct mp_word *end)
{
    const struct mp_word *at = end;

    while (at - begin >= 4) {
        if (!mp_stack_equals(at[-1].address, at[-1].value))
            return at - 1;
        if (!mp_stack_equals(at[-2].address, at[-2].value))
            return at - 2;
        if (!mp_stack_equals(at[-3].address, at[-3].value))
            return at - 3;
        if (!mp_stack_equals(at[-4].address, at[-4].value))
            return at - 4;
        at -= 4;
    }
    while (at > begin) {
        at--;
        if (!mp_stack_equals(at->address, at->value))
            return at;
    }
    return NULL;
}

/* Compares the words of CACHED and of the frames outside of it. Returns the first one that differs, or NULL. N
 * frames of the present chain are inside of CACHED. LIMITED is described at capture(). */
MP_INLINE const struct mp_word *
find_difference(const struct mp_memo *memo, const struct mp_cached_frame *cached, size_t n, const bool limited)
{
    const struct mp_word *begin = !limited && MP_LIKELY(memo->whole) ? memo->words
                                                                     : mp_deep_words(memo, cached, n);

    return first_difference(begin, cached->words_end);
}

/* Appends to STEPPED the frames that are still proven although the word DIFFERENT has changed: the remembered frames
 * from *CACHED outwards that come before the frame of that word. Sets *CACHED to the frame of that word, and *AT to
 * its registers. Returns the new end of STEPPED. */
static struct mp_stepped *
replay(const struct mp_memo *memo, const struct mp_word *different,
       struct mp_cached_frame **cached, struct mp_registers *at, struct mp_stepped *stepped)
{
    struct mp_cached_frame *frame = *cached;
    uint64_t fp = at->fp;

    for (; frame > memo->frames && frame[-1].words_end > different; frame--) {
        *stepped++ = (struct mp_stepped){ frame->key, frame->sp, fp, frame->rule, frame->frame };
        fp = proven_fp(frame, fp, frame[-1].sp);
    }
    *at = (struct mp_registers){ frame->key, frame->sp, fp };
    *cached = frame;
    return stepped;
}

/* ------------------------------------------------------------------ the new memo */

static MP_NOINLINE struct mp_word *
put_function_word(struct mp_word *words, const struct mp_stepped *stepped, uint64_t cfa)
{
    uint64_t distance = mp_code_word_distance(stepped->key);

    if (distance)
        *words++ = (struct mp_word){ (const uint64_t *)(cfa - distance), mp_stack_load(cfa - distance) };
    return words;
}

/* Appends the words that prove the step from STEPPED to CALLER, a frame of MEMO. Returns the end of the list. *LIVE
 * states whether CALLER or a frame outside of it uses fp. It is changed to state the same for STEPPED. */
MP_INLINE struct mp_word *
put_words(struct mp_word *words, const struct mp_stepped *stepped, const struct mp_cached_frame *caller,
          uint32_t *live)
{
    uint64_t saved_fp = mp_rule_saved_fp(stepped->rule), cfa = caller->sp;

    /* the most common step, which needs one word and does not change *LIVE */
    if (MP_LIKELY((stepped->rule & (MP_RULE_KIND | MP_RULE_INTERPRETER)) == MP_RULE_SP) && (!*live || !saved_fp)) {
        *words = (struct mp_word){ mp_machine_return_word(cfa), caller->key };
        return words + 1;
    }
    switch (mp_rule_kind(stepped->rule)) {
    case MP_RULE_SP:
    case MP_RULE_FP:
    case MP_RULE_FP_UNPROVED:
        if (saved_fp && *live)
            *words++ = (struct mp_word){ (const uint64_t *)(cfa - saved_fp), caller->fp };
        if (MP_UNLIKELY(stepped->rule & MP_RULE_INTERPRETER))
            words = put_function_word(words, stepped, cfa);
        *words++ = (struct mp_word){ mp_machine_return_word(cfa), caller->key };
        *live = mp_rule_kind(stepped->rule) != MP_RULE_SP || (!saved_fp && *live);
        break;
    case MP_RULE_FP_DEREF:
        if (*live)
            *words++ = (struct mp_word){ (const uint64_t *)stepped->fp, caller->fp };
        *words++ = (struct mp_word){ mp_machine_return_word(cfa), caller->key };
        *words++ = (struct mp_word){
            (const uint64_t *)(stepped->fp - mp_rule_offset(stepped->rule)), cfa };
        *live = true;
        break;
    case MP_RULE_SIGNAL:
        *words++ = (struct mp_word){ (const uint64_t *)(stepped->sp + MP_SIGNAL_FP), caller->fp };
        *words++ = (struct mp_word){ (const uint64_t *)(stepped->sp + MP_SIGNAL_SP), caller->sp };
        *words++ = (struct mp_word){ (const uint64_t *)(stepped->sp + MP_SIGNAL_IP),
                                     caller->key & ~MP_KEY_EXACT };
        *live = false;
        break;
    default:                    /* irregular; never proven, always stepped through again */
        *words++ = (struct mp_word){ &never_word, 1 };
        *live = true;
    }
    return words;
}

/* Appends the words which prove that the walk ends at STEPPED. Sets *LIVE as put_words() does. */
static struct mp_word *
put_last_words(struct mp_word *words, const struct mp_stepped *stepped,
               const struct mp_rule_walk *walk, uint32_t *live)
{
    *live = mp_rule_kind(stepped->rule) != MP_RULE_END;
    if (walk->word)
        *words++ = (struct mp_word){ walk->word, 0 };
    else if (*live)
        *words++ = (struct mp_word){ &never_word, 1 };
    return words;
}

/* Returns the context of the recorder->depth innermost frames of the chain that MEMO remembers up to TOP, or 0 if there
 * is no memory. As it depends only on TOP and on frames outside of it, it is looked up once while TOP is remembered. */
static uint32_t
limited_context(struct mp_recorder *recorder, struct mp_memo *memo, struct mp_cached_frame *top)
{
    struct mp_cached_frame *frame = memo->frames;
    uint32_t context = frame[-1].context;

    if (top->context)
        return top->context;
    if ((size_t)(top + 1 - frame) > recorder->depth) {
        frame = top + 1 - recorder->depth;
        context = mp_cct_child(recorder, 0, MP_FRAME_CUT_DEPTH);
    }
    do
        context = mp_cct_child(recorder, context, frame->frame);
    while (context && frame++ < top);
    return top->context = context;
}

/* Puts the frames that were stepped through, from the last (END - 1) to the first, on top of the remembered frame
 * KEPT. KEPT is memo->frames - 1 if no remembered frame is still valid. Returns the context of the innermost frame,
 * or 0 if there is no memory. LIMITED is described at capture(). */
MP_INLINE uint32_t
remember(struct mp_recorder *recorder, struct mp_memo *memo, struct mp_cached_frame *kept,
         const struct mp_stepped *end, const struct mp_rule_walk *walk, const bool limited)
{
    const struct mp_stepped *stepped = end;
    struct mp_cached_frame *top = kept;
    struct mp_word *words = memo->words;
    uint32_t context, live = 0;

    if (kept >= memo->frames) {
        words = kept->words_end;
        live = kept->fp_live;
    } else {
        kept->context = walk->mark ? mp_cct_child(recorder, 0, walk->mark) : recorder->root;
    }
    context = kept->context;
    do {
        stepped--;
        top++;
        if (MP_LIKELY(top > memo->frames))
            words = put_words(words, stepped, top - 1, &live);
        else
            words = put_last_words(words, stepped, walk, &live);
        context = limited ? 0 : mp_cct_child(recorder, context, stepped->frame);
        if (!limited && MP_UNLIKELY(!context)) {
            memo->top = memo->frames - 1;
            memo->whole = true;
            return 0;
        }
        *top = (struct mp_cached_frame){ stepped->key, stepped->sp, stepped->fp, words,
                                         context, stepped->rule, stepped->frame, live };
    } while (stepped > recorder->stepped);
    memo->top = top;
    if (limited)
        return limited_context(recorder, memo, top);
    memo->whole = top + 1 - memo->frames <= mp_options.deep || mp_deep_captured(memo);
    return context;
}

static MP_NOINLINE uint32_t
remember_whole(struct mp_recorder *recorder, struct mp_memo *memo, struct mp_cached_frame *kept,
               const struct mp_stepped *end, const struct mp_rule_walk *walk)
{
    return remember(recorder, memo, kept, end, walk, false);
}

static MP_NOINLINE uint32_t
remember_limited(struct mp_recorder *recorder, struct mp_memo *memo, struct mp_cached_frame *kept,
                 const struct mp_stepped *end, const struct mp_rule_walk *walk)
{
    return remember(recorder, memo, kept, end, walk, true);
}

/* ------------------------------------------------------------------ which memo */

/* Returns the memo of the stack with SP, which is not the stack of the present memo. Returns the present memo if
 * that stack has no memo. */
static MP_NOINLINE struct mp_memo *
find_memo(struct mp_recorder *recorder, uint64_t sp)
{
    for (unsigned i = 0; i < MP_MEMOS; i++) {
        struct mp_memo *memo = &recorder->memos[i];

        if (sp - memo->low <= memo->high - memo->low)
            recorder->memo = memo;
    }
    return recorder->memo;
}

/* Returns the memo for a chain without remembered frames. It is the memo of the chain's stack, which is identified
 * by HIGH, the stack pointer of the outermost frame. If no memo belongs to that stack, it is the next memo in
 * rotation. */
static MP_NOINLINE struct mp_memo *
memo_of_stack(struct mp_recorder *recorder, uint64_t high)
{
    struct mp_memo *memo = recorder->memo;

    if (memo->high == high || memo->top < memo->frames)
        return memo;
    for (unsigned i = 0; i < MP_MEMOS; i++)
        if (recorder->memos[i].high == high)
            return recorder->memo = &recorder->memos[i];
    recorder->next_victim = (recorder->next_victim + 1) % MP_MEMOS;
    return recorder->memo = &recorder->memos[recorder->next_victim];
}

/* Makes HIGH the stack pointer of MEMO's outermost frame. Stacks do not overlap, so the stack of a memo cannot extend
 * below the outermost frame of the next lower one. */
static MP_NOINLINE void
set_high(struct mp_recorder *recorder, struct mp_memo *memo, uint64_t high)
{
    memo->high = high;
    for (unsigned i = 0; i < MP_MEMOS; i++) {
        struct mp_memo *at = &recorder->memos[i];

        at->low = 0;
        for (unsigned j = 0; j < MP_MEMOS; j++)
            if (recorder->memos[j].high < at->high && recorder->memos[j].high >= at->low)
                at->low = recorder->memos[j].high + 1;
    }
}

/* ------------------------------------------------------------------ capture */

/* Returns the end of the place for stepped frames. The walk has stepped through N frames, and calls this function
 * again when it gets there. Behind that place, there is space for all frames of MEMO, which may be replayed.
 * Returns NULL if there is no memory. */
MP_INLINE struct mp_stepped *
stepped_limit(struct mp_recorder *recorder, const struct mp_memo *memo, uint32_t n)
{
    uint32_t remembered = (uint32_t)(memo->top + 1 - memo->frames);

    if (MP_UNLIKELY(n + remembered + 2 > recorder->stepped_room) &&
        !mp_chain_grow_stepped(recorder, n, n + remembered + 2))
        return NULL;
    return recorder->stepped + recorder->stepped_room - remembered - 1;
}

/* Prepares a MEMO that is not `whole`, because it has no capacity yet or holds a deep chain. Returns false if there
 * is no memory. */
static MP_COLD bool
prepare(struct mp_memo *memo)
{
    if (!memo->room)
        return mp_chain_grow_memo(memo, 1);
    mp_deep_look(memo);
    return true;
}

/* Returns the context of the chain of HOOK_FRAME's callers, which MEMO remembers from its outermost frame up to
 * CACHED. */
MP_INLINE uint32_t
recognised(struct mp_recorder *recorder, const void *hook_frame, struct mp_memo *memo,
           struct mp_cached_frame *cached, const bool limited)
{
    const uint32_t context = limited ? limited_context(recorder, memo, cached) : cached->context;

    if (!limited && MP_UNLIKELY(!memo->whole))
        memo->whole = mp_deep_captured(memo);
    if (cached == memo->top)
        mp_known_met(recorder, hook_frame, context);
    return context;
}

/* Returns the context of the chain of HOOK_FRAME's callers, or 0 if there is no memory. The chain consists of the
 * frames before END, which WALK stepped through, and of the frames that MEMO remembers up to CACHED. CACHED is
 * memo->frames - 1 if no remembered frame belongs to it. */
MP_INLINE uint32_t
stepped_through(struct mp_recorder *recorder, const void *hook_frame, struct mp_memo *memo,
                const struct mp_cached_frame *cached, const struct mp_stepped *end,
                const struct mp_rule_walk *walk, const bool limited)
{
    const uint32_t n = (uint32_t)(end - recorder->stepped);
    const uint32_t kept = (uint32_t)(cached + 1 - memo->frames);
    uint32_t context;

    if (MP_UNLIKELY(kept == 0)) {
        memo = memo_of_stack(recorder, end[-1].sp);
        if (memo->high != end[-1].sp)
            set_high(recorder, memo, end[-1].sp);
    }
    if (MP_UNLIKELY(kept + n > memo->room) && !mp_chain_grow_memo(memo, kept + n))
        return 0;
    context = (limited ? remember_limited : remember_whole)(recorder, memo, memo->frames + kept - 1, end, walk);
    mp_known_met(recorder, hook_frame, context);
    return context;
}

/* Does what a capture function does. LIMITED is a constant: whether chains have at most recorder->depth frames. */
MP_INLINE uint32_t
capture(struct mp_recorder *recorder, const void *hook_frame, const bool limited)
{
    const uint32_t activation = recorder->activation;
    struct mp_registers at = mp_machine_caller(hook_frame);
    struct mp_cfi_walk cfi;
    struct mp_rule_walk walk;
    struct mp_memo *memo = recorder->memo;
    struct mp_stepped *stepped, *limit;
    struct mp_cached_frame *cached;

    if (MP_UNLIKELY(at.sp - memo->low > memo->high - memo->low))
        memo = find_memo(recorder, at.sp);
    if (MP_UNLIKELY(!memo->whole) && !prepare(memo))
        return 0;
    if (limited)
        memo->fresh = recorder->depth;

    /* the same chain as the last time, which needs no walk */
    cached = memo->top;
    if (same_registers(cached, &at) && !find_difference(memo, cached, 0, limited))
        return recognised(recorder, hook_frame, memo, cached, limited);
    limit = stepped_limit(recorder, memo, 0);
    if (MP_UNLIKELY(!limit))
        return 0;
    stepped = recorder->stepped;
    mp_rule_begin(&walk, at.sp, &memo->read, &cfi);
    for (;;) {
        uint32_t rule, frame;

        while (cached->sp < at.sp)
            cached--;
        if (same_registers(cached, &at)) {
            const struct mp_word *different =
                find_difference(memo, cached, (size_t)(stepped - recorder->stepped), limited);
            struct mp_registers copy = at;

            if (MP_LIKELY(!different))
                break;
            stepped = replay(memo, different, &cached, &copy, stepped);
            at = copy;
            rule = cached->rule;
            frame = cached->frame;
        } else {
            const struct mp_recent_code code = find_code(recorder, at.key);

            rule = code.rule;
            frame = code.frame;
        }
        *stepped++ = (struct mp_stepped){ at.key, at.sp, at.fp, rule, frame };
        if (MP_UNLIKELY(!mp_rule_step(&at, rule, &walk))) {
            if (MP_UNLIKELY(walk.again)) {
                mp_recorder_forget_chains(recorder);
                return (limited ? mp_chain_limited : mp_chain_memoised)(recorder, hook_frame);
            }
            cached = memo->frames - 1;
            break;
        }
        if (MP_UNLIKELY(rule & MP_RULE_INTERPRETER))
            stepped[-1].frame = interpreted_frame(&stepped[-1], at.sp);
        if (MP_UNLIKELY(stepped >= limit)) {
            const uint32_t n = (uint32_t)(stepped - recorder->stepped);

            limit = stepped_limit(recorder, memo, n);
            stepped = recorder->stepped + n;
            if (!limit)
                return 0;
        }
    }
    if (stepped == recorder->stepped)
        return recognised(recorder, hook_frame, memo, cached, limited);
    if (MP_UNLIKELY(recorder->activation != activation))
        return 0;
    return stepped_through(recorder, hook_frame, memo, cached, stepped, &walk, limited);
}

uint32_t
mp_chain_memoised(struct mp_recorder *recorder, const void *hook_frame)
{
    return capture(recorder, hook_frame, false);
}

uint32_t
mp_chain_limited(struct mp_recorder *recorder, const void *hook_frame)
{
    return capture(recorder, hook_frame, true);
}
