/*
 * measure.c -- runs a command and measures what it costs.
 *
 *     measure [NAME=VALUE]... -o OUTPUT COMMAND [ARGUMENT]...
 *
 * Sets the variables for the command only, and sends its output to OUTPUT. Prints "WALL CPU MAXRSS STATUS": two times
 * in seconds, kilobytes, and the status as in the shell. It is a program of its own because ru_maxrss includes the
 * memory that the parent had at the fork, which must be small; an interpreter would have too much.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static double
seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int
main(int argc, char **argv)
{
    int first = 1, status;
    struct rusage usage;
    struct timeval start, end;
    pid_t pid;

    while (first < argc && strchr(argv[first], '=') != NULL)
        first++;
    if (first + 2 >= argc || strcmp(argv[first], "-o") != 0) {
        fputs("usage: measure [NAME=VALUE]... -o OUTPUT COMMAND [ARGUMENT]...\n", stderr);
        return 2;
    }
    gettimeofday(&start, NULL);
    pid = fork();
    if (pid == 0) {
        for (int i = 1; i < first; i++)
            putenv(argv[i]);
        if (freopen(argv[first + 1], "w", stdout))
            execvp(argv[first + 2], argv + first + 2);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
        return 1;
    gettimeofday(&end, NULL);
    printf("%.6f %.6f %ld %d\n", seconds(end) - seconds(start), seconds(usage.ru_utime) + seconds(usage.ru_stime),
           usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}
/* SPDX-License-Identifier: MIT */
