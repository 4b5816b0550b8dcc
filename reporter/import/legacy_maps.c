#include "legacy_maps.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/text.h"

/* The unread part of a line. */
struct rest {
    const char *at, *end;
};

static void
skip_blanks(struct rest *rest)
{
    while (rest->at < rest->end && (*rest->at == ' ' || *rest->at == '\t'))
        rest->at++;
}

static struct mp_import_text
take_word(struct rest *rest)
{
    const char *start;

    skip_blanks(rest);
    start = rest->at;
    while (rest->at < rest->end && *rest->at != ' ' && *rest->at != '\t')
        rest->at++;
    return (struct mp_import_text){start, (size_t)(rest->at - start)};
}

bool
mp_take_hex(const char **at, const char *end, uint64_t *number)
{
    const char *start = *at;

    *number = 0;
    for (; *at < end; ++*at) {
        char c = **at;
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

        if (digit < 0)
            break;
        *number = *number << 4 | (uint64_t)digit;
    }
    return *at > start && *at - start <= 16;
}

/* Returns whether NAME is a library whose innermost frames are left out, because they do not show who allocates. */
static bool
is_allocator(const char *name)
{
    return strncmp(name, "libjemalloc", 11) == 0 || strncmp(name, "libtcmalloc", 11) == 0;
}

/* Returns the path at the end of the line, with "$build" at its beginning replaced. */
static struct mp_import_text
path_of(const struct mp_mapped_files *files, const struct rest *rest)
{
    static const char variable[] = "$build";
    const size_t size = (size_t)(rest->end - rest->at), n = sizeof variable - 1;
    const char *path;

    if (files->build.size == 0 || size < n || memcmp(rest->at, variable, n) != 0)
        return (struct mp_import_text){rest->at, size};
    path = mp_arena_printf(files->arena, "%s%.*s", files->build.text, (int)(size - n), rest->at + n);
    return (struct mp_import_text){path, strlen(path)};
}

/* Example: "5564bd541000-5564bd542000 r-xp 00001000 fe:00 10952877     /usr/bin/jq". */
void
mp_mapped_files_add(struct mp_mapped_files *files, const char *line, size_t length)
{
    struct rest rest = {line, line + length};
    struct mp_mapped mapped = {0};
    const struct mp_module *module;
    struct mp_import_text mode;

    skip_blanks(&rest);
    if (rest.end - rest.at > 6 && memcmp(rest.at, "build=", 6) == 0) {
        rest.at += 6;
        files->build.size = (size_t)(rest.end - rest.at);
        files->build.text = mp_arena_printf(files->arena, "%.*s", (int)files->build.size, rest.at);
        return;
    }
    if (!mp_take_hex(&rest.at, rest.end, &mapped.start) || rest.at == rest.end || *rest.at++ != '-' ||
        !mp_take_hex(&rest.at, rest.end, &mapped.end) || mapped.end <= mapped.start)
        return;
    if (rest.at < rest.end && *rest.at == ':') {        /* pprof's list: code that is mapped from the beginning of its
                                                         * file */
        rest.at++;
        mode = (struct mp_import_text){"r-xp", 4};
    } else {
        mode = take_word(&rest);
        skip_blanks(&rest);
        if (mode.size < 3 || !mp_take_hex(&rest.at, rest.end, &mapped.offset))
            return;
        take_word(&rest);       /* device and inode */
        take_word(&rest);
    }
    skip_blanks(&rest);
    if (rest.at == rest.end)
        return;
    mapped.module = mp_maker_module(files->maker, path_of(files, &rest));
    module = &mp_maker_profile(files->maker)->modules[mapped.module];
    mapped.allocator = is_allocator(module->name);
    if (!files->program && mode.text[2] == 'x' && *module->path == '/')
        files->program = module->path;
    files->list = mp_arena_grow(files->arena, files->list, files->n, &files->room, sizeof *files->list);
    files->list[files->n++] = mapped;
}

static int
compare(const void *left, const void *right)
{
    const struct mp_mapped *a = left, *b = right;

    return (a->start > b->start) - (a->start < b->start);
}

void
mp_mapped_files_sort(struct mp_mapped_files *files)
{
    if (files->n > 0)
        qsort(files->list, files->n, sizeof *files->list, compare);
}

const struct mp_mapped *
mp_mapped_files_find(const struct mp_mapped_files *files, uint64_t address)
{
    uint32_t low = 0, high = files->n;

    while (low < high) {        /* finds the first mapping that starts beyond ADDRESS */
        uint32_t middle = low + (high - low) / 2;

        if (files->list[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < files->list[low - 1].end ? &files->list[low - 1] : NULL;
}
