/*
 * pushed.c -- mprof_stop() flushes the file to the disk, which takes long. Meanwhile threads begin and allocate.
 *
 *     pushed      must be run under strace, which delays fdatasync
 *
 * Prints `meanwhile N`: how many of ten threads that began during this system call had allocated before it ended.
 *
 *     pushed autosave     must be run under strace, which shows fdatasync and write
 *
 * Allocates before set_mprof_autosave(), while it is in effect and after it was ended. After each of these allocations,
 * prints a line that says how much was allocated.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "program.h"
#include "runtime/mprof.h"

static int is_over;

static void *
allocate(void *unused)
{
    void *volatile block = malloc(1000);
    int *in_time = (int *)unused;

    *in_time = !__atomic_load_n(&is_over, __ATOMIC_SEQ_CST);
    free(block);
    return NULL;
}

/* Returns whether the main thread is in fdatasync. */
static int
is_pushing(const char *path)
{
    char text[64] = "";
    int fd = open(path, O_RDONLY);

    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
        _exit(3);
    close(fd);
    return strtol(text, NULL, 10) == SYS_fdatasync && text[0] != '-' && text[0] != 'r';
}

static void *
watch(void *unused)
{
    pthread_t threads[10];
    char path[64];
    int in_time[10] = {0}, sum = 0;

    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)getpid());
    while (!is_pushing(path))
        if (__atomic_load_n(&is_over, __ATOMIC_SEQ_CST))
            _exit(4);
    for (int i = 0; i < 10; i++)
        if (pthread_create(&threads[i], NULL, allocate, &in_time[i]) != 0)
            _exit(5);
    for (int i = 0; i < 10; i++) {
        pthread_join(threads[i], NULL);
        sum += in_time[i];
    }
    say("meanwhile %d\n", sum);
    return unused;
}

static void *
allocate_blocks(void *number)
{
    for (int i = 0; i < *(const int *)number; i++) {
        void *block = malloc(100);

        KEEP(block);
    }
    return NULL;
}

static void
autosave(void)
{
    int few = 99, more = 350;
    pthread_t thread;

    allocate_blocks(&more);
    say("not set: 350\n");
    set_mprof_autosave(100);
    allocate_blocks(&more);
    say("100: 350\n");
    set_mprof_autosave(100);
    if (pthread_create(&thread, NULL, allocate_blocks, &few) != 0)
        _exit(5);
    pthread_join(thread, NULL);
    say("100: 99 of a thread\n");
    set_mprof_autosave(0);
    allocate_blocks(&more);
    say("0: 350\n");
}

int
main(int argc, char **argv)
{
    pthread_t watcher;

    if (argc == 2 && strcmp(argv[1], "autosave") == 0 && set_mprof_autosave != NULL) {
        autosave();
        return 0;
    }
    if (mprof_is_active == NULL || pthread_create(&watcher, NULL, watch, NULL) != 0)
        return 2;
    mprof_stop();
    __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
    pthread_join(watcher, NULL);
    return 0;
}
/* SPDX-License-Identifier: MIT */
