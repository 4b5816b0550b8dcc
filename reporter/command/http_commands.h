/* SPDX-License-Identifier: MIT */
/*
 * http_commands.h -- the subcommand that uses HTTP.
 *
 * The subcommand is in a separate program, mprof-http, which mprof executes. The HTTP library loads a dozen other
 * libraries, whose initialisers run in every program that is linked with it. One of these initialisers never ends if
 * libasan is preloaded, and mprof run must work then.
 */
#ifndef MP_HTTP_H
#define MP_HTTP_H

#include "command.h"

#define MP_HTTP_PROGRAM "mprof-http"

#define MP_SERVE_SUMMARY "serve profiles, reports and metrics over HTTP"
#define MP_SERVE_ARGUMENTS "[PID|FILE|DIR...]"

/* The subcommand in mprof-http. mp_cmd_serve in mprof executes it. */
extern const struct mp_command mp_http_serve;

#endif
