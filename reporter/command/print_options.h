/*
 * print_options.h -- options of commands that print tables: how much is shown and how.
 *
 * These parser functions store the argument TEXT of their option. They return 0, or refuse it by mp_options_refuse().
 */
#ifndef MP_COMMAND_PRINT_OPTIONS_H
#define MP_COMMAND_PRINT_OPTIONS_H

#include <argp.h>

#include "reporter/base/term.h"
#include "reporter/output/print.h"

error_t mp_options_callers(const char *text, struct mp_print_options *print);   /* --chain, in all tables */
error_t mp_options_least(const char *text, struct mp_print_options *print);     /* --min */
error_t mp_options_color(const char *text, enum mp_color_when *when);           /* --color */

#endif
