/*
 * question.h -- what a client asks for: the path and the arguments of its request, all of it hostile.
 *
 * Paths are compared with those that there are, and what they say of a subject with the ids of those that are
 * served: nothing of a question ever becomes the name of a file.
 *
 *     /                                   the list of subjects
 *     /ID/                                the report of one as a page
 *     /ID/debug/pprof/heap, .../allocs    its profile; with ?seconds=N what happens from now on for N seconds
 *     /debug/pprof/heap?pid=ID            the same; without pid of the only one
 *     /metrics                            figures of all, for Prometheus
 */
#ifndef MP_QUESTION_H
#define MP_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#define MP_QUESTION_ID 300u     /* bytes of an id, with its NUL: any name of a file, and a number behind it */
#define MP_QUESTION_SECONDS 300u        /* at most */

enum mp_page { MP_PAGE_LIST, MP_PAGE_REPORT, MP_PAGE_HEAP, MP_PAGE_ALLOCS, MP_PAGE_METRICS };

struct mp_question {
    enum mp_page page;
    char id[MP_QUESTION_ID];    /* "": none was given */
    uint32_t seconds;           /* 0: all since recording began */
};

/* What PATH, decoded, and the arguments PID, SECONDS and DEBUG ask for; NULL: one that was not given.  Returns
 * the status of HTTP that the answer has if nothing stands in the way: 200; or 400 or 404, and in *WHY a line. */
unsigned mp_question_parse(const char *path, const char *pid, const char *seconds, const char *debug,
                           struct mp_question *question, const char **why);

/* May a request be answered that was sent to HOST, a Host header?  A page of somebody else's can make a browser
 * ask us by a name that it lets stand for our address; it cannot do so by an address.  So addresses are allowed,
 * localhost, and the N NAMES. */
bool mp_host_is_allowed(const char *host, const char *const names[], unsigned n);

#endif
