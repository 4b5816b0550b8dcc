/*
 * unreached.c -- forks children that cannot create a data file where mprof run would find it.
 *
 *     unreached STEP...
 *
 * Does the steps one after the other. `fork` forks three children, waits for them and goes on; a child does the rest.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* The program uses high numbers itself. */
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
