/* SPDX-License-Identifier: MIT */
/*
 * reader.h -- reads a data file of either form into a struct mp_profile.
 *
 * reporter/file/ owns both forms of the data file, and writes the sealed one (seal.h). Whoever needs a profile calls
 * this header, usually through reporter/symbols/load.h. Code that works with live files also uses live_writer.h and
 * observed.h, readers of other files use input.h and file_blocks.h, and reporter/unite/ uses figures_check.h.
 *
 * All input is untrusted. Bytes are read through bounds checks only, and a damaged file yields an error that names
 * the offset. As much of a live file is read as is intact. The file of a running process is read in an order
 * (cells, contexts, frames, modules, strings) that leaves no dangling id.
 */
#ifndef MP_READER_H
#define MP_READER_H

#include "observed.h"
#include "reporter/profile/profile.h"

/* Reads PATH. Returns NULL and sets *ERROR on failure. The caller frees the profile with mp_profile_free(). */
struct mp_profile *mp_read(const char *path, struct mp_error *error);

/* Like mp_read(). If PATH is a live file and OBSERVED is not NULL, the time line includes OBSERVED. */
struct mp_profile *mp_read_observed(const char *path, const struct mp_observed *observed,
                                    struct mp_error *error);

/* Like mp_read_observed(), from FD, an open regular file, which remains open. PATH is used in messages only. */
struct mp_profile *mp_read_open(int fd, const char *path, const struct mp_observed *observed,
                                struct mp_error *error);

/* Like mp_read(), and sets CONTEXTS to the profile's contexts for the N context IDS of a live file. Sets MP_NO_ID
 * for an unknown id, and for all ids if the file has another form, because other forms do not store these ids. */
struct mp_profile *mp_read_contexts(const char *path, const uint64_t *ids, uint32_t *contexts, uint32_t n,
                                    struct mp_error *error);

/* Reads from a live file only the allocations of the thread that uses the recorder with id RECORDER. Fails for
 * files of other forms. */
struct mp_profile *mp_read_thread(const char *path, uint32_t recorder, struct mp_error *error);

/* Like mp_read(), from SIZE bytes in memory. Used for fuzzing. NAME is used in messages only. */
struct mp_profile *mp_read_bytes(const uint8_t *bytes, size_t size, const char *name,
                                 struct mp_error *error);
#endif
