/* SPDX-License-Identifier: MIT */
/*
 * progress.h -- a progress line on stderr, if that is a terminal and an operation takes more than a second.
 *
 *     mp_progress_begin("reading x.zst");
 *     ... mp_progress(done, all); ...             // repeatedly, from anywhere
 *     mp_progress_end();                          // removes the line
 *
 * Only commands enable it, so code linked into other programs never prints. The switch of quiet commands is
 * here, too. It suppresses this line and all confirmations.
 */
#ifndef MP_PROGRESS_H
#define MP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Enables progress lines. */
void mp_progress_want(void);

/* Suppresses everything but results and errors, that is progress lines and confirmations. */
void mp_quiet_want(void);
bool mp_quiet(void);

/* mp_progress_begin() begins an operation that is called WHAT, a text that must remain valid until the end.
 * mp_progress() shows that DONE of ALL is done, and mp_progress_end() removes the line. An operation within another
 * one prints nothing. */
void mp_progress_begin(const char *what);
void mp_progress(uint64_t done, uint64_t all);
void mp_progress_end(void);

#endif
