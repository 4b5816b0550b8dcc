/* SPDX-License-Identifier: MIT */
/*
 * chain_unmemoised.c -- lists each chain anew, by frame pointers or by libunwind.
 *
 * As in the mprof of 1988, the list is compared with the thread's last one from the outermost frame on, and only
 * the different part is looked up in the tree.
 */
#include "chain.h"

#include "chain_grow.h"
#include "code.h"
#include "code_language.h"
#include "runtime/compiler.h"
#include "runtime/record/cct.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/sandbox.h"
#include "stack_word.h"
#include "unwind.h"
#ifdef MP_HAVE_RULES
#include "rule_step.h"
#endif

#define FIRST_KEYS 1024u        /* capacity for libunwind's first attempt */

struct list {
    struct mp_recorder *recorder;
    uint32_t n;
    uint32_t mark;              /* reason why the chain is cut, or 0 */
};

/* Appends KEY. Returns false if the list is full, because there is no memory or --depth is reached. */
MP_INLINE bool
put(struct list *list, uint64_t key)
{
    struct mp_recorder *recorder = list->recorder;

    if (mp_options.depth && list->n == mp_options.depth) {
        list->mark = MP_FRAME_CUT_DEPTH;
        return false;
    }
    if (list->n == recorder->stepped_room && !mp_chain_grow_stepped(recorder, list->n, list->n + 1)) {
        list->mark = MP_FRAME_CUT_MEMORY;
        return false;
    }
    recorder->stepped[list->n++].key = key;
    return true;
}

/* Returns the frame id of KEY, which put() has appended. Addresses from a stack went through mp_code_address(), so
 * only an interpreted function's key has the bit MP_KEY_INTERPRETED. */
static uint32_t
frame_of(uint64_t key)
{
    return key & MP_KEY_INTERPRETED ? mp_code_find_interpreted(key)->frame
                                    : mp_code_find(key)->frame;
}

/* Returns the context of LIST. Reuses the contexts of the outer part that is equal to the last list. */
static uint32_t
find_context(struct list *list)
{
    struct mp_recorder *recorder = list->recorder;
    const struct mp_stepped *outermost = recorder->stepped + list->n - 1;
    struct mp_memo *memo = &recorder->memos[0];
    uint32_t context = list->mark ? mp_cct_child(recorder, 0, list->mark) : recorder->root;
    struct mp_cached_frame *at;
    uint32_t same = 0;

    if (list->n > memo->room && !mp_chain_grow_memo(memo, list->n))
        return 0;
    at = memo->frames;
    if (memo->top >= at && mp_cct_parent(at->context) == context)
        for (; same < list->n && at <= memo->top && at->key == outermost[-(int64_t)same].key; at++) {
            context = at->context;
            same++;
        }
    for (; same < list->n; same++, at++) {
        at->key = outermost[-(int64_t)same].key;
        context = at->context =
            mp_cct_child(recorder, context, frame_of(at->key));
        if (!context)
            break;
    }
    memo->top = context ? at - 1 : memo->frames - 1;
    return context;
}

/* ------------------------------------------------------------------ rules */

/* Lists the frame AT and its callers. */
#ifdef MP_HAVE_RULES
static void
list_by_rules(struct list *list, struct mp_registers at)
{
    struct mp_cfi_walk cfi;
    struct mp_rule_walk walk;

    mp_rule_begin(&walk, at.sp, &list->recorder->memos[0].read, &cfi);
    while (put(list, at.key = mp_code_address(at.key))) {
        const struct mp_registers inner = at;
        uint64_t interpreted;

        if (!mp_rule_step_from(&at, &walk))
            break;
        if (mp_code_in_interpreter(inner.key) &&
            (interpreted = mp_code_interpreted(inner.key, inner.sp, at.sp)))
            list->recorder->stepped[list->n - 1].key = interpreted;
    }
    if (walk.mark)
        list->mark = walk.mark;
}
#else
static void
list_by_rules(struct list *list, struct mp_registers at)
{
    if (put(list, at.key = mp_code_address(at.key)) && !mp_code_is_outermost(at.key))
        list->mark = MP_FRAME_CUT_NO_RULE;
}
#endif

/* ------------------------------------------------------------------ frame pointers */

/* Returns whether OUTER can be the frame of FRAME's caller, and can be read. If it is beyond READ, enlarges READ. */
MP_INLINE bool
is_plausible(struct mp_stack_read *read, uint64_t frame, uint64_t outer)
{
    if (outer % sizeof outer != 0)
        return false;
    if (MP_LIKELY(outer - frame - 1 < read->high - frame - 2 * sizeof outer))
        return true;
    if (outer - frame - 1 >= MP_PLAUSIBLE_FRAME || !mp_stack_is_readable(outer + sizeof outer))
        return false;
    read->high = mp_stack_page_end(outer + 2 * sizeof outer);
    return true;
}

/* Follows the frame pointers. Each one points to the caller's, and the return address is stored above it. The frame
 * whose frame pointer leads nowhere is usually libc's caller of main() or of a thread's function. Rules lead on. */
static void
list_by_frame_pointer(struct list *list, const void *hook_frame)
{
    struct mp_stack_read *read = &list->recorder->memos[0].read;
    struct mp_registers at = mp_machine_caller(hook_frame);
    uint64_t frame = (uint64_t)hook_frame, key;

    mp_stack_begin(read, at.sp);
    while (is_plausible(read, frame, at.fp) && (key = mp_stack_load(at.fp + sizeof key)) != 0) {
        if (!put(list, mp_code_address(at.key)))
            return;
        frame = at.fp;
        at = (struct mp_registers){ key, frame + 2 * sizeof key, mp_stack_load(frame) };
    }
    list_by_rules(list, at);
}

/* ------------------------------------------------------------------ libunwind */

static void
list_by_libunwind(struct list *list, const void *hook_frame)
{
    struct mp_recorder *recorder = list->recorder;
    bool exact = false, cut;
    size_t n;

    if (!recorder->keys && !mp_chain_grow_keys(recorder, FIRST_KEYS)) {
        list->mark = MP_FRAME_CUT_MEMORY;
        return;
    }
    while ((n = mp_unwind_list_fast(hook_frame, recorder->keys, recorder->keys_room, &cut)) ==
           recorder->keys_room)
        if (!mp_chain_grow_keys(recorder, 2 * recorder->keys_room)) {
            list->mark = MP_FRAME_CUT_MEMORY;
            return;
        }
    if (n == 0)
        put(list, mp_code_address(mp_machine_caller_key(hook_frame)));
    if (n == 0 || cut)
        list->mark = MP_FRAME_CUT_NO_RULE;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = recorder->keys[i] | (exact ? MP_KEY_EXACT : 0);
        const bool is_code = !(key & MP_KEY_INTERPRETED);

        if (!put(list, key))
            break;
        exact = is_code && mp_code_is_signal_return(key);
        if (is_code ? mp_code_is_unknown(key) || (i + 1 == n && !mp_code_is_outermost(key)) : i + 1 == n) {
            list->mark = MP_FRAME_CUT_NO_RULE;
            break;                      /* what libunwind found beyond is a guess */
        }
    }
}

static uint32_t
unmemoised(struct mp_recorder *recorder, const void *hook_frame)
{
    struct list list = { .recorder = recorder };

    if (mp_options.unwinder == MP_UNWIND_FP)
        list_by_frame_pointer(&list, hook_frame);
#ifdef MP_HAVE_RULES
    else if (!mp_unwind_ready() || mp_sandbox_is_shut())
        list_by_rules(&list, mp_machine_caller(hook_frame));
#endif
    else
        list_by_libunwind(&list, hook_frame);
    return find_context(&list);
}

/* ------------------------------------------------------------------ choice of the capture function */

mp_chain_capture_fn *mp_chain_capture_in_use = unmemoised;

void
mp_chain_select(void)
{
    MP_LOCK_HELD();
    mp_chain_capture_in_use = unmemoised;
#ifdef MP_HAVE_RULES
    if (mp_options.unwinder == MP_UNWIND_RULES)
        mp_chain_capture_in_use = mp_options.depth ? mp_chain_limited : mp_chain_memoised;
#endif
}
