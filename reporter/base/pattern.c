/* SPDX-License-Identifier: MIT */
#include "pattern.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define MOST_LENGTH 4096u       /* maximum length of an expression, bytes */
#define MOST_DEPTH  64u         /* maximum nesting of groups */
#define MOST_COPIES 500u        /* maximum copies of parts made by repetitions; `(a?){500}` compiles in 0.04 s */
#define MOST_TEXT   32768u      /* bytes matched before glibc's states are dropped; a state may take 4 KiB */

/* ---------------------------------------------------------------- how large it becomes */

/* Skips a bracket expression. AT is after its "[". Returns its end. */
static const char *
skip_bracket(const char *at)
{
    if (*at == '^')
        at++;
    if (*at == ']')
        at++;
    for (; *at && *at != ']'; at++) {
        const char kind = at[0] == '[' ? at[1] : '\0';

        if (kind != ':' && kind != '.' && kind != '=')
            continue;
        for (at += 2; *at && !(at[0] == kind && at[1] == ']'); at++)
            ;
        if (!*at)
            return at;
        at++;
    }
    return *at ? at + 1 : at;
}

/* Reads {N}, {N,}, {,M} or {N,M} at *AT, which is after the brace, and moves *AT behind it. Returns the number
 * of copies it makes; 1 if it is no repetition. */
static uint64_t
copies_of(const char **at)
{
    const size_t length = strspn(*at, "0123456789,");
    const char *comma = memchr(*at, ',', length);
    uint64_t low, high;

    if (length == 0 || (*at)[length] != '}')
        return 1;
    low = high = strtoul(*at, NULL, 10);
    if (comma)
        high = isdigit((unsigned char)comma[1]) ? strtoul(comma + 1, NULL, 10) : low + 1;
    high = high > low ? high : low;
    *at += length + 1;
    return high == 0 ? 1 : high > MOST_COPIES ? MOST_COPIES + 1 : high;
}

/* Sizes of parts being counted: of a whole group, and of the last part in it. */
struct level {
    uint64_t all, last;
};

static void
put_part(struct level *level, uint64_t size)
{
    level->all += size;
    level->last = size;
}

/* Counts the copies that repetitions make of parts of TEXT. Returns false and sets *REASON if there are too
 * many, groups are nested too deeply, or there is a back-reference. The count of an expression that regcomp()
 * rejects does not matter. */
static bool
is_small(const char *text, const char **reason)
{
    struct level levels[MOST_DEPTH] = {{0, 0}};
    unsigned depth = 0;
    uint64_t copies = 0, times;

    for (const char *at = text; *at;) {
        struct level *level = &levels[depth];

        switch (*at++) {
        case '(':
            *reason = "too many groups within groups";
            if (++depth == MOST_DEPTH)
                return false;
            levels[depth] = (struct level){0, 0};
            break;
        case ')':
            if (depth > 0)
                put_part(&levels[--depth], level->all + 1);
            break;
        case '[':
            at = skip_bracket(at);
            put_part(level, 1);
            break;
        case '\\':
            *reason = "back-references are not supported";
            if (*at >= '1' && *at <= '9')
                return false;
            at += *at != '\0';
            put_part(level, 1);
            break;
        case '*': case '?':
            level->last += 1;
            level->all += 1;
            break;
        case '+':               /* glibc compiles a+ as aa*, so each + doubles what it repeats */
        case '{':
            *reason = "too large: what is repeated is repeated again";
            times = at[-1] == '+' ? 1 : copies_of(&at) - 1;
            copies += times * level->last;
            level->all += times * level->last;
            level->last += times * level->last;
            if (copies > MOST_COPIES)
                return false;
            break;
        default:
            put_part(level, 1);
        }
    }
    return true;
}

/* ---------------------------------------------------------------- using it */

bool
mp_pattern_compile(struct mp_pattern *pattern, const char *text, char reason[static MP_PATTERN_REASON])
{
    const char *why = "too long";
    int status;

    if (strlen(text) > MOST_LENGTH || !is_small(text, &why)) {
        snprintf(reason, MP_PATTERN_REASON, "%s", why);
        return false;
    }
    status = *text ? regcomp(&pattern->regex, text, REG_EXTENDED | REG_NOSUB) : REG_BADPAT;
    if (status == REG_ESPACE)
        mp_no_memory();
    if (status != 0) {
        regerror(status, &pattern->regex, reason, MP_PATTERN_REASON);
        return false;
    }
    pattern->text = mp_need(strdup(text));
    pattern->matched = 0;
    return true;
}

/* Compiles the expression again, which drops the states made by matching. */
static void
drop_states(struct mp_pattern *pattern)
{
    regfree(&pattern->regex);
    if (regcomp(&pattern->regex, pattern->text, REG_EXTENDED | REG_NOSUB) != 0)
        mp_no_memory();
    pattern->matched = 0;
}

bool
mp_pattern_matches(struct mp_pattern *pattern, const char *text)
{
    int status;

    pattern->matched += strlen(text);
    if (pattern->matched > MOST_TEXT)
        drop_states(pattern);
    status = regexec(&pattern->regex, text, 0, NULL, 0);
    if (status == REG_ESPACE)
        mp_no_memory();
    return status == 0;
}

void
mp_pattern_free(struct mp_pattern *pattern)
{
    regfree(&pattern->regex);
    free(pattern->text);
}
