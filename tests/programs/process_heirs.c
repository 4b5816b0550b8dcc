/*
 * process_heirs.c -- forked children that call mprof.h or receive a signal before they have allocated anything.
 *
 *     process_heirs EVENT [FILE...]     EVENT is a name of the table at the end. With the prefix "raw_", the child is
 *                                       made by a system call, so that the C library calls no fork handlers
 *
 * The parent allocates 1000 blocks of 100 bytes in parent_block(), frees half of them, forks a child, and does the
 * same again. After the event, the child allocates 50 blocks of 32 bytes in child_block().
 */
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "program.h"
#include "runtime/mprof.h"

static const char *file;

static FRAME void *
parent_block(void)
{
    void *volatile block = malloc(100);

    return block;
}

static FRAME void *
child_block(void)
{
    void *volatile block = malloc(32);

    return block;
}

static void
parent_work(void)
{
    for (int i = 0; i < 1000; i++) {
        void *made = parent_block();

        KEEP(made);
        if (i % 2)
            free(made);
    }
}

static void
stop(void)
{
    mprof_stop();
    say("stopped: active %d\n", mprof_is_active());
}

static void
restart(void)
{
    say("restart %d\n", mprof_restart(file));
    say("restarted: active %d\n", mprof_is_active());
}

static void
twice(void)
{
    say("restart %d\n", mprof_restart(NULL));
    KEEP(child_block());
    say("restart %d\n", mprof_restart(NULL));
}

static void
reset_peak(void)
{
    mprof_reset_peak();
    say("peak %zu\n", mprof_peak());
}

static void
autosave(void)
{
    set_mprof_autosave(1);
}

static void
figures(void)
{
    say("active %d current %zu peak %zu total %d\n", mprof_is_active(), mprof_current(),
        mprof_peak(), (int)mprof_total());
}

static void
snapshot(void)
{
    raise(SIGUSR2);
}

static void
forks(void)
{
    int status;

    if (fork() == 0)
        _exit(0);
    wait(&status);
}

static void
thread_ends(void)
{
    pthread_exit(NULL);
}

static void
title(void)
{
}

/* Overwrites the arguments with TEXT and NULs, as setproctitle() does. */
static void
set_title(int argc, char **argv, const char *text)
{
    char *end = argv[argc - 1] + strlen(argv[argc - 1]) + 1;

    memset(argv[0], 0, (size_t)(end - argv[0]));
    strcpy(argv[0], text);
}

static const struct {
    const char *name;
    void (*run)(void);
} events[] = {
    {"stop", stop}, {"restart", restart}, {"twice", twice}, {"reset_peak", reset_peak},
    {"autosave", autosave}, {"figures", figures}, {"snapshot", snapshot}, {"forks", forks},
    {"thread_ends", thread_ends}, {"title", title},
};

static void
child(const char *name)
{
    for (unsigned i = 0; i < sizeof events / sizeof *events; i++)
        if (strcmp(name, events[i].name) == 0)
            events[i].run();
    for (int i = 0; i < 50; i++)
        KEEP(child_block());
    exit(5);
}

static pid_t
copy_of_process(const char **name)
{
    if (strncmp(*name, "raw_", 4) != 0)
        return fork();
    *name += 4;
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

int
main(int argc, char **argv)
{
    char wanted[40] = "";
    const char *name = wanted;
    size_t peak;
    pid_t pid;
    int status;

    if (mprof_is_active == NULL)
        return 2;
    snprintf(wanted, sizeof wanted, "%s", argc > 1 ? argv[1] : "");
    file = argc > 2 ? argv[2] : NULL;
    if (strstr(wanted, "title"))
        set_title(argc, argv, "heir: at work");
    parent_work();
    peak = mprof_peak();
    pid = copy_of_process(&name);
    if (pid == 0)
        child(name);
    if (waitpid(pid, &status, 0) != pid)
        return 3;
    say("child %d\n", WEXITSTATUS(status));
    say("parent: active %d, same peak %d\n", mprof_is_active(), mprof_peak() == peak);
    parent_work();
    return 0;
}
/* SPDX-License-Identifier: MIT */
