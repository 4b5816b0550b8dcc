/* sealed_strings.c -- the strings of a sealed file. Each is stored once, in the order of first use. */
#include <string.h>

#include "reporter/base/text.h"
#include "sealed_parts.h"

static uint32_t
string_id(struct mp_encoder *encoder, const char *text)
{
    if (!text)
        return MP_NO_ID;
    return *text ? mp_map_add(&encoder->strings, text, strlen(text)) + 1 : 0;
}

void
mp_put_string(struct mp_encoder *encoder, struct mp_buffer *to, uint32_t *previous,
              const char *text)
{
    mp_buffer_id(to, previous, string_id(encoder, text));
}

void
mp_put_strings(struct mp_encoder *encoder)
{
    struct mp_buffer *to = &encoder->sections[MP_SEC_STRINGS];
    const struct mp_map *strings = &encoder->strings;

    mp_buffer_varint(to, strings->count);
    for (uint32_t id = 0; id < strings->count; id++)
        mp_buffer_bytes(to, mp_map_key(strings, id), strlen(mp_map_key(strings, id)) + 1);
}

void
mp_take_strings(struct mp_decoder *decoder, struct mp_cursor *from)
{
    uint32_t count = mp_cursor_count(from, 1);

    decoder->n_strings = count + 1;
    decoder->strings = mp_take_array(decoder, decoder->n_strings, sizeof *decoder->strings);
    decoder->strings[0] = "";
    for (uint32_t i = 1; i <= count; i++) {
        size_t length;
        const char *text = mp_cursor_string(from, &length);

        decoder->strings[i] = mp_text_clean(decoder->profile->arena, text, length);
    }
}

const char *
mp_take_string_or_none(struct mp_decoder *decoder, struct mp_cursor *from, uint32_t *previous)
{
    *previous = mp_cursor_id(from, *previous, decoder->n_strings, true);
    return *previous == MP_NO_ID ? NULL : decoder->strings[*previous];
}

const char *
mp_take_string(struct mp_decoder *decoder, struct mp_cursor *from, uint32_t *previous)
{
    *previous = mp_cursor_id(from, *previous, decoder->n_strings, false);
    return decoder->strings[*previous];
}
