/*
 * chain_memo.c -- memoised unwinding: the whole chain at the price of what changed in it.
 *
 * One step of unwinding is a function of a frame's registers (ip, sp, fp) and of the words of the
 * stack that it reads (return address, saved fp).  For the last chain of the thread we keep, for
 * each frame, its registers, its context in the tree, and those words with their addresses.
 *
 * A new chain is walked from its innermost frame by rules (rule.h).  As soon as a frame has the
 * registers of a remembered one, walking stops and the remembered words are read again, inner to
 * outer, and compared.  All equal: by induction all outer frames are the same, and the context is
 * known.  The first word that differs belongs to some frame: all inside of it are proven, that one
 * is stepped for real, and the walk goes on until it meets a remembered frame again.
 *
 * Words are compared in order and the first difference ends it, so nothing is read that a real
 * unwinder would not read.  A saved fp is compared only where an outer frame computes with fp
 * before it is loaded again (fp_live); elsewhere a remembered fp may be stale, and is recomputed
 * when a walk goes on from there.
 *
 * The 1988 mprof compared the new chain with the last one to save hash lookups; here it saves the
 * unwinding as well.
 */
#include "chain.h"

#include "frame.h"
#include "rule.h"
#include "tree.h"
#include "sys.h"
#include "unwind.h"

#define PLAUSIBLE_FRAME 65536u  /* bytes; larger frames are looked at before they are read */
#define MOST_JUMPS      64      /* from stack to stack in one chain */

/* Registers of the frame that the walk is at: small, so that they stay in ours. */
struct at {
    uint64_t key, sp, fp;
};

/* How the walk ended, where there was no remembered frame to meet. */
struct ending {
    unsigned jumps;             /* from stack to stack, so far */
    const uint64_t *word;       /* the word that said that there is no caller, if one did */
    uint32_t mark;              /* why the chain is cut, or 0 */
};

/* A word that is never equal to what is remembered of it: a step that cannot be proven again. */
static const uint64_t never_word;

/* ------------------------------------------------------------------ stepping */

static bool
readable(uint64_t address)
{
    uint64_t word;

    return address % 8 == 0 && mp_sys_peek(address, &word, sizeof word) == 0;
}

/* A frame that is very large or lies elsewhere: another stack, or damage. */
static MP_COLD bool
plausible_jump(struct ending *ending, uint64_t cfa, uint64_t saved_fp)
{
    return ending->jumps++ < MOST_JUMPS && readable(cfa - 8) &&
           (saved_fp == 0 || readable(cfa - saved_fp));
}

static bool
cut(struct ending *ending, uint32_t mark)
{
    ending->mark = mark;
    return false;
}

static bool
step_signal(struct at *at)
{
    const char *frame = (const char *)at->sp;

    at->fp = *(const uint64_t *)(frame + MP_SIGNAL_FP);
    at->key = *(const uint64_t *)(frame + MP_SIGNAL_IP) | MP_KEY_EXACT;
    at->sp = *(const uint64_t *)(frame + MP_SIGNAL_SP);
    return true;
}

static bool
step_deref(struct at *at, uint32_t rule, struct ending *ending)
{
    uint64_t cfa = *(const uint64_t *)(at->fp - mp_rule_offset(rule));

    if (cfa - at->sp - 8 >= PLAUSIBLE_FRAME && !plausible_jump(ending, cfa, 0))
        return cut(ending, MP_FRAME_CUT_NO_RULE);
    at->fp = *(const uint64_t *)at->fp;
    at->key = *(const uint64_t *)(cfa - 8);
    at->sp = cfa;
    return true;
}

/* From a frame to its caller by a rule that is not one of the two plain ones. */
static MP_NOINLINE bool
step_special(struct at *at, uint32_t rule, struct ending *ending)
{
    switch (mp_rule_kind(rule)) {
    case MP_RULE_END:
        return false;
    case MP_RULE_SIGNAL:
        return step_signal(at);
    case MP_RULE_FP_DEREF:
        return step_deref(at, rule, ending);
    case MP_RULE_IRREGULAR:
        return mp_unwind_step(&at->key, &at->sp, &at->fp) ? true
                                                          : cut(ending, MP_FRAME_CUT_NO_RULE);
    default:
        return cut(ending, MP_FRAME_CUT_NO_RULE);
    }
}

/* From a frame to its caller; false: it has none, or the chain is cut here. */
MP_INLINE bool
step(struct at *at, uint32_t rule, struct ending *ending)
{
    uint64_t saved_fp = mp_rule_saved_fp(rule), cfa;

    if (MP_LIKELY(mp_rule_kind(rule) == MP_RULE_SP)) {
        cfa = at->sp + mp_rule_offset(rule);
    } else if (MP_LIKELY(mp_rule_kind(rule) == MP_RULE_FP)) {
        cfa = at->fp + mp_rule_offset(rule);
    } else {
        struct at copy = *at;   /* so that *AT need not have an address */
        bool more = step_special(&copy, rule, ending);

        *at = copy;
        return more;
    }
    if (MP_UNLIKELY(cfa - at->sp - 8 >= PLAUSIBLE_FRAME) && !plausible_jump(ending, cfa, saved_fp))
        return cut(ending, MP_FRAME_CUT_NO_RULE);
    if (saved_fp)
        at->fp = *(const uint64_t *)(cfa - saved_fp);
    at->key = *(const uint64_t *)(cfa - 8);
    at->sp = cfa;
    if (MP_UNLIKELY(at->key == 0)) {
        ending->word = (const uint64_t *)(cfa - 8);
        return false;
    }
    return true;
}

bool
mp_chain_step(uint64_t *key, uint64_t *sp, uint64_t *fp, uint32_t *mark)
{
    struct ending ending = { 0 };
    struct at at = { *key, *sp, *fp };
    bool more = step(&at, mp_frame_find(*key)->rule, &ending);

    *key = at.key;
    *sp = at.sp;
    *fp = at.fp;
    *mark = ending.mark;
    return more;
}

/* ------------------------------------------------------------------ remembered frames */

MP_INLINE bool
same_registers(const struct mp_cached_frame *frame, const struct at *at)
{
    return frame->sp == at->sp && frame->key == at->key &&
           (frame->fp == at->fp || !frame->fp_live);
}

/* The caller's fp, from a proven frame whose CFA is known. */
MP_INLINE uint64_t
proven_fp(const struct mp_cached_frame *frame, uint64_t fp, uint64_t cfa)
{
    uint64_t saved_fp = mp_rule_saved_fp(frame->rule);

    if (MP_LIKELY(saved_fp))
        return *(const uint64_t *)(cfa - saved_fp);
    if (mp_rule_kind(frame->rule) == MP_RULE_FP_DEREF)
        return *(const uint64_t *)fp;
    if (mp_rule_kind(frame->rule) == MP_RULE_SIGNAL)
        return *(const uint64_t *)(frame->sp + MP_SIGNAL_FP);
    return fp;
}

/* Word DIFFERENT of the memo has changed: take over the proven frames inside of the one that owns
 * it, from J on.  Returns how many are stepped now; *J is left at the owner, *AT in its registers. */
static uint32_t
replay(struct mp_recorder *recorder, const struct mp_memo *memo, uint32_t different, int64_t *j,
       struct at *at, uint32_t n)
{
    const struct mp_cached_frame *frames = memo->frames;
    struct mp_stepped *stepped = recorder->stepped;
    uint64_t fp = at->fp;
    int64_t i = *j;

    for (; i > 0 && frames[i - 1].words > different; i--) {
        const struct mp_cached_frame *frame = &frames[i];

        stepped[n++] = (struct mp_stepped){ frame->key, frame->sp, fp, frame->rule, frame->frame };
        fp = proven_fp(frame, fp, frames[i - 1].sp);
    }
    *at = (struct at){ frames[i].key, frames[i].sp, fp };
    *j = i;
    return n;
}

/* ------------------------------------------------------------------ the new memory */

/* The words that prove the step from STEPPED to CALLER; returns the end of the list.  *LIVE: does
 * the caller or a frame outside of it use fp; on return, the same for this frame. */
MP_INLINE struct mp_word *
put_words(struct mp_word *words, const struct mp_stepped *stepped,
          const struct mp_cached_frame *caller, bool *live)
{
    uint64_t saved_fp = mp_rule_saved_fp(stepped->rule), cfa = caller->sp;

    switch (mp_rule_kind(stepped->rule)) {
    case MP_RULE_SP:
    case MP_RULE_FP:
        if (saved_fp && *live)
            *words++ = (struct mp_word){ (const uint64_t *)(cfa - saved_fp), caller->fp };
        *words++ = (struct mp_word){ (const uint64_t *)(cfa - 8), caller->key };
        *live = mp_rule_kind(stepped->rule) == MP_RULE_FP || (!saved_fp && *live);
        break;
    case MP_RULE_FP_DEREF:
        if (*live)
            *words++ = (struct mp_word){ (const uint64_t *)stepped->fp, caller->fp };
        *words++ = (struct mp_word){ (const uint64_t *)(cfa - 8), caller->key };
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
    default:                    /* irregular: never proven, always stepped again */
        *words++ = (struct mp_word){ &never_word, 1 };
        *live = true;
    }
    return words;
}

/* Put stepped[0..n) on top of the first KEPT remembered frames; the context of the innermost. */
static uint32_t
remember(struct mp_recorder *recorder, struct mp_memo *memo, uint32_t kept, uint32_t n,
         const struct ending *ending)
{
    struct mp_cached_frame *top = memo->frames + kept;
    struct mp_word *words = memo->words + (kept ? top[-1].words : 0);
    uint32_t context = kept ? top[-1].context : 0;
    bool live = kept && top[-1].fp_live;

    if (!kept && ending->mark)
        context = mp_tree_child(recorder, 0, ending->mark);
    for (uint32_t i = n; i-- > 0; top++) {
        const struct mp_stepped *stepped = &recorder->stepped[i];

        if (MP_LIKELY(top > memo->frames)) {
            words = put_words(words, stepped, top - 1, &live);
        } else if (ending->word) {
            *words++ = (struct mp_word){ ending->word, 0 };
            live = true;        /* the outermost frame's own rule may use fp */
        } else if (mp_rule_kind(stepped->rule) != MP_RULE_END) {
            *words++ = (struct mp_word){ &never_word, 1 };
            live = true;
        }
        context = mp_tree_child(recorder, context, stepped->frame);
        if (MP_UNLIKELY(!context)) {
            memo->n_frames = 0;
            return 0;
        }
        top->key = stepped->key;
        top->sp = stepped->sp;
        top->fp = stepped->fp;
        top->context = context;
        top->words = (uint32_t)(words - memo->words) & 0x7fffffff;
        top->fp_live = live;
        top->rule = stepped->rule;
        top->frame = stepped->frame;
    }
    memo->n_frames = kept + n;
    return context;
}

/* ------------------------------------------------------------------ which memory */

/* SP is not on the stack of the present memo: is it on a remembered one? */
static MP_NOINLINE struct mp_memo *
find_memo(struct mp_recorder *recorder, uint64_t sp)
{
    for (unsigned i = 0; i < MP_MEMOS; i++) {
        struct mp_memo *memo = &recorder->memos[i];

        if (sp - memo->low <= memo->high - memo->low && memo->low <= memo->high)
            recorder->memo = memo;
    }
    return recorder->memo;
}

/* Nothing of the chain was remembered: it goes to the memo of its stack, known by the outermost
 * frame, or to the one that was filled longest ago. */
static MP_NOINLINE struct mp_memo *
memo_of_stack(struct mp_recorder *recorder, uint64_t high)
{
    struct mp_memo *memo = recorder->memo;

    if (memo->high == high || memo->n_frames == 0)
        return memo;
    for (unsigned i = 0; i < MP_MEMOS; i++)
        if (recorder->memos[i].high == high)
            return recorder->memo = &recorder->memos[i];
    recorder->next_victim = (recorder->next_victim + 1) % MP_MEMOS;
    memo = &recorder->memos[recorder->next_victim];
    memo->low = UINT64_MAX;
    return recorder->memo = memo;
}

/* ------------------------------------------------------------------ capture */

uint32_t
mp_chain_memoised(struct mp_recorder *recorder, const void *hook_frame, uint32_t different)
{
    const uint64_t *hook = hook_frame;
    const uint64_t innermost = (uint64_t)(hook + 2);
    const uint32_t activation = recorder->activation;
    struct at at = { hook[1], innermost, hook[0] };
    struct ending ending = { 0 };
    struct mp_memo *memo = recorder->memo;
    const struct mp_cached_frame *frames;
    uint32_t n = 0;
    int64_t j;

    if (MP_UNLIKELY(at.sp - memo->low > memo->high - memo->low))
        memo = find_memo(recorder, at.sp);
    frames = memo->frames;
    j = (int64_t)memo->n_frames - 1;
    for (;;) {
        uint32_t rule, frame;

        while (j >= 0 && frames[j].sp < at.sp)
            j--;
        if (MP_UNLIKELY(n + memo->n_frames >= recorder->stepped_room) &&
            !mp_chain_stepped_room(recorder, n + memo->n_frames + 1)) {
            ending.mark = MP_FRAME_CUT_MEMORY;
            j = -1;
            break;
        }
        if (j >= 0 && same_registers(&frames[j], &at)) {
            struct at copy = at;

            if (MP_LIKELY(different == MP_WORDS_UNKNOWN))
                different = mp_chain_first_difference(memo->words, frames[j].words);
            if (MP_LIKELY(different == MP_WORDS_EQUAL))
                break;
            n = replay(recorder, memo, different, &j, &copy, n);
            at = copy;
            rule = frames[j].rule;
            frame = frames[j].frame;
        } else {
            const struct mp_code *code = mp_frame_find(at.key);

            rule = code->rule;
            frame = code->frame;
        }
        different = MP_WORDS_UNKNOWN;
        recorder->stepped[n++] = (struct mp_stepped){ at.key, at.sp, at.fp, rule, frame };
        if (MP_UNLIKELY(!step(&at, rule, &ending))) {
            j = -1;
            break;
        }
    }
    if (n == 0)
        return frames[j].context;       /* an outer part of the last chain */
    if (MP_UNLIKELY(recorder->activation != activation))
        return 0;
    if (MP_UNLIKELY(j < 0)) {
        memo = memo_of_stack(recorder, recorder->stepped[n - 1].sp);
        memo->high = recorder->stepped[n - 1].sp;
    }
    if (MP_UNLIKELY(!mp_chain_memo_room(memo, (uint32_t)(j + 1) + n)))
        return 0;
    if (innermost < memo->low)
        memo->low = innermost;
    return remember(recorder, memo, (uint32_t)(j + 1), n, &ending);
}
