/*
 * options.h -- parses the options of a command and reports errors in them.
 */
#ifndef MP_COMMAND_OPTIONS_H
#define MP_COMMAND_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "reporter/base/label.h"
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

/* Flag in a command's table of options: the option may be given several times. Two values of any other option are
 * refused. */
enum { MP_OPTION_MANY = 0x100 };

/* Flag for mp_options_parse(): each option may be given several times, and the last value counts. */
enum { MP_OPTIONS_REPEATED = 0x1000 };

/* For parser functions: stores the error message and returns EINVAL, which ends parsing. */
error_t mp_options_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For parser functions, at ARGP_KEY_ARG: stores ARG in *FILE as the only data file. Refuses another one. */
error_t mp_options_file(const char **file, const char *arg, const struct argp_state *state);

/* For parser functions: refuses the value of the current option. The message begins with the option and the value. */
error_t mp_options_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Parses TEXT as a number from LOW to HIGH. Returns false if it is not one. */
bool mp_options_number(const char *text, unsigned long low, unsigned long high,
                       unsigned long *number);

/* For parser functions: parse the value TEXT of the current option. Each returns 0, or refuses TEXT. */
error_t mp_options_count(const char *text, unsigned low, unsigned high, unsigned *number);
error_t mp_options_rows(const char *text, unsigned *most);          /* --max; UINT_MAX for all */
error_t mp_options_chain(const char *text, unsigned *functions);    /* --chain; 0 for all */
error_t mp_options_cost(const char *text, enum mp_sort *cost);      /* --cost, and --sort of tables */

/* The same for --label. TEXT is NAME=VALUE, where errors call the name WHAT. It is modified and becomes the next of the
 * *N LABELS, of which there may be MP_LABELS_MOST with different names. */
error_t mp_options_label(char *text, const char *what, struct mp_label *labels, uint32_t *n);

/* The same for a number of bytes from 1 to HIGH, with K, M or G for units of 1024. */
error_t mp_options_bytes(const char *text, uint64_t high, uint64_t *bytes);

/* The same for the N words in WORDS. Stores the word's index in *INDEX. */
error_t mp_options_word(const char *text, const char *const words[], unsigned n, unsigned *index);

/* The same for --sample, the mean distance of samples in bytes. If the option has no value, TEXT is NULL, and the
 * default is used. */
error_t mp_options_sample(const char *text, uint64_t *period);

#endif
