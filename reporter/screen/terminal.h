/*
 * terminal.h -- the terminal as rows of text and a keyboard, by ncursesw.
 *
 * However the process ends, the terminal is then as it was before: at exit, and by a handler of the
 * signals that end a process, which does what it has to do without ncurses.
 */
#ifndef MP_TERMINAL_H
#define MP_TERMINAL_H

#include "keys.h"
#include "reporter/base/error.h"

/* Take the terminal.  False and *ERROR: stdin and stdout are none, or it is not known, or mprof was built
 * without ncursesw. */
bool mp_terminal_open(struct mp_error *error);
void mp_terminal_close(void);

void mp_terminal_size(unsigned *width, unsigned *height);
void mp_terminal_show(const struct mp_picture *picture);

/* The next key, or MP_KEY_NONE after MS milliseconds. */
uint32_t mp_terminal_key(int ms);

#endif
