/*
 * command.h -- the mprof command: its subcommands, its help, and the 1988 form.
 */
#ifndef MP_COMMAND_H
#define MP_COMMAND_H

#include <argp.h>
#include <stdbool.h>

#include "reporter/base/error.h"

enum { MP_EXIT_ERROR = 1, MP_EXIT_USAGE = 2 };

/* A subcommand.  run() gets its own name as argv[0]; it returns the exit status, and fills *ERROR
 * (which main prints) where it has not said itself what is wrong. */
struct mp_command {
    const char *name;
    const char *summary;        /* one line for mprof --help */
    int (*run)(int argc, char **argv, struct mp_error *error);
};

extern const struct mp_command mp_cmd_run, mp_cmd_report, mp_cmd_totals, mp_cmd_dump,
                               mp_cmd_snapshot, mp_cmd_stop, mp_cmd_start;

/* mprof [options] [a.out [mprof.data]]: the report as it was asked for in 1988. */
int mp_report_1988(int argc, char **argv, struct mp_error *error);

/* What main does. */
int mp_command_main(int argc, char **argv, struct mp_error *error);

/* Parse the options of `mprof NAME` into INPUT.  -1: go on; else the exit status: 0 after --help,
 * 2 and *ERROR for bad usage.  PARSER's functions refuse with mp_command_refuse(). */
int mp_command_parse(const struct argp *parser, const char *name, int argc, char **argv,
                     unsigned flags, void *input, struct mp_error *error);

/* For parser functions: remember what is wrong, and stop.  Returns EINVAL. */
error_t mp_command_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For parser functions: TEXT as a number from LOW to HIGH, or false. */
bool mp_command_number(const char *text, unsigned long low, unsigned long high,
                       unsigned long *number);

#endif
