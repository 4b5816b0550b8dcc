#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/process/observe.h"
#include "reporter/run/listener.h"
#include "runtime/format.h"
#include "runtime/runner_message.h"
#include "tests/unit/folder.h"

static const uint64_t run_id[] = {1, 2};

/* Makes the live file NAME of this process. */
static const char *
live_file(const char *name)
{
    static struct mp_live_header header;
    const char *path;
    struct stat status;
    int fd;

    header = (struct mp_live_header){.pid = (uint32_t)getpid(), .run_id = {run_id[0], run_id[1]},
                                     .state = MP_STATE_STOPPED};
    memcpy(header.magic, MP_LIVE_MAGIC, sizeof header.magic);
    path = make_file(name, &header, sizeof header);
    ck_assert_int_eq(stat(path, &status), 0);
    header.inode = status.st_ino;
    fd = open(path, O_WRONLY);
    ck_assert(pwrite(fd, &header, sizeof header, 0) == sizeof header);
    close(fd);
    return path;
}

/* Sends the message of a process that has begun to record to FD, which it had created as PATH. */
static void
send_begun(int to, const char *path, int fd)
{
    struct mp_runner_message head = {.kind = MP_RUNNER_BEGUN, .sender = (uint32_t)getpid()};
    union { struct cmsghdr head; char bytes[CMSG_SPACE(sizeof(int))]; } control = {.bytes = ""};
    struct iovec parts[] = {{&head, sizeof head}, {(char *)path, strlen(path)}};
    struct msghdr header = {.msg_iov = parts, .msg_iovlen = 2, .msg_control = &control,
                            .msg_controllen = sizeof control};

    control.head = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
                                    .cmsg_len = CMSG_LEN(sizeof(int))};
    memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    ck_assert(sendmsg(to, &header, 0) > 0);
}

/* Renames the file of a process before the listener receives its message, to NEW. Returns whether the listener has
 * written a copy with the old name. If OBSERVED, the observer has the file open. */
static bool
is_copied(const char *new, bool observed)
{
    char *template = strdup(in_folder("m.data")), *renamed = strdup(in_folder(new));
    struct mp_file_at open;
    struct mp_observer observer = {.files = &open, .n = observed};
    struct mp_listener listener;
    bool is;

    mp_listener_open(&listener, "/bin/true", template, run_id, &observer, false);
    ck_assert_int_eq(rename(live_file("m.data"), renamed), 0);
    ck_assert(mp_file_at_find(renamed, &open));
    send_begun(listener.theirs, template, open.fd);
    mp_listener_begin(&listener, getpid());
    mp_listener_end(&listener);
    is = access(template, F_OK) == 0;
    unlink(template);
    unlink(renamed);
    mp_file_at_close(&open);
    free(listener.handed);
    free(template);
    free(renamed);
    return is;
}

TEST(a_file_that_is_found_is_not_copied)
{
    ck_assert(!is_copied("elsewhere", true));
    ck_assert(!is_copied("m.data.old", false));
}

TEST(a_file_that_is_not_found_is_copied)
{
    ck_assert(is_copied("elsewhere", false));
}

int
main(void)
{
    return tap_run();
}
/* SPDX-License-Identifier: MIT */
