/* SPDX-License-Identifier: MIT */
/* read_bad_frees.c -- reads faulty frees from a live file, and codes their section of a sealed file. */
#include <string.h>

#include "live_parts.h"
#include "sealed_parts.h"

static struct mp_bad_frees *
new_frees(struct mp_profile *profile, size_t most)
{
    struct mp_bad_frees *frees = mp_arena_alloc(profile->arena, sizeof *frees);

    frees->of = profile;
    frees->places = mp_arena_alloc(profile->arena, most * sizeof *frees->places);
    return frees;
}

/* A place whose context is unknown gets context 0. In a running process a context may have been created after
 * contexts were copied. */
bool
mp_live_bad_frees(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_live_bad_frees *from = &reading->image.header.bad_frees;
    struct mp_bad_frees *to = new_frees(reading->profile, MP_MAX_BAD_FREES);
    const uint32_t sentinel = reading->image.header.sentinel;
    uint64_t any = sentinel;

    if (sentinel >= MP_SENTINEL_END)
        return mp_fail(error, MP_ERR_DAMAGED, MP_HEADER_OFFSET(sentinel), "%s: overruns looked for in no way",
                       reading->image.input->name);
    to->sentinel = (enum mp_sentinel)sentinel;
    memcpy(to->counts, from->counts, sizeof to->counts);
    for (unsigned kind = 0; kind < MP_BAD_FREES; kind++)
        any |= to->counts[kind];
    for (size_t i = 0; i < MP_MAX_BAD_FREES && from->places[i].count > 0; i++) {
        const struct mp_live_bad_free *at = &from->places[i];
        const size_t record =
            at->context ? mp_image_find(&reading->image, MP_EXT_CONTEXTS, at->context) : MP_NO_RECORD;
        const uint32_t context = record == MP_NO_RECORD ? MP_NO_ID : reading->context_of[record];

        if (at->kind >= MP_BAD_FREES)
            return mp_fail(error, MP_ERR_DAMAGED, MP_HEADER_OFFSET(bad_frees), "%s: faulty frees of no kind",
                           reading->image.input->name);
        to->places[to->n++] = (struct mp_bad_free){at->kind, context == MP_NO_ID ? 0 : context, at->count};
    }
    reading->profile->bad_frees = any ? to : NULL;
    return true;
}

void
mp_code_bad_frees(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    const struct mp_bad_frees *known = profile->bad_frees;
    struct mp_bad_frees frees = known ? *known : (struct mp_bad_frees){.of = profile};
    uint32_t sentinel = (uint32_t)frees.sentinel;

    if (!codec->from && (!known || known->of != profile))
        return;
    mp_code_below(codec, &sentinel, MP_SENTINEL_END);
    frees.sentinel = (enum mp_sentinel)sentinel;
    for (size_t i = 0; i < MP_FREED_MISMATCHED; i++)
        mp_code_u64(codec, &frees.counts[i]);
    mp_code_count(codec, &frees.n, 3);
    frees.places = mp_code_array(codec, frees.places, frees.n, sizeof *frees.places);
    for (struct mp_bad_free *place = frees.places; place < frees.places + frees.n; place++) {
        mp_code_below(codec, &place->kind, MP_BAD_FREES);
        mp_code_below(codec, &place->context, profile->n_contexts);
        mp_code_u64(codec, &place->count);
    }
    if (codec->from ? codec->from->at < codec->from->end : frees.counts[MP_FREED_MISMATCHED] > 0)
        mp_code_u64(codec, &frees.counts[MP_FREED_MISMATCHED]);
    if (codec->from) {
        profile->bad_frees = new_frees(profile, 0);
        *profile->bad_frees = frees;
    }
}
