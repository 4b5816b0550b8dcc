/*
 * window_options.h -- the options --at, --from and --to, for commands that show a part of a recording by time:
 * an argp child, as view_options.h has it.  Its input is a struct mp_window_ends.
 */
#ifndef MP_COMMAND_WINDOW_OPTIONS_H
#define MP_COMMAND_WINDOW_OPTIONS_H

#include <argp.h>

#include "reporter/profile/window.h"

extern const struct argp mp_window_argp;

/* Refuse to count by SORT what is known of the whole recording only, if ENDS want a part of it; else 0. */
error_t mp_window_refuse_sort(const struct mp_window_ends *ends, enum mp_sort sort);

#endif
