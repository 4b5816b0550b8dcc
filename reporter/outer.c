#include "outer.h"

#include <string.h>

#include "startup.h"

static bool
starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Where the debug symbols of libc are not installed, its local functions have no names:
 * __libc_start_call_main and start_thread read "libc.so.6+0x2724a". */
static bool
nameless_in_libc(const struct mp_profile *profile, const struct mp_function *function)
{
    const char *module;

    if (function->module == MP_NO_ID)
        return false;
    module = profile->modules[function->module].name;
    if (!starts_with(function->name, module) || function->name[strlen(module)] != '+')
        return false;
    return starts_with(module, "libc.so") || starts_with(module, "libc-2.") ||
           starts_with(module, "libpthread");
}

static bool
frame_is_outer(const struct mp_profile *profile, const struct mp_frame *frame,
               const bool functions[])
{
    if (frame->mark != 0 || frame->n_locations == 0)
        return false;
    for (uint32_t i = 0; i < frame->n_locations; i++) {
        uint32_t function = profile->locations[frame->first_location + i].function;

        if (!functions[function] && !nameless_in_libc(profile, &profile->functions[function]))
            return false;
    }
    return true;
}

static bool
is_libc_start(const struct mp_profile *profile, const struct mp_frame *frame)
{
    const char *name, *bang;
    uint32_t function;

    if (frame->mark != 0 || frame->n_locations == 0)
        return false;
    function = profile->locations[frame->first_location].function;
    name = profile->functions[function].name;
    bang = strchr(name, '!');
    return starts_with(bang ? bang + 1 : name, "__libc_start_main");
}

/* In a stripped program _start has no name; it is the outermost frame, and the one that calls
 * __libc_start_main. */
static void
mark_nameless_start(const struct mp_profile *profile, bool frames[])
{
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        uint32_t caller = profile->contexts[i].parent;

        if (caller != 0 && profile->contexts[caller].parent == 0 &&
            is_libc_start(profile, &profile->frames[profile->contexts[i].frame]) &&
            profile->frames[profile->contexts[caller].frame].mark == 0)
            frames[profile->contexts[caller].frame] = true;
    }
}

bool *
mp_outer_contexts(const struct mp_profile *profile, struct mp_arena *arena)
{
    bool *functions = mp_startup_functions(profile, arena);
    bool *frames = mp_arena_alloc(arena, profile->n_frames * sizeof *frames);
    bool *contexts = mp_arena_alloc(arena, profile->n_contexts * sizeof *contexts);

    for (uint32_t i = 0; i < profile->n_frames; i++)
        frames[i] = frame_is_outer(profile, &profile->frames[i], functions);
    mark_nameless_start(profile, frames);
    contexts[0] = true;
    for (uint32_t i = 1; i < profile->n_contexts; i++)
        contexts[i] = contexts[profile->contexts[i].parent] && frames[profile->contexts[i].frame];
    return contexts;
}
