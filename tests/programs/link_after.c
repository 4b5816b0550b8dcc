/*
 * link_after.c -- preloaded into mprof, replaces each renamed file at once by a symbolic link to $LINK_AFTER.
 *
 * Another user who may write to the directory could win this race; here he always wins it.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    int (*next)(int, const char *, int, const char *);
    const char *target = getenv("LINK_AFTER");
    int result;

    *(void **)&next = dlsym(RTLD_NEXT, "renameat");
    result = next(from_folder, from, to_folder, to);
    if (result == 0 && target && (unlinkat(to_folder, to, 0) != 0 || symlinkat(target, to_folder, to) != 0))
        perror("link_after");
    return result;
}

int
rename(const char *from, const char *to)
{
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}
/* SPDX-License-Identifier: MIT */
