#include "bad_frees.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reporter/base/short_names.h"
#include "reporter/base/text.h"

const struct mp_bad_free_text mp_bad_free_texts[MP_BAD_FREES] = {
    [MP_FREED_AGAIN] = {"freed_again", "Freed again", "of memory that was freed already"},
    [MP_FREED_INSIDE] = {"freed_inside", "Freed inside", "of addresses within a block"},
    [MP_FREED_UNKNOWN] = {"unknown_frees", "Unknown frees", "of addresses never seen"},
    [MP_FREED_MISMATCHED] = {"mismatched_frees", "Mismatched frees", "of blocks that another kind of function made"},
    [MP_FREED_OVERRUN] = {"overruns", "Overruns", "of blocks that were written beyond their end"},
};

struct mp_calls
mp_bad_free_calls(const struct mp_bad_frees *frees, const struct mp_bad_free *place, struct mp_arena *arena)
{
    const struct mp_profile *profile = frees->of;
    const uint32_t innermost = profile->symbolised ? place->context : 0;
    size_t n = 0, first;
    bool at_main = false;
    struct mp_call *list;

    for (uint32_t i = innermost; i != 0; i = profile->contexts[i].parent)
        n += mp_frame_locations(&profile->frames[profile->contexts[i].frame]);
    list = mp_arena_alloc(arena, (n + 1) * sizeof *list);
    first = n;
    for (uint32_t i = innermost; i != 0 && !at_main; i = profile->contexts[i].parent) {
        const struct mp_frame *frame = &profile->frames[profile->contexts[i].frame];

        for (uint32_t j = 0; j < mp_frame_locations(frame) && frame->mark == 0 && !at_main; j++) {
            const struct mp_location *at = &profile->locations[frame->first_location + j];

            list[--first] = (struct mp_call){.function = at->function, .line = at->line, .file = at->file,
                                             .inlined = at->inlined};
            at_main = mp_function_is_called(&profile->functions[at->function], "main");
        }
    }
    return (struct mp_calls){profile, list + first, (uint32_t)(n - first), true};
}

const char *
mp_bad_free_call(const struct mp_calls *calls, uint32_t i, struct mp_arena *arena)
{
    const struct mp_call *call = &calls->list[i];
    const char *name = mp_short_name(calls->profile->functions[call->function].text, arena);

    return call->line > 0 && call->file[0]
               ? mp_arena_printf(arena, "%s (%s:%" PRIu32 ")", name, mp_text_basename(call->file), call->line)
               : name;
}

const char *
mp_bad_free_place(const struct mp_bad_frees *frees, const struct mp_bad_free *place, struct mp_arena *arena)
{
    const struct mp_calls calls = mp_bad_free_calls(frees, place, arena);
    struct mp_text_stream text;
    FILE *out = mp_text_open(&text);

    fputs(mp_bad_free_texts[place->kind].text, out);
    if (calls.n > 0)
        fprintf(out, "%s: ", place->kind == MP_FREED_OVERRUN ? ", allocated by" : "");
    for (uint32_t i = 0; i < calls.n; i++)
        fprintf(out, "%s%s", i > 0 ? " > " : "", mp_bad_free_call(&calls, i, arena));
    return mp_text_close_in(&text, arena);
}
