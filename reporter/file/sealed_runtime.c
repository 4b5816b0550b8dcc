/* SPDX-License-Identifier: MIT */
/* sealed_runtime.c -- the sections with data of the language's runtime. */
#include <stddef.h>
#include <string.h>

#include "sealed_parts.h"

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

void
mp_code_names(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_name *names;

    mp_code_count(codec, &profile->n_names, 4);
    names = profile->names = mp_code_array(codec, profile->names, profile->n_names, sizeof *names);
    mp_code_texts(codec, names, profile->n_names, sizeof *names, offsetof(struct mp_name, name));
    mp_code_texts(codec, names, profile->n_names, sizeof *names, offsetof(struct mp_name, file));
    for (uint32_t i = 0; i < profile->n_names; i++) {
        uint64_t position = (uint64_t)names[i].position + 1;

        mp_code_u64(codec, &position);
        names[i].position = (int64_t)(position - 1);
        mp_code_check(codec, names[i].position >= -1, "a position beyond all bounds");
    }
    for (uint32_t i = 0; i < profile->n_names; i++)
        mp_code_two_bools(codec, &names[i].builtin, &names[i].dispatch);
}

void
mp_code_frame_names(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    uint32_t last = MP_NO_ID;

    for (uint32_t i = 0; i < profile->n_frames; i++) {
        struct mp_frame *frame = &profile->frames[i];

        mp_code_two_bools(codec, &frame->interpreted, &frame->runtime);
        mp_code_check(codec, !frame->interpreted || frame->module == MP_NO_ID, "an interpreted frame has a module");
    }
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        uint32_t name = mp_frame_name(profile, &profile->frames[i]) ? profile->frames[i].name : MP_NO_ID;

        mp_code_id(codec, &name, &last, profile->n_names, true);
        if (codec->from)
            profile->frames[i].name = name;
    }
}

/* Codes CATEGORY as its position in MP_CATEGORIES. */
static void
code_category(struct mp_codec *codec, char *category)
{
    uint32_t position = codec->from ? 0 : (uint32_t)(strchr(MP_CATEGORIES, *category) - MP_CATEGORIES);

    mp_code_below(codec, &position, sizeof MP_CATEGORIES - 1);
    *category = MP_CATEGORIES[position];
}

void
mp_code_kinds(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_object_kind *kinds;
    uint32_t next = MP_KIND_LISP;

    mp_code_count(codec, &profile->n_kinds, 4);
    kinds = profile->kinds = mp_code_array(codec, profile->kinds, profile->n_kinds, sizeof *kinds);
    for (uint32_t i = 0; i < profile->n_kinds; i++) {
        mp_code_check(codec, next < MP_KIND_END, "too many kinds of objects");
        mp_code_later(codec, &kinds[i].kind, &next, MP_KIND_END);
        next++;
    }
    for (uint32_t i = 0; i < profile->n_kinds; i++) {
        uint32_t base = kinds[i].base - MP_KIND_LISP;

        mp_code_below(codec, &base, MP_KIND_END - MP_KIND_LISP);
        kinds[i].base = MP_KIND_LISP + base;
    }
    mp_code_texts(codec, kinds, profile->n_kinds, sizeof *kinds, offsetof(struct mp_object_kind, name));
    for (uint32_t i = 0; i < profile->n_kinds; i++)
        code_category(codec, &kinds[i].category);
    for (uint32_t i = 0; i < profile->n_kinds && !mp_code_failed(codec); i++) {
        const struct mp_object_kind *base = mp_profile_kind(profile, kinds[i].base);

        mp_code_check(codec, base && base->base == base->kind, "a kind of object has a base that is none");
    }
}

void
mp_code_forms(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    uint32_t last = 0;

    if (!codec->from && profile->n_forms == 0)
        return;
    mp_code_count(codec, &profile->n_forms, 1);
    profile->forms = mp_code_array(codec, profile->forms, profile->n_forms, sizeof *profile->forms);
    for (uint32_t i = 0; i < profile->n_forms; i++) {
        mp_code_later(codec, &profile->forms[i], &last, profile->n_contexts);
        mp_code_check(codec, last > (i > 0 ? profile->forms[i - 1] : 0),
                      "a form has no context, or the same as another");
    }
}
