/* SPDX-License-Identifier: MIT */
#include "codec.h"

#include <string.h>

#include "reporter/base/text.h"
#include "reporter/profile/profile.h"

void
mp_code_check(struct mp_codec *codec, bool ok, const char *problem)
{
    if (codec->from && !ok)
        mp_cursor_fail(codec->from, MP_ERR_DAMAGED, problem);
}

void
mp_code_u64(struct mp_codec *codec, uint64_t *value)
{
    if (codec->from)
        *value = mp_cursor_varint(codec->from);
    else
        mp_buffer_varint(codec->to, *value);
}

void
mp_code_u32(struct mp_codec *codec, uint32_t *value)
{
    if (codec->from)
        *value = mp_cursor_varint32(codec->from);
    else
        mp_buffer_varint(codec->to, *value);
}

void
mp_code_below(struct mp_codec *codec, uint32_t *value, uint32_t limit)
{
    if (codec->from)
        *value = mp_cursor_below(codec->from, limit);
    else
        mp_buffer_varint(codec->to, *value);
}

void
mp_code_bool(struct mp_codec *codec, bool *value)
{
    if (codec->from)
        *value = mp_cursor_below(codec->from, 2);
    else
        mp_buffer_varint(codec->to, *value);
}

void
mp_code_i64(struct mp_codec *codec, int64_t *value)
{
    if (codec->from)
        *value = mp_cursor_signed(codec->from);
    else
        mp_buffer_signed(codec->to, *value);
}

void
mp_code_fixed(struct mp_codec *codec, uint64_t *value)
{
    if (codec->from)
        *value = mp_cursor_u64(codec->from);
    else
        mp_buffer_u64(codec->to, *value);
}

void
mp_code_bytes(struct mp_codec *codec, const uint8_t **bytes, size_t size)
{
    if (codec->from)
        *bytes = mp_cursor_bytes(codec->from, size);
    else
        mp_buffer_bytes(codec->to, *bytes, size);
}

void
mp_code_two_bools(struct mp_codec *codec, bool *high, bool *low)
{
    uint32_t both = 2u * *high + *low;

    mp_code_below(codec, &both, 4);
    *high = both / 2;
    *low = both & 1;
}

void
mp_code_difference(struct mp_codec *codec, uint64_t *value, uint64_t base)
{
    int64_t difference = (int64_t)(*value - base);

    mp_code_i64(codec, &difference);
    *value = base + (uint64_t)difference;
}

void
mp_code_rise(struct mp_codec *codec, uint64_t *value, uint64_t *last, uint64_t limit, const char *problem)
{
    uint64_t rise = *value - *last;

    mp_code_u64(codec, &rise);
    mp_code_check(codec, rise <= limit - *last, problem);
    *last += rise;
    *value = *last;
}

void
mp_code_later(struct mp_codec *codec, uint32_t *id, uint32_t *last, uint32_t limit)
{
    uint32_t step = *id - *last;

    mp_code_below(codec, &step, limit - *last);
    *id = *last += step;
}

void
mp_code_id(struct mp_codec *codec, uint32_t *id, uint32_t *last, uint32_t limit, bool none)
{
    if (codec->from)
        *id = *last = mp_cursor_id(codec->from, *last, limit, none);
    else
        mp_buffer_id(codec->to, last, *id);
}

void
mp_code_count(struct mp_codec *codec, uint32_t *n, size_t size)
{
    if (codec->from)
        *n = mp_cursor_count(codec->from, size);
    else
        mp_buffer_varint(codec->to, *n);
}

void *
mp_code_array(struct mp_codec *codec, void *array, uint32_t n, size_t size)
{
    return codec->from ? mp_arena_alloc(codec->profile->arena, n * size) : array;
}

/* Returns the id of TEXT in the file, or MP_NO_ID if TEXT is NULL. */
static uint32_t
string_id(struct mp_codec *codec, const char *text)
{
    if (!text)
        return MP_NO_ID;
    return *text ? mp_map_add(&codec->strings, text, strlen(text)) + 1 : 0;
}

static void
code_text(struct mp_codec *codec, const char **text, uint32_t *last, bool none)
{
    uint32_t id = codec->from ? 0 : string_id(codec, *text);

    mp_code_id(codec, &id, last, codec->n_texts, none);
    if (codec->from)
        *text = id == MP_NO_ID ? NULL : codec->texts[id];
}

void
mp_code_string(struct mp_codec *codec, const char **text, uint32_t *last)
{
    code_text(codec, text, last, false);
}

void
mp_code_string_or_none(struct mp_codec *codec, const char **text, uint32_t *last)
{
    code_text(codec, text, last, true);
}

void
mp_code_texts(struct mp_codec *codec, void *array, uint32_t n, size_t size, size_t offset)
{
    uint32_t last = MP_NO_ID;

    for (uint32_t i = 0; i < n; i++)
        mp_code_string(codec, (void *)((char *)array + i * size + offset), &last);
}

static void
decode_strings(struct mp_codec *codec)
{
    const uint32_t n = mp_cursor_count(codec->from, 1);

    codec->n_texts = n + 1;
    codec->texts = mp_code_array(codec, NULL, codec->n_texts, sizeof *codec->texts);
    codec->texts[0] = "";
    for (uint32_t i = 1; i <= n; i++) {
        size_t length;
        const char *text = mp_cursor_string(codec->from, &length);

        codec->texts[i] = mp_text_clean(codec->profile->arena, text, length);
    }
}

void
mp_code_strings(struct mp_codec *codec)
{
    const struct mp_map *strings = &codec->strings;

    if (codec->from) {
        decode_strings(codec);
        return;
    }
    mp_buffer_varint(codec->to, strings->count);
    for (uint32_t id = 0; id < strings->count; id++)
        mp_buffer_bytes(codec->to, mp_map_key(strings, id), strlen(mp_map_key(strings, id)) + 1);
}
