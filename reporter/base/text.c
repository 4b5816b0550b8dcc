/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/utf8.h"
#include "search.h"

FILE *
mp_text_open(struct mp_text_stream *stream)
{
    return stream->out = mp_need(open_memstream(&stream->text, &stream->size));
}

char *
mp_text_close(struct mp_text_stream *stream)
{
    if (fclose(stream->out) != 0)
        mp_no_memory();
    return stream->text;
}

char *
mp_text_close_in(struct mp_text_stream *stream, struct mp_arena *arena)
{
    char *text = mp_text_close(stream), *copy = mp_arena_strdup(arena, text);

    free(text);
    return copy;
}

/* ---------------------------------------------------------------- safe texts */

/* Returns the length of the printable character at TEXT, or 0 if the first byte is not printable. */
static size_t
printable(const unsigned char *text, size_t left)
{
    if (text[0] < 0x20 || text[0] == 0x7f)
        return 0;
    if (text[0] == 0xc2 && left > 1 && text[1] >= 0x80 && text[1] < 0xa0)
        return 0;
    return mp_utf8_length((const char *)text, left);
}

/* Writes the STEP bytes of a printable character to TO, or if STEP is 0, the escape of one byte. Returns the
 * number of bytes written. */
static size_t
put(char *to, const unsigned char *text, size_t step)
{
    static const char digits[] = "0123456789abcdef";
    const char escape[4] = {'\\', 'x', digits[text[0] >> 4], digits[text[0] & 15]};

    memcpy(to, step ? (const char *)text : escape, step ? step : sizeof escape);
    return step ? step : sizeof escape;
}

/* Returns how many of the LENGTH bytes at TEXT are printable ASCII, up to the first other byte. Usually all are. */
static size_t
plain(const unsigned char *text, size_t length)
{
    size_t n = 0;

    while (n < length && text[n] >= 0x20 && text[n] < 0x7f)
        n++;
    return n;
}

size_t
mp_text_clean_into(char *to, size_t size, const char *bytes, size_t length)
{
    const unsigned char *text = (const unsigned char *)bytes;
    size_t i = plain(text, length < size ? length : size - 1);

    if (i > 0)
        memcpy(to, text, i);
    to += i;
    size -= i;
    for (size_t step; i < length; i += step ? step : 1) {
        step = printable(text + i, length - i);
        if ((step ? step : 4) >= size)
            break;
        size -= put(to, text + i, step);
        to += step ? step : 4;
    }
    *to = '\0';
    return i;
}

char *
mp_text_put(char *to, const char *end, const char *text)
{
    const size_t room = (size_t)(end - to) - 1;
    size_t length = strlen(text);

    length = length < room ? length : room;
    memcpy(to, text, length);
    to[length] = '\0';
    return to + length;
}

char *
mp_text_put_hex(char *to, const char *end, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";

    for (; size > 0 && end - to > 2; bytes++, size--) {
        *to++ = digits[*bytes >> 4];
        *to++ = digits[*bytes & 15];
    }
    *to = '\0';
    return to;
}

const char *
mp_text_clean(struct mp_arena *arena, const char *bytes, size_t length)
{
    const unsigned char *text = (const unsigned char *)bytes;
    size_t size = length + 1, step;
    char *copy;

    for (size_t i = plain(text, length); i < length; i += step ? step : 1) {
        step = printable(text + i, length - i);
        size += step ? 0 : 3;
    }
    copy = mp_arena_alloc(arena, size);
    mp_text_clean_into(copy, size, bytes, length);
    return copy;
}

void
mp_text_print(FILE *out, const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        size_t step = printable((const unsigned char *)text, left);
        char piece[4];

        fwrite(piece, 1, put(piece, (const unsigned char *)text, step), out);
        text += step ? step : 1;
        left -= step ? step : 1;
    }
}

void
mp_text_printf(FILE *out, const char *format, ...)
{
    va_list args;
    char *line;
    int length;

    va_start(args, format);
    length = vasprintf(&line, format, args);
    va_end(args);
    if (length < 0)
        mp_no_memory();
    if (length > 0 && line[length - 1] == '\n') {
        line[length - 1] = '\0';
        mp_text_print(out, line);
        fputc('\n', out);
    } else {
        mp_text_print(out, line);
    }
    free(line);
}

const char *
mp_text_format(struct mp_arena *arena, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = mp_arena_vprintf(arena, format, args);
    va_end(args);
    return mp_text_clean(arena, text, strlen(text));
}

const char *
mp_text_basename(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool
is_printable(const char *text)
{
    size_t left = strlen(text), step;

    for (; left > 0; text += step, left -= step) {
        step = printable((const unsigned char *)text, left);
        if (step == 0)
            return false;
    }
    return true;
}

static bool
is_plain(const char *text)
{
    return text[0] != '\0' && !strpbrk(text, " '\"\\$`&|;<>()*?[]#~!{}") && is_printable(text);
}

/* Prints TEXT in $'...' with octal escapes, because shells disagree on where \xNN ends. */
static void
print_escaped(FILE *out, const char *text)
{
    fputs("$'", out);
    for (size_t step; *text; text += step ? step : 1) {
        step = printable((const unsigned char *)text, strlen(text));
        if (*text == '\'' || *text == '\\')
            fputc('\\', out);
        if (step)
            fwrite(text, 1, step, out);
        else
            fprintf(out, "\\%03o", (unsigned char)*text);
    }
    fputc('\'', out);
}

void
mp_text_shell(FILE *out, const char *text)
{
    if (is_plain(text)) {
        fputs(text, out);
        return;
    }
    if (!is_printable(text)) {
        print_escaped(out, text);
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

const char *
mp_text_in_shell(struct mp_arena *arena, const char *text)
{
    struct mp_text_stream quoted;

    mp_text_shell(mp_text_open(&quoted), text);
    return mp_text_close_in(&quoted, arena);
}

/* Returns whether a component of a path ends with C. Those of logical pathnames of Lisp end with semicolons. */
static bool
ends_component(char c)
{
    return c == '/' || c == ';';
}

int
mp_text_compare_ends(const char *a, const char *b, unsigned *components)
{
    size_t i = strlen(a), j = strlen(b);

    for (*components = 1; i > 0 && j > 0 && a[i - 1] == b[j - 1]; i--, j--)
        *components += ends_component(a[i - 1]);
    *components += (i == 0 && j > 0 && ends_component(b[j - 1])) || (j == 0 && i > 0 && ends_component(a[i - 1]));
    return i == 0 || j == 0 ? mp_order(i, j) : mp_order((unsigned char)a[i - 1], (unsigned char)b[j - 1]);
}

const char *
mp_text_tail(const char *path, unsigned components)
{
    const char *tail = strchr(path, '\0');

    while (tail > path && (!ends_component(tail[-1]) || --components > 0))
        tail--;
    return tail;
}
