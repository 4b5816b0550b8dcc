/* interrupt.h -- commands that go on until somebody ends them. */
#ifndef MP_COMMAND_INTERRUPT_H
#define MP_COMMAND_INTERRUPT_H

#include <signal.h>

/* From now on SIGINT, SIGTERM and SIGHUP do not end this process, but make what is returned 1. */
volatile sig_atomic_t *mp_until_interrupted(void);

#endif
