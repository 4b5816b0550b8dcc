#include "queue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/buffer.h"
#include "reporter/base/fnv.h"
#include "reporter/base/open_file.h"
#include "reporter/base/write_file.h"

#define SUFFIX ".profile"
#define MAGIC "mprof-push 1\n"
#define LARGEST ((off_t)1 << 31)        /* maximum size of a file that is read back, bytes */

/* ---------------------------------------------------------------- the folder */

/* Sets *PATH to the folder of all queues, which the caller frees, and *NAMED to the length of the part that the user
 * chose. */
static bool
base_folder(const char *base, char **path, size_t *named, struct mp_error *error)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME"), *below = "";

    if (!base && state && state[0] == '/') {
        base = state;
        below = "/mprof/push";
    } else if (!base && home && home[0] == '/') {
        base = home;
        below = "/.local/state/mprof/push";
    } else if (!base) {
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "neither XDG_STATE_HOME nor HOME is set: --spool=DIR");
    }
    *named = strlen(base);
    if (asprintf(path, "%s%s", base, below) < 0)
        mp_no_memory();
    return true;
}

bool
mp_queue_open(struct mp_queue *queue, const char *base, const char *receiver, uint64_t most,
              struct mp_error *error)
{
    size_t named = 0;
    char *above;

    *queue = (struct mp_queue){.fd = -1, .most = most};
    if (!base_folder(base, &above, &named, error))
        return false;
    if (asprintf(&queue->folder, "%s/%016" PRIx64, above,
                 mp_fnv(MP_FNV_BEGIN, receiver, strlen(receiver))) < 0)
        mp_no_memory();
    free(above);
    queue->fd = mp_open_own_folder(queue->folder, named, true);     /* everything in the folder will be sent */
    if (queue->fd < 0) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", queue->folder,
                errno == EPERM ? "others may write there" : strerror(errno));
        mp_queue_close(queue);
        return false;
    }
    mp_write_file(queue->fd, "receiver", 0600, receiver, strlen(receiver));   /* for people who look into the folder */
    return true;
}

void
mp_queue_close(struct mp_queue *queue)
{
    if (queue->fd >= 0)
        close(queue->fd);
    free(queue->folder);
    *queue = (struct mp_queue){.fd = -1};
}

static int
is_profile(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), n = strlen(SUFFIX);

    return entry->d_name[0] != '.' && length > n && length < MP_QUEUE_NAME &&
           strcmp(entry->d_name + length - n, SUFFIX) == 0;
}

static int
compare(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static size_t
list(const struct mp_queue *queue, struct dirent ***entries)
{
    int n = scandirat(queue->fd, ".", entries, is_profile, compare);

    if (n >= 0)
        return (size_t)n;
    *entries = NULL;
    return 0;
}

static void
free_list(struct dirent **entries, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
}

size_t
mp_queue_length(const struct mp_queue *queue)
{
    struct dirent **entries;
    size_t n = list(queue, &entries);

    free_list(entries, n);
    return n;
}

/* ---------------------------------------------------------------- adding */

static void
put(struct mp_buffer *out, const char *text)
{
    mp_buffer_bytes(out, text, strlen(text));
}

static void
hidden(const char *name, char path[MP_QUEUE_NAME + 1])
{
    snprintf(path, MP_QUEUE_NAME + 1, ".%s", name);
}

/* Makes a name from the time, the process id and a counter, so that names differ even within a nanosecond. */
static void
new_name(char name[MP_QUEUE_NAME])
{
    static unsigned count;
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    snprintf(name, MP_QUEUE_NAME, "%012lld%09ld-%ld-%u" SUFFIX, (long long)time.tv_sec, time.tv_nsec, (long)getpid(),
             count++ % 1000000);
}

bool
mp_queue_write(struct mp_queue *queue, const char *url, const char *type, const void *body, size_t size,
               char name[MP_QUEUE_NAME], struct mp_error *error)
{
    struct mp_buffer file = {0};
    char path[MP_QUEUE_NAME + 1];
    bool ok;

    put(&file, MAGIC);
    put(&file, url);
    put(&file, "\n");
    put(&file, type);
    put(&file, "\n");
    mp_buffer_bytes(&file, body, size);
    new_name(name);
    hidden(name, path);
    if (file.size > queue->most)
        ok = mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                     "a profile of %zu bytes is larger than all that may wait to be sent; see --queue", file.size);
    else
        ok = mp_write_file(queue->fd, path, 0600, file.bytes, file.size) ||
             mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", queue->folder, strerror(errno));
    mp_buffer_free(&file);
    return ok;
}

/* Removes ENTRY unless somebody is sending it. Returns whether it was removed. */
static bool
give_up(struct mp_queue *queue, const char *entry)
{
    int fd = mp_open_at(queue->fd, entry, O_RDONLY | O_NOFOLLOW);
    bool gone = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && unlinkat(queue->fd, entry, 0) == 0;

    if (fd >= 0)
        close(fd);
    queue->given_up += gone;
    return gone;
}

/* Discards the oldest profiles until SIZE more bytes fit into the queue. */
static void
make_room(struct mp_queue *queue, uint64_t size)
{
    struct dirent **entries;
    size_t n = list(queue, &entries);
    uint64_t all = size, *sizes = mp_need(calloc(n + 1, sizeof *sizes));
    struct stat status;

    for (size_t i = 0; i < n; i++)
        if (fstatat(queue->fd, entries[i]->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
            all += sizes[i] = (uint64_t)status.st_size;
    for (size_t i = 0; i < n && all > queue->most; i++)
        if (give_up(queue, entries[i]->d_name))
            all -= sizes[i];
    free(sizes);
    free_list(entries, n);
}

void
mp_queue_show(struct mp_queue *queue, const char *name)
{
    char path[MP_QUEUE_NAME + 1];
    struct stat status;

    hidden(name, path);
    if (fstatat(queue->fd, path, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    make_room(queue, (uint64_t)status.st_size);
    renameat(queue->fd, path, queue->fd, name);
}

void
mp_queue_forget(struct mp_queue *queue, const char *name)
{
    char path[MP_QUEUE_NAME + 1];

    hidden(name, path);
    unlinkat(queue->fd, path, 0);
}

static int
is_hidden(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), n = strlen(SUFFIX);

    return entry->d_name[0] == '.' && length > n && length <= MP_QUEUE_NAME &&
           strcmp(entry->d_name + length - n, SUFFIX) == 0;
}

void
mp_queue_clean(struct mp_queue *queue)
{
    struct dirent **entries;
    int n = scandirat(queue->fd, ".", &entries, is_hidden, NULL);
    struct stat status;

    for (int i = 0; i < n; i++) {
        const char *writer = strchr(entries[i]->d_name, '-');
        const long pid = writer ? strtol(writer + 1, NULL, 10) : 0;

        if (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH &&
            fstatat(queue->fd, entries[i]->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            status.st_mtime < time(NULL) - 3600)
            unlinkat(queue->fd, entries[i]->d_name, 0);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

/* ---------------------------------------------------------------- taking */

/* Reads the SIZE bytes of FD and a NUL after them. Returns NULL if they cannot be read. The caller frees the result. */
static char *
read_all(int fd, size_t size)
{
    char *bytes = mp_need(malloc(size + 1));
    size_t done = 0;
    ssize_t n = 1;

    while (done < size && n != 0) {
        n = pread(fd, bytes + done, size - done, (off_t)done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    bytes[done] = '\0';
    if (done == size)
        return bytes;
    free(bytes);
    return NULL;
}

/* Returns the line at *AT and moves *AT to the next one. Returns NULL if it has no newline. */
static const char *
take_line(char **at, const char *end)
{
    char *line = *at, *newline = memchr(line, '\n', (size_t)(end - line));

    if (!newline)
        return NULL;
    *newline = '\0';
    *at = newline + 1;
    return line;
}

static bool
take_apart(struct mp_letter *letter, size_t size)
{
    char *at = letter->bytes + strlen(MAGIC);
    const char *end = letter->bytes + size;

    if (size < strlen(MAGIC) || memcmp(letter->bytes, MAGIC, strlen(MAGIC)) != 0)
        return false;
    letter->url = take_line(&at, end);
    letter->type = letter->url ? take_line(&at, end) : NULL;
    letter->body = at;
    letter->size = letter->type ? (size_t)(end - at) : 0;
    return letter->type != NULL;
}

/* Locks and reads the profile NAME. Returns false if somebody else has it locked, it is gone, or it cannot be read now.
 * Discards it if it is damaged. */
static bool
open_letter(struct mp_queue *queue, const char *name, struct mp_letter *letter)
{
    struct stat status;
    bool locked, damaged = true;

    *letter = (struct mp_letter){.fd = mp_open_at(queue->fd, name, O_RDONLY | O_NOFOLLOW)};
    if (letter->fd < 0)
        return false;
    locked = flock(letter->fd, LOCK_EX | LOCK_NB) == 0 && fstat(letter->fd, &status) == 0 && status.st_nlink > 0;
    if (locked && S_ISREG(status.st_mode) && status.st_size <= LARGEST) {
        letter->bytes = read_all(letter->fd, (size_t)status.st_size);
        damaged = letter->bytes != NULL;
        if (letter->bytes && take_apart(letter, (size_t)status.st_size)) {
            memcpy(letter->name, name, strlen(name) + 1);       /* is_profile() has checked that it fits */
            return true;
        }
    }
    if (locked && damaged && unlinkat(queue->fd, name, 0) == 0)
        queue->given_up++;
    free(letter->bytes);
    close(letter->fd);
    return false;
}

bool
mp_queue_take(struct mp_queue *queue, const char *after, struct mp_letter *letter)
{
    struct dirent **entries;
    size_t n = list(queue, &entries), first = 0;
    bool found = false;

    while (first < n && strcmp(entries[first]->d_name, after) <= 0)
        first++;
    for (size_t i = 0; i < n && !found; i++)
        found = open_letter(queue, entries[(first + i) % n]->d_name, letter);
    free_list(entries, n);
    return found;
}

void
mp_queue_done(struct mp_queue *queue, struct mp_letter *letter, bool remove)
{
    if (remove)
        unlinkat(queue->fd, letter->name, 0);
    close(letter->fd);
    free(letter->bytes);
    *letter = (struct mp_letter){.fd = -1};
}
