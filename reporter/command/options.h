/*
 * options.h -- parses the options of a command and reports errors in them.
 */
#ifndef MP_COMMAND_OPTIONS_H
#define MP_COMMAND_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "reporter/base/error.h"
#include "reporter/profile/counts.h"

/* Exit statuses other than 0. A command with a verdict returns MP_EXIT_ERROR for a bad verdict, and MP_EXIT_USAGE if
 * it has no verdict for any reason. */
enum { MP_EXIT_ERROR = 1, MP_EXIT_USAGE = 2 };

/* Returns 0 if OK, else the exit status for *ERROR. */
int mp_exit_status(bool ok, const struct mp_error *error);

/* Returns the exit status of a command with a verdict. This is VERDICT if OK, else MP_EXIT_USAGE. Flushes standard
 * output first; if that fails, returns MP_EXIT_USAGE and fills *ERROR, because the verdict was not written. */
int mp_exit_verdict(bool ok, int verdict, struct mp_error *error);

/* Parses the options of `mprof NAME` into INPUT. Returns -1 if the command should continue, or its exit status: 0
 * after --help or --version, and 2 with *ERROR for wrong usage. PARSER's functions report errors by
 * mp_options_refuse(). */
int mp_options_parse(const struct argp *parser, const char *name, int argc, char **argv,
                     unsigned flags, void *input, struct mp_error *error);

/* A search for the name of which WORD is probably a misspelling. */
struct mp_nearest {
    const char *word;           /* word to search, set by the caller; the other fields must be zeroed at first */
    const char *found;          /* nearest name so far; NULL if none is near enough */
    unsigned distance;          /* number of edits between `word` and `found` */
};
void mp_nearest_add(struct mp_nearest *nearest, const char *name);

/* For parser functions: stores the error message and returns EINVAL, which ends parsing. */
error_t mp_options_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For parser functions, at ARGP_KEY_ARG: stores ARG in *FILE as the only data file. Refuses another one. */
error_t mp_options_file(const char **file, const char *arg, const struct argp_state *state);

/* For parser functions: parses --cost=TEXT into *COST. */
error_t mp_options_cost(const char *text, enum mp_sort *cost);

/* For parser functions: parses TEXT as a number from LOW to HIGH. Returns false if it is not one. */
bool mp_options_number(const char *text, unsigned long low, unsigned long high,
                       unsigned long *number);

/* Parses TEXT as a number of bytes from 1 to HIGH, with K or M for units of 1024. Returns false if it is not one. */
bool mp_options_bytes(const char *text, unsigned long high, unsigned long *bytes);

/* For parser functions: parses the argument TEXT of --sample into *PERIOD, the mean distance of samples in bytes. If
 * the option has no argument, TEXT is NULL, and the default is used. Returns 0, or refuses TEXT. */
error_t mp_options_sample(const char *text, unsigned long *period);

#endif
