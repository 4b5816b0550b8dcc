/* SPDX-License-Identifier: MIT */
#include "chain_grow.h"

#include "runtime/system/sys.h"

#define FIRST_STEPPED 256u
#define FIRST_FRAMES  128u
#define LARGE         4096u             /* frames */
#define MAX_FRAMES    (1u << 24)        /* maximum number of frames of one chain */

/* Returns ROOM, or FIRST if that is more, multiplied until it is at least NEEDED. Large arrays grow by a larger factor,
 * because old arrays are kept: an array for 262,144 frames leaves old ones for 90,000 frames, and not for 262,000. */
static uint32_t
larger_room(uint32_t room, uint32_t first, uint32_t needed)
{
    if (room < first)
        room = first;
    while (room < needed)
        room *= room < LARGE ? 2 : 4;
    return room;
}

/* Copies the USED bytes of the array OLD that contain data to new memory of SIZE bytes. Returns NULL if there is no
 * memory. Bytes without data are not copied, because the copy would make their pages present. The old array is not
 * unmapped, because an activation of the same thread that a signal handler interrupted may still read it. All old
 * arrays together are smaller than the new one. */
static void *
moved(const void *old, size_t used, size_t size)
{
    char *new = mp_sys_map(size);

    if (new && old)
        __builtin_memcpy(new, old, used);
    return new;
}

bool
mp_chain_grow_stepped(struct mp_recorder *recorder, uint32_t used, uint32_t n)
{
    uint32_t room = larger_room(recorder->stepped_room, FIRST_STEPPED, n);
    struct mp_stepped *stepped;
    uint64_t mask;

    if (room == recorder->stepped_room)
        return true;
    if (n > MAX_FRAMES)
        return false;
    stepped = moved(recorder->stepped, used * sizeof *stepped, room * sizeof *stepped);
    if (!stepped)
        return false;
    mp_sys_block_signals(&mask);        /* so that no handler jumps away meanwhile */
    recorder->stepped = stepped;
    recorder->stepped_room = room;
    mp_sys_unblock_signals(&mask);
    return true;
}

bool
mp_chain_grow_memo(struct mp_memo *memo, uint32_t n)
{
    uint32_t room = larger_room(memo->room, FIRST_FRAMES, n);
    uint32_t used = memo->room ? (uint32_t)(memo->top + 1 - memo->frames) : 0;
    const bool has_words = used && memo->top->words_end;        /* not in a memo of chain_unmemoised.c */
    const size_t used_words = has_words ? (size_t)(memo->top->words_end - memo->words) : 0;
    struct mp_cached_frame *frames;
    struct mp_word *words;
    uint64_t mask;

    if (n > MAX_FRAMES)
        return false;
    frames = moved(memo->room ? memo->frames - 1 : NULL, (used + 1) * sizeof *frames,
                   (room + 1) * sizeof *frames);
    words = moved(memo->words, used_words * sizeof *words, room * 3 * sizeof *words);
    if (!frames || !words)
        return false;
    frames->sp = UINT64_MAX;            /* ends each search for an outer frame */
    for (uint32_t i = 0; has_words && i < used; i++)
        frames[i + 1].words_end = words + (memo->frames[i].words_end - memo->words);
    mp_sys_block_signals(&mask);        /* so that no handler jumps away meanwhile */
    memo->frames = frames + 1;
    memo->top = frames + used;
    memo->words = words;
    memo->whole |= memo->room == 0;
    memo->room = room;
    mp_sys_unblock_signals(&mask);
    return true;
}

bool
mp_chain_grow_keys(struct mp_recorder *recorder, size_t n)
{
    uint64_t *keys = mp_sys_map(n * sizeof *keys), *old = recorder->keys, mask;
    size_t old_room = recorder->keys_room;

    if (!keys)
        return false;
    mp_sys_block_signals(&mask);        /* so that no handler jumps away meanwhile */
    recorder->keys = keys;
    recorder->keys_room = n;
    mp_sys_unblock_signals(&mask);
    if (old)
        mp_sys_unmap(old, old_room * sizeof *old);
    return true;
}
