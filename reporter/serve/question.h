/* SPDX-License-Identifier: MIT */
/*
 * question.h -- parses the path and the arguments of a request. Both are hostile input.
 *
 * Paths are compared with a fixed list, and ids with the ids of the served subjects. No part of a question is ever used
 * as a file name.
 *
 *     /                                   list of subjects
 *     /ID/                                report of a subject as a page
 *     /ID/debug/pprof/heap, .../allocs    profile of a subject; with ?seconds=N, of the next N seconds
 *     /debug/pprof/heap?pid=ID            the same; without pid, of the only subject
 *     /metrics                            figures of all subjects, for Prometheus
 */
#ifndef MP_QUESTION_H
#define MP_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#define MP_QUESTION_ID 300u     /* maximum size of an id with its NUL, bytes: enough for any file name and a number */
#define MP_QUESTION_SECONDS 300u        /* maximum number of seconds */

enum mp_page { MP_PAGE_LIST, MP_PAGE_REPORT, MP_PAGE_HEAP, MP_PAGE_ALLOCS, MP_PAGE_METRICS };

struct mp_http_question {
    enum mp_page page;
    char id[MP_QUESTION_ID];    /* id of the subject; "" if none was given */
    uint32_t seconds;           /* length of the delta; 0 means everything since recording began */
};

/* Parses the decoded PATH and the arguments PID, SECONDS and DEBUG. An argument that was not given is NULL. Returns
 * the HTTP status 200 if the question is valid. Otherwise returns 400 or 404 and stores a message in *WHY. */
unsigned mp_question_parse(const char *path, const char *pid, const char *seconds, const char *debug,
                           struct mp_http_question *question, const char **why);

/* Returns whether requests with the Host header HOST may be answered. Allowed are addresses, localhost and the N
 * NAMES. A foreign web page can make a browser send requests to a name that the page's owner resolves to our address
 * (DNS rebinding). It cannot do so with an address. */
bool mp_host_is_allowed(const char *host, const char *const names[], unsigned n);

#endif
