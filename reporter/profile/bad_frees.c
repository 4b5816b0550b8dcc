#include "bad_frees.h"

#include <inttypes.h>
#include <string.h>

#include "reporter/base/short_names.h"
#include "reporter/base/text.h"

const struct mp_bad_free_text mp_bad_free_texts[MP_BAD_FREES] = {
    [MP_FREED_AGAIN] = {"freed_again", "Freed again", "of memory that was freed already"},
    [MP_FREED_INSIDE] = {"freed_inside", "Freed inside", "of addresses within a block"},
    [MP_FREED_UNKNOWN] = {"unknown_frees", "Unknown frees", "of addresses never seen"},
};

/* TEXT and then LOCATION, with its line if that is known. */
static const char *
add_call(const struct mp_profile *profile, const struct mp_location *location, const char *text, struct mp_arena *arena)
{
    const char *name = mp_short_name(profile->functions[location->function].name, arena);
    const char *before = "";

    if (strcmp(name, "main") == 0)
        text = "";
    if (text[0])
        before = " > ";

    if (location->line > 0 && location->file[0])
        return mp_arena_printf(arena, "%s%s%s (%s:%" PRIu32 ")", text, before, name,
                               mp_text_basename(location->file), location->line);
    return mp_arena_printf(arena, "%s%s%s", text, before, name);
}

/* What calls main is left out. */
static const char *
chain_of(const struct mp_profile *profile, uint32_t context, struct mp_arena *arena)
{
    const uint32_t n = profile->n_contexts;
    uint32_t *way = mp_arena_alloc(arena, n * sizeof *way), depth = 0;
    const char *text = "";

    for (; context != 0; context = profile->contexts[context].parent)
        way[depth++] = profile->contexts[context].frame;
    while (depth > 0) {
        const struct mp_frame *frame = &profile->frames[way[--depth]];

        for (uint32_t i = frame->n_locations; frame->mark == 0 && i > 0; i--)
            text = add_call(profile, &profile->locations[frame->first_location + i - 1], text, arena);
    }
    return text;
}

const char *
mp_bad_free_chain(const struct mp_bad_frees *frees, const struct mp_bad_free *place, struct mp_arena *arena)
{
    return frees->of->symbolised ? chain_of(frees->of, place->context, arena) : "";
}
