/* html_sources.c -- writes source files. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "html_parts.h"
#include "reporter/base/json.h"
#include "reporter/base/text.h"
#include "reporter/view/source_lines.h"

/* Maximum bytes of one file and of all files. Hand-written files are smaller. */
enum { MOST_OF_ONE = 1 << 20, MOST_OF_ALL = 8 << 20 };

/* Writes LINE with spaces instead of tabs. */
static void
write_line(const char *line, size_t size, struct mp_arena *arena, struct mp_buffer *out)
{
    char *tabs = mp_arena_alloc(arena, 8 * size + 1);
    size_t n = 0;

    for (size_t i = 0; i < size; i++) {
        do
            tabs[n++] = line[i] == '\t' ? ' ' : line[i];
        while (line[i] == '\t' && n % 8 != 0);
    }
    mp_json_text(out, mp_text_clean(arena, tabs, n));
}

/* Writes the file PATH as the member KEY, if it may be included and has at most ROOM bytes. Counts it in SOURCES.
 * Returns the number of bytes in its lines. */
static size_t
write_file(const char *key, const char *path, const struct mp_profile *profile, size_t room,
           struct mp_html_sources *sources, struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_source_lines *lines =
        mp_source_lines_open(arena, &sources->allowed, profile->meta.start_realtime, room);
    enum mp_source_problem problem = mp_source_problem(lines, path);
    const char *doubt = mp_source_doubt(problem), *line;
    size_t size = 0, length;

    sources->n[problem]++;
    if (mp_source_found(lines, path)) {
        mp_json_key_open(out, key, '{');
        if (doubt)
            mp_json_key_text(out, "doubt", doubt);
        mp_json_key_number(out, "first", 1);
        mp_json_key_open(out, "lines", '[');
        for (uint32_t i = 1; (line = mp_source_text(lines, path, i, &length)); i++) {
            write_line(line, length, arena, out);
            size += length + 1;
        }
        mp_json_close(out, ']');
        mp_json_close(out, '}');
    }
    mp_source_lines_close(lines);
    mp_arena_free(arena);
    return size;
}

uint32_t
mp_html_sources_count(const struct mp_html_sources *sources)
{
    return sources->n[MP_SOURCE_NONE] + sources->n[MP_SOURCE_CHANGED] + sources->n[MP_SOURCE_UNDATED];
}

void
mp_html_sources_write(const struct mp_map *files, const struct mp_profile *profile, struct mp_html_sources *sources,
                      struct mp_buffer *out)
{
    size_t all = 0;

    memset(sources->n, 0, sizeof sources->n);
    mp_json_key_open(out, "sources", '{');
    for (uint32_t i = 0; i < files->count; i++) {
        size_t room = MOST_OF_ALL > all ? MOST_OF_ALL - all : 0;
        char key[16];

        snprintf(key, sizeof key, "%" PRIu32, i);
        all += write_file(key, mp_map_key(files, i), profile, room < MOST_OF_ONE ? room : MOST_OF_ONE, sources, out);
    }
    mp_json_close(out, '}');
    mp_json_key_number(out, "sourcesLeft", files->count - mp_html_sources_count(sources));
}
