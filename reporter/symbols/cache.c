#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/text.h"
#include "reporter/base/write_file.h"
#include "stored.h"

#define MOST_FILE   ((off_t)4 << 20)        /* in bytes, of one file */
#define MOST_BYTES  ((uint64_t)64 << 20)    /* in bytes, of all files together */
#define MOST_FILES  4096u
#define NAME_SIZE   128u

/* ----------------------------------------------------------------------------- the folder */

/* Returns the path of the folder, which the caller frees, or NULL. */
static char *
find_folder(void)
{
    const char *own = getenv("MPROF_CACHE"), *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char *folder = NULL;
    int length = -1;

    if (own != NULL)
        return *own == '/' ? strdup(own) : NULL;
    if (cache != NULL && *cache == '/')
        length = asprintf(&folder, "%s/mprof/symbols", cache);
    else if (home != NULL && *home == '/')
        length = asprintf(&folder, "%s/.cache/mprof/symbols", home);
    return length < 0 ? NULL : folder;
}

/* Opens the folder at PATH. Returns -1 with errno set if it does not exist or others than the user can write there. */
static int
open_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || (fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
                   (status.st_mode & (S_IWGRP | S_IWOTH)) == 0))
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

/* Creates the folder PATH and its missing parents, but not inside another user's folder. Otherwise root would
 * create folders that their owner cannot remove. */
static void
make_folder(char *path)
{
    size_t length = strlen(path), at = length;
    struct stat status;

    while (at > 0 && stat(path, &status) != 0) {
        while (at > 0 && path[--at] != '/')
            ;
        path[at] = '\0';
    }
    if (at == 0 || status.st_uid != geteuid())
        return;
    for (; at < length; at = strlen(path)) {
        path[at] = '/';
        if (mkdir(path, 0700) != 0)
            return;
    }
}

static int
use_folder(bool make)
{
    char *path = find_folder();
    int fd = path == NULL ? -1 : open_folder(path);

    if (fd < 0 && path != NULL && make && errno == ENOENT) {
        make_folder(path);
        fd = open_folder(path);
    }
    free(path);
    return fd;
}

/* --------------------------------------------------------------------------- the file name */

static uint64_t
mix(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Adds to HASH what identifies a state of the file FD: device, inode, size, modification time. FD is -1 if there is
 * no file. */
static uint64_t
mix_file(uint64_t hash, int fd)
{
    struct stat status;
    uint64_t all[5] = { 0 };

    if (fd >= 0 && fstat(fd, &status) == 0) {
        all[0] = status.st_dev;
        all[1] = status.st_ino;
        all[2] = (uint64_t)status.st_size;
        all[3] = (uint64_t)status.st_mtim.tv_sec;
        all[4] = (uint64_t)status.st_mtim.tv_nsec;
    }
    return mix(hash, all, sizeof all);
}

/* Sets NAME to the name of BINARY's file in the cache, or "" if BINARY has no usable build-id. */
static void
name_of(const struct mp_binary *binary, char name[NAME_SIZE])
{
    const char *version = dwfl_version(NULL);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char *to;

    *name = '\0';
    if (binary->build_id_size < 8 || binary->build_id_size > sizeof binary->build_id)
        return;
    to = mp_text_put_hex(name, name + NAME_SIZE, binary->build_id, binary->build_id_size);
    hash = mix(hash, version, strlen(version));
    hash = mix_file(hash, binary->fd);
    hash = mix_file(hash, binary->debug_fd);
    snprintf(to, NAME_SIZE - (size_t)(to - name), "-%016llx", (unsigned long long)hash);
}

/* ---------------------------------------------------------------------------------- load */

/* Returns the content of the file NAME in FOLDER, allocated in ARENA, or NULL if it is missing or belongs to
 * another user. */
static uint8_t *
read_file(int folder, const char *name, struct mp_arena *arena, size_t *size)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    uint8_t *bytes = NULL;
    struct stat status;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        status.st_size > 0 && status.st_size <= MOST_FILE) {
        *size = (size_t)status.st_size;
        bytes = mp_arena_alloc(arena, *size);
        if (pread(fd, bytes, *size, 0) != status.st_size)
            bytes = NULL;
    }
    close(fd);
    return bytes;
}

void
mp_cache_load(struct mp_binary *binary)
{
    char name[NAME_SIZE];
    int folder = use_folder(false);
    uint8_t *bytes;
    size_t size;

    name_of(binary, name);
    binary->cache_name = mp_arena_strdup(binary->arena, name);
    if (folder < 0)
        return;
    bytes = *name == '\0' ? NULL : read_file(folder, name, binary->arena, &size);
    if (bytes != NULL)
        mp_stored_read(&binary->answers, bytes, size);
    close(folder);
}

/* ---------------------------------------------------------------------------------- save */

/* A file of the cache, sorted by age. */
struct entry {
    char name[NAME_SIZE];
    struct timespec time;
    uint64_t size;
};

static int
compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->time.tv_sec != b->time.tv_sec)
        return a->time.tv_sec < b->time.tv_sec ? -1 : 1;
    return (a->time.tv_nsec > b->time.tv_nsec) - (a->time.tv_nsec < b->time.tv_nsec);
}

/* Returns whether NAME has the form that name_of() or mp_write_file() creates. The folder may contain other files. */
static bool
is_ours(const char *name)
{
    static const char digits[] = "0123456789abcdef";
    size_t id = strspn(name, digits), hash, suffix = strlen(MP_WRITE_SUFFIX);

    if (id < 16 || name[id] != '-')
        return false;
    name += id + 1;
    hash = strspn(name, digits);
    name += hash;
    if (strncmp(name, MP_WRITE_SUFFIX, suffix) == 0)
        name += suffix + strspn(name + suffix, "0123456789");
    return hash == 16 && *name == '\0';
}

/* Lists the cache's files in FOLDER. Returns their number and sets *SUM to their bytes. */
static uint32_t
list_entries(int folder, struct entry *entries, uint64_t *sum)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    struct stat status;
    uint32_t n = 0;

    *sum = 0;
    for (struct dirent *at; stream != NULL && n < MOST_FILES && (at = readdir(stream)) != NULL;) {
        size_t length = strlen(at->d_name);

        if (!is_ours(at->d_name) || length >= NAME_SIZE ||
            fstatat(folder, at->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        memcpy(entries[n].name, at->d_name, length + 1);
        entries[n].time = status.st_mtim;
        entries[n].size = (uint64_t)status.st_size;
        *sum += entries[n++].size;
    }
    if (stream != NULL)
        closedir(stream);
    return n;
}

/* If there are too many bytes or files, removes files, oldest first, until at most three quarters of the limits are
 * used. */
static void
drop_oldest(int folder)
{
    struct entry *entries = calloc(MOST_FILES, sizeof *entries);
    uint64_t sum = 0;
    uint32_t n = entries == NULL ? 0 : list_entries(folder, entries, &sum);

    if (sum > MOST_BYTES || n == MOST_FILES) {
        qsort(entries, n, sizeof *entries, compare_entries);
        for (uint32_t i = 0;
             i < n && (sum > MOST_BYTES / 4 * 3 || n - i > MOST_FILES / 4 * 3); i++) {
            unlinkat(folder, entries[i].name, 0);
            sum -= entries[i].size;
        }
    }
    free(entries);
}

void
mp_cache_save(struct mp_binary *binary)
{
    struct mp_buffer buffer = { 0 };
    int folder;

    if (binary->cache_name == NULL || *binary->cache_name == '\0' || !binary->answers.changed ||
        binary->is_split || *binary->problem != '\0')
        return;
    folder = use_folder(true);
    if (folder < 0)
        return;
    mp_stored_write(&binary->answers, &buffer);
    if (!buffer.failed && buffer.size <= (size_t)MOST_FILE &&
        mp_write_file(folder, binary->cache_name, 0600, buffer.bytes, buffer.size))
        drop_oldest(folder);
    mp_buffer_free(&buffer);
    close(folder);
}
