/* interrupt.h -- commands that go on until somebody ends them, and what others leave when they are ended. */
#ifndef MP_COMMAND_INTERRUPT_H
#define MP_COMMAND_INTERRUPT_H

#include <signal.h>

#include "reporter/base/file_at.h"

/* From now on SIGINT, SIGTERM and SIGHUP do not end this process, but make what is returned 1. */
volatile sig_atomic_t *mp_until_interrupted(void);

/* From now on these signals end this process as they always do, but FILE is removed before.  FILE stays open until it
 * is another one; NULL: nothing is removed any more. */
void mp_remove_if_interrupted(const struct mp_file_at *file);

#endif
