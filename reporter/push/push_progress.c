#include "push_progress.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/buffer.h"
#include "reporter/base/open_file.h"
#include "reporter/base/write_file.h"
#include "reporter/load/load.h"
#include "reporter/profile/window.h"
#include "reporter/read/live_writer.h"

/* ---------------------------------------------------------------- a part */

/* Replaces the kept memory in the cells of PART with that of ALIVE, and adds the cells that only ALIVE has. Both are
 * sorted by context and kind. */
static void
join(struct mp_profile *part, const struct mp_profile *alive)
{
    const struct mp_cell *a = part->cells, *b = alive->cells;
    const struct mp_cell *a_end = a + part->n_cells, *b_end = b + alive->n_cells;
    struct mp_window *window;
    struct mp_cell *to = mp_arena_alloc(part->arena, ((size_t)part->n_cells + alive->n_cells) * sizeof *to);

    part->cells = to;
    while (a < a_end || b < b_end) {
        const uint64_t left = a < a_end ? (uint64_t)a->context << 32 | a->kind : UINT64_MAX;
        const uint64_t right = b < b_end ? (uint64_t)b->context << 32 | b->kind : UINT64_MAX;

        *to = left <= right ? *a : *b;
        if (right < left)
            to->counts = (struct mp_counts){0};
        to->counts.kept_blocks = right <= left ? b->counts.kept_blocks : 0;
        to->counts.kept = right <= left ? b->counts.kept : 0;
        to++;
        a += left <= right;
        b += right <= left;
    }
    part->n_cells = (uint32_t)(to - part->cells);
    window = mp_arena_alloc(part->arena, sizeof *window);
    *window = *part->window;
    window->lived = true;
    part->window = window;
}

static struct mp_profile *
make_part(const struct mp_since *from, const struct mp_since *to, const struct mp_profile *whole,
          struct mp_error *error)
{
    const char *end = to ? mp_since_moment(to, whole->arena) : "end";
    const char *start = from->end > 0 ? mp_since_moment(from, whole->arena) : "start";
    const struct mp_window_ends between = {.from = start, .to = end};
    const struct mp_window_ends at = {.at = end};
    struct mp_profile *part = mp_window(whole, &between, error), *alive = part ? mp_window(whole, &at, error) : NULL;

    if (alive) {
        join(part, alive);
        mp_profile_free(alive);
        return part;
    }
    mp_profile_free(part);
    return NULL;
}

struct mp_profile *
mp_since_profile(const struct mp_since *from, const struct mp_since *to, const char *path, const char *executable,
                 struct mp_profile **whole, struct mp_error *error)
{
    struct mp_profile *part = NULL;

    *whole = mp_since_read(from, to, path, error);
    if (*whole && mp_load_names(*whole, executable, error))
        part = make_part(from, to, *whole, error);
    if (part)
        return part;
    mp_profile_free(*whole);
    *whole = NULL;
    return NULL;
}

/* ---------------------------------------------------------------- progress */

#define SUFFIX ".look"
#define LOCK ".lock"
#define MAGIC "mprof-look 1"

/* Beginning of a progress file. `n` changes follow. */
struct head {
    char magic[16];
    uint64_t begin, end;
    uint64_t n;
    char shown[MP_QUEUE_NAME];  /* name of the profile to show */
};

static void
file_name(const struct mp_progress *progress, const char *suffix, char name[128])
{
    snprintf(name, 128, "%s%s", progress->name, suffix);
}

/* Locks PROGRESS. Returns false if somebody else has it locked or it was removed meanwhile. */
static bool
lock(struct mp_progress *progress, const struct mp_queue *queue)
{
    struct stat status;
    char name[128];

    file_name(progress, LOCK, name);
    progress->lock = openat(queue->fd, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (progress->lock >= 0 && flock(progress->lock, LOCK_EX | LOCK_NB) == 0 &&
        fstat(progress->lock, &status) == 0 && status.st_nlink > 0)
        return true;
    if (progress->lock >= 0)
        close(progress->lock);
    return false;
}

/* ---------------------------------------------------------------- read */

static bool
read_exactly(int fd, void *bytes, size_t size)
{
    char *at = bytes;

    while (size > 0) {
        ssize_t n = read(fd, at, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool
read_look(struct mp_progress *progress, struct head *head, int fd)
{
    struct mp_since *since = &progress->since;
    struct stat status;

    if (!read_exactly(fd, head, sizeof *head) || memcmp(head->magic, MAGIC, sizeof MAGIC) != 0 ||
        fstat(fd, &status) != 0 || head->n > UINT32_MAX / 2 ||
        (uint64_t)status.st_size != sizeof *head + head->n * sizeof *since->counted)
        return false;
    head->shown[sizeof head->shown - 1] = '\0';
    *since = (struct mp_since){.begin = head->begin, .end = head->end, .n = (uint32_t)head->n};
    since->room = since->n;
    since->counted = mp_need(malloc((head->n + 1) * sizeof *since->counted));
    if (read_exactly(fd, since->counted, head->n * sizeof *since->counted))
        return true;
    mp_since_free(since);
    return false;
}

/* Reads the last sample if there is one, and shows the profile that ends with it. */
static void
restore(struct mp_progress *progress, struct mp_queue *queue)
{
    struct head head;
    char name[128];
    int fd;

    file_name(progress, SUFFIX, name);
    fd = mp_open_at(queue->fd, name, O_RDONLY | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (read_look(progress, &head, fd) && !strchr(head.shown, '/'))
        mp_queue_show(queue, head.shown);
    close(fd);
}

bool
mp_progress_open(struct mp_progress *progress, struct mp_queue *queue, const struct mp_process *process,
                 struct mp_error *error)
{
    const struct mp_live_header *header = process->header;

    *progress = (struct mp_progress){.lock = -1};
    snprintf(progress->name, sizeof progress->name, "%" PRIu32 "-%" PRIu64 "-%" PRIu64, process->pid,
             header->start_ticks, header->start_realtime);
    if (!lock(progress, queue))
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "another mprof sends process %" PRIu32 " there already",
                       process->pid);
    restore(progress, queue);
    return true;
}

/* ---------------------------------------------------------------- write */

bool
mp_progress_put(struct mp_progress *progress, struct mp_queue *queue, struct mp_since *look, const char *shown,
                struct mp_error *error)
{
    struct head head = {.magic = MAGIC, .begin = look->begin, .end = look->end, .n = look->n};
    struct mp_buffer file = {0};
    char name[128];
    bool ok;

    snprintf(head.shown, sizeof head.shown, "%s", shown);
    mp_buffer_bytes(&file, &head, sizeof head);
    mp_buffer_bytes(&file, look->counted, look->n * sizeof *look->counted);
    file_name(progress, SUFFIX, name);
    ok = mp_write_file(queue->fd, name, 0600, file.bytes, file.size);
    if (!ok)
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", queue->folder, strerror(errno));
    mp_buffer_free(&file);
    if (!ok) {
        mp_queue_forget(queue, shown);
        mp_since_free(look);
        return false;
    }
    mp_queue_show(queue, shown);
    mp_since_free(&progress->since);
    progress->since = *look;
    *look = (struct mp_since){0};
    return true;
}

void
mp_progress_close(struct mp_progress *progress, struct mp_queue *queue, bool all)
{
    char name[128];

    if (all) {
        file_name(progress, SUFFIX, name);
        unlinkat(queue->fd, name, 0);
        file_name(progress, LOCK, name);
        unlinkat(queue->fd, name, 0);
    }
    if (progress->lock >= 0)
        close(progress->lock);
    mp_since_free(&progress->since);
    *progress = (struct mp_progress){.lock = -1};
}

/* ---------------------------------------------------------------- recovery */

static int
is_lock(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), n = strlen(LOCK);

    return length > n && length < sizeof ((struct mp_progress *)NULL)->name &&
           strcmp(entry->d_name + length - n, LOCK) == 0;
}

static void
recover(struct mp_queue *queue, const char *entry)
{
    struct mp_progress progress = {.lock = -1};
    uint64_t ticks;
    uint32_t pid;

    snprintf(progress.name, sizeof progress.name, "%.*s", (int)(strlen(entry) - strlen(LOCK)), entry);
    if (sscanf(progress.name, "%" SCNu32 "-%" SCNu64, &pid, &ticks) != 2 || !lock(&progress, queue))
        return;
    restore(&progress, queue);
    mp_progress_close(&progress, queue, mp_process_start_ticks(pid) != ticks);
}

void
mp_progress_recover(struct mp_queue *queue)
{
    struct dirent **entries;
    int n = scandirat(queue->fd, ".", &entries, is_lock, NULL);

    for (int i = 0; i < n; i++) {
        recover(queue, entries[i]->d_name);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    mp_queue_clean(queue);
}
