#include "legacy_names.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"

/* ---------------------------------------------------------------- mapped files */

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

static struct mp_piece
take_word(struct rest *rest)
{
    const char *start;

    skip_blanks(rest);
    start = rest->at;
    while (rest->at < rest->end && *rest->at != ' ' && *rest->at != '\t')
        rest->at++;
    return (struct mp_piece){start, (size_t)(rest->at - start)};
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

/* Returns the path at the end of the line, with "$build" at its beginning replaced. */
static struct mp_piece
path_of(const struct mp_mapped_files *files, const struct rest *rest)
{
    static const char variable[] = "$build";
    const size_t size = (size_t)(rest->end - rest->at), n = sizeof variable - 1;
    const char *path;

    if (files->build.size == 0 || size < n || memcmp(rest->at, variable, n) != 0)
        return (struct mp_piece){rest->at, size};
    path = mp_arena_printf(files->arena, "%s%.*s", files->build.text, (int)(size - n), rest->at + n);
    return (struct mp_piece){path, strlen(path)};
}

/* Example: "5564bd541000-5564bd542000 r-xp 00001000 fe:00 10952877     /usr/bin/jq". */
void
mp_mapped_files_add(struct mp_mapped_files *files, const char *line, size_t length)
{
    struct rest rest = {line, line + length};
    struct mp_mapped mapped = {0};
    const struct mp_module *module;
    struct mp_piece mode;

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
        mode = (struct mp_piece){"r-xp", 4};
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
    mapped.allocator = strncmp(module->name, "libjemalloc", 11) == 0 || strncmp(module->name, "libtcmalloc", 11) == 0;
    if (!files->program && mode.text[2] == 'x' && *module->path == '/')
        files->program = module->path;
    files->list = mp_arena_grow(files->arena, files->list, files->n, &files->room, sizeof *files->list);
    files->list[files->n++] = mapped;
}

static int
by_start(const void *left, const void *right)
{
    const struct mp_mapped *a = left, *b = right;

    return mp_order(a->start, b->start);
}

void
mp_mapped_files_sort(struct mp_mapped_files *files)
{
    if (files->n > 0)
        qsort(files->list, files->n, sizeof *files->list, by_start);
}

const struct mp_mapped *
mp_mapped_files_find(const struct mp_mapped_files *files, uint64_t address)
{
    const uint32_t n = MP_AT_MOST(files->list, files->n, start, address);

    return n > 0 && address < files->list[n - 1].end ? &files->list[n - 1] : NULL;
}

/* ---------------------------------------------------------------- names */

#define SUFFIX 18u              /* length of "<0123456789abcdef>" */

struct mp_legacy_name {
    struct mp_piece function, file;
    uint32_t line, plain;       /* `plain`: id of the symbol without pprof's suffix, or MP_NO_ID for comments of Go */
    struct mp_legacy_name *next;        /* the function into which this one is inlined */
};

static struct mp_piece
copy(struct mp_arena *arena, const char *text, size_t size)
{
    return (struct mp_piece){memcpy(mp_arena_alloc(arena, size + 1), text, size), size};
}

/* Reads "0x4b3c33" at *AT and advances *AT. */
static bool
take_address(const char **at, const char *end, uint64_t *address)
{
    if (end - *at < 3 || (*at)[0] != '0' || (*at)[1] != 'x')
        return false;
    *at += 2;
    return mp_take_hex(at, end, address);
}

/* Returns the head of ADDRESS's list of names. Sets *KNOWN to whether the address was added before. */
static struct mp_legacy_name **
place_of(struct mp_legacy_names *names, uint64_t address, bool *known)
{
    const uint32_t n = names->addresses.count, id = mp_map_add_u64(&names->addresses, address);

    *known = id < n;
    if (!*known) {
        names->list = mp_arena_grow(names->arena, names->list, id, &names->room, sizeof *names->list);
        names->list[id] = NULL;
    }
    return &names->list[id];
}

/* Returns the length without the address that pprof appends to names of static functions, which need not be unique. */
static size_t
length_without_suffix(const char *name, size_t length)
{
    const char *at;
    uint64_t ignored;

    if (length <= SUFFIX || name[length - 1] != '>' || name[length - SUFFIX] != '<')
        return length;
    at = name + length - SUFFIX + 1;
    return mp_take_hex(&at, name + length, &ignored) && at == name + length - 1 ? length - SUFFIX : length;
}

static void
add_symbol(struct mp_legacy_names *names, struct mp_legacy_name **at, const char *text, size_t length)
{
    struct mp_legacy_name *name = mp_arena_alloc(names->arena, sizeof *name);
    const uint32_t n_functions = names->functions.count, n_plain = names->plain.count;

    *name = (struct mp_legacy_name){.function = copy(names->arena, text, length), .next = *at};
    name->plain = mp_map_add(&names->plain, text, length_without_suffix(text, length));
    if (name->plain == n_plain) {
        names->n_functions = mp_arena_grow(names->arena, names->n_functions, n_plain, &names->n_room,
                                           sizeof *names->n_functions);
        names->n_functions[n_plain] = 0;
    }
    if (mp_map_add(&names->functions, text, length) == n_functions)
        names->n_functions[name->plain]++;
    *at = name;
}

void
mp_legacy_names_symbol(struct mp_legacy_names *names, const char *line, size_t length)
{
    const char *at = line, *end = line + length;
    struct mp_legacy_name **place;
    uint64_t address;
    bool known;

    if (!take_address(&at, end, &address) || at == end || *at != ' ')
        return;
    while (at < end && *at == ' ')
        at++;
    place = place_of(names, address, &known);
    if (known || at == end)
        return;
    for (const char *next; at < end; at = next) {       /* the outermost function comes first */
        const char *stop = memmem(at, (size_t)(end - at), "--", 2);

        next = stop ? stop + 2 : end;
        stop = stop ? stop : end;
        if (stop > at)
            add_symbol(names, place, at, (size_t)(stop - at));
    }
}

/* Reads "main.grow+0x53", tabs, and "/tmp/g.go:4". */
static struct mp_legacy_name *
go_name(struct mp_legacy_names *names, const char *at, const char *end)
{
    struct mp_legacy_name *name = mp_arena_alloc(names->arena, sizeof *name);
    const char *tab = memchr(at, '\t', (size_t)(end - at)), *stop = tab ? tab : end, *plus, *colon;

    *name = (struct mp_legacy_name){.plain = MP_NO_ID};
    plus = memrchr(at, '+', (size_t)(stop - at));
    name->function = copy(names->arena, at, (size_t)((plus ? plus : stop) - at));
    for (at = stop; at < end && *at == '\t'; at++)
        ;
    colon = memrchr(at, ':', (size_t)(end - at));
    name->file = copy(names->arena, at, (size_t)((colon ? colon : end) - at));
    while (colon && ++colon < end && *colon >= '0' && *colon <= '9' && name->line < 100000000)
        name->line = name->line * 10 + (uint32_t)(*colon - '0');
    return name;
}

void
mp_legacy_names_comment(struct mp_legacy_names *names, const char *line, size_t length)
{
    const char *at, *end = line + length;
    const uint64_t last = names->last;
    struct mp_legacy_name **place;
    uint64_t address;
    bool known;

    names->last = 0;
    if (length <= 2 || line[0] != '#' || line[1] != '\t')
        return;
    at = line + 2;
    if (!take_address(&at, end, &address) || end - at < 2 || *at++ != '\t')
        return;
    place = place_of(names, address, &known);
    if (known && address != last)
        return;
    if (known)                  /* functions inlined at one address follow one another, the innermost first */
        place = names->end;
    *place = go_name(names, at, end);
    names->end = &(*place)->next;
    names->last = address;
    names->comments = true;
}

/* Returns the name to show: without pprof's suffix, unless functions differ in the suffix only. */
static struct mp_piece
shown(const struct mp_legacy_names *names, const struct mp_legacy_name *name)
{
    const struct mp_piece *full = &name->function;

    if (name->plain == MP_NO_ID || names->n_functions[name->plain] > 1)
        return *full;
    return (struct mp_piece){full->text, length_without_suffix(full->text, full->size)};
}

/* Returns the id of the address that has names: ADDRESS, or the address of the call before it. */
static uint32_t
find(const struct mp_legacy_names *names, uint64_t address)
{
    const uint32_t id = mp_map_find_u64(&names->addresses, address);

    return id != MP_NO_ID ? id : mp_map_find_u64(&names->addresses, address - 1);
}

bool
mp_legacy_names_has(const struct mp_legacy_names *names, uint64_t address)
{
    return find(names, address) != MP_NO_ID;
}

bool
mp_legacy_names_apply(const struct mp_legacy_names *names, uint64_t address, struct mp_maker *maker, uint32_t frame)
{
    const uint32_t id = find(names, address);
    const struct mp_legacy_name *first = id != MP_NO_ID ? names->list[id] : NULL;

    for (const struct mp_legacy_name *name = first; name; name = name->next)
        mp_maker_line(maker, frame, mp_maker_function(maker, shown(names, name), name->file, MP_NO_ID), name->line,
                      name->file);
    return first != NULL;
}
