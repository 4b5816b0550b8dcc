/* SPDX-License-Identifier: MIT */
#include "runner.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "options.h"
#include "sys.h"

int
mp_runner_descriptor(void)
{
    return mp_options.runner_inode ? (int)mp_options.runner : -1;
}

bool
mp_runner_is_open(void)
{
    struct stat status;

    return mp_options.runner_inode && mp_sys_fstat((int)mp_options.runner, &status) == 0 &&
           S_ISSOCK(status.st_mode) && status.st_ino == mp_options.runner_inode;
}

bool
mp_runner_listens(void)
{
    return mp_runner_is_open() && !mp_sys_is_hung_up((int)mp_options.runner);
}

void
mp_runner_open(void)
{
    if (mp_options.follow != MP_FOLLOW_ALL && mp_runner_is_open())
        mp_sys_fcntl((int)mp_options.runner, F_SETFD, FD_CLOEXEC);
}

void
mp_runner_pass_on(void)
{
    if (mp_runner_is_open())
        mp_sys_fcntl((int)mp_options.runner, F_SETFD, 0);
}

bool
mp_runner_tell(enum mp_runner_kind kind, uint32_t value, uint32_t pid, const char *text, int fd)
{
    struct mp_runner_message head = { kind, value, pid, (uint32_t)mp_sys_getpid(), mp_options.started };
    struct iovec parts[2] = { { &head, sizeof head }, { (char *)(uintptr_t)text, strlen(text) } };
    union { struct cmsghdr head; char bytes[CMSG_SPACE(sizeof fd)]; } control = { .bytes = { 0 } };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

    if (fd >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET,
                                         .cmsg_type = SCM_RIGHTS };
        memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    }
    return mp_runner_is_open() && mp_sys_send((int)mp_options.runner, &message) >= 0;
}

bool
mp_runner_spare(char *path, uint64_t *inode)
{
    struct mp_runner_message head = { 0 };
    struct iovec parts[2] = { { &head, sizeof head }, { path, MP_PATH_SIZE - 1 } };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
    const long n = mp_runner_is_open() ? mp_sys_receive((int)mp_options.runner, &message) : 0;

    path[n > (long)sizeof head ? n - (long)sizeof head : 0] = '\0';
    *inode = (uint64_t)head.pid << 32 | head.value;
    return head.kind == MP_RUNNER_SPARE && path[0] == '/';
}
