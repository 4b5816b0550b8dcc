/* SPDX-License-Identifier: MIT */
/*
 * module_files.c -- creates temporary data files and removes them, however the process exits.
 *
 * A file is removed only by the process that created it, not by a forked child.
 */
#include "lisp_module.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Beginning of a temporary file's name: process id (long), and place_hash() (unsigned). */
#define TEMPORARY  "mprof-%ld-%08x-"
#define RANDOM     6u           /* random characters at the end of a name, from mkostemp() */
#define LIVE_MAGIC "MPROFLIV"
#define HEAP_MAGIC "MPROFHEA"
#define MAGIC      8u

struct temporary {
    struct temporary *next;
    pid_t owner;
    char path[];
};

static struct temporary *list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ------------------------------------------------------------------ files of killed processes */

/* Returns a hash (FNV-1a) of this machine and its process id name space, in which process ids are unique. Containers
 * and machines may share a directory, so a process that does not exist here may exist there. */
static unsigned
place_hash(void)
{
    struct utsname machine;
    struct stat space;
    uint32_t hash = 2166136261u;

    if (uname(&machine) == 0)
        for (const char *c = machine.nodename; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 16777619u;
    if (stat("/proc/self/ns/pid", &space) == 0)
        for (uint64_t rest = space.st_ino; rest; rest >>= 8)
            hash = (hash ^ (uint8_t)rest) * 16777619u;
    return hash;
}

/* Returns whether NAME is that of a temporary file whose process belonged to this place and is dead. */
static bool
is_orphan(const char *name)
{
    char same[64];
    unsigned place;
    long pid;
    int n;

    if (sscanf(name, TEMPORARY, &pid, &place) != 2 || pid <= 0 || (pid_t)pid != pid ||
        place != place_hash())
        return false;
    n = snprintf(same, sizeof same, TEMPORARY, pid, place);
    return strncmp(name, same, (size_t)n) == 0 && strlen(name) == (size_t)n + RANDOM &&
           kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* Accepts live data files and snapshots of a heap. An incomplete snapshot begins with zeros. */
static bool
is_magic(const char *magic)
{
    static const char none[MAGIC];

    return memcmp(magic, LIVE_MAGIC, MAGIC) == 0 || memcmp(magic, HEAP_MAGIC, MAGIC) == 0 ||
           memcmp(magic, none, MAGIC) == 0;
}

/* Returns whether NAME is a regular file of this user with a single link that is empty or contains our data. */
static bool
is_data(int folder, const char *name)
{
    char magic[MAGIC];
    struct stat file;
    bool ours;
    int fd;

    if (fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(file.st_mode) ||
        file.st_uid != geteuid() || file.st_nlink != 1)
        return false;
    fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ours = file.st_size == 0 || (pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic && is_magic(magic));
    close(fd);
    return ours;
}

/* Removes the temporary data files in FOLDER that dead processes of this user and place have left. Only the first
 * call in a process has an effect. Other files, and files that cannot be examined, are kept. */
static void
sweep(const char *folder)
{
    static bool done;
    struct dirent *entry;
    DIR *files;
    bool mine;

    pthread_mutex_lock(&lock);
    mine = !done;
    done = true;
    pthread_mutex_unlock(&lock);
    files = mine ? opendir(folder) : NULL;
    if (!files)
        return;
    while ((entry = readdir(files)))
        if (is_orphan(entry->d_name) && is_data(dirfd(files), entry->d_name))
            unlinkat(dirfd(files), entry->d_name, 0);
    closedir(files);
}

/* ------------------------------------------------------------------ files of this process */

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

    sweep(folder());
    if (snprintf(path, sizeof path, "%s/" TEMPORARY "XXXXXX", folder(), (long)getpid(),
                 place_hash()) >= (int)sizeof path)
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

/* Creates the file and removes it, so that only its name is left. Another user cannot misuse the name: it cannot be
 * guessed, and the file is later created without following links. */
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
    const int n = snprintf(beginning, sizeof beginning, "%s/" TEMPORARY, folder(), (long)getpid(),
                           place_hash());

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
