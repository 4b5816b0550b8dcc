/*
 * hostile_header FILE HOW [PATH] -- a process that is not recorded, but has a live file that claims that it is, and
 * gives hostile answers to requests.
 *
 *   names PATH    claims that the requested file is PATH
 *   offers PATH   offers PATH, opened for reading, as an unnamed file
 *   garbage       offers an unnamed file that is not a snapshot
 *   locked        offers such a file and never unlocks it
 *   cut           truncates its live file
 *
 * hostile_header - follows PATH -- a process that is recorded, and claims in its live file that the recording
 * continues in PATH.
 *
 * Prints "ready" and its process id, and ends after a minute or at the end of its standard input.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/format.h"
#include "runtime/writer.h"

#define TURNS 6000

static void
fail(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t
start_ticks(void)
{
    char line[1024] = "";
    FILE *file = fopen("/proc/self/stat", "r");

    if (!file || fread(line, 1, sizeof line - 1, file) == 0)
        fail("/proc/self/stat");
    fclose(file);
    return mp_writer_start_ticks(line);
}

static struct mp_live_header *
make_file(const char *path, int *fd)
{
    struct mp_live_header *header;

    *fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (*fd < 0 || ftruncate(*fd, sizeof *header) != 0)
        fail(path);
    header = mmap(NULL, sizeof *header, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (header == MAP_FAILED)
        fail("mmap");
    memcpy(header->magic, MP_LIVE_MAGIC, sizeof header->magic);
    header->version = MP_LIVE_VERSION;
    header->byte_order = MP_BYTE_ORDER;
    header->header_size = MP_HEADER_SIZE;
    header->page_size = 4096;
    header->state = MP_STATE_RUNNING;
    header->pid = (uint32_t)getpid();
    header->start_ticks = start_ticks();
    header->start_monotonic = 1;
    header->control.listens = 1;
    return header;
}

/* Returns the header of the live file in which libmprof.so records this process. */
static struct mp_live_header *
own_header(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[8192], permissions[5];
    unsigned long start, end, offset;

    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s %lx", &start, &end, permissions, &offset) == 4 &&
            strcmp(permissions, "rw-s") == 0 && offset == 0 && end - start >= sizeof(struct mp_live_header) &&
            memcmp((void *)start, MP_LIVE_MAGIC, 8) == 0)
            return (void *)start;
    fail("not recorded");
    return NULL;
}

static int
garbage(const char *beside)
{
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s.garbage", beside);
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || unlink(path) != 0 || write(fd, "garbage\n", 8) != 8)
        fail(path);
    return fd;
}

/* Forks a child that keeps FD open. */
static pid_t
holder(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sleep(60);
        _exit(0);
    }
    return pid;
}

int
main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "", *path = argc > 3 ? argv[3] : "";
    struct pollfd input = {.fd = 0, .events = POLLIN};
    struct mp_live_header *header;
    int fd, offered = -1;

    if (strcmp(how, "follows") == 0) {
        free(malloc(1));
        header = own_header();
        header->control.followed = 1;
        strncpy(header->control.file, path, sizeof header->control.file - 1);
        return 0;
    }
    if (argc < 3)
        return 2;
    header = make_file(argv[1], &fd);
    if (strcmp(how, "offers") == 0 && (offered = open(path, O_RDONLY | O_NONBLOCK)) < 0)
        fail(path);
    if (strcmp(how, "garbage") == 0 || strcmp(how, "locked") == 0)
        offered = garbage(argv[1]);
    if (strcmp(how, "locked") == 0 && flock(offered, LOCK_EX) != 0)
        fail("flock");
    if (offered >= 0) {
        header->offer.pid = (uint32_t)holder();
        header->offer.descriptor = (uint32_t)offered;
    }
    printf("ready %ld\n", (long)getpid());
    fflush(stdout);
    for (int i = 0; i < TURNS; i++) {
        if (poll(&input, 1, 10) > 0)
            break;
        if (__atomic_load_n(&header->control.request, __ATOMIC_ACQUIRE) == MP_REQUEST_NONE)
            continue;
        if (strcmp(how, "cut") == 0) {
            if (ftruncate(fd, 0) != 0)
                fail("ftruncate");
            poll(&input, 1, 60000);
            break;
        }
        if (strcmp(how, "names") == 0)      /* PATH is always a file of the test */
            strncpy(header->control.file, path, sizeof header->control.file - 1);
        header->control.answer = 0;
        header->offer.number = offered >= 0;
        __atomic_store_n(&header->control.request, MP_REQUEST_NONE, __ATOMIC_RELEASE);
    }
    return 0;
}
/* SPDX-License-Identifier: MIT */
