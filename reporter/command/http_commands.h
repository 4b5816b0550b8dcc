/*
 * http_commands.h -- the subcommands that use HTTP.
 *
 * They are in a separate program, mprof-http, which mprof executes for them. The libraries that they need load a
 * dozen others, whose initialisers would run in every program linked with them. One of these initialisers never ends
 * if libasan is preloaded, and mprof run must work there.
 */
#ifndef MP_HTTP_H
#define MP_HTTP_H

#include "command.h"

#define MP_HTTP_PROGRAM "mprof-http"

#define MP_SERVE_SUMMARY "serve profiles, reports and metrics over HTTP"
#define MP_SERVE_ARGUMENTS "[PID|FILE|DIR...]"

#define MP_PUSH_SUMMARY "send profiles to Pyroscope, Parca or another receiver over HTTP"
#define MP_PUSH_ARGUMENTS "URL [PID|FILE...]"

/* The subcommands in mprof-http. The subcommands mp_cmd_* of the same names in mprof execute them. */
extern const struct mp_command mp_http_serve;
extern const struct mp_command mp_http_push;

#endif
