#include "chain.h"

#include "chain_deep.h"
#include "runtime/compiler.h"
#include "runtime/system/options.h"
#include "runtime/system/sys.h"

#define STEPPED_LEAST 256u
#define FRAMES_LEAST  128u
#define MOST          (1u << 24)        /* frames of one chain */

mp_chain_capture_fn *mp_chain_capture_as_set = mp_chain_unmemoised;

void
mp_chain_select(void)
{
    mp_chain_capture_as_set = mp_chain_unmemoised;
#ifdef MP_HAVE_RULES
    if (mp_options.unwinder == MP_UNWIND_RULES && mp_options.depth == 0)
        mp_chain_capture_as_set = mp_chain_memoised;
#endif
}

void
mp_chain_note(struct mp_recorder *recorder)
{
#ifdef MP_HAVE_RULES
    if (recorder->memo->room && !recorder->memo->whole)
        mp_deep_note(recorder->memo);
#else
    (void)recorder;
#endif
}

/* The new room, at least NEEDED. */
static uint32_t
double_room(uint32_t room, uint32_t least, uint32_t needed)
{
    if (room < least)
        room = least;
    while (room < needed)
        room *= 2;
    return room;
}

/* An array moved to a larger place.  The old one is not unmapped: an activation that a signal
 * handler interrupted may still look at it, and the sum of all old ones is less than the new. */
static void *
moved(const void *old, size_t used, size_t size)
{
    char *new = mp_sys_map(size);

    if (new && old)
        __builtin_memcpy(new, old, used);
    return new;
}

bool
mp_chain_stepped_room(struct mp_recorder *recorder, uint32_t n)
{
    uint32_t room = double_room(recorder->stepped_room, STEPPED_LEAST, n);
    struct mp_stepped *stepped;
    uint64_t mask;

    if (room == recorder->stepped_room)
        return true;
    if (n > MOST)
        return false;
    stepped = moved(recorder->stepped, recorder->stepped_room * sizeof *stepped,
                    room * sizeof *stepped);
    if (!stepped)
        return false;
    mp_sys_block_signals(&mask);        /* nobody jumps away meanwhile */
    recorder->stepped = stepped;
    recorder->stepped_room = room;
    mp_sys_unblock_signals(&mask);
    return true;
}

bool
mp_chain_memo_grow(struct mp_memo *memo, uint32_t n)
{
    uint32_t room = double_room(memo->room, FRAMES_LEAST, n);
    uint32_t used = memo->room ? (uint32_t)(memo->top + 1 - memo->frames) : 0;
    struct mp_cached_frame *frames;
    struct mp_word *words;
    uint64_t mask;

    if (n > MOST)
        return false;
    frames = moved(memo->room ? memo->frames - 1 : NULL, (used + 1) * sizeof *frames,
                   (room + 1) * sizeof *frames);
    words = moved(memo->words, memo->room * 3 * sizeof *words, room * 3 * sizeof *words);
    if (!frames || !words)
        return false;
    frames->sp = UINT64_MAX;            /* ends every search for an outer frame */
    for (uint32_t i = 0; i < used; i++)
        frames[i + 1].words_end = words + (memo->frames[i].words_end - memo->words);
    mp_sys_block_signals(&mask);        /* as above */
    memo->frames = frames + 1;
    memo->top = frames + used;
    memo->words = words;
    memo->whole |= memo->room == 0;
    memo->room = room;
    mp_sys_unblock_signals(&mask);
    return true;
}
