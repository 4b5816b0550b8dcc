/* SPDX-License-Identifier: MIT */
#include "context_calls.h"

#include <inttypes.h>

#include "reporter/base/short_names.h"
#include "reporter/base/text.h"

struct mp_calls
mp_context_calls(const struct mp_profile *profile, uint32_t context, struct mp_arena *arena)
{
    const uint32_t innermost = profile->symbolised ? context : 0;
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
mp_context_call(const struct mp_calls *calls, uint32_t i, struct mp_arena *arena)
{
    const struct mp_call *call = &calls->list[i];
    const char *name = mp_short_name(calls->profile->functions[call->function].text, arena);

    return call->line > 0 && call->file[0]
               ? mp_arena_printf(arena, "%s (%s:%" PRIu32 ")", name, mp_text_basename(call->file), call->line)
               : name;
}
