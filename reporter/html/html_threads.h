/* html_threads.h -- numbers the threads of a page. Threads with the same name are one, as for --thread. */
#ifndef MP_HTML_THREADS_H
#define MP_HTML_THREADS_H

#include "reporter/profile/profile.h"

struct mp_html_threads {
    const char **names; uint32_t n;     /* names of threads that have cells, in the order of their first cells; NULL
                                           if unknown */
    uint32_t *of;               /* by context of the view: index in `names` */
};

/* Returns the threads of VIEW. The result is allocated in ARENA. */
struct mp_html_threads mp_html_threads(const struct mp_profile *view, struct mp_arena *arena);

#endif
