/* SPDX-License-Identifier: MIT */
/*
 * several.h -- reads a data file in which there may be several recordings (reporter/file/archive.h).
 *
 * Their sum is a merged profile (merge.h) in which each process can be distinguished.
 */
#ifndef MP_SEVERAL_H
#define MP_SEVERAL_H

#include "reporter/file/archive.h"
#include "reporter/view/filter.h"

/* Reads PATH. If it contains several recordings, returns their sum. But if FILTERS, which may be NULL, choose one of
 * them, returns this recording itself, because a sum lacks some of its data. Leaves out a recording that is damaged or
 * cannot be added, counts it, and prints a line on stderr. Returns NULL and sets *ERROR on failure. The caller frees
 * the profile with mp_profile_free(); its names may not be resolved yet. */
struct mp_profile *mp_several_read(const char *path, const struct mp_filters *filters, struct mp_error *error);

/* Reads PATH in the same way, without FILTERS, and resolves its names. */
struct mp_profile *mp_several_load(const char *path, struct mp_error *error);

/* Does what mp_several_read() does for FD, an open regular file, which remains open. PATH is used in messages only. */
struct mp_profile *mp_several_read_open(int fd, const char *path, const struct mp_filters *filters,
                                        struct mp_error *error);

/* Prints a line on stderr: a recording or file is left out because of ERROR. */
void mp_several_left_out(const struct mp_error *error);

/* Returns whether PATH is a file with several recordings. */
bool mp_several_are_in(const char *path);

/* Called for each recording of a file, with its names. May change PROFILE, which is freed afterwards. Returns false and
 * sets *ERROR to fail. */
typedef bool mp_several_take(void *data, struct mp_profile *profile, struct mp_error *error);

/* Calls TAKE with DATA for each recording in PATH. Fails for the first that cannot be read or taken; then returns false
 * and sets *ERROR. */
bool mp_several_each(const char *path, mp_several_take *take, void *data, struct mp_error *error);

#endif
