/* SPDX-License-Identifier: MIT */
#include "json.h"

#include <stdio.h>
#include <string.h>

#include "runtime/utf8.h"

static void
put(struct mp_buffer *out, const char *text)
{
    mp_buffer_bytes(out, text, strlen(text));
}

/* Returns whether a value precedes. No value ends with one of the characters compared here. */
static bool
follows_value(const struct mp_buffer *out)
{
    uint8_t last = out->size > 0 ? out->bytes[out->size - 1] : '[';

    return last != '[' && last != '{' && last != ':' && last != '\n';
}

/* Writes a comma if a value precedes. */
static void
separate(struct mp_buffer *out)
{
    if (follows_value(out))
        put(out, ",");
}

void
mp_json_line(struct mp_buffer *out)
{
    separate(out);
    put(out, "\n");
}

void
mp_json_open(struct mp_buffer *out, char bracket)
{
    separate(out);
    mp_buffer_bytes(out, &bracket, 1);
}

void
mp_json_close(struct mp_buffer *out, char bracket)
{
    mp_buffer_bytes(out, &bracket, 1);
}

static void
put_escaped(struct mp_buffer *out, unsigned char c)
{
    char text[8];

    snprintf(text, sizeof text, c == '"' || c == '\\' ? "\\%c" : c < 0x80 ? "\\u%04x" : "\\\\x%02x", c);
    put(out, text);
}

/* Returns how many of the LEFT bytes at TEXT need no escape, up to the first that does. */
static size_t
unescaped(const char *text, size_t left)
{
    size_t n = 0, step;

    for (; n < left; n += step) {
        step = (unsigned char)text[n] < 0x80 ? 1 : mp_utf8_length(text + n, left - n);
        if (step == 0 || (unsigned char)text[n] < 0x20 || strchr("\"\\\x7f", text[n]))
            break;
    }
    return n;
}

void
mp_json_text(struct mp_buffer *out, const char *text)
{
    const char *end = text + strlen(text);

    separate(out);
    put(out, "\"");
    while (*text) {
        const size_t plain = unescaped(text, (size_t)(end - text));

        mp_buffer_bytes(out, text, plain);
        text += plain;
        if (*text)
            put_escaped(out, (unsigned char)*text++);
    }
    put(out, "\"");
}

void
mp_json_key(struct mp_buffer *out, const char *key)
{
    mp_json_text(out, key);
    put(out, ":");
}

void
mp_json_key_open(struct mp_buffer *out, const char *key, char bracket)
{
    mp_json_key(out, key);
    mp_json_open(out, bracket);
}

void
mp_json_number(struct mp_buffer *out, uint64_t number)
{
    char digits[24], *from = digits + sizeof digits;

    do {
        *--from = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    if (follows_value(out))
        *--from = ',';
    mp_buffer_bytes(out, from, (size_t)(digits + sizeof digits - from));
}

void
mp_json_signed(struct mp_buffer *out, int64_t number)
{
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    char digits[24];

    if (number >= 0) {
        mp_json_number(out, size);
        return;
    }
    separate(out);
    snprintf(digits, sizeof digits, "-%llu", (unsigned long long)size);
    put(out, digits);
}

void
mp_json_bool(struct mp_buffer *out, bool truth)
{
    separate(out);
    put(out, truth ? "true" : "false");
}

void
mp_json_null(struct mp_buffer *out)
{
    separate(out);
    put(out, "null");
}

void
mp_json_key_number(struct mp_buffer *out, const char *key, uint64_t number)
{
    mp_json_key(out, key);
    mp_json_number(out, number);
}

void
mp_json_key_text(struct mp_buffer *out, const char *key, const char *text)
{
    mp_json_key(out, key);
    mp_json_text(out, text);
}

void
mp_json_schema(struct mp_buffer *out, const char *name, const char *version)
{
    mp_json_key_open(out, "schema", '{');
    mp_json_key_text(out, "name", name);
    mp_json_key_text(out, "version", version);
    mp_json_close(out, '}');
}

void
mp_json_key_numbers(struct mp_buffer *out, const char *key, const uint64_t *numbers, size_t n)
{
    mp_json_key_open(out, key, '[');
    for (size_t i = 0; i < n; i++)
        mp_json_number(out, numbers[i]);
    mp_json_close(out, ']');
}

void
mp_json_key_texts(struct mp_buffer *out, const char *key, const char *const *texts, size_t n)
{
    mp_json_key_open(out, key, '[');
    for (size_t i = 0; i < n; i++)
        mp_json_text(out, texts[i]);
    mp_json_close(out, ']');
}

void
mp_json_key_bool(struct mp_buffer *out, const char *key, bool truth)
{
    mp_json_key(out, key);
    mp_json_bool(out, truth);
}

void
mp_json_key_text_or_null(struct mp_buffer *out, const char *key, const char *text)
{
    mp_json_key(out, key);
    if (text && *text)
        mp_json_text(out, text);
    else
        mp_json_null(out);
}

void
mp_json_key_number_or_null(struct mp_buffer *out, const char *key, uint64_t number, bool known)
{
    mp_json_key(out, key);
    if (known)
        mp_json_number(out, number);
    else
        mp_json_null(out);
}

/* ---------------------------------------------------------------- to a file */

#define PIECE 65536u            /* minimum bytes of a write */

void
mp_json_drain(struct mp_buffer *out, FILE *file)
{
    if (out->size < PIECE)
        return;
    fwrite(out->bytes, 1, out->size - 1, file);
    out->bytes[0] = out->bytes[out->size - 1];
    out->size = 1;
}

void
mp_json_end(struct mp_buffer *out, FILE *file)
{
    put(out, "\n");
    fwrite(out->bytes, 1, out->size, file);
    mp_buffer_free(out);
}
