/*
 * http.h -- the subcommands that speak HTTP.
 *
 * They are in a program of their own, mprof-http, which mprof turns into for them: the libraries that they need
 * bring a dozen others, whose code runs whenever a program starts that was linked with them.  In one of these it
 * never ends where libasan is preloaded, and mprof run works there.
 */
#ifndef MP_HTTP_H
#define MP_HTTP_H

#include "command.h"

#define MP_HTTP_PROGRAM "mprof-http"

#define MP_SERVE_SUMMARY "serve profiles, reports and metrics over HTTP"
#define MP_SERVE_ARGUMENTS "[PID|FILE|DIR...]"

#define MP_PUSH_SUMMARY "send profiles to Pyroscope, Parca or another receiver over HTTP"
#define MP_PUSH_ARGUMENTS "URL [PID|FILE...]"

/* In mprof-http, each what mp_cmd_* of that name in mprof turns into. */
extern const struct mp_command mp_http_serve;
extern const struct mp_command mp_http_push;

#endif
