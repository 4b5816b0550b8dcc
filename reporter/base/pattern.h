/* SPDX-License-Identifier: MIT */
/*
 * pattern.h -- POSIX extended regular expressions given by a user, with bounded memory and time.
 *
 * glibc's own functions are unbounded in three ways. They expand a group for each round of {N}, so nested
 * repetitions multiply. They follow back-references by trying all ways. They keep a state for each new set of
 * positions that a text leads to.
 */
#ifndef MP_PATTERN_H
#define MP_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#define MP_PATTERN_REASON 128   /* bytes */

struct mp_pattern {
    regex_t regex;
    char *text;
    size_t matched;             /* bytes matched since `regex` was compiled */
};

/* Compiles TEXT. On failure returns false, writes the cause to REASON, and leaves nothing to free. */
bool mp_pattern_compile(struct mp_pattern *pattern, const char *text, char reason[static MP_PATTERN_REASON]);

/* Returns whether TEXT contains a match. */
bool mp_pattern_matches(struct mp_pattern *pattern, const char *text);

void mp_pattern_free(struct mp_pattern *pattern);

#endif
