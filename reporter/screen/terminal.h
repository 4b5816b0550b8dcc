/* SPDX-License-Identifier: MIT */
/*
 * terminal.h -- the terminal as rows of text and a keyboard, by ncursesw.
 *
 * The terminal is restored however the process ends: at exit, or by a handler of deadly signals, which does not call
 * ncurses.
 */
#ifndef MP_TERMINAL_H
#define MP_TERMINAL_H

#include "keys.h"
#include "reporter/base/error.h"

/* Initialises the terminal. Returns false and fills *ERROR if stdin or stdout is not a terminal, its type is unknown,
 * or mprof was built without ncursesw. */
bool mp_terminal_open(struct mp_error *error);
void mp_terminal_close(void);

void mp_terminal_size(unsigned *width, unsigned *height);
void mp_terminal_show(const struct mp_picture *picture);

/* Returns the next key, or MP_KEY_NONE after MS milliseconds. */
uint32_t mp_terminal_key(int ms);

#endif
