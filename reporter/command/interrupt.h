/* SPDX-License-Identifier: MIT */
/* interrupt.h -- handles signals for commands that run until they are interrupted, and removes incomplete files
 * that commands leave when they are interrupted. */
#ifndef MP_COMMAND_INTERRUPT_H
#define MP_COMMAND_INTERRUPT_H

#include <signal.h>

#include "reporter/base/file_at.h"

/* Makes SIGINT, SIGTERM and SIGHUP set the returned variable to 1 from now on, instead of ending this process. */
volatile sig_atomic_t *mp_until_interrupted(void);

/* Makes these signals remove FILE from now on before they end this process. FILE must stay open until the next call.
 * If FILE is NULL, restores the default actions. */
void mp_remove_if_interrupted(const struct mp_file_at *file);

#endif
