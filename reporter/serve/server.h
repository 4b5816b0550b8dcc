/* SPDX-License-Identifier: MIT */
/*
 * server.h -- the HTTP server: connections, their limits, and which requests are answered at all.
 *
 * reporter/serve/ owns requests, the list of processes and the metrics. Profiles and pages come from the directories
 * export and html, and every request is untrusted input. Only mprof serve calls it, through this header.
 *
 * One thread listens and answers fast requests itself: the list, metrics and refusals. Another thread makes profiles
 * and reports one by one (worker.h). Clients that wait for a delta, or send or read slowly, do not delay others. Slow
 * ones are disconnected after a time limit.
 */
#ifndef MP_SERVER_H
#define MP_SERVER_H

#include <signal.h>
#include <sys/socket.h>

#include "answer.h"
#include "reporter/base/error.h"

struct mp_server_options {
    struct sockaddr_storage address;    /* address to listen at; port 0 means any free port */
    const char *const *names;           /* names that requests may use for this host, see mp_host_is_allowed() */
    unsigned n_names;
};

/* Parses TEXT, for example "127.0.0.1:6060", "[::1]:6060" or "localhost:6060", into ADDRESS. A port alone is on the
 * loopback interface. Returns false if it is not an address. */
bool mp_server_address(const char *text, struct sockaddr_storage *address);

/* Prints the URL to standard output and serves until *UNTIL is nonzero. Returns false and fills *ERROR if it cannot
 * listen or this mprof was built without libmicrohttpd. */
bool mp_serve(struct mp_served *answers, const struct mp_server_options *options,
              const volatile sig_atomic_t *until, struct mp_error *error);

#endif
