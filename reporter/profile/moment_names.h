/*
 * moment_names.h -- moments of a time line by what users call them: "loaded", "loaded#2", "#3", "1.5s", "200ms".
 */
#ifndef MP_MOMENT_NAMES_H
#define MP_MOMENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "timeline.h"

/* The NTHth checkpoint, from 1 on, whose name has LENGTH bytes of TEXT, or, NULL, of all; MP_NO_ID: there is
 * none, or no LINE. */
uint32_t mp_moment_checkpoint(const struct mp_timeline *line, const char *text, size_t length,
                              unsigned long nth);

/* Is TEXT what a moment is called that every recording has: start, peak, end?  A checkpoint of such a name is called
 * by its number. */
bool mp_moment_is_reserved(const char *text);

/* The checkpoint called TEXT: a name, NAME#2 for the second one of that name, #3 for the third of all;
 * MP_NO_ID: there is none. */
uint32_t mp_moment_named(const struct mp_timeline *line, const char *text);

/* "1.5s", "200ms" or "1.5", seconds, in ns; false: TEXT is no time. */
bool mp_moment_time(const char *text, uint64_t *time);

#endif
