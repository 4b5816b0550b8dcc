/*
 * options.h -- the options of a command: parsing them, and refusing what makes no sense.
 */
#ifndef MP_COMMAND_OPTIONS_H
#define MP_COMMAND_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "reporter/base/error.h"
#include "reporter/profile/counts.h"

/* What a command exits with, if not with 0.  A command that gives a verdict exits with MP_EXIT_ERROR if that is bad,
 * and with MP_EXIT_USAGE if there is none, for whatever reason. */
enum { MP_EXIT_ERROR = 1, MP_EXIT_USAGE = 2 };

/* Returns the exit status of a command that succeeded if OK, and else failed with *ERROR. */
int mp_exit_status(bool ok, const struct mp_error *error);

/* Returns the exit status of a command that gives a verdict: VERDICT if OK.  Flushes standard output first, because a
 * verdict that was not written is none; then *ERROR says so. */
int mp_exit_verdict(bool ok, int verdict, struct mp_error *error);

/* Parse the options of `mprof NAME` into INPUT.  -1: go on; else the exit status: 0 after --help,
 * 2 and *ERROR for bad usage.  PARSER's functions refuse with mp_options_refuse(). */
int mp_options_parse(const struct argp *parser, const char *name, int argc, char **argv,
                     unsigned flags, void *input, struct mp_error *error);

/* Of several names, the one that WORD is likely to be a misspelling of. */
struct mp_nearest {
    const char *word;           /* set by the caller; the rest is zero at first */
    const char *found;          /* NULL: none is so near */
    unsigned distance;          /* of FOUND */
};
void mp_nearest_add(struct mp_nearest *nearest, const char *name);

/* For parser functions: remember what is wrong, and stop.  Returns EINVAL. */
error_t mp_options_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For parser functions, of ARGP_KEY_ARG: ARG as the only data file, in *FILE; another one is refused. */
error_t mp_options_file(const char **file, const char *arg, const struct argp_state *state);

/* For parser functions: what --cost=TEXT counts, in *COST. */
error_t mp_options_cost(const char *text, enum mp_sort *cost);

/* For parser functions: TEXT as a number from LOW to HIGH, or false. */
bool mp_options_number(const char *text, unsigned long low, unsigned long high,
                       unsigned long *number);

/* The same as bytes, 1 to HIGH, with K or M for units of 1024. */
bool mp_options_bytes(const char *text, unsigned long high, unsigned long *bytes);

/* For parser functions: TEXT, which was given with --sample, NULL: none was, as the mean distance of
 * samples.  0, or mp_options_refuse(). */
error_t mp_options_sample(const char *text, unsigned long *period);

#endif
