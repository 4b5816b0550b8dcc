/* SPDX-License-Identifier: MIT */
/*
 * command.h -- the mprof command: its subcommands, its help, and the legacy form of 1988.
 *
 * reporter/command/ owns the command line: options, usage errors, exit statuses and the files that commands name. The
 * work of a command is done by other directories. Only main.c and main_http.c call it.
 */
#ifndef MP_COMMAND_H
#define MP_COMMAND_H

#include "option_table.h"

extern const struct mp_command mp_cmd_run;
extern const struct mp_command mp_cmd_report;
extern const struct mp_command mp_cmd_findings;
extern const struct mp_command mp_cmd_check;
extern const struct mp_command mp_cmd_diff;
extern const struct mp_command mp_cmd_html;
extern const struct mp_command mp_cmd_annotate;
extern const struct mp_command mp_cmd_flamegraph;
extern const struct mp_command mp_cmd_heap;
extern const struct mp_command mp_cmd_top;
extern const struct mp_command mp_cmd_leaks;
extern const struct mp_command mp_cmd_merge;
extern const struct mp_command mp_cmd_seal;
extern const struct mp_command mp_cmd_totals;
extern const struct mp_command mp_cmd_plot;
extern const struct mp_command mp_cmd_export;
extern const struct mp_command mp_cmd_replay;
extern const struct mp_command mp_cmd_snapshot;
extern const struct mp_command mp_cmd_checkpoint;
extern const struct mp_command mp_cmd_watch;
extern const struct mp_command mp_cmd_serve;
extern const struct mp_command mp_cmd_stop;
extern const struct mp_command mp_cmd_start;

/* Prints the report in the legacy form: mprof [options] [a.out [mprof.data]]. Returns the exit status. */
int mp_report_1988(int argc, char **argv, struct mp_error *error);

/* Runs the subcommand in argv[1], or the help or the legacy form. Returns the exit status. */
int mp_command_main(int argc, char **argv, struct mp_error *error);

#endif
