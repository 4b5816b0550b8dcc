/* SPDX-License-Identifier: MIT */
/*
 * import.h -- reads files of other tools into a profile. reporter/import/ owns the readers of these formats and trusts
 * no file. Only the reader of all files, mp_read(), calls it, through this header.
 *
 * Each format is a line of the table in import.c, except heaptrack's, whose reader decompresses the file itself.
 * Figures that a format lacks are marked as unknown in mp_meta.unknown. mp_meta.source tells the user whether figures
 * are estimates.
 */
#ifndef MP_IMPORT_H
#define MP_IMPORT_H

#include "reporter/profile/profile.h"

/* Reads the SIZE bytes of a file, which may be compressed by gzip, or in heaptrack's format by zstd. NAME is its name
 * in error messages. The caller must check the figures of the returned profile with mp_check_cells(). If names are
 * missing, the profile is not `symbolised`. On failure, returns NULL and sets *ERROR. The code is MP_ERR_NOT_MPROF if
 * the format is unknown. */
struct mp_profile *mp_import(const uint8_t *bytes, size_t size, const char *name,
                             struct mp_error *error);

#endif
