#include "frames.h"

#include "reporter/profile/startup.h"

struct mp_frame_lists
mp_frame_lists(const struct mp_export *export, struct mp_arena *arena)
{
    const struct mp_profile *view = export->view;
    struct mp_frame_lists lists = {.view = view};
    uint32_t *depth = mp_arena_alloc(arena, view->n_contexts * sizeof *depth);

    if (!export->all_frames)
        lists.hidden = mp_startup_contexts(view, arena);
    for (uint32_t i = 1; i < view->n_contexts; i++) {
        depth[i] = depth[view->contexts[i].parent] + 1;
        if (depth[i] > lists.deepest)
            lists.deepest = depth[i];
    }
    lists.list = mp_arena_alloc(arena, lists.deepest * sizeof *lists.list);
    return lists;
}

/* Chains end at the frame that marks unknown callers, also if a damaged file has callers beyond it. */
uint32_t
mp_frame_list(const struct mp_frame_lists *lists, uint32_t context)
{
    const struct mp_profile *view = lists->view;
    uint32_t n = 0;

    while (context != 0 && !(n > 0 && lists->hidden && lists->hidden[context])) {
        const struct mp_context *at = &view->contexts[context];

        lists->list[n++] = at->frame;
        context = view->frames[at->frame].mark != 0 ? 0 : at->parent;
    }
    return n;
}
