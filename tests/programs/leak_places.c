/*
 * leak_places.c -- blocks to which only words in unusual places refer. None is lost, except in the last case.
 *
 *     leak_places WHERE FILE
 *
 * early: a mapping directly below the first thread's storage, if the kernel puts it there;
 * shared: the stacks of two threads, next to each other in one mapping;
 * sharing: memory that other processes may share: unnamed, a file, System V, and FILE, which is large and has holes;
 * absent: memory that a forked child does not have: private, shared, a variable, a thread's stack, blocks of the heap,
 * memory that only the process itself can read (memfd_secret(2), if the kernel has it). One block is lost;
 * much: the same, and so much of it that it is not read;
 * resized: a block while another thread is in a realloc of it that never returns, which sets mp_in_realloc before. Its
 * contents are unknown, so what it refers to is lost.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

enum { STACK = 1 << 20, EARLY = 64 << 20 };

static __thread void *volatile in_storage;
static sem_t there, never;

static void *
map(size_t size)
{
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (room == MAP_FAILED)
        abort();
    return room;
}

static FRAME void
early(void)
{
    void **room = map(EARLY);

    room[0] = malloc(2001);
    room[EARLY / 2 / sizeof *room] = malloc(2002);
    room[EARLY / sizeof *room - 1] = malloc(2003);
    in_storage = malloc(2004);
}

static void *
wait_forever(void *size)
{
    void *volatile on_stack = malloc((size_t)(uintptr_t)size);

    in_storage = malloc((size_t)(uintptr_t)size + 1);
    sem_post(&there);
    while (sem_wait(&never) != 0)
        continue;
    free(on_stack);
    return NULL;
}

static FRAME void
shared(void)
{
    char *room = map(2 * STACK);

    sem_init(&there, 0, 0);
    sem_init(&never, 0, 0);
    for (int i = 1; i >= 0; i--) {                  /* the second stack is below the first */
        pthread_attr_t attributes;
        pthread_t thread;

        pthread_attr_init(&attributes);
        if (pthread_attr_setstack(&attributes, room + i * STACK, STACK) != 0 ||
            pthread_create(&thread, &attributes, wait_forever, (void *)(uintptr_t)(2011 + 10 * i)) != 0)
            abort();
        while (sem_wait(&there) != 0)
            continue;
    }
}

/* Stores the only pointer to a block of BLOCK bytes in the last word of ROOM, a mapping of SIZE bytes. */
static FRAME void
put_last(void **room, size_t size, size_t block)
{
    if (room == MAP_FAILED || room == (void *)-1)
        abort();
    room[size / sizeof *room - 1] = malloc(block);
}

static FRAME void
sharing(const char *large)
{
    const int with = PROT_READ | PROT_WRITE;
    const size_t huge = (size_t)8 << 30;
    char name[] = "shared.XXXXXX";
    int file = mkstemp(name), memory = open(large, O_RDWR | O_CREAT, 0600);
    int area = shmget(IPC_PRIVATE, EARLY, IPC_CREAT | 0600);

    if (file < 0 || memory < 0 || area < 0 || ftruncate(file, EARLY) != 0 || ftruncate(memory, (off_t)huge) != 0)
        abort();
    put_last(mmap(NULL, EARLY, with, MAP_SHARED | MAP_ANONYMOUS, -1, 0), EARLY, 2041);
    put_last(mmap(NULL, EARLY, with, MAP_SHARED, file, 0), EARLY, 2042);
    put_last(shmat(area, NULL, 0), EARLY, 2043);
    put_last(mmap(NULL, huge, with, MAP_SHARED | MAP_NORESERVE, memory, 0), huge, 2044);
    put_last(mmap(NULL, EARLY, with, MAP_PRIVATE, file, 0), EARLY, 2045);
    shmctl(area, IPC_RMID, NULL);
    unlink(name);
}

static void *
resize(void *block)
{
    free(realloc(block, 4001));
    return NULL;
}

static void *variable[512] __attribute__((aligned(4096)));

/* Returns a block of SIZE bytes, whole pages. Its page is the only one of the heap that ADVICE concerns. */
static FRAME void **
block_in(size_t size, int advice)
{
    void *block;

    if (posix_memalign(&block, 4096, size) != 0 || madvise(memset(block, 0, size), size, advice) != 0)
        abort();
    return block;
}

/* Does the same in another arena than the first one. Its first page has a block that leads to a reachable one; in the
 * second page is only a freed block, which leads to a lost one. */
static FRAME void
fill_arena(void)
{
    void **block = block_in(8192, MADV_NORMAL), **freed = block_in(4096, MADV_NORMAL);

    block[0] = malloc(2055);
    freed[4] = malloc(2056);
    madvise(block, 8192, MADV_WIPEONFORK);
    madvise(freed, 4096, MADV_WIPEONFORK);
    free(freed);
    variable[1] = block;
}

static void *
in_arena(void *unused)
{
    fill_arena();
    sweep();
    return unused;
}

static FRAME void
absent(size_t much)
{
    const int with = PROT_READ | PROT_WRITE;
    void **shared_room = mmap(NULL, EARLY, with, MAP_SHARED | MAP_ANONYMOUS, -1, 0), **room = map(EARLY);
    void **wiped = map(EARLY), **secret, **stack = map(STACK), **many = map(much);
    const int fd = (int)syscall(447, 0);            /* memfd_secret(2) */
    pthread_attr_t attributes;
    pthread_t thread;

    variable[0] = malloc(2051);
    variable[2] = block_in(4096, MADV_DONTFORK);
    ((void **)variable[2])[0] = malloc(2052);
    variable[3] = block_in(1 << 20, MADV_WIPEONFORK);
    ((void **)variable[3])[1 << 10] = malloc(2053);
    memset(many, 1, much);
    put_last(shared_room, EARLY, 2057);
    put_last(room, EARLY, 2058);
    put_last(wiped, EARLY, 2059);
    if (madvise(shared_room, EARLY, MADV_DONTFORK) != 0 || madvise(room, EARLY, MADV_DONTFORK) != 0 ||
        madvise(wiped, EARLY, MADV_WIPEONFORK) != 0 || madvise(many, much, MADV_DONTFORK) != 0 ||
        madvise(variable, sizeof variable, MADV_DONTFORK) != 0 || madvise(stack, STACK, MADV_DONTFORK) != 0)
        abort();
    secret = fd >= 0 && ftruncate(fd, 4096) == 0 ? mmap(NULL, 4096, with, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (secret != MAP_FAILED)
        put_last(secret, 4096, 2060);
    sem_init(&there, 0, 0);
    sem_init(&never, 0, 0);
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, stack, STACK) != 0 ||
        pthread_create(&thread, &attributes, wait_forever, (void *)2061) != 0)
        abort();
    while (sem_wait(&there) != 0)
        continue;
    /* The other thread keeps its arena, so it does not reuse the freed block. */
    if (pthread_create(&thread, NULL, in_arena, NULL) != 0 || pthread_join(thread, NULL) != 0)
        abort();
}

static FRAME void
resized(void)
{
    const volatile int *inside = dlsym(RTLD_DEFAULT, "mp_in_realloc");
    void **block = malloc(64);
    pthread_t thread;

    *block = malloc(2031);
    if (!inside || pthread_create(&thread, NULL, resize, block) != 0)
        abort();
    while (!*inside)
        usleep(1000);
}

int
main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    if (strcmp(argv[1], "early") == 0)
        early();
    else if (strcmp(argv[1], "shared") == 0)
        shared();
    else if (strcmp(argv[1], "sharing") == 0)
        sharing(argv[2]);
    else if (strcmp(argv[1], "absent") == 0)
        absent(4096);
    else if (strcmp(argv[1], "much") == 0)
        absent((size_t)65 << 20);
    else
        resized();
    sweep();
    exit(0);
}
/* SPDX-License-Identifier: MIT */
