/* SPDX-License-Identifier: MIT */
/* log_seal.h -- writes the log of a live file as FILE.log. */
#ifndef MP_LOG_SEAL_H
#define MP_LOG_SEAL_H

#include "log.h"
#include "reporter/base/file_at.h"

/* Writes the events in the live file FILE to FILE.log in the same directory. If FILE has no events, writes nothing and
 * removes the log of an earlier recording. Returns false and fills *ERROR if the log cannot be written, or if FILE.log
 * exists and is not a log. */
bool mp_log_seal(const struct mp_file_at *file, struct mp_error *error);

#endif
