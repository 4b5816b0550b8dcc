/*
 * window_options.h -- the options --at, --from and --to, which select a part of a recording by time: an argp child
 * like that of view_options.h. Its input is a struct mp_window_ends.
 */
#ifndef MP_COMMAND_WINDOW_OPTIONS_H
#define MP_COMMAND_WINDOW_OPTIONS_H

#include <argp.h>

#include "reporter/profile/window.h"

extern const struct argp mp_window_argp;

/* For parser functions: refuses SORT if ENDS select a part of the time for which its figure is unknown. Otherwise
 * returns 0. */
error_t mp_window_refuse_sort(const struct mp_window_ends *ends, enum mp_sort sort);

#endif
