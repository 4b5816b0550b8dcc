/* SPDX-License-Identifier: MIT */
#include "live_writer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "reporter/base/open_file.h"
#include "runtime/writer.h"

uint64_t
mp_process_start_ticks(uint32_t pid)
{
    char path[64], line[1024];
    size_t length;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/stat", pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    return mp_writer_start_ticks(line);
}

/* Reads the target of the symbolic link PATH to TEXT, or "" if it cannot be read. */
static void
read_link(const char *path, char *text, size_t size)
{
    ssize_t n = readlink(path, text, size - 1);

    text[n > 0 ? n : 0] = '\0';
}

/* Returns which processes /proc shows. /proc may belong to another pid namespace than this process. */
static struct mp_writer_view
look_around(void)
{
    struct mp_writer_view view = {.start_ticks = mp_process_start_ticks};
    char self[32], namespace[64];

    read_link("/proc/self", self, sizeof self);
    read_link(MP_PID_NAMESPACE, namespace, sizeof namespace);
    if (mp_writer_number(self) == (uint64_t)getpid())
        view.namespace = mp_writer_namespace(namespace);
    return view;
}

bool
mp_writer_may_write(int fd)
{
    fcntl(fd, F_SETSIG, SIGURG);        /* the signal if the lease is broken; the default, SIGIO, would end the
                                           process */
    if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
        return true;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return false;
}

bool
mp_writer_runs(const struct mp_live_header *header, int fd)
{
    const struct mp_writer_view view = look_around();
    enum mp_writer writer = mp_writer_by_number(header, &view);

    if (writer == MP_WRITER_UNSEEN)
        return fd >= 0 && mp_writer_may_write(fd);
    return writer == MP_WRITER_RUNS;
}

static uint32_t
in_the_way(const struct mp_live_header *header, int fd)
{
    const struct mp_writer_view view = look_around();

    if (!mp_writer_has_left(header) && mp_writer_runs(header, fd))
        return header->pid;
    return mp_writer_is_waited_for(header, &view) ? header->run_pid : 0;
}

uint32_t
mp_writer_in_the_way(int fd)
{
    struct mp_live_header *header = aligned_alloc(_Alignof(struct mp_live_header), sizeof *header);
    uint32_t pid = 0;

    if (header && pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
        memcmp(header->magic, MP_LIVE_MAGIC, sizeof header->magic) == 0)
        pid = in_the_way(header, fd);
    free(header);
    return pid;
}

bool
mp_writer_is_away(const char *path, struct mp_error *error)
{
    int fd = mp_open(path);
    uint32_t pid;

    if (fd < 0)
        return true;
    pid = mp_writer_in_the_way(fd);
    close(fd);
    return pid == 0 || pid == (uint32_t)getpid() ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: process %" PRIu32 " has it in use", path, pid);
}
