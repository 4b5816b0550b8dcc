/* live_stacks.c -- reads the maximum stack depths that all recorders saved. */
#include <stdlib.h>

#include "live_parts.h"
#include "reporter/base/search.h"

/* Sets *CONTEXT to the context in WORD, or to 0 if WORD contains 0. Returns false if the context is missing. In
 * a running process, sets *CONTEXT to 0 then, because the context may have been created after contexts were
 * copied. */
static bool
find_context(const struct mp_live_reading *reading, uint64_t word, uint32_t *context)
{
    const uint32_t id = (uint32_t)word & ~MP_STACK_AWAY;
    const size_t record = id ? mp_image_find(&reading->image, MP_EXT_CONTEXTS, id) : MP_NO_RECORD;

    *context = record == MP_NO_RECORD ? MP_NO_ID : reading->context_of[record];
    if (*context != MP_NO_ID)
        return true;
    *context = 0;
    return id == 0 || reading->image.alive;
}

/* Appends the stack depth in WORD of a recorder, the maximum of THREADS threads. If OTHERS, the threads have
 * various start functions, and the context is omitted. */
static bool
add(struct mp_live_reading *reading, uint64_t word, uint32_t threads, bool others)
{
    struct mp_profile *profile = reading->profile;
    uint32_t context;

    if (!find_context(reading, word, &context))
        return false;
    profile->stacks[profile->n_stacks++] = (struct mp_stack){
        .context = others ? 0 : context, .threads = threads, .deepest = (word >> 32) * MP_STACK_UNIT,
        .away = word & MP_STACK_AWAY};
    return true;
}

/* Adds the stacks of RECORDER. If a thread ended during the copy, `stacks` may already include it, and `stack` too.
 * Then `stack` is skipped. */
static bool
add_recorder(struct mp_live_reading *reading, const struct mp_live_recorder *recorder)
{
    uint64_t ended = 0;

    for (const struct mp_live_stack *row = recorder->stacks; row < recorder->stacks + MP_STACK_STARTS; row++)
        if (row->threads > 0) {
            if (!add(reading, row->deepest, row->threads, row->start == 0))
                return false;
            ended += row->threads;
        }
    return recorder->stack == 0 || ended > recorder->stacks_ended ||
           add(reading, recorder->stack, 1, false);
}

static int
by_context(const void *a, const void *b)
{
    const struct mp_stack *x = a, *y = b;

    return mp_order(x->context, y->context);
}

/* Merges the stacks of several recorders with the same context. */
static void
merge(struct mp_profile *profile)
{
    struct mp_stack *stacks = profile->stacks;
    uint32_t n = 0;

    qsort(stacks, profile->n_stacks, sizeof *stacks, by_context);
    for (uint32_t i = 0; i < profile->n_stacks; i++) {
        if (n == 0 || stacks[n - 1].context != stacks[i].context) {
            stacks[n++] = stacks[i];
            continue;
        }
        if (__builtin_add_overflow(stacks[n - 1].threads, stacks[i].threads, &stacks[n - 1].threads))
            stacks[n - 1].threads = UINT32_MAX;
        stacks[n - 1].away |= stacks[i].away;
        if (stacks[i].deepest > stacks[n - 1].deepest)
            stacks[n - 1].deepest = stacks[i].deepest;
    }
    profile->n_stacks = n;
}

bool
mp_live_stacks(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_image_table *table = &reading->image.tables[MP_EXT_RECORDERS];
    const struct mp_live_recorder *records = (const void *)table->records;
    struct mp_profile *profile = reading->profile;

    profile->stacks = mp_arena_alloc(
        profile->arena, table->count * (MP_STACK_STARTS + 1) * sizeof *profile->stacks);
    for (size_t i = 0; i < table->count; i++)
        if (records[i].in_use && !add_recorder(reading, &records[i]))
            return mp_live_damaged(reading, MP_EXT_RECORDERS, i, offsetof(struct mp_live_recorder, stack),
                                   "a stack's chain is not there", error);
    merge(profile);
    return true;
}
