/* SPDX-License-Identifier: MIT */
#include "label.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Copies the next label of *TEXT to ARENA, without its backslashes, and moves *TEXT beyond the comma after it. */
static char *
next_label(const char **text, struct mp_arena *arena)
{
    const char *at = *text;
    char *label = mp_arena_alloc(arena, strlen(at) + 1), *to = label;

    for (; *at && *at != ','; at++) {
        at += at[0] == '\\' && at[1];
        *to++ = *at;
    }
    *to = '\0';
    *text = at + (*at == ',');
    return label;
}

/* Returns the position of the label called NAME in LIST, or N. */
static uint32_t
find(const struct mp_label list[], uint32_t n, const char *name)
{
    uint32_t i = 0;

    while (i < n && strcmp(list[i].name, name) != 0)
        i++;
    return i;
}

uint32_t
mp_labels_list(const char *text, struct mp_label list[], uint32_t n, struct mp_arena *arena)
{
    const uint32_t known = n;

    while (*text) {
        char *name = next_label(&text, arena), *equals = strchr(name, '=');
        uint32_t at;

        if (!equals || equals == name)
            continue;
        *equals = '\0';
        at = find(list, n, name);
        if (at < known || at == MP_LABELS_MOST)
            continue;
        list[at] = (struct mp_label){name, equals + 1};
        n += at == n;
    }
    return n;
}

static void
put_escaped(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == ',' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
}

const char *
mp_labels_text(const struct mp_label list[], uint32_t n, struct mp_arena *arena)
{
    struct mp_text_stream text;
    FILE *out = mp_text_open(&text);

    for (uint32_t i = 0; i < n; i++) {
        fputs(i > 0 ? "," : "", out);
        put_escaped(list[i].name, out);
        fputc('=', out);
        put_escaped(list[i].value, out);
    }
    return mp_text_close_in(&text, arena);
}

const char *
mp_labels_common(const char *a, const char *b, struct mp_arena *arena)
{
    struct mp_label of_a[MP_LABELS_MOST], of_b[MP_LABELS_MOST];
    const uint32_t n_a = mp_labels_list(a, of_a, 0, arena), n_b = mp_labels_list(b, of_b, 0, arena);
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_a; i++) {
        const uint32_t at = find(of_b, n_b, of_a[i].name);

        if (at < n_b && strcmp(of_a[i].value, of_b[at].value) == 0)
            of_a[n++] = of_a[i];
    }
    return mp_labels_text(of_a, n, arena);
}
