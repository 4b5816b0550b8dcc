/* SPDX-License-Identifier: MIT */
/*
 * text_log.h -- MPROF_LOG: writes a line of text for each allocated or freed block from a minimum size on.
 *
 * Not available in sampled recordings. The file is opened and closed for each line, because the program may close
 * any descriptor.
 */
#ifndef MP_LOG_H
#define MP_LOG_H

#include "recorder.h"

/* Called when a recording begins. Lock held. */
void mp_log_begin(void);

/* Writes a line: BLOCK of SIZE bytes, counted in CELL, was allocated or FREED. */
void mp_log_note(const struct mp_recorder *recorder, bool freed, const void *block, size_t size, uint32_t cell);

#endif
