#include "cct.h"

#include <stdbool.h>
#include <string.h>

#include "fold.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"

#define MIN_CHUNK 64u
#define MAX_CHUNK 4096u

/* ------------------------------------------------------------------ nodes */

static bool
take_chunk(struct mp_recorder *recorder)
{
    uint32_t count = recorder->context_chunk ? recorder->context_chunk : MIN_CHUNK;
    struct mp_gate_hold hold;
    uint32_t first;

    first = mp_gate_lock(&hold) && mp_recorder_is_current(recorder)
                ? mp_store_take(MP_EXT_CONTEXTS, count) : 0;
    if (first) {
        recorder->next_context = first;
        recorder->end_context = first + count;
        recorder->context_chunk = count < MAX_CHUNK ? count * 2 : count;
    }
    mp_gate_unlock(&hold);
    return first != 0;
}

static uint32_t
new_context(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    struct mp_live_context *context;
    uint32_t id;

    /* FRAME is of the present session: it has no place in an earlier one's file. */
    if (!mp_recorder_is_current(recorder) ||
        (recorder->next_context == recorder->end_context && !take_chunk(recorder)))
        return 0;
    id = recorder->next_context++;
    context = &mp_store.contexts[id];
    context->parent = parent;
    __atomic_store_n(&context->frame, frame, __ATOMIC_RELEASE);
    return id;
}

/* ------------------------------------------------------------------ lookup */

static uint64_t
key_of(uint32_t parent, uint32_t frame)
{
    return (uint64_t)parent << 32 | frame;
}

/* The child of PARENT; 0: there is none.  *N: how many it has, up to MP_CCT_LIST. */
static uint32_t
find_child(const struct mp_recorder *recorder, uint32_t parent, uint32_t frame, unsigned *n)
{
    const struct mp_live_context *contexts = mp_store.contexts;
    uint32_t context = parent ? contexts[parent].child : recorder->tree;

    for (*n = 0; context; context = contexts[context].sibling, ++*n)
        if (contexts[context].frame == frame)
            return context;
    return *n >= MP_CCT_LIST ? mp_id_map_find(&recorder->wide, key_of(parent, frame)) : 0;
}

/* Make a child of PARENT, which has N; 0: no space. */
static uint32_t
make_child(struct mp_recorder *recorder, uint32_t parent, uint32_t frame, unsigned n)
{
    struct mp_live_context *contexts = mp_store.contexts;
    uint32_t *head = parent ? &contexts[parent].child : &recorder->tree, context;

    if ((n >= MP_CCT_LIST && !mp_id_map_make_room(&recorder->wide)) ||
        !(context = new_context(recorder, parent, frame)))
        return 0;
    if (n >= MP_CCT_LIST) {
        mp_id_map_put(&recorder->wide, key_of(parent, frame), context);
    } else {
        contexts[context].sibling = *head;
        *head = context;
    }
    return context;
}

static uint32_t
find(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    unsigned n;
    uint32_t context = find_child(recorder, parent, frame, &n);

    return context ? context : make_child(recorder, parent, frame, n);
}

/* The same where recursion is folded.  That a call goes back to an earlier one is remembered beside
 * the wide nodes' children. */
static uint32_t
find_folded(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    unsigned n;
    uint32_t context = find_child(recorder, parent, frame, &n), earlier;

    if (!context)
        context = mp_id_map_find(&recorder->wide, key_of(parent, frame));
    if (context)
        return context;
    earlier = mp_fold_parent(parent, frame);
    if (earlier == parent)
        return make_child(recorder, parent, frame, n);
    context = find(recorder, earlier, frame);
    if (context && mp_id_map_make_room(&recorder->wide))
        mp_id_map_put(&recorder->wide, key_of(parent, frame), context);
    return context;
}

MP_NOINLINE uint32_t
mp_cct_find(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    uint64_t key = (uint64_t)parent << 32 | frame;
    uint32_t context = MP_UNLIKELY(mp_options.fold) ? find_folded(recorder, parent, frame)
                                                    : find(recorder, parent, frame);
    struct mp_recent_child *recent = mp_cct_recent(recorder, key);

    if (context) {
        recent->key = 0;
        MP_IN_ORDER();
        recent->context = context;
        MP_IN_ORDER();
        recent->key = key;
    }
    return context;
}
