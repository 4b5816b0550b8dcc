#include "told.h"

#include <stdlib.h>

#include "told_follow.h"
#include "told_types.h"

#define LEVELS_MAX  64u         /* maximum number of callers examined */

/* The result for one return address. */
struct frame_told {
    bool asked, handed_on;      /* handed_on: the function returns the pointer */
    const struct mp_told *told, *bytes;         /* NULL = unknown; `bytes` is a weaker result, a type of single bytes */
};


struct telling {
    const struct mp_profile *profile;
    struct mp_arena *arena;
    struct frame_told *frames;  /* indexed by frame */
    struct mp_following *following;
    struct mp_binary *binary;   /* the file being examined */
    struct mp_map types;        /* addresses of DIEs of its described types */
    const struct mp_told **described;           /* indexed by numbers in `types`; NULL if the type has no name */
    uint32_t described_room;
};

/* --------------------------------------------------------------------- frames */

static const struct mp_told *
describe(struct telling *telling, Dwarf_Die target)
{
    const uint32_t n = telling->types.count;
    uint32_t id;
    struct mp_told *told;

    if (target.addr == NULL)
        return NULL;
    id = mp_map_add_u64(&telling->types, (uintptr_t)target.addr);
    if (id == n) {
        telling->described = mp_arena_grow(telling->arena, telling->described, n, &telling->described_room,
                                           sizeof *telling->described);
        told = mp_arena_alloc(telling->arena, sizeof *told);
        telling->described[id] = mp_told_describe(telling->binary, target, telling->arena, told) ? told : NULL;
    }
    return telling->described[id];
}

static void
ask(struct telling *telling, uint32_t number)
{
    const struct mp_frame *frame = &telling->profile->frames[number];
    const struct mp_followed followed = mp_follow(telling->following, frame->offset);
    struct frame_told *result = &telling->frames[number];

    result->told = describe(telling, followed.object);
    result->bytes = describe(telling, followed.byte);
    result->handed_on = followed.returned;
}

/* Compares frames by module and offset. */
static int
compare_frames(const void *left, const void *right, void *data)
{
    const struct mp_frame *frames = data;
    const struct mp_frame *a = &frames[*(const uint32_t *)left], *b = &frames[*(const uint32_t *)right];

    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Examines the N frames of LIST, which all belong to one module. */
static void
ask_module(struct telling *telling, const uint32_t *list, uint32_t n)
{
    static const struct mp_symbol_options options = {.places = true};
    const struct mp_profile *profile = telling->profile;
    const uint32_t module = profile->frames[*list].module;
    const char *problem;

    if (profile->modules[module].build_id_size == 0)
        return;                 /* the file may have been replaced meanwhile */
    telling->binary = mp_binary_open(profile, &options, module, NULL, 0, &problem);
    if (telling->binary == NULL)
        return;
    if (mp_binary_load(telling->binary)) {
        telling->types = (struct mp_map){.arena = telling->arena};
        telling->described = NULL;
        telling->described_room = 0;
        mp_following_open(telling->following, telling->binary);
        for (uint32_t i = 0; i < n; i++)
            ask(telling, list[i]);
        mp_following_close(telling->following);
    }
    mp_binary_close(telling->binary);
}

/* Returns whether frame NUMBER is a call with a known return address. */
static bool
is_call(const struct mp_profile *profile, uint32_t number)
{
    const struct mp_frame *frame = number < profile->n_frames ? &profile->frames[number] : NULL;

    return frame && frame->mark == 0 && !frame->exact && !frame->interpreted && frame->offset > 0 &&
           frame->module < profile->n_modules;
}

/* Returns the innermost context on the chain of CONTEXT that needs to be examined next. Returns 0 if the result is
 * final; *TOLD is the inferred type then, or NULL. */
static uint32_t
next_question(const struct telling *telling, uint32_t context, const struct mp_told **told)
{
    const struct mp_context *contexts = telling->profile->contexts;
    const struct mp_told *bytes = NULL;

    *told = NULL;
    for (uint32_t level = 0; context != 0 && level < LEVELS_MAX; level++, context = contexts[context].parent) {
        const uint32_t number = contexts[context].frame;
        const struct frame_told *frame;

        if (!is_call(telling->profile, number))
            break;
        frame = &telling->frames[number];
        if (!frame->asked)
            return context;
        bytes = frame->bytes ? frame->bytes : bytes;
        if (frame->told || !frame->handed_on) {
            bytes = frame->told ? frame->told : bytes;
            break;
        }
    }
    *told = bytes;
    return 0;
}

/* Examines the next frame of each chain, opening each file once. Returns false if nothing was left to examine. */
static bool
ask_round(struct telling *telling, const uint32_t *contexts, uint32_t n, const struct mp_told **told)
{
    const struct mp_profile *profile = telling->profile;
    uint32_t *list = mp_need(malloc((n + (size_t)1) * sizeof *list)), count = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t question = contexts[i] < profile->n_contexts ? next_question(telling, contexts[i], &told[i]) : 0;
        const uint32_t frame = question == 0 ? MP_NO_ID : profile->contexts[question].frame;

        if (frame == MP_NO_ID || telling->frames[frame].asked)
            continue;
        telling->frames[frame].asked = true;
        list[count++] = frame;
    }
    qsort_r(list, count, sizeof *list, compare_frames, profile->frames);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && profile->frames[list[end]].module == profile->frames[list[first]].module;)
            end++;
        ask_module(telling, &list[first], end - first);
    }
    free(list);
    return count > 0;
}

const struct mp_told **
mp_told_of(const struct mp_profile *profile, const uint32_t *contexts, uint32_t n, struct mp_arena *arena)
{
    const struct mp_told **told = mp_arena_alloc(arena, (n + (size_t)1) * sizeof *told);
    struct telling *telling = mp_arena_alloc(arena, sizeof *telling);

    telling->profile = profile;
    telling->arena = arena;
    telling->following = mp_following_new(arena);
    telling->frames = mp_arena_alloc(arena, (profile->n_frames + (size_t)1) * sizeof *telling->frames);
    while (ask_round(telling, contexts, n, told))
        ;
    return told;
}
