/* SPDX-License-Identifier: MIT */
#include "lisp_module.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ------------------------------------------------------------------ Lisp to C */

static size_t
put_utf8(uint32_t c, char *to)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 63));
        to[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 63));
    to[2] = (char)(0x80 | (c >> 6 & 63));
    to[3] = (char)(0x80 | (c & 63));
    return 4;
}

bool
mp_module_path(cl_object string, char *path, size_t size)
{
    size_t n = 0, length = (size_t)ecl_length(string);

    for (size_t i = 0; i < length; i++) {
        if (n + 5 > size)
            return false;
        n += put_utf8((uint32_t)ecl_char(string, i), path + n);
    }
    path[n] = '\0';
    return true;
}

/* ------------------------------------------------------------------ C to Lisp */

/* Decodes the character at *TEXT and advances *TEXT. A byte that is not valid UTF-8 stands for itself. */
static uint32_t
take_utf8(const unsigned char **text)
{
    static const uint8_t first_bits[] = { 0, 0, 31, 15, 7 };
    const unsigned char *at = *text;
    unsigned n = at[0] < 0xc2 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 1;
    uint32_t c = n > 1 ? at[0] & first_bits[n] : at[0];

    for (unsigned i = 1; i < n; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            *text = at + 1;
            return at[0];
        }
        c = c << 6 | (at[i] & 63);
    }
    *text = at + n;
    return c;
}

static bool
is_ascii(const char *text)
{
    while (*text && !(*text & 0x80))
        text++;
    return !*text;
}

cl_object
mp_module_string(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t n = 0;
    cl_object string;

    if (is_ascii(text))
        return ecl_make_simple_base_string(text, (intptr_t)strlen(text));
    for (; *at; n++)
        take_utf8(&at);
    string = cl_make_string(1, ecl_make_fixnum(n));
    at = (const unsigned char *)text;
    for (size_t i = 0; i < n; i++)
        ecl_char_set(string, i, (ecl_character)take_utf8(&at));
    return string;
}

cl_object
mp_module_truth(bool value)
{
    return cl_null(value ? ECL_NIL : ecl_make_fixnum(0));
}

unsigned
mp_module_columns(int fd)
{
    struct winsize size;

    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

cl_object
mp_module_strerror(int error)
{
    return mp_module_string(strerror(error));
}
