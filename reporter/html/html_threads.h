/* html_threads.h -- threads that a page tells apart: by name, as --thread does. */
#ifndef MP_HTML_THREADS_H
#define MP_HTML_THREADS_H

#include "reporter/profile/profile.h"

struct mp_html_threads {
    const char **names; uint32_t n;     /* of those that have cells, in the order of these; NULL: not known */
    uint32_t *of;               /* by context of the view: in `names` */
};

/* In ARENA, as names are. */
struct mp_html_threads mp_html_threads(const struct mp_profile *view, struct mp_arena *arena);

#endif
