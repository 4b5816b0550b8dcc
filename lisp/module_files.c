/*
 * module_files.c -- creates temporary data files and removes them, however the process exits.
 *
 * A file is removed only by the process that created it, not by a forked child.
 */
#include "module.h"
#include "module_sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct temporary {
    struct temporary *next;
    pid_t owner;
    char path[];
};

static struct temporary *list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool
remember(const char *path)
{
    size_t size = strlen(path) + 1;
    struct temporary *file = malloc(sizeof *file + size);

    if (!file)
        return false;
    memcpy(file->path, path, size);
    file->owner = getpid();
    pthread_mutex_lock(&lock);
    file->next = list;
    list = file;
    pthread_mutex_unlock(&lock);
    return true;
}

static const char *
folder(void)
{
    const char *name = getenv("TMPDIR");

    return name && name[0] == '/' ? name : "/tmp";
}

cl_object
mp_module_temporary(void)
{
    char path[PATH_MAX];
    int fd;

    mp_module_sweep(folder());
    if (snprintf(path, sizeof path, "%s/" MP_TEMPORARY "XXXXXX", folder(), (long)getpid(),
                 mp_module_place()) >= (int)sizeof path)
        return ecl_make_fixnum(ENAMETOOLONG);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return ecl_make_fixnum(errno);
    close(fd);
    if (!remember(path)) {
        unlink(path);
        return ecl_make_fixnum(ENOMEM);
    }
    return mp_module_string(path);
}

/* The returned name is safe although its file is removed: others cannot guess it, and the file is later created
 * without following links. */
cl_object
mp_module_temporary_name(void)
{
    char path[PATH_MAX];
    cl_object name = mp_module_temporary();

    if (!ECL_FIXNUMP(name) && mp_module_path(name, path, sizeof path))
        unlink(path);
    return name;
}

static void
discard(struct temporary *file)
{
    if (file->owner == getpid())
        unlink(file->path);
    free(file);
}

/* Returns whether PATH is the name of a temporary file of this process. */
static bool
is_ours(const char *path)
{
    char beginning[PATH_MAX];
    const int n = snprintf(beginning, sizeof beginning, "%s/" MP_TEMPORARY, folder(), (long)getpid(),
                           mp_module_place());

    return n < (int)sizeof beginning && strncmp(path, beginning, (size_t)n) == 0;
}

void
mp_module_forget(cl_object name)
{
    char path[PATH_MAX];
    struct temporary **link = &list, *file;

    if (!mp_module_path(name, path, sizeof path))
        return;
    pthread_mutex_lock(&lock);
    while (*link && strcmp((*link)->path, path) != 0)
        link = &(*link)->next;
    file = *link;
    if (file)
        *link = file->next;
    pthread_mutex_unlock(&lock);
    if (file)
        discard(file);
    else if (is_ours(path))
        unlink(path);           /* created by another copy of this module */
}

/* Runs at exit, or when ECL unloads its modules before. */
__attribute__((destructor)) static void
forget_all(void)
{
    while (list) {
        struct temporary *file = list;

        list = file->next;
        discard(file);
    }
}
