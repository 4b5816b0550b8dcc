/* SPDX-License-Identifier: MIT */
/* html_sources.c -- writes source files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "html_parts.h"
#include "reporter/base/json.h"
#include "reporter/base/text.h"
#include "reporter/view/source_lines.h"

/* Maximum bytes of a line, of the lines of one file, and of all files. Hand-written files are smaller. */
enum { MOST_OF_LINE = 2000, MOST_OF_ONE = 1 << 20, MOST_OF_ALL = 8 << 20 };

enum { AROUND = 10 };           /* lines before and after each counted line, if a file is not included as a whole */

/* A line of a file, by its id in the model's list of files. */
struct counted {
    uint32_t file, line;
};

struct writer {
    const struct mp_map *files;
    const struct mp_profile *profile;
    struct mp_html_sources *sources;
    struct counted *counted; size_t n;  /* sorted lines of calls on the chains */
    size_t size;                /* bytes of all lines that were written */
    struct mp_buffer *out;
};

/* ---------------------------------------------------------------- counted lines */

static int
compare_counted(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static void
find_counted(struct writer *w, const struct mp_tree *tree, struct mp_arena *arena)
{
    const struct mp_profile *view = tree->profile;
    bool *is_on_chain = mp_arena_alloc(arena, (view->n_locations + (size_t)1) * sizeof *is_on_chain);

    w->counted = mp_arena_alloc(arena, (view->n_locations + (size_t)1) * sizeof *w->counted);
    for (uint32_t i = 1; i < tree->n_nodes; i++)
        is_on_chain[tree->nodes[i].location] = true;
    for (uint32_t i = 0; i < view->n_locations; i++) {
        const struct mp_location *at = &view->locations[i];
        uint32_t file = is_on_chain[i] && at->line > 0 ? mp_map_find(w->files, at->file, strlen(at->file)) : MP_NO_ID;

        if (file != MP_NO_ID)
            w->counted[w->n++] = (struct counted){file, at->line};
    }
    qsort(w->counted, w->n, sizeof *w->counted, compare_counted);
}

/* ---------------------------------------------------------------- files */

/* Writes LINE with spaces instead of tabs, and without the end of a very long line. */
static void
write_line(const char *line, size_t size, struct mp_arena *arena, struct mp_buffer *out)
{
    const bool cut = size > MOST_OF_LINE;
    char *tabs;
    size_t n = 0;

    for (size = cut ? MOST_OF_LINE : size; cut && size > 0 && ((unsigned char)line[size] & 0xc0) == 0x80; size--)
        continue;               /* between two characters of UTF-8 */
    tabs = mp_arena_alloc(arena, 8 * size + sizeof " ...");
    for (size_t i = 0; i < size; i++) {
        do
            tabs[n++] = line[i] == '\t' ? ' ' : line[i];
        while (line[i] == '\t' && n % 8 != 0);
    }
    memcpy(tabs + n, " ...", 4);
    mp_json_text(out, mp_text_clean(arena, tabs, n + (cut ? 4 : 0)));
}

/* Writes the lines FIRST to LAST of the file PATH as [FIRST, [text ...]]. Returns the number of their bytes. */
static size_t
write_part(const struct writer *w, struct mp_source_lines *lines, const char *path, uint32_t first, uint32_t last,
           struct mp_arena *arena)
{
    size_t size = 0, length;
    const char *line;

    mp_json_open(w->out, '[');
    mp_json_number(w->out, first);
    mp_json_open(w->out, '[');
    for (uint32_t i = first; i <= last && size < MOST_OF_ONE && (line = mp_source_text(lines, path, i, &length)); i++) {
        write_line(line, length, arena, w->out);
        size += (length > MOST_OF_LINE ? MOST_OF_LINE : length) + 1;
    }
    mp_json_close(w->out, ']');
    mp_json_close(w->out, ']');
    return size;
}

/* Writes the lines around the N counted lines AT of the file PATH, or all lines. */
static void
write_parts(struct writer *w, struct mp_source_lines *lines, const char *path, const struct counted *at, size_t n,
            struct mp_arena *arena)
{
    size_t size = 0;

    mp_json_key_open(w->out, "parts", '[');
    if (w->sources->whole)
        size = write_part(w, lines, path, 1, UINT32_MAX - 1, arena);
    for (size_t i = 0, next; !w->sources->whole && i < n && size < MOST_OF_ONE; i = next) {
        uint32_t first = at[i].line > AROUND ? at[i].line - AROUND : 1;

        for (next = i + 1; next < n && at[next].line - at[next - 1].line <= 2 * AROUND + 1; next++)
            continue;
        size += write_part(w, lines, path, first, at[next - 1].line + AROUND, arena);
    }
    mp_json_close(w->out, ']');
    w->size += size;
}

/* Writes the file with the id FILE, if it may be included and there is capacity for it. AT has its N counted lines.
 * Counts the file in w->sources. */
static void
write_file(struct writer *w, uint32_t file, const struct counted *at, size_t n)
{
    struct mp_arena *arena = mp_arena_new();
    const char *path = mp_map_key(w->files, file);
    const size_t room = w->size < MOST_OF_ALL ? MOST_OF_ALL - w->size : 0;
    const size_t most = !w->sources->whole && room > 0 ? MP_SOURCE_MOST : room < MOST_OF_ONE ? room : MOST_OF_ONE;
    struct mp_source_lines *lines =
        mp_source_lines_open(arena, &w->sources->allowed, w->profile->meta.start_realtime, most);
    enum mp_source_problem problem = mp_source_problem(lines, path);
    const char *doubt = mp_source_doubt(problem);
    char key[16];

    w->sources->n[problem]++;
    if (mp_source_found(lines, path)) {
        snprintf(key, sizeof key, "%" PRIu32, file);
        mp_json_key_open(w->out, key, '{');
        if (doubt)
            mp_json_key_text(w->out, "doubt", doubt);
        write_parts(w, lines, path, at, n, arena);
        mp_json_close(w->out, '}');
    }
    mp_source_lines_close(lines);
    mp_arena_free(arena);
}

uint32_t
mp_html_sources_count(const struct mp_html_sources *sources)
{
    return sources->n[MP_SOURCE_NONE] + sources->n[MP_SOURCE_CHANGED] + sources->n[MP_SOURCE_UNDATED];
}

void
mp_html_sources_write(const struct mp_map *files, const struct mp_profile *profile, const struct mp_tree *tree,
                      struct mp_html_sources *sources, struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();
    struct writer w = {.files = files, .profile = profile, .sources = sources, .out = out};

    find_counted(&w, tree, arena);
    memset(sources->n, 0, sizeof sources->n);
    mp_json_key_open(out, "sources", '{');
    for (size_t file = 0, i = 0, next; file < files->count; file++, i = next) {
        for (next = i; next < w.n && w.counted[next].file == file; next++)
            continue;
        if (sources->whole || next > i)
            write_file(&w, (uint32_t)file, w.counted + i, next - i);
    }
    mp_json_close(out, '}');
    if (sources->whole)
        mp_json_key_number(out, "sourcesLeft", files->count - mp_html_sources_count(sources));
    mp_arena_free(arena);
}
