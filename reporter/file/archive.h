/* SPDX-License-Identifier: MIT */
/*
 * archive.h -- a data file with several sealed recordings, one after the other.
 *
 * mprof run makes an archive for the processes that its program starts (reporter/run/children.h), and cat(1) makes an
 * archive of sealed files. Recordings are only appended. If mprof run was killed while it appended a recording, this
 * last recording is incomplete, but the others are valid, and the live file of the last one still exists.
 */
#ifndef MP_READ_ARCHIVE_H
#define MP_READ_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "input.h"
#include "reporter/profile/profile.h"

struct mp_archive {
    struct mp_input *input;     /* owned by the caller */
    uint64_t *ends;             /* offset of the end of each recording */
    uint32_t n;                 /* number of complete recordings */
    bool cut;                   /* an incomplete recording follows the complete ones */
};

/* Finds the recordings of INPUT. There are none if it does not begin with a complete sealed recording. Returns false
 * and sets *ERROR if INPUT cannot be read or if something else follows a recording. */
bool mp_archive_open(struct mp_archive *archive, struct mp_input *input, struct mp_error *error);
void mp_archive_close(struct mp_archive *archive);

/* Reads recording I. Returns NULL and sets *ERROR on failure. The caller frees the profile with mp_profile_free(). */
struct mp_profile *mp_archive_read(const struct mp_archive *archive, uint32_t i, struct mp_error *error);

#endif
