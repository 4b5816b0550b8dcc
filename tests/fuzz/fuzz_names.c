/* Fuzzes what is done with names of symbols and files: demangling, making them printable, quoting them for a shell.
 * An input is a name. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/text.h"
#include "reporter/symbols/demangle.h"
#include "reporter/symbols/texts.h"

static void
must_be_clean(const char *text)
{
    if (strchr(text, '\n') || strchr(text, '\t'))
        abort();
    fuzz_must_be_clean(text, strlen(text));
}

static void
add(struct mp_texts *texts, const char *name)
{
    const char *text = mp_texts_add(texts, name), *path = mp_texts_add_path(texts, name);

    must_be_clean(text);
    must_be_clean(path);
    if (strlen(text) > MP_TEXT_MAX || strlen(path) > MP_TEXT_MAX)
        abort();
    if (mp_texts_add(texts, text) != text)
        abort();
}

/* Checks READABLE, a demangled name or NULL. */
static void
demangled(struct mp_texts *texts, char *readable)
{
    if (readable && strlen(readable) > MP_DEMANGLE_MAX_OUTPUT)
        abort();
    if (readable)
        add(texts, readable);
    free(readable);
}

static void
quote(const char *name)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        abort();
    mp_text_shell(out, name);
    fclose(out);
    if (size == 0)
        abort();
    must_be_clean(text);
    free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_texts texts = {.map.arena = arena};
    char *name = malloc(size + 1);

    if (!name)
        abort();
    if (size > 0)
        memcpy(name, data, size);
    name[size] = '\0';
    must_be_clean(mp_text_clean(arena, name, size));
    add(&texts, name);
    demangled(&texts, mp_demangle(name, false));
    demangled(&texts, mp_demangle(name, true));
    demangled(&texts, mp_demangle_ada(name));
    quote(name);
    free(name);
    mp_arena_free(arena);
    return 0;
}
/* SPDX-License-Identifier: MIT */
