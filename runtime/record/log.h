/*
 * log.h -- MPROF_LOG: a line of text for each block that is allocated or freed, from a size on.
 *
 * Not in a sampled recording.  Each line is written at once, by a file that is opened for it, because the program may
 * close any descriptor.
 */
#ifndef MP_LOG_H
#define MP_LOG_H

#include "recorder.h"

/* A recording begins.  Lock held. */
void mp_log_begin(void);

/* BLOCK of SIZE bytes, which is counted in CELL, was allocated or FREED. */
void mp_log_note(const struct mp_recorder *recorder, bool freed, const void *block, size_t size, uint32_t cell);

#endif
