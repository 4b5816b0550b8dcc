/* SPDX-License-Identifier: MIT */
/*
 * globs.h -- compares texts with many wildcard patterns at once.
 *
 * In a pattern, `*` matches any text, `?` matches one character of UTF-8, and everything else matches itself. The time
 * for a text depends on its length and on the patterns that nearly match it, but not on the number of patterns: an
 * automaton (Aho and Corasick, 1975) finds the patterns whose longest part without wildcards is in the text, and only
 * these are compared.
 */
#ifndef MP_GLOBS_H
#define MP_GLOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct mp_globs;

/* Creates an empty set, which belongs to ARENA. */
struct mp_globs *mp_globs_new(struct mp_arena *arena);

/* Adds PATTERN, which the caller keeps. Several patterns may have the same ID. All patterns must be added before the
 * first text is compared. */
void mp_globs_add(struct mp_globs *globs, const char *pattern, uint32_t id);

/* Sets bit ID of FOUND for each pattern that matches the LENGTH bytes of TEXT. Clears no bit. */
void mp_globs_match(struct mp_globs *globs, const char *text, size_t length, uint64_t *found);

/* Returns whether PATTERN matches the LENGTH bytes of TEXT. */
bool mp_glob_matches(const char *pattern, const char *text, size_t length);

#endif
