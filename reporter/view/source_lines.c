/* SPDX-License-Identifier: MIT */
#include "source_lines.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/file_at.h"
#include "reporter/base/map.h"
#include "reporter/base/text.h"

/* ---------------------------------------------------------------- text of Lisp */

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

/* Returns the offset of the first form at or after AT in the SIZE bytes of TEXT, after blanks and comments.
 * Returns SIZE if the form is neither a list nor read as one. */
static size_t
lisp_form(const char *text, size_t size, size_t at)
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

/* Returns the offset of the parenthesis that closes the list at AT, an offset from lisp_form(). Returns AT if
 * the list is not closed. */
static size_t
lisp_form_end(const char *text, size_t size, size_t at)
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

/* ---------------------------------------------------------------- lines */

#define MOST_FILES 4096u        /* maximum number of files read; a data file may name any number */

struct source {
    const char *path;           /* as recorded */
    const char *found;          /* resolved path, or NULL if the file was not read */
    enum mp_source_problem problem;
    char *bytes;
    size_t size;
    uint32_t *ends;             /* offsets of newlines, ascending */
    uint32_t n_ends;
};

struct mp_source_lines {
    struct mp_arena *arena;
    const struct mp_source_paths *allowed;      /* NULL if the text is not available to callers */
    uint64_t start_realtime;
    size_t most;                /* maximum size of a file, in bytes */
    struct mp_map paths;
    struct source *list;        /* by id of the path */
    uint32_t room;
};

struct mp_source_lines *
mp_source_lines_open(struct mp_arena *arena, const struct mp_source_paths *allowed, uint64_t start_realtime,
                     size_t most)
{
    struct mp_source_lines *lines = mp_arena_alloc(arena, sizeof *lines);

    *lines = (struct mp_source_lines){.arena = arena, .allowed = allowed, .start_realtime = start_realtime,
                                      .most = most, .paths.arena = arena};
    return lines;
}

void
mp_source_lines_close(struct mp_source_lines *lines)
{
    for (uint32_t i = 0; i < lines->paths.count; i++) {
        free(lines->list[i].bytes);
        free(lines->list[i].ends);
    }
    lines->paths = (struct mp_map){.arena = lines->arena};
}

/* ---------------------------------------------------------------- files */

static enum mp_source_problem
read_bytes(struct source *source, int fd)
{
    size_t done = 0;
    ssize_t got = 1;

    source->bytes = malloc(source->size + 1);
    if (!source->bytes)
        return MP_SOURCE_TOO_LARGE;
    while (done < source->size && got > 0) {
        got = pread(fd, source->bytes + done, source->size - done, (off_t)done);
        if (got > 0)
            done += (size_t)got;
    }
    if (done < source->size)
        return MP_SOURCE_UNREADABLE;
    return memchr(source->bytes, '\0', source->size) ? MP_SOURCE_NO_TEXT : MP_SOURCE_NONE;
}

static enum mp_source_problem
find_ends(struct source *source)
{
    const char *at = source->bytes, *end = at + source->size;
    size_t n = 0;

    for (; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        n++;
    source->ends = reallocarray(NULL, n + 1, sizeof *source->ends);
    if (!source->ends)
        return MP_SOURCE_TOO_LARGE;
    for (at = source->bytes; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        source->ends[source->n_ends++] = (uint32_t)(at - source->bytes);
    return MP_SOURCE_NONE;
}

/* Compares the age of the file with that of the recording. */
static enum mp_source_problem
compare_times(const struct stat *status, uint64_t realtime)
{
    uint64_t written = (uint64_t)status->st_mtim.tv_sec * 1000000000u +
                       (uint64_t)status->st_mtim.tv_nsec;

    if (realtime == 0)
        return MP_SOURCE_UNDATED;
    return status->st_mtim.tv_sec < 0 || written > realtime ? MP_SOURCE_CHANGED : MP_SOURCE_NONE;
}

static enum mp_source_problem
examine(const struct mp_source_lines *lines, struct source *source, int fd)
{
    enum mp_source_problem problem;
    struct stat status;

    if (fstat(fd, &status) != 0)
        return MP_SOURCE_UNREADABLE;
    if ((uint64_t)status.st_size > lines->most)
        return MP_SOURCE_TOO_LARGE;
    source->size = (size_t)status.st_size;
    problem = read_bytes(source, fd);
    problem = problem ? problem : find_ends(source);
    return problem ? problem : compare_times(&status, lines->start_realtime);
}

/* Reads the file. Nobody can replace a part of the resolved path by a link to another file in the meantime, because
 * links are not followed any more. */
static void
load(const struct mp_source_lines *lines, struct source *source)
{
    const char *path = mp_source_find(lines->allowed, source->path, lines->arena, &source->problem);
    struct mp_file_at file;

    if (!path)
        return;
    if (!mp_file_at_open(AT_FDCWD, path, path, O_RDONLY, &file)) {
        source->problem = MP_SOURCE_UNREADABLE;
        return;
    }
    source->problem = examine(lines, source, file.fd);
    if (source->ends)
        source->found = mp_text_clean(lines->arena, path, strlen(path));
    mp_file_at_close(&file);
}

/* Returns the file PATH, read on first use, or NULL if there are too many files. */
static struct source *
find_source(struct mp_source_lines *lines, const char *path)
{
    uint32_t n = lines->paths.count, id = mp_map_find(&lines->paths, path, strlen(path));

    if (id != MP_NO_ID)
        return &lines->list[id];
    if (n == MOST_FILES)
        return NULL;
    mp_map_add(&lines->paths, path, strlen(path));
    lines->list = mp_arena_grow(lines->arena, lines->list, n, &lines->room, sizeof *lines->list);
    lines->list[n] = (struct source){.path = path};
    load(lines, &lines->list[n]);
    return &lines->list[n];
}

/* ---------------------------------------------------------------- forms */

/* Returns the number of lines that end before AT. */
static uint32_t
lines_before(const struct source *source, size_t at)
{
    uint32_t low = 0, high = source->n_ends;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (source->ends[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t
mp_source_form(struct mp_source_lines *lines, const char *path, int64_t position, uint32_t *last)
{
    struct source *source = find_source(lines, path);
    size_t at, end;

    if (!source || source->problem || position < 0 || (uint64_t)position >= source->size)
        return 0;
    at = lisp_form(source->bytes, source->size, (size_t)position);
    if (at == source->size)
        return 0;
    end = last ? lisp_form_end(source->bytes, source->size, at) : at;
    if (last)
        *last = lines_before(source, end) + 1;
    return lines_before(source, at) + 1;
}

bool
mp_source_form_is(struct mp_source_lines *lines, const char *path, int64_t position, const char *operator)
{
    struct source *source = find_source(lines, path);
    const size_t n = strlen(operator);
    size_t at;

    if (!source || source->problem || position < 0 || (uint64_t)position >= source->size)
        return false;
    at = lisp_form(source->bytes, source->size, (size_t)position);
    return source->size - at > n + 1 && source->bytes[at] == '(' &&
           strncasecmp(source->bytes + at + 1, operator, n) == 0 && isspace((unsigned char)source->bytes[at + 1 + n]);
}

const char *
mp_source_text(struct mp_source_lines *lines, const char *path, uint32_t number, size_t *length)
{
    struct source *source = lines->allowed ? find_source(lines, path) : NULL;
    size_t begin, end;

    if (!source || !source->ends || number == 0 || number > source->n_ends + 1)
        return NULL;
    begin = number == 1 ? 0 : source->ends[number - 2] + (size_t)1;
    end = number <= source->n_ends ? source->ends[number - 1] : source->size;
    if (begin == source->size)
        return NULL;
    *length = end - begin;
    return source->bytes + begin;
}

const char *
mp_source_found(struct mp_source_lines *lines, const char *path)
{
    const struct source *source = find_source(lines, path);

    return source ? source->found : NULL;
}

enum mp_source_problem
mp_source_problem(struct mp_source_lines *lines, const char *path)
{
    const struct source *source = find_source(lines, path);

    return source ? source->problem : MP_SOURCE_TOO_LARGE;
}

const char *
mp_source_doubt(enum mp_source_problem problem)
{
    switch (problem) {
    case MP_SOURCE_CHANGED:
        return "changed since the recording began; lines may be others.";
    case MP_SOURCE_UNDATED:
        return "may have changed since the recording, whose time is unknown.";
    default:
        return NULL;
    }
}

const char **
mp_source_problems(const struct mp_source_lines *lines, uint32_t *n)
{
    const char **problems = mp_arena_alloc(lines->arena, lines->paths.count * sizeof *problems);

    *n = 0;
    for (uint32_t i = 0; i < lines->paths.count; i++) {
        const struct source *source = &lines->list[i];

        if (source->problem)
            problems[(*n)++] = mp_arena_printf(lines->arena, "%s: %s", mp_text_basename(source->path),
                                               mp_source_problem_words[source->problem]);
    }
    return problems;
}
