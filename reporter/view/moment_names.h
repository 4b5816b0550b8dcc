/* SPDX-License-Identifier: MIT */
/*
 * moment_names.h -- finds the points of a time line that users name: "loaded", "loaded#2", "#3", "1.5s",
 * "200ms".
 */
#ifndef MP_MOMENT_NAMES_H
#define MP_MOMENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/profile/timeline.h"

/* Returns the index of the NTH checkpoint (counted from 1) with the name in the LENGTH bytes of TEXT. If TEXT is
 * NULL, checkpoints of any name are counted. Returns MP_NO_ID if there are fewer. LINE may be NULL. */
uint32_t mp_moment_checkpoint(const struct mp_timeline *line, const char *text, size_t length,
                              unsigned long nth);

/* Returns whether TEXT is one of the names that exist in every recording: start, peak, end. A checkpoint with
 * such a name can only be named by its number. */
bool mp_moment_is_reserved(const char *text);

/* Returns the index of the checkpoint named TEXT, or MP_NO_ID. TEXT is a name, NAME#2 for the second checkpoint
 * of that name, or #3 for the third of all. */
uint32_t mp_moment_named(const struct mp_timeline *line, const char *text);

/* Converts "1.5s", "200ms" or "1.5" (seconds) to ns. Returns false if TEXT is no time. */
bool mp_moment_time(const char *text, uint64_t *time);

#endif
