/*
 * pattern.h -- extended regular expressions of POSIX that a user gives, with bounded memory and time.
 *
 * glibc repeats a group in memory for each round of {N}, so that nested repetitions multiply, follows back-references
 * by trying all ways, and keeps a state for each new set of places that the text leads to.
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
    size_t matched;             /* bytes of text since `regex` was compiled */
};

/* Compiles TEXT.  On failure returns false and writes the cause to REASON; then there is nothing to free. */
bool mp_pattern_compile(struct mp_pattern *pattern, const char *text, char reason[static MP_PATTERN_REASON]);

/* Returns whether TEXT contains a match. */
bool mp_pattern_matches(struct mp_pattern *pattern, const char *text);

void mp_pattern_free(struct mp_pattern *pattern);

#endif
