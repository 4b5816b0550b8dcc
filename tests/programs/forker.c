/*
 * forker.c -- starts other programs in every possible way, and waits for each.
 *
 *     forker            all ways, one after the other
 *     forker leaf NAME  allocates 100 blocks of 10 bytes in leaf_block(), prints, and exits with status 7
 *
 * The parent allocates 500 blocks of 16 bytes in parent_block() before and 500 after. A forked child allocates 200
 * blocks of 32 bytes in child_block().
 */
#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>

#include "program.h"

extern char **environ;

static char self[4096];

static FRAME void *
leaf_block(void)
{
    void *volatile block = malloc(10);

    return block;
}

static FRAME void *
parent_block(void)
{
    void *volatile block = malloc(16);

    return block;
}

static FRAME void *
child_block(void)
{
    void *volatile block = malloc(32);

    return block;
}

static int
leaf(const char *name)
{
    for (int i = 0; i < 100; i++)
        KEEP(leaf_block());
    say("leaf %s\n", name);
    return 7;
}

static void
wait_for(const char *name, pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            _exit(98);
    if (WIFEXITED(status))
        say("%s: exit %d\n", name, WEXITSTATUS(status));
    else
        say("%s: signal %d\n", name, WTERMSIG(status));
}

static void
by_fork(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        for (int i = 0; i < 200; i++)
            KEEP(child_block());
        say("child\n");
        exit(3);
    }
    wait_for("fork", pid);
}

static void
by_fork_of_fork(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        KEEP(child_block());
        pid = fork();
        if (pid == 0) {
            KEEP(child_block());
            _exit(4);
        }
        wait_for("grandchild", pid);
        abort();
    }
    wait_for("fork of fork", pid);
}

static void
by_exec(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        execl(self, "forker", "leaf", "exec", (char *)NULL);
        _exit(97);
    }
    wait_for("exec", pid);
}

static void
by_failing_exec(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        execl("/does/not/exist", "nothing", (char *)NULL);
        say("no exec: errno %d\n", errno);
        KEEP(child_block());
        exit(12);
    }
    wait_for("failing exec", pid);
}

static void
by_vfork(void)
{
    pid_t pid = vfork();

    if (pid == 0) {
        execl(self, "forker", "leaf", "vfork", (char *)NULL);
        _exit(97);
    }
    wait_for("vfork", pid);
}

/* Starts a program with an environment that does not contain LD_PRELOAD. */
static void
by_clean_exec(void)
{
    static char *const none[] = {NULL};
    pid_t pid = fork();

    if (pid == 0) {
        execle(self, "forker", "leaf", "clean", (char *)NULL, none);
        _exit(97);
    }
    wait_for("clean exec", pid);
}

static void
by_spawn(void)
{
    char *arguments[] = {(char *)"forker", (char *)"leaf", (char *)"spawn", NULL};
    pid_t pid;

    if (posix_spawn(&pid, self, NULL, NULL, arguments, environ) != 0)
        _exit(96);
    wait_for("spawn", pid);
}

static void
by_system(void)
{
    char command[4200];
    int status;

    snprintf(command, sizeof command, "'%s' leaf system", self);
    status = system(command);
    say("system: exit %d\n", WEXITSTATUS(status));
}

static void
by_popen(void)
{
    char command[4200], line[80] = "";
    FILE *pipe;

    snprintf(command, sizeof command, "'%s' leaf popen", self);
    pipe = popen(command, "r");
    if (pipe == NULL || fgets(line, sizeof line, pipe) == NULL)
        _exit(95);
    say("read: %s", line);
    say("popen: exit %d\n", WEXITSTATUS(pclose(pipe)));
}

int
main(int argc, char **argv)
{
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    if (n < 0)
        return 94;
    if (argc > 2)
        return leaf(argv[2]);
    for (int i = 0; i < 500; i++)
        KEEP(parent_block());
    by_fork();
    by_fork_of_fork();
    by_exec();
    by_failing_exec();
    by_vfork();
    by_clean_exec();
    by_spawn();
    by_system();
    by_popen();
    for (int i = 0; i < 500; i++)
        KEEP(parent_block());
    return 0;
}
/* SPDX-License-Identifier: MIT */
