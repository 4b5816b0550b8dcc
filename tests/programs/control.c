/*
 * control.c -- executes orders, so that a test knows what was allocated between two of them.
 *
 *     control [THREADS]
 *
 * Reads orders from its standard input, one a line, and prints "done" after each:
 *   N           work() allocates N blocks of 100 bytes and frees all but every tenth, in each thread
 *   cache N     fill() adds N blocks of 64 bytes to a list to which the_cache refers
 *   fork        forks a child, which allocates 7 blocks in child()
 *   heap NAME   makes a snapshot of its heap, and prints the result before "done"
 *   end         ends the program
 */
#include <pthread.h>
#include <sys/wait.h>

#include "program.h"
#include "runtime/mprof.h"

#define MOST_THREADS 8

static pthread_barrier_t begin, end;
static int count, n_threads;

static FRAME void
work(void)
{
    for (int i = 0; i < count; i++) {
        void *volatile block = malloc(100);

        if (i % 10 != 0)
            free(block);
    }
}

struct link {
    struct link *next;
    char text[56];
};

struct link *the_cache;

static FRAME void
fill(int n)
{
    for (int i = 0; i < n; i++) {
        struct link *link = malloc(sizeof *link);

        link->next = the_cache;
        the_cache = link;
    }
}

static FRAME void
child(void)
{
    for (int i = 0; i < 7; i++) {
        void *volatile block = malloc(10);

        KEEP(block);
    }
}

static void *
worker(void *unused)
{
    for (;;) {
        pthread_barrier_wait(&begin);
        work();
        pthread_barrier_wait(&end);
    }
    return unused;
}

static void
order_work(void)
{
    if (n_threads == 0) {
        work();
        return;
    }
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
}

static void
order_fork(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        child();
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

/* Reads a line and removes its newline. Returns false at the end of the input. */
static int
read_line(char *line, size_t size)
{
    size_t n = 0;

    while (n < size - 1 && read(STDIN_FILENO, &line[n], 1) == 1 && line[n] != '\n')
        n++;
    line[n] = '\0';
    return n > 0;
}

int
main(int argc, char **argv)
{
    char line[64];

    n_threads = argc > 1 ? atoi(argv[1]) : 0;
    if (n_threads > MOST_THREADS)
        return 2;
    pthread_barrier_init(&begin, NULL, (unsigned)n_threads + 1);
    pthread_barrier_init(&end, NULL, (unsigned)n_threads + 1);
    for (int i = 0; i < n_threads; i++) {
        pthread_t thread;

        pthread_create(&thread, NULL, worker, NULL);
    }
    while (read_line(line, sizeof line) && strcmp(line, "end") != 0) {
        if (strcmp(line, "fork") == 0) {
            order_fork();
        } else if (strncmp(line, "cache ", 6) == 0) {
            fill(atoi(line + 6));
        } else if (strncmp(line, "heap ", 5) == 0) {
            say(MPROF_VALUE(mprof_heap_snapshot(line + 5)) == 0 ? "made " : "failed ");
        } else {
            count = atoi(line);
            order_work();
        }
        say("done\n");
    }
    return 5;
}
/* SPDX-License-Identifier: MIT */
