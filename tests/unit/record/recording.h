/* recording.h -- a live file and its recorders, for tests of what the monitor counts. */
#ifndef MP_TEST_RECORDING_H
#define MP_TEST_RECORDING_H

#include "runtime/record/recorder.h"

extern struct mp_recorder *sole_recorder;       /* the only thread's recorder, made by begin_sole() */

/* Begins a new live file, which has no name. Called before each test. Ids continue those of the previous file. */
void begin_recording(void);

/* Calls begin_recording(), and makes `sole_recorder`. */
void begin_sole(void);

/* Returns a new recorder. A thread gets one at its first allocation. SOLE means that the process has no other
 * threads. */
struct mp_recorder *take_recorder(bool sole);

/* Allocates a block of SIZE bytes in CONTEXT by `sole_recorder`. Returns the cell that counts it. */
uint32_t count_block(uint32_t context, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
