/* recording.h -- a live file and its recorders, for tests of what is counted there. */
#ifndef MP_TEST_RECORDING_H
#define MP_TEST_RECORDING_H

#include "runtime/record/recorder.h"

/* Before each test: a file begins, which is removed at once.  Ids go on from the file before. */
void begin_recording(void);

/* As a thread's first allocation has it, one of several threads' unless SOLE. */
struct mp_recorder *take_recorder(bool sole);

#endif
