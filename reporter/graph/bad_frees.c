/* SPDX-License-Identifier: MIT */
#include "bad_frees.h"

#include <stdio.h>

#include "context_calls.h"
#include "reporter/base/text.h"

const struct mp_bad_free_text mp_bad_free_texts[MP_BAD_FREES] = {
    [MP_FREED_AGAIN] = {"freed_again", "Freed again", "of memory that was freed already"},
    [MP_FREED_INSIDE] = {"freed_inside", "Freed inside", "of addresses within a block"},
    [MP_FREED_UNKNOWN] = {"unknown_frees", "Unknown frees", "of addresses never seen"},
    [MP_FREED_MISMATCHED] = {"mismatched_frees", "Mismatched frees", "of blocks that another kind of function made"},
    [MP_FREED_OVERRUN] = {"overruns", "Overruns", "of blocks that were written beyond their end"},
};

const char *
mp_bad_free_place(const struct mp_bad_frees *frees, const struct mp_bad_free *place, struct mp_arena *arena)
{
    const struct mp_calls calls = mp_context_calls(frees->of, place->context, arena);
    struct mp_text_stream text;
    FILE *out = mp_text_open(&text);

    fputs(mp_bad_free_texts[place->kind].text, out);
    if (calls.n > 0)
        fprintf(out, "%s: ", place->kind == MP_FREED_OVERRUN ? ", allocated by" : "");
    for (uint32_t i = 0; i < calls.n; i++)
        fprintf(out, "%s%s", i > 0 ? " > " : "", mp_context_call(&calls, i, arena));
    return mp_text_close_in(&text, arena);
}
