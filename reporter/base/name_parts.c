/* SPDX-License-Identifier: MIT */
/* One scanner reads tokens and keeps a stack of open brackets. mp_name_lists() and mp_name_arguments() use it. */
#include "name_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST 512u            /* maximum nesting of brackets; names with more are not understood */

enum token {
    START, WORD, OPERATOR, SCOPE, BLANK, COMMA, BANG, OTHER,
    OPEN,                       /* opening bracket that begins no list */
    OPEN_LIST,
    CLOSE,                      /* > ] or } */
    CLOSE_PAREN,
    END, BROKEN
};

struct scan {
    struct mp_text_part name;
    size_t at, token_at;        /* offsets of the token's end and beginning */
    enum token before;          /* the last token */
    struct mp_text_part word;        /* the last word */
    char open[DEEPEST];         /* closing characters of the open brackets, innermost last */
    unsigned depth;
};

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool
begins(const struct scan *scan, const char *with)
{
    size_t length = strlen(with);

    return scan->name.length - scan->at >= length &&
           memcmp(scan->name.text + scan->at, with, length) == 0;
}

/* Skips the first item of LIST, which ends with NULL, that is at the present position. Returns false if none of
 * the items is. */
static bool
skip_one_of(struct scan *scan, const char *const list[])
{
    for (; *list; list++)
        if (begins(scan, *list)) {
            scan->at += strlen(*list);
            return true;
        }
    return false;
}

static bool
is_one_of(struct mp_text_part word, const char *const list[])
{
    for (; *list; list++)
        if (strlen(*list) == word.length && memcmp(*list, word.text, word.length) == 0)
            return true;
    return false;
}

/* ---------------------------------------------------------------- tokens */

/* Scans the symbol after "operator". The type of a conversion operator is scanned as a word. */
static enum token
scan_operator(struct scan *scan)
{
    static const char *const symbols[] = {
        "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "==", "!=", "&&", "||",
        "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "\"\"", "<", ">", "+", "-", "*",
        "/", "%", "^", "&", "|", "~", "!", "=", ",", " new[]", " delete[]", NULL};

    return skip_one_of(scan, symbols) ? OPERATOR : WORD;
}

static enum token
scan_word(struct scan *scan)
{
    static const char *const operator[] = {"operator", NULL};
    size_t start = scan->at;

    while (scan->at < scan->name.length && is_word(scan->name.text[scan->at]))
        scan->at++;
    scan->word = (struct mp_text_part){scan->name.text + start, scan->at - start};
    return is_one_of(scan->word, operator) ? scan_operator(scan) : WORD;
}

/* Scans a quoted text, in which brackets do not count. D has strings as arguments, and Rust has characters. A
 * lifetime of Rust begins with a quote that is not closed. */
static enum token
scan_quoted(struct scan *scan)
{
    const char *text = scan->name.text;
    size_t end = ++scan->at;

    if (text[end - 1] == '\'') {
        if (end + 1 < scan->name.length && text[end + 1] == '\'')
            scan->at = end + 2;
        return OTHER;
    }
    while (end < scan->name.length && text[end] != '"')
        end += text[end] == '\\' ? 2 : 1;
    if (end < scan->name.length)
        scan->at = end + 1;
    return OTHER;
}

static enum token
push(struct scan *scan, char closes, enum token token)
{
    scan->at++;
    if (scan->depth == DEEPEST)
        return BROKEN;
    scan->open[scan->depth++] = closes;
    return token;
}

static enum token
pop(struct scan *scan, enum token token)
{
    if (scan->depth == 0 || scan->open[--scan->depth] != scan->name.text[scan->at])
        return BROKEN;
    scan->at++;
    return token;
}

/* Returns whether the "<...>" after "::" is a component of the name. If not, it is a list of arguments, as in
 * Rust. */
static bool
is_component(const struct scan *scan)
{
    static const char *const parts[] = {"<lambda", "<impl ", "<unnamed", "<anonymous", NULL};
    struct scan rest = *scan;

    return skip_one_of(&rest, parts);
}

static enum token
scan_less(struct scan *scan)
{
    switch (scan->before) {
    case WORD:
    case OPERATOR:
    case CLOSE:
        return push(scan, '>', OPEN_LIST);
    case SCOPE:
        return push(scan, '>', is_component(scan) ? OPEN : OPEN_LIST);
    case CLOSE_PAREN:           /* (a)<(b) */
        scan->at++;
        return OTHER;
    default:
        return push(scan, '>', OPEN);
    }
}

/* Scans ">". Between constants in parentheses, or inside brackets other than "<", it is an operator. libiberty
 * encloses a single > operator in parentheses. */
static enum token
scan_greater(struct scan *scan)
{
    if (scan->depth > 0 && scan->open[scan->depth - 1] != '>') {
        scan->at++;
        return OTHER;
    }
    if (scan->before == CLOSE_PAREN && (begins(scan, ">>(") || begins(scan, ">=("))) {
        scan->at += 2;
        return OTHER;
    }
    return pop(scan, CLOSE);
}

static enum token
scan_paren(struct scan *scan)
{
    static const char *const keywords[] = {"decltype", "sizeof",     "alignof", "noexcept",
                                           "typeof",   "__typeof__", NULL};

    switch (scan->before) {
    case WORD:
        return push(scan, ')', is_one_of(scan->word, keywords) ? OPEN : OPEN_LIST);
    case BANG:
        return push(scan, ')', begins(scan, "(anonymous ") ? OPEN : OPEN_LIST);
    case OPERATOR:
    case CLOSE:
        return push(scan, ')', OPEN_LIST);
    default:
        return push(scan, ')', OPEN);
    }
}

static enum token
scan_sign(struct scan *scan)
{
    static const char *const arrows[] = {"->", "=>", NULL};
    static const char *const scope[] = {"::", NULL};

    if (skip_one_of(scan, arrows))
        return OTHER;
    if (skip_one_of(scan, scope))
        return SCOPE;
    switch (scan->name.text[scan->at]) {
    case '<':
        return scan_less(scan);
    case '>':
        return scan_greater(scan);
    case '(':
        return scan_paren(scan);
    case '[':
        return push(scan, ']', OPEN);
    case '{':
        return push(scan, '}', OPEN);
    case ')':
        return pop(scan, CLOSE_PAREN);
    case ']':
    case '}':
        return pop(scan, CLOSE);
    case '"':
    case '\'':
        return scan_quoted(scan);
    default:
        return scan->at++, OTHER;
    }
}

static enum token
scan_plain(struct scan *scan)
{
    switch (scan->name.text[scan->at]) {
    case ' ':                   /* "operator< <int>" */
        return scan->at++, scan->before == OPERATOR ? OPERATOR : BLANK;
    case ',':
        return scan->at++, COMMA;
    case '!':
        return scan->at++, BANG;
    default:
        return scan_sign(scan);
    }
}

static enum token
next(struct scan *scan)
{
    scan->token_at = scan->at;
    if (scan->at >= scan->name.length)
        scan->before = scan->depth == 0 ? END : BROKEN;
    else if (is_word(scan->name.text[scan->at]))
        scan->before = scan_word(scan);
    else
        scan->before = scan_plain(scan);
    return scan->before;
}

/* ---------------------------------------------------------------- lists */

/* Returns the offset after the qualifiers that follow the list of parameters ending at SCAN. Returns 0 if the
 * list is not the function's own. */
static size_t
end_of_signature(const struct scan *scan)
{
    static const char *const qualifiers[] = {" const", " volatile", " &&", " &", " noexcept", NULL};
    struct scan rest = *scan;

    while (skip_one_of(&rest, qualifiers))
        continue;
    if (rest.at < rest.name.length && !strchr("@#.", rest.name.text[rest.at]) && !begins(&rest, " ["))
        return 0;
    return rest.at;
}

static void
set_list(struct mp_name_list *list, const struct scan *scan, size_t start, bool signature)
{
    size_t end = signature && scan->depth == 0 && scan->before == CLOSE_PAREN &&
                         (start == 0 || scan->name.text[start - 1] != '!')
                     ? end_of_signature(scan) : 0;

    list->kind = end > 0 ? MP_LIST_SIGNATURE : MP_LIST_ARGUMENTS;
    list->span.text = scan->name.text + start;
    list->span.length = (end > 0 ? end : scan->at) - start;
}

struct mp_name_list *
mp_name_lists(struct mp_text_part name, bool signature, struct mp_arena *arena, uint32_t *n)
{
    struct scan scan = {.name = name, .before = START};
    struct mp_name_list *lists = NULL;
    uint32_t room = 0;
    unsigned outside = DEEPEST; /* number of brackets around the open list; DEEPEST if no list is open */
    size_t start = 0;
    enum token token;

    *n = 0;
    while ((token = next(&scan)) < END) {
        if (token == OPEN_LIST && outside == DEEPEST) {
            outside = scan.depth - 1;
            start = scan.token_at;
        } else if (scan.depth == outside) {
            lists = mp_arena_grow(arena, lists, *n, &room, sizeof *lists);
            set_list(&lists[(*n)++], &scan, start, signature);
            outside = DEEPEST;
        }
    }
    if (token == BROKEN)
        *n = 0;
    return lists;
}

/* ---------------------------------------------------------------- arguments */

struct mp_text_part
mp_span_trimmed(struct mp_text_part span)
{
    while (span.length > 0 && span.text[0] == ' ') {
        span.text++;
        span.length--;
    }
    while (span.length > 0 && span.text[span.length - 1] == ' ')
        span.length--;
    return span;
}

struct mp_text_part *
mp_name_arguments(const struct mp_name_list *list, struct mp_arena *arena, uint32_t *n)
{
    const struct mp_text_part inside = {list->span.text + 1, list->span.length - 2};
    struct scan scan = {.name = inside, .before = START};
    struct mp_text_part *arguments = NULL;
    const char *start = inside.text;
    uint32_t room = 0;
    enum token token;

    *n = 0;
    do {
        token = next(&scan);
        if (token < END && (token != COMMA || scan.depth > 0))
            continue;
        arguments = mp_arena_grow(arena, arguments, *n, &room, sizeof *arguments);
        arguments[(*n)++] = mp_span_trimmed(
            (struct mp_text_part){start, (size_t)(inside.text + scan.token_at - start)});
        start = inside.text + scan.at;
    } while (token < END);
    return arguments;
}

/* The result may be longer than NAME, because each argument list becomes five bytes, as "<...>", and may have
 * only two bytes in NAME. */
const char *
mp_name_bare(struct mp_text_part name, struct mp_arena *arena)
{
    const char *from = name.text, *end = name.text + name.length;
    uint32_t n;
    const struct mp_name_list *lists = mp_name_lists(name, true, arena, &n);
    char *bare = mp_arena_alloc(arena, name.length + 3 * (size_t)n + 1), *to = bare;

    for (uint32_t i = 0; i < n; i++) {
        const struct mp_text_part *span = &lists[i].span;

        to = mempcpy(to, from, (size_t)(span->text - from));
        from = span->text + span->length;
        if (lists[i].kind == MP_LIST_ARGUMENTS)
            to = mempcpy(to, (const char[]){span->text[0], '.', '.', '.', from[-1]}, 5);
    }
    mempcpy(to, from, (size_t)(end - from));
    return bare;
}
