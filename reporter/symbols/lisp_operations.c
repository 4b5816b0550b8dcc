#include "lisp_operations.h"

#include <string.h>

static const struct operation {
    const char *c_name, *lisp;
} operations[] = {
#define OPERATION(c_name, lisp) {c_name, lisp},
#define PRIMITIVE(c_name)
#include "lisp_operations.def"
};
#define N_OPERATIONS (sizeof operations / sizeof *operations)

/* Returns the Lisp name of the operation that FRAME belongs to, or NULL. */
static const char *
operation_of(const struct mp_profile *profile, const struct mp_frame *frame)
{
    const struct mp_function *function;

    if (!frame->runtime || frame->interpreted || frame->mark != 0 || mp_frame_name(profile, frame))
        return NULL;
    function = &profile->functions[profile->locations[frame->first_location + frame->n_locations - 1].function];
    for (size_t i = 0; function->plain && i < N_OPERATIONS; i++)
        if (strcmp(function->plain, operations[i].c_name) == 0)
            return operations[i].lisp;
    return NULL;
}

/* Returns a copy of FRAME with the name LISP, which is added to the profile's names. */
static struct mp_frame
named_copy(struct mp_profile *profile, const struct mp_frame *frame, const char *lisp)
{
    struct mp_frame copy = *frame;

    copy.name = profile->n_names;
    profile->names[profile->n_names++] =
        (struct mp_name){.name = lisp, .file = "", .position = -1, .builtin = true};
    return copy;
}

/* Makes the profile's lists large enough for N more frames, each with a name. */
static void
make_room(struct mp_profile *profile, uint32_t n)
{
    struct mp_frame *frames = mp_arena_alloc(profile->arena, (profile->n_frames + (size_t)n) * sizeof *frames);
    struct mp_name *names = mp_arena_alloc(profile->arena, (profile->n_names + (size_t)n) * sizeof *names);

    memcpy(frames, profile->frames, profile->n_frames * sizeof *frames);
    memcpy(names, profile->names, profile->n_names * sizeof *names);
    profile->frames = frames;
    profile->names = names;
}

void
mp_symbols_name_operations(struct mp_profile *profile)
{
    struct mp_arena *arena = mp_arena_new();
    const uint32_t n_frames = profile->n_frames;
    const char **lisp = mp_arena_alloc(arena, (n_frames + (size_t)1) * sizeof *lisp);  /* by frame */
    const char **near = mp_arena_alloc(arena, profile->n_contexts * sizeof *near);      /* by context: name shown last */
    uint32_t *copies = mp_arena_alloc(arena, (n_frames + (size_t)1) * sizeof *copies);  /* by frame: its copy, or 0 */
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_frames; i++)
        n += (lisp[i] = operation_of(profile, &profile->frames[i])) != NULL;
    if (n > 0)
        make_room(profile, n);
    for (uint32_t i = 1; n > 0 && i < profile->n_contexts; i++) {
        struct mp_context *context = &profile->contexts[i];
        const struct mp_frame *frame = &profile->frames[context->frame];
        const struct mp_name *name = mp_frame_name(profile, frame);
        const char *outer = near[context->parent], *own = lisp[context->frame];

        near[i] = name ? name->name : frame->runtime ? outer : NULL;
        if (!own || (outer && strcmp(outer, own) == 0))
            continue;
        near[i] = own;
        if (copies[context->frame] == 0) {
            copies[context->frame] = profile->n_frames;
            profile->frames[profile->n_frames++] = named_copy(profile, frame, own);
        }
        context->frame = copies[context->frame];
    }
    mp_arena_free(arena);
}
