#include "cct.h"

#include <stdbool.h>
#include <string.h>

#include "fold.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/sys.h"

#define MIN_CHUNK 64u
#define MAX_CHUNK  4096u
#define MIN_WIDE_BITS 8u

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

/* ------------------------------------------------------------------ wide nodes */

static struct mp_wide_child *
wide_slot(const struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    uint32_t mask = (1u << recorder->wide_bits) - 1;
    uint32_t at = (uint32_t)mp_hash((uint64_t)parent << 32 | frame, 64 - recorder->wide_bits);

    for (;; at = (at + 1) & mask) {
        struct mp_wide_child *child = &recorder->wide[at];

        if (!child->context || (child->parent == parent && child->frame == frame))
            return child;
    }
}

static bool
wide_make_room(struct mp_recorder *recorder)
{
    struct mp_wide_child *old = recorder->wide, *table;
    uint32_t size = old ? 1u << recorder->wide_bits : 0;
    uint32_t bits = old ? recorder->wide_bits + 1 : MIN_WIDE_BITS;
    uint64_t mask;

    if (recorder->wide_used * 2 < size)
        return true;
    table = mp_sys_map(sizeof *table << bits);
    if (!table)
        return false;
    mp_sys_block_signals(&mask);        /* no handler may jump away amid this */
    recorder->wide = table;
    recorder->wide_bits = bits;
    for (uint32_t i = 0; i < size; i++)
        if (old[i].context)
            *wide_slot(recorder, old[i].parent, old[i].frame) = old[i];
    mp_sys_unblock_signals(&mask);
    if (old)
        mp_sys_unmap(old, size * sizeof *old);
    return true;
}

/* The context that is known for FRAME in PARENT by hash; 0: none. */
static uint32_t
wide_find(const struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    return recorder->wide ? wide_slot(recorder, parent, frame)->context : 0;
}

/* Remember CONTEXT for FRAME in PARENT; wide_make_room() has returned true. */
static void
wide_put(struct mp_recorder *recorder, uint32_t parent, uint32_t frame, uint32_t context)
{
    struct mp_wide_child *slot = wide_slot(recorder, parent, frame);

    slot->parent = parent;
    slot->frame = frame;
    recorder->wide_used++;
    MP_IN_ORDER();
    slot->context = context;
}

/* ------------------------------------------------------------------ lookup */

/* The child of PARENT; 0: there is none.  *N: how many it has, up to MP_CCT_LIST. */
static uint32_t
find_child(const struct mp_recorder *recorder, uint32_t parent, uint32_t frame, unsigned *n)
{
    const struct mp_live_context *contexts = mp_store.contexts;
    uint32_t context = parent ? contexts[parent].child : recorder->tree;

    for (*n = 0; context; context = contexts[context].sibling, ++*n)
        if (contexts[context].frame == frame)
            return context;
    return *n >= MP_CCT_LIST ? wide_find(recorder, parent, frame) : 0;
}

/* Make a child of PARENT, which has N; 0: no space. */
static uint32_t
make_child(struct mp_recorder *recorder, uint32_t parent, uint32_t frame, unsigned n)
{
    struct mp_live_context *contexts = mp_store.contexts;
    uint32_t *head = parent ? &contexts[parent].child : &recorder->tree, context;

    if ((n >= MP_CCT_LIST && !wide_make_room(recorder)) ||
        !(context = new_context(recorder, parent, frame)))
        return 0;
    if (n >= MP_CCT_LIST) {
        wide_put(recorder, parent, frame, context);
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
        context = wide_find(recorder, parent, frame);
    if (context)
        return context;
    earlier = mp_fold_parent(parent, frame);
    if (earlier == parent)
        return make_child(recorder, parent, frame, n);
    context = find(recorder, earlier, frame);
    if (context && wide_make_room(recorder))
        wide_put(recorder, parent, frame, context);
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
