/*
 * print_options.h -- what commands that print tables take: how much is shown, and how.
 *
 * For parser functions: each sets what TEXT, the argument of its option, says; 0, or mp_options_refuse().
 */
#ifndef MP_COMMAND_PRINT_OPTIONS_H
#define MP_COMMAND_PRINT_OPTIONS_H

#include <argp.h>

#include "reporter/base/term.h"
#include "reporter/output/print.h"

error_t mp_options_chain(const char *text, struct mp_print_options *print);     /* --chain */
error_t mp_options_most(const char *text, struct mp_print_options *print);      /* --max */
error_t mp_options_least(const char *text, struct mp_print_options *print);     /* --min */
error_t mp_options_color(const char *text, enum mp_color_when *when);           /* --color */

#endif
