#include "lisp_text.h"

#include <stdbool.h>
#include <string.h>

/* Returns whether C is not NUL and is in SET. */
static bool
is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c);
}

static size_t
skip_line(const char *text, size_t size, size_t at)
{
    const char *end = memchr(text + at, '\n', size - at);

    return end ? (size_t)(end - text) : size;
}

/* Returns the offset after the comment #| ... |# at AT. Comments may be nested. */
static size_t
skip_block(const char *text, size_t size, size_t at)
{
    size_t depth = 0;

    for (; at + 1 < size; at++) {
        if (text[at] == '#' && text[at + 1] == '|') {
            depth++;
            at++;
        } else if (text[at] == '|' && text[at + 1] == '#') {
            at++;
            if (--depth == 0)
                return at + 1;
        }
    }
    return size;
}

static bool
begins_block(const char *text, size_t size, size_t at)
{
    return text[at] == '#' && at + 1 < size && text[at + 1] == '|';
}

size_t
mp_lisp_form(const char *text, size_t size, size_t at)
{
    while (at < size) {
        if (text[at] == ';')
            at = skip_line(text, size, at);
        else if (begins_block(text, size, at))
            at = skip_block(text, size, at);
        else if (is_one_of(text[at], " \t\n\r\f"))
            at++;
        else
            break;
    }
    return at < size && is_one_of(text[at], "(#'`") ? at : size;
}

/* Returns the offset after the string or symbol at AT that is enclosed in QUOTE. */
static size_t
skip_quoted(const char *text, size_t size, size_t at, char quote)
{
    for (at++; at < size && text[at] != quote; at++)
        if (text[at] == '\\')
            at++;
    return at < size ? at + 1 : size;
}

/* Returns the offset after the item at AT, so that parentheses in strings, symbols, comments and characters are
 * passed over. */
static size_t
skip_one(const char *text, size_t size, size_t at)
{
    if (text[at] == '"' || text[at] == '|')
        return skip_quoted(text, size, at, text[at]);
    if (text[at] == ';')
        return skip_line(text, size, at);
    if (begins_block(text, size, at))
        return skip_block(text, size, at);
    if (text[at] == '\\')       /* also in a character, #\( */
        return at + 2 < size ? at + 2 : size;
    return at + 1;
}

size_t
mp_lisp_form_end(const char *text, size_t size, size_t at)
{
    size_t depth = 0;

    for (size_t i = at; i < size;) {
        if (text[i] == '(') {
            depth++;
        } else if (text[i] == ')') {
            if (depth == 0 || --depth == 0)
                return i;
        } else {
            i = skip_one(text, size, i);
            continue;
        }
        i++;
    }
    return at;
}
