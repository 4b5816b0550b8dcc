#include "text.h"

#include <string.h>

/* Bytes of the well-formed UTF-8 sequence at TEXT (Unicode, table 3-7), or 0. */
static size_t
sequence(const unsigned char *text, size_t left)
{
    unsigned char lead = text[0], low = 0x80, high = 0xbf;
    size_t length;

    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead == 0xe0)
        low = 0xa0;             /* shorter form exists */
    else if (lead == 0xed)
        high = 0x9f;            /* surrogates */
    else if (lead == 0xf0)
        low = 0x90;
    else if (lead == 0xf4)
        high = 0x8f;            /* beyond U+10FFFF */
    if (left < length || text[1] < low || text[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    return length;
}

/* Bytes at TEXT that may be printed as they are, or 0: the first one must not. */
static size_t
printable(const unsigned char *text, size_t left)
{
    if (text[0] < 0x20 || text[0] == 0x7f)
        return 0;
    if (text[0] == 0xc2 && left > 1 && text[1] >= 0x80 && text[1] < 0xa0)
        return 0;
    return sequence(text, left);
}

const char *
mp_text_clean(struct mp_arena *arena, const char *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *text = (const unsigned char *)bytes;
    size_t bad = 0, step;
    char *copy, *to;

    for (size_t i = 0; i < length; i += step ? step : 1) {
        step = printable(text + i, length - i);
        bad += step == 0;
    }
    to = copy = mp_arena_alloc(arena, length + 3 * bad + 1);
    for (size_t i = 0; i < length; i += step ? step : 1) {
        step = printable(text + i, length - i);
        if (step) {
            memcpy(to, text + i, step);
            to += step;
        } else {
            *to++ = '\\';
            *to++ = 'x';
            *to++ = digits[text[i] >> 4];
            *to++ = digits[text[i] & 15];
        }
    }
    return copy;
}

const char *
mp_text_basename(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool
is_plain(const char *text)
{
    return text[0] != '\0' && !strpbrk(text, " \t\n'\"\\$`&|;<>()*?[]#~!{}");
}

void
mp_text_shell(FILE *out, const char *text)
{
    if (is_plain(text)) {
        fputs(text, out);
        return;
    }
    fputc('\'', out);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    fputc('\'', out);
}
