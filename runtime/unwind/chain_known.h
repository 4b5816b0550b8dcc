/* SPDX-License-Identifier: MIT */
/*
 * chain_known.h -- recognises chains that a thread met lately, without unwinding.
 *
 * The memo (chain_memo.c) holds one chain for each stack. If the calls of a program alternate between a few places,
 * some inner frames change each time, and these frames would be walked and looked up again. Therefore a recorder
 * also keeps a few hundred chains, each with all words of the stack that unwinding reads. If the words are the
 * same, the chain is the same. A chain is found by the innermost frame's registers, in a set-associative table in
 * which the tags of a set share a cache line. If more chains have the same innermost frame than a set can hold,
 * words are chosen in which the chains differ, and the set of a chain then depends on these words, too.
 *
 * As in the memo, only return addresses, those saved frame pointers that an outer frame computes with, and the
 * functions of an interpreter's frames are compared. Chains with an irregular frame are not kept, and cut chains only
 * if a zero return address cuts them, because words prove nothing for the others. Chains with too many words, or with
 * words further away than 512 KiB, are not kept either. The memo handles these chains.
 *
 * The outermost words of the initial thread's chains are left out, because they are always the same.
 *
 * In recursion, many frames have the same size and the same return address. The words of the longest such part of a
 * chain are one *run*, however many they are.
 *
 * Words are compared from the innermost on, up to the first that differs, so each word is the one that unwinding would
 * read next. It need not be readable (stack_word.h). The words that chains are found by are readable, because they are
 * in the page of the hook's own frame.
 *
 * Only the recorder's own thread reads and writes this table. A signal handler that interrupts it uses another
 * recorder, but may jump away. Therefore a tag is removed before its chain is changed, and written again
 * afterwards. When code is unloaded or interpreted functions die, threads forget all chains before the addresses
 * can be used again (mp_recorder_forget_chains()).
 */
#ifndef MP_CHAIN_KNOWN_H
#define MP_CHAIN_KNOWN_H

#include <stdbool.h>

#include "machine.h"
#include "runtime/compiler.h"
#include "runtime/record/recorder.h"
#include "stack_word.h"

#define MP_KNOWN_SET 64u        /* bytes of the tags of a set */

/* Returns the first tag of the set for chains whose innermost frame has SP and KEY, before the words that distinguish
 * such chains are taken into account. A tag is identified by its byte offset among the tags. So its address and that of
 * its chain can be computed from the recorder's address alone. */
MP_INLINE size_t
mp_known_hash(uint64_t sp, uint64_t key)
{
    return (sp * (MP_KNOWN_SET / 16) ^ key * MP_KNOWN_SET) & (MP_KNOWN_SETS - 1) * MP_KNOWN_SET;
}

/* Returns the words that distinguish the chains of the set that begins at AT, an mp_known_hash(). */
MP_INLINE struct mp_known_turns *
mp_known_turns(struct mp_known *known, size_t at)
{
    return (void *)((char *)known->turns + at / (MP_KNOWN_SET / sizeof *known->turns));
}

/* Returns the first tag of the set for the chain of callers of the hook with the frame STACK. AT is mp_known_hash(). */
MP_INLINE size_t
mp_known_set(struct mp_known *known, size_t at, const uint64_t *stack)
{
    const uint64_t sp = mp_machine_caller_sp(stack);
    const struct mp_known_turns *turns = mp_known_turns(known, at);
    const uint16_t *places = turns->places;

    if (MP_LIKELY(turns->sp != sp))
        return at;
    return at ^ (uint32_t)(stack[places[0]] + 3 * stack[places[1]] + 9 * stack[places[2]]) * 2654435769u /
                (UINT32_MAX / MP_KNOWN_SETS + 1) * MP_KNOWN_SET;
}

MP_INLINE struct mp_known_tag *
mp_known_tag(struct mp_known *known, size_t at)
{
    return (void *)((char *)known->tags + at);
}

MP_INLINE struct mp_known_chain *
mp_known_chain(struct mp_known *known, size_t at)
{
    return (void *)((char *)known->chains + at * (sizeof *known->chains / sizeof *known->tags));
}

MP_INLINE bool
mp_known_group_holds(const struct mp_known_group *group, const uint64_t *stack)
{
    return mp_stack_equals(&stack[group->places[0]], group->values[0]) &&
           mp_stack_equals(&stack[group->places[1]], group->values[1]) &&
           mp_stack_equals(&stack[group->places[2]], group->values[2]) &&
           mp_stack_equals(&stack[group->places[3]], group->values[3]);
}

/* Returns whether the words above HOOK_FRAME prove the run of CHAIN and what comes after it. */
bool mp_known_rest_holds(const struct mp_known_chain *chain, const void *hook_frame);

/* Returns whether the words above HOOK_FRAME prove CHAIN, whose tag matches, up to its run if it has one. Each word has
 * a branch of its own, so that none is read before the previous one was compared. Four words are compared per round
 * to save rounds. */
MP_INLINE bool
mp_known_begins(const struct mp_known_chain *chain, const void *hook_frame)
{
    const struct mp_known_group *group = chain->groups;

    do {
        if (!mp_known_group_holds(group, hook_frame))
            return false;
    } while (++group != chain->split);
    return true;
}

/* Returns the chain with the tag AT if it is that of HOOK_FRAME's callers, otherwise NULL. WHOLE as for
 * mp_known_search(). */
MP_INLINE struct mp_known_chain *
mp_known_match(struct mp_known *known, size_t at, const void *hook_frame, const bool whole)
{
    const struct mp_known_tag *tag = mp_known_tag(known, at);
    struct mp_known_chain *chain = mp_known_chain(known, at);

    if (tag->sp != mp_machine_caller_sp(hook_frame) || tag->key != mp_machine_caller_key(hook_frame) ||
        MP_UNLIKELY(!mp_known_begins(chain, hook_frame)) ||
        (whole && MP_UNLIKELY(chain->has_run) && !mp_known_rest_holds(chain, hook_frame)))
        return NULL;
    return chain;
}

/* Returns the chain of HOOK_FRAME's callers, or NULL if it is not known. If WHOLE, a constant, is false, a chain with a
 * run is proved up to the run only, and need not be the right one. Most chains have the first tag of the set for their
 * innermost frame. So this tag is compared before anything else. */
MP_INLINE struct mp_known_chain *
mp_known_search(struct mp_recorder *recorder, const void *hook_frame, const bool whole)
{
    struct mp_known *known = &recorder->known;
    const size_t first = mp_known_hash(mp_machine_caller_sp(hook_frame), mp_machine_caller_key(hook_frame));
    struct mp_known_chain *chain = mp_known_match(known, first, hook_frame, whole);
    size_t at;

    if (MP_LIKELY(chain != NULL))
        return chain;
    at = mp_known_set(known, first, hook_frame);
    if (at == first)
        at += sizeof(struct mp_known_tag);
    do {
        chain = mp_known_match(known, at, hook_frame, whole);
        if (chain)
            return chain;
        at += sizeof(struct mp_known_tag);
    } while (at % MP_KNOWN_SET != 0);
    return NULL;
}

/* Returns the chain of HOOK_FRAME's callers, or NULL if it is not known. */
MP_INLINE struct mp_known_chain *
mp_known_find(struct mp_recorder *recorder, const void *hook_frame)
{
    return mp_known_search(recorder, hook_frame, true);
}

/* Keeps the chain of HOOK_FRAME's callers, if possible. The chain is not known yet. The memo holds it, and CONTEXT
 * is its context. */
void mp_known_keep(struct mp_recorder *recorder, const void *hook_frame, uint32_t context);

/* Keeps the chain of HOOK_FRAME's callers if it has come before, as far as the recorder remembers that, and if no more
 * chains are to be skipped. Many chains come only once. */
MP_INLINE void
mp_known_met(struct mp_recorder *recorder, const void *hook_frame, uint32_t context)
{
    uint32_t *seen = &recorder->known.seen[context % MP_KNOWN_SEEN];

    if (*seen != context)
        *seen = context;
    else if (recorder->known.passed > 0)
        recorder->known.passed--;
    else
        mp_known_keep(recorder, hook_frame, context);
}

#endif
