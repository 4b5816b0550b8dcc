/*
 * signal_at_open.c -- preloaded into mprof, sends it SIGTERM when a database has been opened.
 */
#include <dlfcn.h>
#include <signal.h>

struct sqlite3;
int sqlite3_open_v2(const char *path, struct sqlite3 **database, int flags, const char *vfs);

int
sqlite3_open_v2(const char *path, struct sqlite3 **database, int flags, const char *vfs)
{
    int (*next)(const char *, struct sqlite3 **, int, const char *);
    int result;

    *(void **)&next = dlsym(RTLD_NEXT, "sqlite3_open_v2");
    result = next(path, database, flags, vfs);
    raise(SIGTERM);
    return result;
}
/* SPDX-License-Identifier: MIT */
