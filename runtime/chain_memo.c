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
#define ALL             UINT32_MAX

struct walk {
    uint64_t key, sp, fp;
    unsigned jumps;
    const uint64_t *end_word;   /* the word that said that there is no caller, if one did */
    uint64_t end_value;
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
plausible_jump(struct walk *walk, uint64_t cfa, uint64_t saved_fp)
{
    return walk->jumps++ < MOST_JUMPS && readable(cfa - 8) &&
           (saved_fp == 0 || readable(cfa - saved_fp));
}

static bool
step_signal(struct walk *walk)
{
    const char *frame = (const char *)walk->sp;

    walk->fp = *(const uint64_t *)(frame + MP_SIGNAL_FP);
    walk->key = *(const uint64_t *)(frame + MP_SIGNAL_IP) | MP_KEY_EXACT;
    walk->sp = *(const uint64_t *)(frame + MP_SIGNAL_SP);
    return true;
}

static bool
cut(struct walk *walk, uint32_t mark)
{
    walk->mark = mark;
    return false;
}

/* From a frame to its caller by a rule that is not one of the two plain ones. */
static MP_NOINLINE bool
step_special(struct walk *walk, uint32_t rule)
{
    uint64_t cfa;

    switch (mp_rule_kind(rule)) {
    case MP_RULE_END:
        return false;
    case MP_RULE_SIGNAL:
        return step_signal(walk);
    case MP_RULE_FP_DEREF:
        cfa = *(const uint64_t *)(walk->fp - mp_rule_offset(rule));
        if (cfa - walk->sp - 8 >= PLAUSIBLE_FRAME && !plausible_jump(walk, cfa, 0))
            return cut(walk, MP_FRAME_CUT_NO_RULE);
        walk->fp = *(const uint64_t *)walk->fp;
        walk->sp = cfa;
        walk->key = *(const uint64_t *)(cfa - 8);
        return true;
    case MP_RULE_IRREGULAR:
        return mp_unwind_step(&walk->key, &walk->sp, &walk->fp)
                   ? true : cut(walk, MP_FRAME_CUT_NO_RULE);
    default:
        return cut(walk, MP_FRAME_CUT_NO_RULE);
    }
}

/* From a frame to its caller; false: it has none, or the chain is cut here. */
MP_INLINE bool
step(struct walk *walk, uint32_t rule)
{
    uint64_t saved_fp = mp_rule_saved_fp(rule), cfa;

    if (MP_LIKELY(mp_rule_kind(rule) == MP_RULE_SP))
        cfa = walk->sp + mp_rule_offset(rule);
    else if (MP_LIKELY(mp_rule_kind(rule) == MP_RULE_FP))
        cfa = walk->fp + mp_rule_offset(rule);
    else
        return step_special(walk, rule);
    if (MP_UNLIKELY(cfa - walk->sp - 8 >= PLAUSIBLE_FRAME) && !plausible_jump(walk, cfa, saved_fp))
        return cut(walk, MP_FRAME_CUT_NO_RULE);
    if (saved_fp)
        walk->fp = *(const uint64_t *)(cfa - saved_fp);
    walk->key = *(const uint64_t *)(cfa - 8);
    walk->sp = cfa;
    if (MP_UNLIKELY(walk->key == 0)) {
        walk->end_word = (const uint64_t *)(cfa - 8);
        walk->end_value = 0;
        return false;
    }
    return true;
}

bool
mp_chain_step(uint64_t *key, uint64_t *sp, uint64_t *fp, uint32_t *mark)
{
    struct walk walk = { .key = *key, .sp = *sp, .fp = *fp };
    bool more = step(&walk, mp_frame_find(*key)->rule);

    *key = walk.key;
    *sp = walk.sp;
    *fp = walk.fp;
    *mark = walk.mark;
    return more;
}

/* ------------------------------------------------------------------ remembered frames */

/* Compare words[0..end) with the stack, last first; the index of the first that differs, or ALL. */
MP_INLINE uint32_t
first_difference(const struct mp_word *words, uint32_t end)
{
    const struct mp_word *at = words + end;

    while (at - words >= 4) {
        if (MP_UNLIKELY(*at[-1].address != at[-1].value))
            return (uint32_t)(at - 1 - words);
        if (MP_UNLIKELY(*at[-2].address != at[-2].value))
            return (uint32_t)(at - 2 - words);
        if (MP_UNLIKELY(*at[-3].address != at[-3].value))
            return (uint32_t)(at - 3 - words);
        if (MP_UNLIKELY(*at[-4].address != at[-4].value))
            return (uint32_t)(at - 4 - words);
        at -= 4;
    }
    while (at > words) {
        at--;
        if (MP_UNLIKELY(*at->address != at->value))
            return (uint32_t)(at - words);
    }
    return ALL;
}

MP_INLINE bool
same_registers(const struct mp_cached_frame *frame, const struct walk *walk)
{
    return frame->sp == walk->sp && frame->key == walk->key &&
           (frame->fp == walk->fp || !frame->fp_live);
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

/* Take over the proven frames JUST inside of the one that owns word DIFFERENT; returns how many
 * are stepped, and leaves *J at that owner and the walk in its registers. */
static uint32_t
replay(struct mp_recorder *recorder, const struct mp_memo *memo, uint32_t different, int64_t *j,
       struct walk *walk, uint32_t n)
{
    const struct mp_cached_frame *frames = memo->frames;
    struct mp_stepped *stepped = recorder->stepped;
    int64_t at = *j;

    for (; at > 0 && frames[at - 1].words > different; at--) {
        const struct mp_cached_frame *frame = &frames[at];

        stepped[n++] = (struct mp_stepped){ frame->key, frame->sp, walk->fp, frame->rule,
                                            frame->frame };
        walk->fp = proven_fp(frame, walk->fp, frames[at - 1].sp);
        walk->sp = frames[at - 1].sp;
        walk->key = frames[at - 1].key;
    }
    *j = at;
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
         const struct walk *walk)
{
    struct mp_cached_frame *top = memo->frames + kept;
    struct mp_word *words = memo->words + (kept ? top[-1].words : 0);
    uint32_t context = kept ? top[-1].context : 0;
    bool live = kept && top[-1].fp_live;

    if (!kept && walk->mark)
        context = mp_tree_child(recorder, 0, walk->mark);
    for (uint32_t i = n; i-- > 0; top++) {
        const struct mp_stepped *stepped = &recorder->stepped[i];

        if (MP_LIKELY(top > memo->frames)) {
            words = put_words(words, stepped, top - 1, &live);
        } else if (walk->end_word) {
            *words++ = (struct mp_word){ walk->end_word, walk->end_value };
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
mp_chain_memoised(struct mp_recorder *recorder, const void *hook_frame)
{
    const uint64_t *hook = hook_frame;
    const uint64_t sp = (uint64_t)(hook + 2);
    struct walk walk = { .key = hook[1], .sp = sp, .fp = hook[0] };
    const uint32_t activation = recorder->activation;
    struct mp_memo *memo = recorder->memo;
    const struct mp_cached_frame *frames;
    uint32_t n = 0;
    int64_t j;

    if (MP_UNLIKELY(walk.sp - memo->low > memo->high - memo->low))
        memo = find_memo(recorder, walk.sp);
    frames = memo->frames;
    j = (int64_t)memo->n_frames - 1;
    for (;;) {
        uint32_t rule, frame;

        while (j >= 0 && frames[j].sp < walk.sp)
            j--;
        if (MP_UNLIKELY(n + memo->n_frames >= recorder->stepped_room) &&
            !mp_chain_stepped_room(recorder, n + memo->n_frames + 1)) {
            walk.mark = MP_FRAME_CUT_MEMORY;
            j = -1;
            break;
        }
        if (j >= 0 && same_registers(&frames[j], &walk)) {
            uint32_t different = first_difference(memo->words, frames[j].words);

            if (MP_LIKELY(different == ALL))
                break;
            n = replay(recorder, memo, different, &j, &walk, n);
            rule = frames[j].rule;
            frame = frames[j].frame;
        } else {
            const struct mp_code *code = mp_frame_find(walk.key);

            rule = code->rule;
            frame = code->frame;
        }
        recorder->stepped[n++] = (struct mp_stepped){ walk.key, walk.sp, walk.fp, rule, frame };
        if (MP_UNLIKELY(!step(&walk, rule))) {
            j = -1;
            break;
        }
    }
    if (n == 0)
        return frames[j].context;       /* the same chain as last time, or an outer part of it */
    if (MP_UNLIKELY(recorder->activation != activation))
        return 0;
    if (MP_UNLIKELY(j < 0)) {
        memo = memo_of_stack(recorder, recorder->stepped[n - 1].sp);
        memo->high = recorder->stepped[n - 1].sp;
    }
    if (MP_UNLIKELY(!mp_chain_memo_room(memo, (uint32_t)(j + 1) + n)))
        return 0;
    if (sp < memo->low)
        memo->low = sp;
    return remember(recorder, memo, (uint32_t)(j + 1), n, &walk);
}
