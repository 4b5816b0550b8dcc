/* SPDX-License-Identifier: MIT */
#include "preload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "installed.h"
#include "runtime/sanitizer.h"

#define LIBRARY "libmprof.so"

char *
mp_preload_find(struct mp_error *error)
{
    const char *asked = getenv("MPROF_LIBRARY");
    char *path;

    if (asked && *asked) {
        path = access(asked, R_OK) == 0 ? realpath(asked, NULL) : NULL;
        if (!path)
            mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s (MPROF_LIBRARY): %s", asked,
                    strerror(errno));
    } else {
        path = mp_installed_find(".libs", MP_PKGLIBDIR, LIBRARY);
        if (!path)
            mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                    LIBRARY " is neither in .libs beside this mprof nor in %s; "
                            "name it in MPROF_LIBRARY", MP_PKGLIBDIR);
    }
    if (path && strpbrk(path, " :")) {
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                "%s: LD_PRELOAD takes no path with a space or colon", path);
        free(path);
        return NULL;
    }
    return path;
}

bool
mp_preload_check(const char *list, struct mp_error *error)
{
    const char *first = list ? mp_sanitizer_in_list(list) : NULL;

    return !first ||
           mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                   "LD_PRELOAD: %.*s must be the first library, so nothing can be profiled",
                   (int)strcspn(first, " :"), first);
}

/* Returns whether LIBRARY is an element of LIST. */
static bool
listed(const char *library, const char *list)
{
    size_t length = strlen(library);

    while (*(list += strspn(list, " :"))) {
        size_t n = strcspn(list, " :");

        if (n == length && memcmp(list, library, n) == 0)
            return true;
        list += n;
    }
    return false;
}

char *
mp_preload_join(const char *library, const char *old)
{
    char *text;

    if (!old || *old == '\0')
        return strdup(library);
    if (listed(library, old))
        return strdup(old);
    return asprintf(&text, "%s:%s", library, old) < 0 ? NULL : text;
}
