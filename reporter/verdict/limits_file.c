/* SPDX-License-Identifier: MIT */
#include "limits_file.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/text_file.h"

struct parser {
    struct mp_limits_argv *to;
    const char *file, *program;
    unsigned line;
    bool applies;               /* the current section applies to the program */
    struct mp_error *error;
};

static bool
refuse(const struct parser *p, const char *problem)
{
    return mp_fail(p->error, MP_ERR_USAGE, MP_NO_OFFSET, "%s:%u: %s", p->file, p->line, problem);
}

static void
add(struct mp_limits_argv *to, char *argument)
{
    to->list = mp_arena_grow(to->arena, to->list, to->n, &to->room, sizeof *to->list);
    to->list[to->n++] = argument;
}

static char *
skip_blanks(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Returns true if the rest of the line is empty or a comment. */
static bool
is_end(char *text)
{
    text = skip_blanks(text);
    return *text == '\0' || *text == '#';
}

/* Parses the value at *AT into *VALUE and moves *AT behind it. In double quotes, \" and \\ represent " and \. If not
 * LISTED, quotes are optional, and a value without quotes ends at a comment. Returns false and sets the error if the
 * value is invalid. */
static bool
take_value(struct parser *p, char **at, bool listed, char **value)
{
    char quote = **at, *to, *from;

    if (quote != '"' && quote != '\'') {
        if (listed)
            return refuse(p, "a value in quotes is wanted");
        *value = *at;
        *at += strcspn(*at, "#");
        for (to = *at; to > *value && isspace((unsigned char)to[-1]);)
            to--;
        *value = mp_arena_printf(p->to->arena, "%.*s", (int)(to - *value), *value);
        return **value || refuse(p, "no value");
    }
    *value = to = from = *at + 1;
    for (; *from && *from != quote; from++) {
        if (quote == '"' && *from == '\\' && (from[1] == '"' || from[1] == '\\'))
            from++;
        *to++ = *from;
    }
    if (!*from)
        return refuse(p, "a quote is missing");
    *at = from + 1;
    *to = '\0';
    return true;
}

static void
add_option(struct parser *p, const char *key, const char *value)
{
    if (!p->applies || strcmp(value, "false") == 0)
        return;
    add(p->to, strcmp(value, "true") == 0
               ? mp_arena_printf(p->to->arena, "--%s", key)
               : mp_arena_printf(p->to->arena, "--%s=%s", key, value));
}

/* Parses a list, ["a", "b"]. */
static bool
parse_list(struct parser *p, const char *key, char *at)
{
    char *value;

    for (at = skip_blanks(at + 1); *at != ']'; at = skip_blanks(at)) {
        if (!take_value(p, &at, true, &value))
            return false;
        add_option(p, key, value);
        at = skip_blanks(at);
        if (*at == ',')
            at++;
        else if (*at != ']')
            return refuse(p, "a list is \"a\", \"b\" in brackets, on one line");
    }
    return is_end(at + 1) || refuse(p, "what stands behind the list?");
}

/* Parses the head of a section, [name*] or ["name*"]. Names and comments may contain brackets. */
static bool
parse_section(struct parser *p, char *at)
{
    char *name = skip_blanks(at + 1), *end;

    if (*name == '"' || *name == '\'') {
        at = name;
        if (!take_value(p, &at, true, &name))
            return false;
        end = skip_blanks(at);
    } else {
        name[strcspn(name, "#")] = '\0';
        end = strrchr(name, ']');
    }
    if (!end || *end != ']' || end == name || !is_end(end + 1))
        return refuse(p, "a section is a program's name in brackets");
    do
        *end = '\0';
    while (isspace((unsigned char)*--end));
    p->applies = fnmatch(name, p->program, 0) == 0;
    return true;
}

static bool
parse_line(struct parser *p, char *line)
{
    char *at = skip_blanks(line), *key = at, *value;

    p->line++;
    if (is_end(at))
        return true;
    if (*at == '[')
        return parse_section(p, at);
    at += strspn(at, "abcdefghijklmnopqrstuvwxyz-");
    if (at == key)
        return refuse(p, "neither an option, \"max-kept = 4K\", nor a section");
    key = mp_arena_printf(p->to->arena, "%.*s", (int)(at - key), key);
    if (is_end(at)) {
        add_option(p, key, "true");
        return true;
    }
    at = skip_blanks(at);
    if (*at != '=')
        return refuse(p, "a = is missing");
    at = skip_blanks(at + 1);
    if (*at == '[')
        return parse_list(p, key, at);
    if (!take_value(p, &at, false, &value))
        return false;
    add_option(p, key, value);
    return is_end(at) || refuse(p, "what stands behind the value?");
}

bool
mp_limits_file_read(const char *path, const char *program, struct mp_limits_argv *options,
                    struct mp_error *error)
{
    struct parser p = {
        .to = options, .file = path, .program = program, .applies = true, .error = error};
    struct mp_text_file file;
    bool ok = true;
    char *line;

    if (!mp_text_file_open(&file, path, error))
        return false;
    if (options->n == 0)
        add(options, mp_arena_strdup(options->arena, ""));
    while (ok && (line = mp_text_file_line(&file, error)))
        ok = parse_line(&p, line);
    ok = mp_text_file_close(&file) && ok;
    add(options, NULL);
    options->n--;
    return ok;
}
