/* SPDX-License-Identifier: MIT */
#include "cct.h"

#include <stdbool.h>

#include "fold.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"

#define MIN_CHUNK 64u           /* slots */
#define MAX_CHUNK 8192u

/* ------------------------------------------------------------------ slots */

/* Takes a chunk of slots. Returns false if there is no space. The last slot of a chunk stays 0, so that the slot
 * after a context always exists and belongs to the context's recorder. */
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
        recorder->end_context = first + count - 1;
        recorder->context_chunk = count < MAX_CHUNK ? count * 2 : count;
    }
    mp_gate_unlock(&hold);
    return first != 0;
}

/* Returns whether PARENT is the newest context and is followed by a free slot. Then it has no children. */
static bool
is_newest(const struct mp_recorder *recorder, uint32_t parent)
{
    return parent + 1 == recorder->next_context && parent + 1 != recorder->end_context;
}

static void
write_slot(uint32_t id, uint32_t value)
{
    __atomic_store_n(&mp_store.contexts[id], value, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ children */

/* A slot is reserved before it is written. If a handler jumps away in between, the slot stays 0, and the next
 * child is a branch. No slot is taken in the file of an earlier session, because FRAME has no record there. */

/* Creates a child of the newest context. */
static uint32_t
append(struct mp_recorder *recorder, uint32_t frame)
{
    uint32_t context = recorder->next_context;

    if (MP_UNLIKELY(!mp_recorder_is_current(recorder)))
        return 0;
    recorder->next_context = context + 1;
    write_slot(context, frame);
    return context;
}

/* The branches of a context form a list. The link of the context refers to the first branch, and the link of each
 * branch's header to the next one. Branches after the first MP_CCT_LIST are in a hash table. */

static uint32_t *
first_branch(struct mp_recorder *recorder, uint32_t parent)
{
    return parent ? &mp_store.context_links[parent] : &recorder->tree;
}

/* Moves the cell that *FIRST, a context's link, refers to into the hash table of cells, because the context gets
 * a branch. That is rare, because few contexts with cells call anything. Returns false if there is no memory. */
static bool
unlink_cell(struct mp_recorder *recorder, uint32_t *first)
{
    if (MP_LIKELY(!(*first & MP_CCT_CELL)))
        return true;
    if (!mp_cell_make_room(&recorder->cells))
        return false;
    mp_cell_put(&recorder->cells, *first & ~MP_CCT_CELL);
    MP_IN_ORDER();
    *first = 0;
    return true;
}

/* The table `wide` of a recorder contains the branches beyond the first MP_CCT_LIST of each context. An entry is a
 * context's id. Its key, the parent and the frame, is read from the slots. */
static uint64_t
hash_of(uint32_t parent, uint32_t frame)
{
    return mp_hash_pair(parent, frame, 0);
}

static uint64_t
hash_of_branch(const void *entry)
{
    const uint32_t context = *(const uint32_t *)entry;

    return hash_of(mp_cct_parent(context), mp_cct_frame(context));
}

/* Returns PARENT's child with FRAME in the table WIDE, or 0 if it is not there. */
static uint32_t
find_wide(const struct mp_id_table *wide, uint32_t parent, uint32_t frame)
{
    const uint32_t *ids = wide->entries;
    uint32_t at = mp_id_table_begin(wide, hash_of(parent, frame)), id;

    if (!ids)
        return 0;
    while ((id = ids[at]) != 0 && (mp_cct_frame(id) != frame || mp_cct_parent(id) != parent))
        at = mp_id_table_after(wide, at);
    return id;
}

/* Returns PARENT's child with FRAME, or 0 if it does not exist. Sets *N to the number of children, at most
 * MP_CCT_LIST. */
static uint32_t
find_branch(struct mp_recorder *recorder, uint32_t parent, uint32_t frame, unsigned *n)
{
    uint32_t branch = *first_branch(recorder, parent);

    *n = 0;
    if (branch & MP_CCT_CELL)
        return 0;
    for (; branch; branch = mp_store.context_links[branch - 1], ++*n)
        if (mp_cct_frame(branch) == frame)
            return branch;
    return *n >= MP_CCT_LIST ? find_wide(&recorder->wide, parent, frame) : 0;
}

/* Creates a branch of PARENT, which has N branches. Returns 0 if there is no space. */
static uint32_t
make_branch(struct mp_recorder *recorder, uint32_t parent, uint32_t frame, unsigned n)
{
    uint32_t header, *first = first_branch(recorder, parent);

    if (!mp_recorder_is_current(recorder) || !unlink_cell(recorder, first) ||
        (n >= MP_CCT_LIST && !mp_id_table_make_room(&recorder->wide, sizeof(uint32_t), hash_of_branch)) ||
        (recorder->end_context - recorder->next_context < 2 && !take_chunk(recorder)))
        return 0;
    header = recorder->next_context;
    recorder->next_context = header + 2;
    write_slot(header, MP_CONTEXT_RUN | parent);
    write_slot(header + 1, frame);
    if (n >= MP_CCT_LIST) {
        mp_id_table_put(&recorder->wide, sizeof(uint32_t), hash_of(parent, frame), &(uint32_t){header + 1});
    } else {
        mp_store.context_links[header] = *first;
        MP_IN_ORDER();
        *first = header + 1;
    }
    return header + 1;
}

/* Returns PARENT's child with FRAME if it begins the run after the context that was looked up last, otherwise 0. When
 * a program comes through the same chains once more in the same order, it meets contexts in the order of their slots.
 * Then no list has to be read, which would be in other cache lines. The slot after the last context of a chunk is 0. */
MP_INLINE uint32_t
next_run(const struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    const uint32_t *last = &mp_store.contexts[recorder->last_child];

    return last[1] == (MP_CONTEXT_RUN | parent) && last[2] == frame ? recorder->last_child + 2 : 0;
}

/* Returns PARENT's branch with FRAME, and creates it if necessary, or returns PARENT if FRAME is the monitor's own.
 * Returns 0 if there is no space. */
static uint32_t
branch_of(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    unsigned n;
    const uint32_t branch = find_branch(recorder, parent, frame, &n);

    if (branch)
        return branch;
    return mp_cct_is_own(frame) && parent ? parent : make_branch(recorder, parent, frame, n);
}

/* Remembers in the cache that CONTEXT is PARENT's child with FRAME. */
static void
keep_recent(struct mp_recorder *recorder, uint32_t parent, uint32_t frame, uint32_t context)
{
    struct mp_recent_child *recent = mp_cct_recent(recorder, parent, frame);

    recent->key = 0;
    MP_IN_ORDER();
    recent->context = context;
    MP_IN_ORDER();
    recent->key = mp_cct_key(parent, frame);
}

/* Does what branch_of() does, and remembers the branch. */
static MP_NOINLINE uint32_t
find_far(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    const uint32_t context = branch_of(recorder, parent, frame);

    if (context)
        keep_recent(recorder, parent, frame, context);
    return context;
}

/* Returns PARENT's child with FRAME, which is not in the next slot, and creates it if necessary, or returns PARENT if
 * FRAME is the monitor's own. Returns 0 if there is no space. */
MP_INLINE uint32_t
find(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    uint32_t run;

    if (is_newest(recorder, parent) && !mp_cct_is_own(frame))
        return append(recorder, frame);
    run = next_run(recorder, parent, frame);
    return run ? run : find_far(recorder, parent, frame);
}

/* Does the same with recursion folded (fold.h). Remembers calls that continue in an earlier context. */
static uint32_t
find_folded(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    const uint64_t key = mp_cct_key(parent, frame);
    uint32_t context, earlier;
    unsigned n;

    context = find_branch(recorder, parent, frame, &n);
    if (!context)
        context = mp_id_map_find(&recorder->folded, key);
    if (context)
        return context;
    earlier = mp_fold_parent(parent, frame);
    context = mp_cct_frame(earlier + 1) == frame ? earlier + 1 : find(recorder, earlier, frame);
    if (context && earlier != parent && mp_id_map_make_room(&recorder->folded))
        mp_id_map_put(&recorder->folded, key, context);
    return context;
}

/* Slow path of mp_cct_find(). */
static MP_COLD MP_NOINLINE uint32_t
find_in_folded(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    const uint32_t context = find_folded(recorder, parent, frame);

    if (context && context != parent + 1)
        keep_recent(recorder, parent, frame, context);
    return context;
}

MP_NOINLINE uint32_t
mp_cct_find(struct mp_recorder *recorder, uint32_t parent, uint32_t frame)
{
    return MP_UNLIKELY(mp_options.fold) ? find_in_folded(recorder, parent, frame) : find(recorder, parent, frame);
}
