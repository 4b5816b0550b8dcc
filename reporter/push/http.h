/*
 * http.h -- a profile goes to a receiver by HTTP: the only file that knows libcurl.
 *
 * No redirection is followed: headers that may be secret would go where nobody said they should.
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
    const char *const *headers; /* "Name: value", of each request */
    unsigned n_headers;
    const char *authority;      /* file of certificates that are trusted; NULL: those of the system */
    unsigned timeout;           /* seconds until an answer has come whole */
    bool progress;              /* how long a request takes goes to stderr, a terminal */
    const volatile sig_atomic_t *until;         /* what becomes 1 while a request is under way ends that one */
};

struct mp_http_request {
    const char *url, *type;
    const char *key;            /* the same each time that this is sent */
    const void *bytes;
    size_t size;
};

struct mp_http_answer {
    unsigned status;            /* 0: none came, */
    bool untrusted;             /* as the receiver's certificate is not to be trusted */
    bool told;                  /* when to come again: */
    uint64_t after;             /* in so many seconds */
    char said[240];             /* what it says, or why none came: one line, fit to be printed */
};

/* Can URL be sent to?  False and *ERROR: it is none, not of http or https, or has a password in it. */
bool mp_http_check(const char *url, struct mp_error *error);

struct mp_http;

/* NULL and *ERROR: this mprof was built without libcurl, or there is no such file. */
struct mp_http *mp_http_open(const struct mp_http_options *options, struct mp_error *error);
void mp_http_close(struct mp_http *http);       /* NULL is allowed */

void mp_http_post(struct mp_http *http, const struct mp_http_request *request, struct mp_http_answer *answer);

#endif
