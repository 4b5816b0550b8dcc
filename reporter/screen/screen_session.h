/* SPDX-License-Identifier: MIT */
/*
 * screen_session.h -- mprof top on a terminal: takes samples and handles keys.
 *
 * reporter/screen/ owns the terminal while mprof top runs, its rows and its keys. It reads the data file again for each
 * sample and sends no request unless a key asks for one. Only mprof top calls it.
 */
#ifndef MP_SCREEN_SESSION_H
#define MP_SCREEN_SESSION_H

#include "keys.h"
#include "screen_sample.h"

/* Runs until the user ends it or N samples were taken; 0 means no limit. Returns false and fills *ERROR if there is
 * no usable terminal. */
bool mp_session(struct mp_looks *looks, struct mp_controls *controls, unsigned long n,
                struct mp_error *error);

/* ---------------------------------------------------------------- without a terminal */

/* mprof top for scripts and logs: prints samples as text. */

/* Prints N samples to OUT, separated by empty lines, or until the recording has ended. 0 means no limit. MOST is the
 * maximum number of lines in each. Returns false if writing failed, for example because nobody reads it any more. */
bool mp_batch(struct mp_looks *looks, struct mp_controls *controls, unsigned long n, uint32_t most,
              FILE *out);

#endif
