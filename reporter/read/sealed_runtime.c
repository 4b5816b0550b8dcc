/* sealed_runtime.c -- the sections with data of the language's runtime. */
#include <string.h>

#include "sealed_parts.h"

/* ----------------------------------------------------------- encoding */

/* Returns whether PROFILE has data for the sections up to MP_SEC_OF_RUNTIME. */
bool
mp_has_runtime(const struct mp_profile *profile)
{
    const struct mp_meta *meta = &profile->meta;
    bool any = profile->n_names > 0 || profile->n_kinds > 0 || meta->language[0] != '\0' ||
               (meta->one_thread | meta->collections | meta->heap_before | meta->heap_now) != 0;

    for (uint32_t i = 0; i < profile->n_frames && !any; i++)
        any = profile->frames[i].runtime || profile->frames[i].interpreted;
    return any;
}

static void
put_names(struct mp_encoder *encoder)
{
    const struct mp_profile *profile = encoder->profile;
    const struct mp_name *names = profile->names;
    struct mp_buffer *to = &encoder->sections[MP_SEC_NAMES];
    uint32_t name = MP_NO_ID, file = MP_NO_ID;

    mp_buffer_varint(to, profile->n_names);
    for (uint32_t i = 0; i < profile->n_names; i++)
        mp_put_string(encoder, to, &name, names[i].name);
    for (uint32_t i = 0; i < profile->n_names; i++)
        mp_put_string(encoder, to, &file, names[i].file);
    for (uint32_t i = 0; i < profile->n_names; i++)
        mp_buffer_varint(to, (uint64_t)names[i].position + 1);
    for (uint32_t i = 0; i < profile->n_names; i++)
        mp_buffer_varint(to, 2u * names[i].builtin + names[i].dispatch);
}

static void
put_frame_names(struct mp_encoder *encoder)
{
    const struct mp_profile *profile = encoder->profile;
    const struct mp_frame *frames = profile->frames;
    struct mp_buffer *to = &encoder->sections[MP_SEC_FRAME_NAMES];
    uint32_t name = MP_NO_ID;

    for (uint32_t i = 0; i < profile->n_frames; i++)
        mp_buffer_varint(to, 2u * frames[i].interpreted + frames[i].runtime);
    for (uint32_t i = 0; i < profile->n_frames; i++)
        mp_buffer_id(to, &name, frames[i].name < profile->n_names ? frames[i].name : MP_NO_ID);
}

static void
put_kinds(struct mp_encoder *encoder)
{
    const struct mp_profile *profile = encoder->profile;
    const struct mp_object_kind *kinds = profile->kinds;
    struct mp_buffer *to = &encoder->sections[MP_SEC_KINDS];
    uint32_t name = MP_NO_ID, next = MP_KIND_LISP;

    mp_buffer_varint(to, profile->n_kinds);
    for (uint32_t i = 0; i < profile->n_kinds; i++) {
        mp_buffer_varint(to, kinds[i].kind - next);
        next = kinds[i].kind + 1;
    }
    for (uint32_t i = 0; i < profile->n_kinds; i++)
        mp_buffer_varint(to, kinds[i].base - MP_KIND_LISP);
    for (uint32_t i = 0; i < profile->n_kinds; i++)
        mp_put_string(encoder, to, &name, kinds[i].name);
    for (uint32_t i = 0; i < profile->n_kinds; i++)
        mp_buffer_varint(to, (uint64_t)(strchr(MP_CATEGORIES, kinds[i].category) - MP_CATEGORIES));
}

static void
put_forms(struct mp_encoder *encoder)
{
    const struct mp_profile *profile = encoder->profile;
    struct mp_buffer *to = &encoder->sections[MP_SEC_FORMS];

    if (profile->n_forms == 0)
        return;
    mp_buffer_varint(to, profile->n_forms);
    for (uint32_t i = 0; i < profile->n_forms; i++)
        mp_buffer_varint(to, profile->forms[i] - (i > 0 ? profile->forms[i - 1] : 0));
}

void
mp_put_runtime(struct mp_encoder *encoder)
{
    uint32_t string = MP_NO_ID;

    mp_put_heap(encoder, &encoder->profile->meta, &string, &encoder->sections[MP_SEC_RUNTIME]);
    put_names(encoder);
    put_frame_names(encoder);
    put_kinds(encoder);
    put_forms(encoder);
}

/* ------------------------------------------------------------ decoding */

void
mp_take_runtime(struct mp_decoder *decoder, struct mp_cursor *from)
{
    uint32_t string = MP_NO_ID;

    mp_take_heap(decoder, &decoder->profile->meta, &string, from);
}

void
mp_take_names(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    uint32_t n = profile->n_names = mp_cursor_count(from, 4);
    struct mp_name *names = profile->names = mp_take_array(decoder, n, sizeof *names);
    uint32_t name = MP_NO_ID, file = MP_NO_ID;

    for (uint32_t i = 0; i < n; i++)
        names[i].name = mp_take_string(decoder, from, &name);
    for (uint32_t i = 0; i < n; i++)
        names[i].file = mp_take_string(decoder, from, &file);
    for (uint32_t i = 0; i < n; i++) {
        names[i].position = (int64_t)(mp_cursor_varint(from) - 1);
        if (names[i].position < -1)
            mp_take_damaged(from, "a position beyond all bounds");
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t flags = mp_cursor_below(from, 4);

        names[i].builtin = flags / 2;
        names[i].dispatch = flags & 1;
    }
}

void
mp_take_frame_names(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    uint32_t name = MP_NO_ID;

    for (uint32_t i = 0; i < profile->n_frames; i++) {
        struct mp_frame *frame = &profile->frames[i];
        uint32_t flags = mp_cursor_below(from, 4);

        frame->interpreted = flags / 2;
        frame->runtime = flags & 1;
        if (frame->interpreted && frame->module != MP_NO_ID)
            mp_take_damaged(from, "an interpreted frame has a module");
    }
    for (uint32_t i = 0; i < profile->n_frames; i++)
        profile->frames[i].name = name = mp_cursor_id(from, name, profile->n_names, true);
}

void
mp_take_kinds(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    uint32_t n = profile->n_kinds = mp_cursor_count(from, 4);
    struct mp_object_kind *kinds = profile->kinds = mp_take_array(decoder, n, sizeof *kinds);
    uint32_t name = MP_NO_ID, next = MP_KIND_LISP;

    for (uint32_t i = 0; i < n; i++) {
        if (next == MP_KIND_END)
            mp_take_damaged(from, "too many kinds of objects");
        kinds[i].kind = next + mp_cursor_below(from, MP_KIND_END - next);
        next = from->problem ? MP_KIND_LISP : kinds[i].kind + 1;
    }
    for (uint32_t i = 0; i < n; i++)
        kinds[i].base = MP_KIND_LISP + mp_cursor_below(from, MP_KIND_END - MP_KIND_LISP);
    for (uint32_t i = 0; i < n; i++)
        kinds[i].name = mp_take_string(decoder, from, &name);
    for (uint32_t i = 0; i < n; i++)
        kinds[i].category = MP_CATEGORIES[mp_cursor_below(from, sizeof MP_CATEGORIES - 1)];
    for (uint32_t i = 0; i < n && !from->problem; i++) {
        const struct mp_object_kind *base = mp_profile_kind(profile, kinds[i].base);

        if (!base || base->base != base->kind)
            mp_take_damaged(from, "a kind of object has a base that is none");
    }
}

void
mp_take_forms(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    uint32_t n = mp_cursor_count(from, 1), context = 0;

    profile->forms = mp_take_array(decoder, n, sizeof *profile->forms);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t step = mp_cursor_below(from, profile->n_contexts - context);

        if (step == 0)
            mp_take_damaged(from, "a form has no context, or the same as another");
        profile->forms[i] = context += step;
    }
    profile->n_forms = n;
}
