/*
 * server.h -- HTTP: connections, how many and how long, and which requests are answered at all.
 *
 * One thread listens, and answers at once what takes a moment: the list, metrics, refusals.  Profiles and reports are
 * made in another one (worker.h), one after the other.  A client that waits for a delta keeps nobody else waiting, nor
 * does one that sends or reads slowly; that one is cut off after a time.
 */
#ifndef MP_SERVER_H
#define MP_SERVER_H

#include <signal.h>
#include <sys/socket.h>

#include "answer.h"
#include "reporter/base/error.h"

struct mp_server_options {
    struct sockaddr_storage address;    /* to listen at; port 0: any that is free */
    const char *const *names;           /* by which clients may call us, see mp_host_is_allowed() */
    unsigned n_names;
};

/* ADDRESS of TEXT, "127.0.0.1:6060", "[::1]:6060", "localhost:6060", or a port alone, of the loopback interface.
 * False: it is none. */
bool mp_server_address(const char *text, struct sockaddr_storage *address);

/* Answer until *UNTIL is not 0, and say on standard output where.  False and *ERROR: it cannot listen there, or
 * this mprof was built without libmicrohttpd. */
bool mp_serve(struct mp_answers *answers, const struct mp_server_options *options,
              const volatile sig_atomic_t *until, struct mp_error *error);

#endif
