/*
 * unreached.c -- forks children that cannot create a data file where mprof run would find it.
 *
 *     unreached STEP...
 *
 * Does the steps one after the other. `fork` forks three children, waits for them and goes on; a child does the rest.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/format.h"
#include "runtime/runner_message.h"

static void *volatile sink;

__attribute__((noinline)) static void
block(void)
{
    for (int i = 0; i < 1000; i++) {
        sink = malloc(100);
        free(sink);
    }
}

static int
user(void)
{
    return setgid(65534) || setuid(65534);
}

static int
root(void)
{
    return chroot("/proc/self/fdinfo") || chdir("/");
}

/* All descriptors are closed in the way of a daemon, at once, or without libc. */
static int
close_each(void)
{
    for (int i = 3; i < 2000; i++)
        close(i);
    return 0;
}

static int
close_from(void)
{
    closefrom(3);
    return 0;
}

static int
close_on_exec(void)
{
    return close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
}

static int
close_raw(void)
{
    return (int)syscall(SYS_close_range, 3, ~0u, 0);
}

/* The program uses high descriptor numbers itself. */
static int
take_numbers(void)
{
    for (int i = 100; i < 1000; i++)
        if (dup2(1, i) != i)
            return 1;
    return 0;
}

static int
few_descriptors(void)
{
    const struct rlimit limit = {20, 20};

    return setrlimit(RLIMIT_NOFILE, &limit);
}

static int
net(void)
{
    return unshare(CLONE_NEWNET);
}

static int
fork_three(void)
{
    for (int i = 0; i < 3; i++)
        if (fork() == 0)
            return 0;
    while (wait(NULL) > 0)
        continue;
    _exit(0);
}

/* ---------------------------------------------------------------- a hostile program */

/* Sends SIZE bytes of MESSAGE with TEXT, and descriptor FD unless it is negative, to mprof run. */
static void
send_to(int to, const struct mp_runner_message *message, size_t size, const char *text, int fd)
{
    struct iovec parts[] = {{(void *)(uintptr_t)message, size}, {(void *)(uintptr_t)text, strlen(text)}};
    union { struct cmsghdr head; char bytes[CMSG_SPACE(sizeof fd)]; } control = {
        .head = {CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS}};
    struct msghdr header = {.msg_iov = parts, .msg_iovlen = 2, .msg_control = fd < 0 ? NULL : &control,
                            .msg_controllen = fd < 0 ? 0 : sizeof control};

    memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    if (sendmsg(to, &header, MSG_NOSIGNAL) < 0)
        abort();
}

/* Makes a file of this run whose header refers to another file and has a size that no file can have. */
static int
forged(void)
{
    struct mp_live_header header = {.version = MP_LIVE_VERSION, .byte_order = MP_BYTE_ORDER, .page_size = 4096,
                                    .header_size = MP_HEADER_SIZE, .machine = 62, .state = MP_STATE_RUNNING,
                                    .pid = (uint32_t)getpid(), .snapshots = UINT32_MAX, .control.followed = 1,
                                    .file_size = UINT64_MAX};
    int fd = memfd_create("forged", MFD_CLOEXEC);

    memcpy(header.magic, MP_LIVE_MAGIC, sizeof header.magic);
    sscanf(getenv("MPROF_RUN"), "%16" SCNx64 ".%16" SCNx64, &header.run_id[0], &header.run_id[1]);
    snprintf(header.control.file, sizeof header.control.file, "%s", getenv("FORGED_NEXT"));
    if (write(fd, &header, sizeof header) != (ssize_t)sizeof header || ftruncate(fd, 1 << 30) != 0)
        abort();
    return fd;
}

/* Sends messages that no monitor sends. FORGED_PATH is the path for the file, and FORGED_NEXT one that it refers to. */
static int
hostile(void)
{
    static const char *const files[] = {"/dev/zero", "/proc/self/mem", "/", "/proc/self/maps", "/dev/tty"};
    static char text[60000];
    struct mp_runner_message message = {.kind = MP_RUNNER_BEGUN};
    unsigned to;

    if (sscanf(getenv("MPROF_RUNNER"), "%x", &to) != 1)
        return 1;
    memset(text, 'x', sizeof text - 1);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        send_to((int)to, &message, sizeof message, getenv("FORGED_PATH"), open(files[i], O_RDONLY | O_NONBLOCK));
    send_to((int)to, &message, sizeof message, getenv("FORGED_PATH"), open("/bin/sh", O_PATH));
    send_to((int)to, &message, sizeof message, text, forged());
    send_to((int)to, &message, sizeof message, getenv("FORGED_PATH"), forged());
    send_to((int)to, &message, 1, "", -1);
    message = (struct mp_runner_message){.kind = MP_RUNNER_NONE, .value = UINT32_MAX, .started = 1};
    send_to((int)to, &message, sizeof message, "\033]0;title\a\nmprof: forged", -1);
    message = (struct mp_runner_message){.kind = MP_RUNNER_STARTS, .value = UINT32_MAX, .pid = UINT32_MAX};
    send_to((int)to, &message, sizeof message, text, open("/dev/zero", O_RDONLY));
    message.kind = UINT32_MAX;
    send_to((int)to, &message, sizeof message, text, -1);
    return 0;
}

/* Shows which descriptor is free. */
static int
number(void)
{
    char text[] = "0\n";

    text[0] = (char)('0' + open("/", O_RDONLY));
    return write(1, text, 2) != 2;
}

static int
run_block(void)
{
    block();
    return 0;
}

static int
be_killed(void)
{
    return raise(SIGKILL);
}

static int
echo(void)
{
    return execl("/bin/echo", "echo", (char *)NULL);
}

static const struct {
    const char *name;
    int (*call)(void);
} steps[] = {
    {"user", user}, {"root", root}, {"net", net}, {"close", close_each}, {"closefrom", close_from},
    {"cloexec", close_on_exec}, {"raw", close_raw}, {"numbers", take_numbers}, {"few", few_descriptors},
    {"fork", fork_three}, {"number", number}, {"block", run_block}, {"kill", be_killed}, {"echo", echo},
    {"hostile", hostile},
};

int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        for (size_t j = 0; j < sizeof steps / sizeof *steps; j++)
            if (strcmp(argv[i], steps[j].name) == 0 && steps[j].call() != 0)
                return 9;
    return 0;
}
/* SPDX-License-Identifier: MIT */
