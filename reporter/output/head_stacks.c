/* head_stacks.c -- adds the maximum stack depth of threads. */
#include <inttypes.h>

#include "head.h"
#include "reporter/base/short_names.h"
#include "reporter/profile/stacks.h"

enum { MOST_ROWS = 5 };         /* the last row combines all others if there are more */

static void
add_row(struct mp_head *head, const char *name, const struct mp_thread_stacks *row, bool sampled)
{
    struct mp_head_row *to = mp_head_add(head, "stack", "Stack");

    to->has = MP_HEAD_BOTH;
    to->blocks = row->threads;
    to->bytes = row->deepest;
    to->text = mp_arena_printf(head->arena, "%s, at %s deepest %sallocation", name,
                               row->threads == 1 ? "its" : "their", sampled ? "sampled " : "");
}

static const char *
name_of(const struct mp_thread_stacks *row, struct mp_arena *arena)
{
    return row->name ? mp_short_name(row->name, arena) : "others";
}

void
mp_head_stacks(struct mp_head *head, const struct mp_profile *profile)
{
    const bool sampled = profile->meta.sample_period > 0;
    uint32_t n, shown = 0;
    struct mp_thread_stacks *rows = mp_stacks_by_thread(profile, &n, head->arena);

    while (n > 0 && rows[n - 1].deepest == 0)
        n--;
    for (; shown < n && (shown < MOST_ROWS - 1 || n == MOST_ROWS); shown++)
        add_row(head, name_of(&rows[shown], head->arena), &rows[shown], sampled);
    for (uint32_t i = shown + 1; i < n; i++)
        rows[shown].threads += rows[i].threads;
    if (shown < n)
        add_row(head, "others", &rows[shown], sampled);
    if (mp_stacks_away(profile))
        mp_head_say(head, "stack_away", "Stack",
                    "allocations on other stacks (coroutines, signal handlers) are not in these");
}
