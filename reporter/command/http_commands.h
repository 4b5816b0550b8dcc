/* SPDX-License-Identifier: MIT */
/*
 * http_commands.h -- the subcommand that uses HTTP.
 *
 * It is in a separate program, mprof-http, which mprof executes for it. The library that it needs loads a dozen
 * others, whose initialisers would run in every program linked with them. One of these initialisers never ends
 * if libasan is preloaded, and mprof run must work there.
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
