/*
 * reader.h -- a data file of either form becomes a struct mp_profile.
 *
 * Every input is hostile: bytes are taken through bounds checks only, and a damaged file gives an
 * error that names the place.  What is readable of a live file is shown; the file of a running
 * process is read in an order (cells, contexts, frames, modules, strings) that leaves no dangling id.
 */
#ifndef MP_READER_H
#define MP_READER_H

#include "observed.h"
#include "reporter/profile/profile.h"

/* Read PATH.  NULL and *ERROR on failure; else the caller frees it with mp_profile_free(). */
struct mp_profile *mp_read(const char *path, struct mp_error *error);

/* The same, with a time line of what was OBSERVED, if that is not NULL, of the recording in a live file. */
struct mp_profile *mp_read_observed(const char *path, const struct mp_observed *observed,
                                    struct mp_error *error);

/* The same from the open file FD, a regular one, which stays open; PATH is for messages. */
struct mp_profile *mp_read_open(int fd, const char *path, const struct mp_observed *observed,
                                struct mp_error *error);

/* The same of a live file, with N contexts of the profile for as many IDS that the file has for them; MP_NO_ID where
 * it has none, and for all if the file is of another form, which does not keep these ids. */
struct mp_profile *mp_read_contexts(const char *path, const uint64_t *ids, uint32_t *contexts, uint32_t n,
                                    struct mp_error *error);

/* The same of a live file, but only what the thread allocated that writes it with the recorder RECORDER, an id. */
struct mp_profile *mp_read_thread(const char *path, uint32_t recorder, struct mp_error *error);

/* The same from bytes in memory (for fuzzing); NAME is for messages. */
struct mp_profile *mp_read_bytes(const uint8_t *bytes, size_t size, const char *name,
                                 struct mp_error *error);
#endif
