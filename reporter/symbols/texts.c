/* SPDX-License-Identifier: MIT */
#include "texts.h"

#include <string.h>

#include "budget.h"
#include "reporter/base/text.h"

#define A_SCAN  64u             /* bytes of text that are read in a unit of work */
#define A_TEXT  64u             /* bytes of memory for a text, besides its characters */

/* Writes TEXT to CLEAN in printable form, with a mark if it is cut. */
static void
clean_text(char clean[MP_TEXT_MAX + 1], const char *text)
{
    size_t length = text == NULL ? 0 : strnlen(text, MP_TEXT_MAX + 1);

    mp_budget_work(length / A_SCAN);
    if (mp_text_clean_into(clean, MP_TEXT_MAX + 1, text, length) == length)
        return;
    mp_text_clean_into(clean, MP_TEXT_MAX + 2 - sizeof MP_TEXT_CUT, text, length);
    mp_text_put(clean + strlen(clean), clean + MP_TEXT_MAX + 1, MP_TEXT_CUT);
}

static const char *
store(struct mp_texts *texts, const char *clean)
{
    const uint32_t known = texts->map.count;
    const char *text = mp_map_text(&texts->map, clean);

    if (texts->map.count > known)
        mp_budget_hold(strlen(text) + A_TEXT);
    return text;
}

const char *
mp_texts_add(struct mp_texts *texts, const char *text)
{
    char clean[MP_TEXT_MAX + 1];

    clean_text(clean, text);
    return store(texts, clean);
}

void
mp_texts_join_into(char clean[MP_TEXT_MAX + 1], const char *const parts[], size_t n)
{
    char whole[2 * MP_TEXT_MAX], *end = whole, *const last = whole + sizeof whole - 1;

    /* a longer string would be cut anyway */
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            end = mempcpy(end, "::", end + 2 <= last ? 2 : 0);
        end = mempcpy(end, parts[i], strnlen(parts[i], (size_t)(last - end)));
    }
    *end = '\0';
    clean_text(clean, whole);
}

const char *
mp_texts_join(struct mp_texts *texts, const char *const parts[], size_t n)
{
    char clean[MP_TEXT_MAX + 1];

    mp_texts_join_into(clean, parts, n);
    return store(texts, clean);
}

/* Returns the start of the last component of the LENGTH bytes at PATH, or LENGTH if ".." cannot cancel it. */
static size_t
undo_component(const char *path, size_t length)
{
    size_t start = length > 0 ? length - 1 : 0;     /* skips the trailing slash */

    while (start > 0 && path[start - 1] != '/')
        start--;
    if (length < 2 || start == length - 1 || strncmp(path + start, "../", 3) == 0)
        return length;
    return start;
}

const char *
mp_texts_add_path(struct mp_texts *texts, const char *path)
{
    char clean[MP_TEXT_MAX + 1];
    size_t length = 0, part, undone;

    clean_text(clean, path);
    if (strstr(clean, "./") == NULL && strstr(clean, "//") == NULL)
        return store(texts, clean);
    for (const char *from = clean; *from != '\0'; from += part) {
        part = strcspn(from, "/");
        part += from[part] == '/';
        undone = undo_component(clean, length);
        if (strncmp(from, "./", 2) == 0 || (from[0] == '/' && length > 0))
            continue;
        if (strncmp(from, "../", 3) == 0 && undone < length) {
            length = undone;
            continue;
        }
        memmove(clean + length, from, part);
        length += part;
    }
    clean[length] = '\0';
    return store(texts, clean);
}
