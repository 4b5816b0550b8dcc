/*
 * measure.c -- runs a command and measures what it costs.
 *
 *     measure [NAME=VALUE]... [-o OUTPUT] COMMAND [ARGUMENT]...
 *
 * Sets the variables for the command only, and sends its output to OUTPUT (default: /dev/null). Prints "WALL USER
 * SYSTEM MAXRSS STATUS": three times in nanoseconds, kilobytes, and the status as in the shell. It is a program of
 * its own because ru_maxrss includes the memory that the parent had at the fork, which must be small; an interpreter
 * would have too much.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t
nanoseconds(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

static void
redirect(const char *output)
{
    int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (out < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(125);
    close(out);
}

int
main(int argc, char **argv)
{
    const char *output = "/dev/null";
    int i = 1, first, status;
    struct rusage usage;
    int64_t start, wall;
    pid_t pid;

    while (i < argc && strchr(argv[i], '=') != NULL && argv[i][0] != '/')
        i++;
    first = i;
    if (i + 1 < argc && strcmp(argv[i], "-o") == 0) {
        output = argv[i + 1];
        i += 2;
    }
    if (i >= argc) {
        fputs("usage: measure [NAME=VALUE]... [-o OUTPUT] COMMAND [ARGUMENT]...\n", stderr);
        return 2;
    }
    start = now();
    pid = fork();
    if (pid == 0) {
        redirect(output);
        for (int j = 1; j < first; j++)
            putenv(argv[j]);
        execvp(argv[i], argv + i);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
        return 1;
    wall = now() - start;
    printf("%" PRId64 " %" PRId64 " %" PRId64 " %ld %d\n", wall, nanoseconds(usage.ru_utime),
           nanoseconds(usage.ru_stime), usage.ru_maxrss,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}
