/* bad_frees.c -- reading and writing faulty frees, in the live and in the sealed file. */
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
mp_sealed_put_bad_frees(const struct mp_profile *profile, struct mp_buffer *to)
{
    const struct mp_bad_frees *frees = profile->bad_frees;

    if (!frees || frees->of != profile)
        return;
    mp_buffer_varint(to, frees->sentinel);
    for (size_t i = 0; i < MP_BAD_FREES; i++)
        mp_buffer_varint(to, frees->counts[i]);
    mp_buffer_varint(to, frees->n);
    for (const struct mp_bad_free *place = frees->places; place < frees->places + frees->n; place++) {
        mp_buffer_varint(to, place->kind);
        mp_buffer_varint(to, place->context);
        mp_buffer_varint(to, place->count);
    }
}

void
mp_take_bad_frees(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    const enum mp_sentinel sentinel = (enum mp_sentinel)mp_cursor_below(from, MP_SENTINEL_END);
    uint64_t counts[MP_BAD_FREES];
    uint32_t n;

    for (size_t i = 0; i < MP_BAD_FREES; i++)
        counts[i] = mp_cursor_varint(from);
    n = mp_cursor_count(from, 3);
    profile->bad_frees = new_frees(profile, n);
    profile->bad_frees->sentinel = sentinel;
    memcpy(profile->bad_frees->counts, counts, sizeof counts);
    profile->bad_frees->n = n;
    for (struct mp_bad_free *place = profile->bad_frees->places; n > 0; n--, place++) {
        place->kind = mp_cursor_below(from, MP_BAD_FREES);
        place->context = mp_cursor_below(from, profile->n_contexts);
        place->count = mp_cursor_varint(from);
    }
}
