/* SPDX-License-Identifier: MIT */
/* Parses files with suppressions, line by line. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/text.h"
#include "reporter/base/text_file.h"
#include "suppress.h"

struct parser {
    struct mp_suppressions *to;
    const char *file;           /* for messages */
    unsigned line;
    enum { OUTSIDE, NAME, TYPE, FRAMES, PASSED_OVER } at;       /* position inside valgrind's braces */
    const char *name;
    struct mp_suppression now;
    struct mp_error *error;
};

static bool
refuse(const struct parser *p, const char *problem)
{
    return mp_fail(p->error, MP_ERR_USAGE, MP_NO_OFFSET, "%s:%u: %s", p->file, p->line, problem);
}

static void
add_frame(struct parser *p, enum mp_suppress_by by, const char *pattern)
{
    struct mp_suppression *now = &p->now;

    now->frames = mp_arena_grow(p->to->arena, now->frames, now->n_frames, &now->room,
                                sizeof *now->frames);
    now->frames[now->n_frames++] = (struct mp_suppress_frame){by, pattern};
}

/* Adds the current suppression, which is complete. */
static void
add(struct parser *p)
{
    struct mp_suppressions *to = p->to;

    to->list = mp_arena_grow(to->arena, to->list, to->n, &to->room, sizeof *to->list);
    to->list[to->n++] = p->now;
    p->now = (struct mp_suppression){0};
}

/* Parses leak:PATTERN. Unless anchored by ^ and $, the pattern matches anywhere. */
static bool
parse_leak(struct parser *p, char *pattern)
{
    size_t length = strlen(pattern);
    bool begins = *pattern == '^', ends = length > 0 && pattern[length - 1] == '$';

    p->now.name = mp_text_format(p->to->arena, "leak:%s", pattern);
    if (ends)
        pattern[length - 1] = '\0';
    if (pattern[begins] == '\0')
        return refuse(p, "leak: without a pattern");
    add_frame(p, MP_SUPPRESS_ANY,
              mp_arena_printf(p->to->arena, "%s%s%s", begins ? "" : "*", pattern + begins, ends ? "" : "*"));
    add(p);
    return true;
}

static bool
parse_frame(struct parser *p, const char *text)
{
    static const struct {
        const char *begin;
        enum mp_suppress_by by;
    } kinds[] = {{"fun:", MP_SUPPRESS_FUNCTION}, {"obj:", MP_SUPPRESS_OBJECT},
                 {"src:", MP_SUPPRESS_SOURCE}};

    if (strcmp(text, "...") == 0) {
        add_frame(p, MP_SUPPRESS_REST, NULL);
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strncmp(text, kinds[i].begin, 4) == 0 && text[4]) {
            add_frame(p, kinds[i].by, mp_arena_strdup(p->to->arena, text + 4));
            return true;
        }
    }
    if (strncmp(text, "match-leak-kinds:", 17) == 0)
        return true;
    return refuse(p, "neither fun:, obj:, src: nor ...");
}

/* Returns true for types such as "Memcheck:Leak" and "Memcheck,Addrcheck:Leak". */
static bool
is_leak(const char *type)
{
    const char *colon = strrchr(type, ':');

    return colon && strstr(type, "Memcheck") && strcmp(colon, ":Leak") == 0;
}

static bool
close_braces(struct parser *p)
{
    if (p->at == NAME || p->at == TYPE)
        return refuse(p, "a suppression without name or type");
    if (p->at == FRAMES && p->now.n_frames == 0)
        return refuse(p, "a suppression without frames");
    if (p->at == FRAMES)
        add(p);
    p->at = OUTSIDE;
    return true;
}

static bool
parse_outside(struct parser *p, char *text)
{
    if (strncmp(text, "leak:", 5) == 0)
        return parse_leak(p, text + 5);
    if (strcmp(text, "{") != 0)
        return refuse(p, "neither leak:PATTERN nor a suppression of valgrind's");
    p->at = NAME;
    p->now = (struct mp_suppression){0};
    return true;
}

/* Parses TEXT, a line without blanks at its ends. */
static bool
parse_line(struct parser *p, char *text)
{
    p->line++;
    if (*text == '\0' || *text == '#')
        return true;
    if (p->at == OUTSIDE)
        return parse_outside(p, text);
    if (strcmp(text, "}") == 0)
        return close_braces(p);
    switch (p->at) {
    case NAME:
        p->now.name = mp_text_format(p->to->arena, "%s", text);
        p->at = TYPE;
        return true;
    case TYPE:
        p->at = is_leak(text) ? FRAMES : PASSED_OVER;
        return true;
    case FRAMES:
        return parse_frame(p, text);
    default:
        return true;
    }
}

static char *
trimmed(char *line)
{
    size_t length;

    while (isspace((unsigned char)*line))
        line++;
    length = strlen(line);
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        line[--length] = '\0';
    return line;
}

static bool
parse(struct mp_suppressions *suppressions, struct mp_text_file *file, struct mp_error *error)
{
    struct parser p = {.to = suppressions, .file = file->name, .error = error};
    bool ok = true;
    char *line;

    while (ok && (line = mp_text_file_line(file, error)))
        ok = parse_line(&p, trimmed(line));
    return mp_text_file_close(file) && ok && (p.at == OUTSIDE || refuse(&p, "the last suppression has no }"));
}

bool
mp_suppressions_read(struct mp_suppressions *suppressions, const char *path, struct mp_error *error)
{
    struct mp_text_file file;

    return mp_text_file_open(&file, path, error) && parse(suppressions, &file, error);
}

bool
mp_suppressions_parse(struct mp_suppressions *suppressions, const char *text, const char *name,
                      struct mp_error *error)
{
    char *copy = mp_need(strdup(*text ? text : "\n"));
    struct mp_text_file file = mp_text_file_of(mp_need(fmemopen(copy, strlen(copy), "r")), name);
    bool ok = parse(suppressions, &file, error);

    free(copy);
    return ok;
}
