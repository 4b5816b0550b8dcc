/* html_sources.c -- writes source files. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "html_parts.h"
#include "reporter/base/json.h"
#include "reporter/base/text.h"

/* Maximum bytes of one file and of all files. Hand-written files are smaller. */
enum { MOST_OF_ONE = 1 << 20, MOST_OF_ALL = 8 << 20 };

/* Returns the contents of the text file PATH and sets *SIZE. Returns NULL if the file cannot be read, contains a zero
 * byte, or is larger than ROOM bytes. If it is too large, increments *LARGE. The caller frees the text. */
static char *
read_text(const char *path, off_t room, size_t *size, uint32_t *large)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    char *text = NULL;
    ssize_t done = -1;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
        close(fd);
        return NULL;
    }
    *large += about.st_size > room;
    if (about.st_size <= room) {
        text = mp_need(malloc((size_t)about.st_size + 1));
        done = read(fd, text, (size_t)about.st_size);
    }
    close(fd);
    if (done >= 0 && !memchr(text, '\0', (size_t)done)) {
        *size = (size_t)done;
        return text;
    }
    free(text);
    return NULL;
}

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

static void
write_lines(const char *text, size_t size, struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();

    mp_json_open(out, '{');
    mp_json_key_number(out, "first", 1);
    mp_json_key_open(out, "lines", '[');
    for (const char *end = text + size; text < end;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);

        write_line(text, length, arena, out);
        text += length + 1;
    }
    mp_json_close(out, ']');
    mp_json_close(out, '}');
    mp_arena_free(arena);
}

void
mp_html_sources_write(const struct mp_map *files, const struct mp_source_paths *paths,
                      struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();
    size_t all = 0;
    uint32_t large = 0;

    mp_json_key_open(out, "sources", '{');
    for (uint32_t i = 0; i < files->count; i++) {
        off_t room = all + MOST_OF_ONE <= MOST_OF_ALL ? MOST_OF_ONE : (off_t)(MOST_OF_ALL - all);
        size_t size = 0;
        char *text = read_text(mp_source_path(paths, mp_map_key(files, i), arena), room, &size, &large);
        char key[16];

        if (!text)
            continue;
        all += size;
        snprintf(key, sizeof key, "%" PRIu32, i);
        mp_json_key(out, key);
        write_lines(text, size, out);
        free(text);
    }
    mp_arena_free(arena);
    mp_json_close(out, '}');
    mp_json_key_number(out, "sourcesLeft", large);
}
