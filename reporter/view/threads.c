/* SPDX-License-Identifier: MIT */
#include "threads.h"

#include <string.h>

#include "startup_frames.h"

/* Returns the name of a thread. CONTEXT is the first on its chain after start-up code. THREAD is the frame that
 * names the thread, or MP_NO_ID. */
static const char *
name_of(const struct mp_profile *view, uint32_t context, uint32_t thread)
{
    static const char before[] = "thread ";     /* prefix of names given by the runtime */
    uint32_t first = view->contexts[context].frame;
    const struct mp_frame *frame = &view->frames[thread != MP_NO_ID ? thread : first];
    const struct mp_name *name = mp_frame_name(view, frame);
    uint32_t n = mp_frame_locations(frame);

    if (name)
        return name->name + (strncmp(name->name, before, strlen(before)) == 0 ? strlen(before) : 0);
    if (n == 0)
        return NULL;
    return view->functions[view->locations[frame->first_location + n - 1].function].text;
}

const char **
mp_thread_names(const struct mp_profile *view, struct mp_arena *arena)
{
    const bool *startup = mp_startup_contexts(view, arena);
    const uint32_t *threads = mp_startup_threads(view, startup, arena);
    const char **names = mp_arena_alloc(arena, view->n_contexts * sizeof *names);

    for (uint32_t i = 1; i < view->n_contexts; i++) {
        uint32_t parent = view->contexts[i].parent;
        bool first = parent == 0 || (startup[parent] && !startup[i]);

        names[i] = first ? name_of(view, i, threads[i]) : names[parent];
    }
    return names;
}
