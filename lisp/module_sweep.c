#include "module_sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LIVE_MAGIC "MPROFLIV"
#define HEAP_MAGIC "MPROFHEA"
#define MAGIC      8u
#define RANDOM     6u           /* random characters at the end of a name, from mkostemp() */

/* Containers and machines may share a directory, so a process that does not exist here may exist there. Uses FNV-1a. */
unsigned
mp_module_place(void)
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

    if (sscanf(name, MP_TEMPORARY, &pid, &place) != 2 || pid <= 0 || (pid_t)pid != pid ||
        place != mp_module_place())
        return false;
    n = snprintf(same, sizeof same, MP_TEMPORARY, pid, place);
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
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    char magic[MAGIC];
    struct stat file;
    bool ours;

    if (fd < 0)
        return false;
    ours = fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() &&
           file.st_nlink == 1 &&
           (file.st_size == 0 || (pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic && is_magic(magic)));
    close(fd);
    return ours;
}

static void
sweep(const char *folder)
{
    DIR *list = opendir(folder);
    struct dirent *entry;

    if (!list)
        return;
    while ((entry = readdir(list)))
        if (is_orphan(entry->d_name) && is_data(dirfd(list), entry->d_name))
            unlinkat(dirfd(list), entry->d_name, 0);
    closedir(list);
}

void
mp_module_sweep(const char *folder)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool done;
    bool mine;

    pthread_mutex_lock(&lock);
    mine = !done;
    done = true;
    pthread_mutex_unlock(&lock);
    if (mine)
        sweep(folder);
}
