/* SPDX-License-Identifier: MIT */
#include "spares.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "reporter/base/open_file.h"
#include "runtime/format.h"
#include "runtime/runner_message.h"

/* Returns a free place in the list, or NULL. The place of a file that has lost its name is free, because a process has
 * renamed the file and uses it. */
static struct mp_file_at *
find_place(struct mp_spares *spares)
{
    for (uint32_t i = 0; i < MP_MOST_SPARES; i++) {
        struct mp_file_at *place = &spares->list[i];

        if (place->path && !mp_file_at_stands(place))
            mp_file_at_close(place);
        if (!place->path)
            return place;
    }
    return NULL;
}

static bool
has_size(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && status.st_nlink == 1 && status.st_size == MP_LIVE_FIRST_SIZE;
}

/* Writes the content of a spare file to FILE. Returns false if FILE cannot be used, for example because its size is not
 * that of a new live file. */
static bool
clear(const struct mp_file_at *file, const uint64_t run_id[2])
{
    static const char zeros[MP_LIVE_FIRST_SIZE];
    const off_t at = offsetof(struct mp_live_header, run_id);
    const size_t size = 2 * sizeof *run_id;
    const int fd = mp_open_at(file->folder, file->name, O_RDWR | O_NOFOLLOW);
    struct stat status;
    const bool done = fd >= 0 && fstat(fd, &status) == 0 && status.st_dev == file->device &&
                      status.st_ino == file->inode && has_size(fd) &&
                      pwrite(fd, zeros, sizeof zeros, 0) == (ssize_t)sizeof zeros &&
                      pwrite(fd, run_id, size, at) == (ssize_t)size;

    if (fd >= 0)
        close(fd);
    return done;
}

static bool
send_name(const struct mp_file_at *file, int to)
{
    struct mp_runner_message head = {.kind = MP_RUNNER_SPARE, .value = (uint32_t)file->inode,
                                     .pid = (uint32_t)((uint64_t)file->inode >> 32)};
    struct iovec parts[] = {{&head, sizeof head}, {file->path, strlen(file->path)}};
    const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

    return sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

bool
mp_spares_keep(struct mp_spares *spares, const struct mp_file_at *file, const uint64_t run_id[2], int to)
{
    struct mp_file_at *place = find_place(spares);

    if (!place || !mp_file_at_in(file->folder, file->name, file->path, place))
        return false;
    if (place->inode == file->inode && clear(place, run_id) && send_name(place, to))
        return true;
    mp_file_at_close(place);
    return false;
}

void
mp_spares_drop(const char *path, const uint64_t run_id[2])
{
    struct {
        char magic[8];
        uint64_t run_id[2];
    } found;
    const off_t at = offsetof(struct mp_live_header, run_id);
    struct mp_file_at file;

    if (!mp_file_at_find(path, &file))
        return;
    if (has_size(file.fd) && flock(file.fd, LOCK_EX | LOCK_NB) == 0 &&      /* no process is about to use it */
        pread(file.fd, found.magic, sizeof found.magic, 0) == (ssize_t)sizeof found.magic &&
        memcmp(found.magic, (char[sizeof found.magic]){0}, sizeof found.magic) == 0 &&
        pread(file.fd, found.run_id, sizeof found.run_id, at) == (ssize_t)sizeof found.run_id &&
        memcmp(found.run_id, run_id, sizeof found.run_id) == 0)
        mp_file_at_remove(&file);
    mp_file_at_close(&file);
}

void
mp_spares_end(struct mp_spares *spares)
{
    for (uint32_t i = 0; i < MP_MOST_SPARES; i++) {
        if (spares->list[i].path)
            mp_file_at_remove(&spares->list[i]);
        mp_file_at_close(&spares->list[i]);
    }
}
