/*
 * http.h -- sends a profile to a receiver by HTTP. Only main_http.c uses libcurl.
 *
 * Redirections are not followed, because secret headers would then be sent to a host that the user did not name.
 */
#ifndef MP_PUSH_HTTP_H
#define MP_PUSH_HTTP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/error.h"

#define MP_HTTP_HEADERS_MOST 32u

struct mp_http_options {
    const char *const *headers; /* "Name: value", added to each request */
    unsigned n_headers;
    const char *authority;      /* file of trusted certificates; NULL for the system's */
    unsigned timeout;           /* maximum seconds until an answer is complete */
    bool progress;              /* show the time that a request takes on stderr, a terminal */
    const volatile sig_atomic_t *until;         /* ends the current request when it becomes nonzero */
};

struct mp_http_request {
    const char *url, *type;
    const char *key;            /* idempotency key, the same for each attempt to send this */
    const void *bytes;
    size_t size;
};

struct mp_http_answer {
    unsigned status;            /* HTTP status; 0 if there was no answer */
    bool untrusted;             /* there was no answer because the receiver's certificate is not trusted */
    bool told;                  /* the answer has a time for the next attempt */
    uint64_t after;             /* seconds until the next attempt */
    char said[240];             /* first line of the answer, or why no answer came; printable */
};

/* Checks URL. Returns false and fills *ERROR if it is not a URL, has another scheme than http or https, or contains a
 * name, a password or a fragment. */
bool mp_http_check(const char *url, struct mp_error *error);

struct mp_http;

/* Prepares for requests with OPTIONS, which must stay valid. Returns NULL and fills *ERROR if the file of
 * certificates cannot be read or this mprof was built without libcurl. */
struct mp_http *mp_http_open(const struct mp_http_options *options, struct mp_error *error);
void mp_http_close(struct mp_http *http);       /* NULL is allowed */

void mp_http_post(struct mp_http *http, const struct mp_http_request *request, struct mp_http_answer *answer);

#endif
