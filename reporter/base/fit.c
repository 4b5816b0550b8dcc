/* SPDX-License-Identifier: MIT */
#include "fit.h"

#include <limits.h>
#include <string.h>
#include <wchar.h>

#include "text.h"

/* Switches to a UTF-8 locale, because names are UTF-8 whatever the user's locale. If the system has no such
 * locale, each byte counts as a column. */
struct mp_fit
mp_fit_begin(void)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);

    return (struct mp_fit){utf8, uselocale(utf8)};
}

void
mp_fit_end(const struct mp_fit *fit)
{
    uselocale(fit->before);
    if (fit->utf8)
        freelocale(fit->utf8);
}

size_t
mp_fit_measure(const char *text, unsigned *width)
{
    mbstate_t state = {0};
    size_t bytes;
    wchar_t c;
    int columns;

    *width = 1;
    if ((unsigned char)*text < 0x80)
        return 1;
    bytes = mbrtowc(&c, text, MB_LEN_MAX, &state);
    if (bytes == 0 || bytes > MB_LEN_MAX)
        return 1;               /* no character of this locale */
    columns = wcwidth(c);
    *width = columns < 0 ? 1 : (unsigned)columns;
    return bytes;
}

unsigned
mp_fit_width(const char *text, size_t length)
{
    const char *end = text + length;
    unsigned sum = 0, width;

    for (; text < end; sum += width)
        text += mp_fit_measure(text, &width);
    return sum;
}

static void
print_plain(const char *text, size_t length, FILE *out)
{
    for (size_t i = 0; i < length; i++)
        fputc(text[i] == MP_GLUE ? ' ' : text[i], out);
}

/* Returns the number of leading bytes of TEXT with at most MOST columns. Combining characters stay with the last
 * character. */
static size_t
bytes_of(const char *text, size_t length, unsigned most)
{
    size_t at = 0, bytes;
    unsigned sum = 0, width;

    for (; at < length; at += bytes, sum += width) {
        bytes = mp_fit_measure(text + at, &width);
        if (sum + width > most)
            break;
    }
    return at;
}

/* Returns the number of bytes at the end of TEXT, which has WIDTH columns, with at most MOST columns. They do
 * not begin with a combining character. */
static size_t
bytes_behind(const char *text, size_t length, unsigned width, unsigned most)
{
    size_t at = 0, bytes;
    unsigned of_one;

    for (; at < length; at += bytes, width -= of_one) {
        bytes = mp_fit_measure(text + at, &of_one);
        if (width <= most && of_one > 0)
            break;
    }
    return length - at;
}

void
mp_fit_print(const char *text, size_t length, unsigned most, const char *ellipsis, FILE *out)
{
    unsigned width = mp_fit_width(text, length), around;
    size_t head, rest;

    if (!ellipsis || width <= most) {
        print_plain(text, length, out);
        return;
    }
    around = mp_fit_width(ellipsis, strlen(ellipsis));
    around = most > around ? most - around : 0;
    head = bytes_of(text, length, (around + 1) / 2);
    rest = length - bytes_behind(text, length, width, around / 2);
    print_plain(text, head, out);
    fputs(ellipsis, out);
    print_plain(text + rest, length - rest, out);
}

void
mp_fit_print_head(const char *text, size_t length, unsigned most, const char *ellipsis, FILE *out)
{
    unsigned dots = ellipsis ? mp_fit_width(ellipsis, strlen(ellipsis)) : 0;

    if (!ellipsis || mp_fit_width(text, length) <= most) {
        print_plain(text, length, out);
        return;
    }
    print_plain(text, bytes_of(text, length, most > dots ? most - dots : 0), out);
    fputs(ellipsis, out);
}

const char *
mp_fit_join(const char *const *words, size_t n, const char *separator, char blank, struct mp_arena *arena)
{
    size_t size = 1;
    char *text, *to;

    for (size_t i = 0; i < n && words[i]; i++)
        size += strlen(words[i]) + strlen(separator);
    text = to = mp_arena_alloc(arena, size);
    for (size_t i = 0; i < n && words[i]; i++) {
        to = mp_text_put(to, text + size, i > 0 ? separator : "");
        for (const char *from = words[i]; *from; from++)
            *to++ = *from == ' ' ? blank : *from;
    }
    *to = '\0';
    return text;
}
