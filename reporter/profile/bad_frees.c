#include "bad_frees.h"

#include <inttypes.h>
#include <string.h>

#include "reporter/base/short_names.h"
#include "reporter/base/text.h"

const struct mp_bad_free_text mp_bad_free_texts[MP_BAD_FREES] = {
    [MP_FREED_AGAIN] = {"freed_again", "Freed again", "of memory that was freed already"},
    [MP_FREED_INSIDE] = {"freed_inside", "Freed inside", "of addresses within a block"},
    [MP_FREED_UNKNOWN] = {"unknown_frees", "Unknown frees", "of addresses never seen"},
    [MP_FREED_OVERRUN] = {"overruns", "Overruns", "of blocks that were written beyond their end"},
};

struct mp_calls
mp_bad_free_calls(const struct mp_bad_frees *frees, const struct mp_bad_free *place, struct mp_arena *arena)
{
    const struct mp_profile *profile = frees->of;
    uint32_t n = 0, *way = mp_arena_alloc(arena, profile->n_contexts * sizeof *way), depth = 0;
    struct mp_call *list;

    for (uint32_t i = profile->symbolised ? place->context : 0; i != 0; i = profile->contexts[i].parent) {
        way[depth++] = profile->contexts[i].frame;
        n += profile->frames[way[depth - 1]].n_locations;
    }
    list = mp_arena_alloc(arena, (n + (size_t)1) * sizeof *list);
    n = 0;
    while (depth > 0) {
        const struct mp_frame *frame = &profile->frames[way[--depth]];

        for (uint32_t i = frame->n_locations; frame->mark == 0 && i > 0; i--) {
            const struct mp_location *at = &profile->locations[frame->first_location + i - 1];

            if (strcmp(profile->functions[at->function].name, "main") == 0)
                n = 0;
            list[n++] = (struct mp_call){.function = at->function, .line = at->line, .file = at->file,
                                         .inlined = at->inlined};
        }
    }
    return (struct mp_calls){profile, list, n, true};
}

const char *
mp_bad_free_call(const struct mp_calls *calls, uint32_t i, struct mp_arena *arena)
{
    const struct mp_call *call = &calls->list[i];
    const char *name = mp_short_name(calls->profile->functions[call->function].name, arena);

    return call->line > 0 && call->file[0]
               ? mp_arena_printf(arena, "%s (%s:%" PRIu32 ")", name, mp_text_basename(call->file), call->line)
               : name;
}

const char *
mp_bad_free_place(const struct mp_bad_frees *frees, const struct mp_bad_free *place, struct mp_arena *arena)
{
    const struct mp_calls calls = mp_bad_free_calls(frees, place, arena);
    const char *text = mp_bad_free_texts[place->kind].text;

    if (calls.n > 0)
        text = mp_arena_printf(arena, "%s%s: ", text, place->kind == MP_FREED_OVERRUN ? ", allocated by" : "");
    for (uint32_t i = 0; i < calls.n; i++)
        text = mp_arena_printf(arena, "%s%s%s", text, i > 0 ? " > " : "", mp_bad_free_call(&calls, i, arena));
    return text;
}
