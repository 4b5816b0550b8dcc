/*
 * chain_known.h -- chains that a thread met lately, recognised without a step of unwinding.
 *
 * The memo (chain_memo.c) holds one chain for each stack.  A program whose calls alternate between a
 * few places changes some inner frames each time, and these are walked and looked up again.  So a
 * recorder also keeps a few hundred chains, each with all words of the stack that unwinding reads
 * there: if they are the same, so is the chain.  It is found by the innermost frame's registers, in
 * a set-associative table whose tags lie in one cache line.  Where more chains have the same innermost
 * frame than a set has room for, a word is looked for by which they differ, and they are found by that
 * one, too.
 *
 * Only return addresses, those saved frame pointers that an outer frame computes with, and the
 * functions of an interpreter's frames count, as in the memo.  Not kept are chains with an irregular
 * frame or cut short, for which words prove nothing; of more words than there is room for, or words
 * further away than 512 KiB.  Those are the memo's.
 *
 * What is read is readable: words are compared innermost first, up to the first that differs, so each
 * is the one that unwinding would read next.  The stack may be another one at the same addresses, and
 * smaller: a coroutine's, or a thread's, unmapped since.  The words that chains are found by are in the
 * page of the hook's own frame.
 *
 * A recorder's own thread alone reads and writes this; a signal handler that interrupts it works with
 * another recorder, but may jump away.  A tag is taken away before its chain is changed, and put there
 * afterwards.  Code that is unloaded, and interpreted functions that die, before their address can
 * become another one's, make threads forget all chains (mp_recorder_forget_chains()).
 */
#ifndef MP_CHAIN_KNOWN_H
#define MP_CHAIN_KNOWN_H

#include <stdbool.h>

#include "machine.h"
#include "runtime/compiler.h"
#include "runtime/record/recorder.h"

/* Where the chains with this innermost frame are in the table, or the words that they are told apart by. */
MP_INLINE size_t
mp_known_hash(uint64_t sp, uint64_t key)
{
    return (sp >> 4 ^ key) % MP_KNOWN_SETS;
}

/* A tag is named by where it stands among the tags, in bytes: so its address and that of its chain are
 * found from that of the recorder alone.  The first one of the set for the chain above STACK, a hook's
 * frame: */
MP_INLINE size_t
mp_known_set(struct mp_known *known, const uint64_t *stack)
{
    const uint64_t sp = mp_machine_caller_sp(stack);
    size_t hash = mp_known_hash(sp, mp_machine_caller_key(stack));
    const struct mp_known_turns *turns = &known->turns[hash];
    const uint16_t *places = turns->places;

    if (turns->sp == sp)
        hash ^= (uint32_t)(stack[places[0]] + 3 * stack[places[1]] + 9 * stack[places[2]]) *
                2654435769u / (UINT32_MAX / MP_KNOWN_SETS + 1);
    return hash * (sizeof(struct mp_known_tag) * MP_KNOWN_WAYS);
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

/* Do the words above HOOK_FRAME prove CHAIN, whose tag fits?  (A branch for each word, so that none is
 * read before the one before it was compared; four in a round, so that there are few rounds.) */
MP_INLINE bool
mp_known_holds(const struct mp_known_chain *chain, const void *hook_frame)
{
    const uint64_t *stack = hook_frame;
    const struct mp_known_group *group = chain->groups;

    do {
        if (stack[group->places[0]] != group->values[0] ||
            stack[group->places[1]] != group->values[1] ||
            stack[group->places[2]] != group->values[2] ||
            stack[group->places[3]] != group->values[3])
            return false;
    } while (++group != chain->end);
    return true;
}

/* The chain of HOOK_FRAME's callers; NULL: it is not known. */
MP_INLINE struct mp_known_chain *
mp_known_find(struct mp_recorder *recorder, const void *hook_frame)
{
    struct mp_known *known = &recorder->known;
    size_t at = mp_known_set(known, hook_frame);

    do {
        const struct mp_known_tag *tag = mp_known_tag(known, at);

        if (tag->sp == mp_machine_caller_sp(hook_frame) &&
            tag->key == mp_machine_caller_key(hook_frame)) {
            struct mp_known_chain *chain = mp_known_chain(known, at);

            if (MP_LIKELY(mp_known_holds(chain, hook_frame)))
                return chain;
        }
        at += sizeof *tag;
    } while (at % (MP_KNOWN_WAYS * sizeof(struct mp_known_tag)) != 0);
    return NULL;
}

/* The chain of HOOK_FRAME's callers, which is not known, is the one that the memo holds, with
 * CONTEXT: keep it if it can be kept. */
void mp_known_keep(struct mp_recorder *recorder, const void *hook_frame, uint32_t context);

/* The same when it comes for the second time, as far as is remembered; many never do. */
MP_INLINE void
mp_known_met(struct mp_recorder *recorder, const void *hook_frame, uint32_t context)
{
    uint32_t *seen = &recorder->known.seen[context % MP_KNOWN_SEEN];

    if (*seen == context)
        mp_known_keep(recorder, hook_frame, context);
    else
        *seen = context;
}

#endif
