/* SPDX-License-Identifier: MIT */
#include "startup_frames.h"

#include <string.h>

static bool
begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool
is_one_of(const char *name, const char *const names[])
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static bool
is_libc(const char *module)
{
    return begins(module, "libc.so") || begins(module, "libc-2.") || begins(module, "libpthread");
}

bool
mp_startup_is_loader(const char *module)
{
    return begins(module, "ld-linux") || begins(module, "ld-2.") || begins(module, "ld.so") ||
           begins(module, "ld64.so");
}

static bool
is_libc_start(const char *name)
{
    return begins(name, "__libc_start_main");
}

/* Returns whether NAME is reserved by the C standard for the implementation, so that it is start-up code in any
 * module. */
static bool
is_reserved(const char *name)
{
    static const char *const names[] = {"_start", "__clone", "__clone3", "__clone_internal",
                                        "_dl_start_user", NULL};

    return is_one_of(name, names) || is_libc_start(name) || begins(name, "__libc_start_call_main");
}

/* Returns whether NAME is start-up code in libc. In a program, functions of these names are ordinary. */
static bool
is_of_libc(const char *name)
{
    static const char *const names[] = {"start_thread", "clone", "clone3", "thread_start",
                                        "call_init", NULL};

    return is_one_of(name, names) || begins(name, "__GI___clone");
}

static const char *
name_of(const struct mp_function *function)
{
    return function->plain ? function->plain : function->text;
}

/* Returns whether FUNCTION is start-up code. NAMELESS also accepts functions without a name in libc and the loader,
 * because in stripped libraries the local functions __libc_start_call_main and start_thread have no names
 * ("libc.so.6+0x2724a"). */
static bool
function_starts(const struct mp_profile *profile, const struct mp_function *function, bool nameless)
{
    const char *name = name_of(function), *module;

    if (is_reserved(name))
        return true;
    if (function->module >= profile->n_modules)
        return false;
    module = profile->modules[function->module].name;
    if (is_libc(module))
        return is_of_libc(name) || (nameless && mp_function_is_nameless(profile, function));
    return nameless && mp_startup_is_loader(module) && mp_function_is_nameless(profile, function);
}

static bool
frame_starts(const struct mp_profile *profile, const struct mp_frame *frame, bool nameless)
{
    if (mp_frame_is_thread(frame) || mp_frame_is_label(frame))
        return true;
    if (frame->mark != 0 || frame->n_locations == 0)
        return false;
    for (uint32_t i = 0; i < frame->n_locations; i++) {
        uint32_t function = profile->locations[frame->first_location + i].function;

        if (!function_starts(profile, &profile->functions[function], nameless))
            return false;
    }
    return true;
}

static bool
frame_is_libc_start(const struct mp_profile *profile, const struct mp_frame *frame)
{
    uint32_t function;

    if (frame->mark != 0 || frame->n_locations == 0)
        return false;
    function = profile->locations[frame->first_location].function;
    return is_libc_start(name_of(&profile->functions[function]));
}

/* Returns whether CONTEXT is outermost, or its caller is a label. */
static bool
is_outermost(const struct mp_profile *profile, uint32_t context)
{
    uint32_t caller = profile->contexts[context].parent;

    return caller == 0 || (profile->contexts[caller].parent == 0 &&
                           mp_frame_is_label(&profile->frames[profile->contexts[caller].frame]));
}

/* Returns whether CONTEXT is a mark, which replaces the outermost frames of a chain that was cut. A function
 * without a name below it may be any function. */
static bool
is_mark(const struct mp_profile *profile, uint32_t context)
{
    return context != 0 && profile->frames[profile->contexts[context].frame].mark != 0;
}

/* Returns whether the caller of CONTEXT, which is __libc_start_main, is _start: the outermost frame. In a stripped
 * program it has no name. Main, which __libc_start_main calls, has another return address. */
static bool
has_nameless_start(const struct mp_profile *profile, uint32_t context)
{
    const uint32_t caller = profile->contexts[context].parent;

    return caller != 0 && is_outermost(profile, caller) && !is_mark(profile, caller);
}

bool *
mp_startup_contexts(const struct mp_profile *profile, struct mp_arena *arena)
{
    bool *frames = mp_arena_alloc(arena, profile->n_frames * sizeof *frames);
    bool *libc_start = mp_arena_alloc(arena, profile->n_frames * sizeof *libc_start);
    bool *contexts = mp_arena_alloc(arena, profile->n_contexts * sizeof *contexts);
    bool marks = false;         /* whether there is a frame that is a mark */
    bool again = true;          /* whether the result changes because frames of _start were found */

    for (uint32_t i = 0; i < profile->n_frames; i++) {
        frames[i] = frame_starts(profile, &profile->frames[i], true);
        libc_start[i] = frame_is_libc_start(profile, &profile->frames[i]);
        marks |= profile->frames[i].mark != 0;
    }
    contexts[0] = true;
    while (again) {
        again = false;
        for (uint32_t i = 1; i < profile->n_contexts; i++) {
            const uint32_t parent = profile->contexts[i].parent, frame = profile->contexts[i].frame;

            if (libc_start[frame] && has_nameless_start(profile, i) && !frames[profile->contexts[parent].frame])
                again = frames[profile->contexts[parent].frame] = true;
            contexts[i] = (contexts[parent] && frames[frame]) ||
                          (marks && is_mark(profile, parent) &&
                           frame_starts(profile, &profile->frames[frame], false));
        }
    }
    return contexts;
}

uint32_t *
mp_startup_threads(const struct mp_profile *profile, const bool *starts, struct mp_arena *arena)
{
    uint32_t *threads = mp_arena_alloc(arena, profile->n_contexts * sizeof *threads);

    threads[0] = MP_NO_ID;
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_context *context = &profile->contexts[i];

        threads[i] = MP_NO_ID;
        if (is_outermost(profile, i) && mp_frame_is_thread(&profile->frames[context->frame]))
            threads[i] = context->frame;
        else if (starts[context->parent])
            threads[i] = threads[context->parent];
    }
    for (uint32_t i = 1; i < profile->n_contexts; i++)
        if (starts[i])
            threads[i] = MP_NO_ID;
    return threads;
}
