/*
 * dead.c -- instances that die before their thread allocates again.
 *
 * A thread makes instances of a class with slots, clears its stack and waits. Then the instances are collected, and
 * their memory is reused for blocks that look like instances of a class at an unmapped address. After that, the
 * thread allocates.
 */
#include <ecl/ecl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define THREADS   8
#define INSTANCES 2000          /* for each thread; they fill whole pages */
#define BLOCKS    200000
#define NOWHERE   0x7000u

static pthread_barrier_t made, reused;
static cl_object class;
static void **kept;             /* the blocks; the array is in memory that libgc scans */

static void __attribute__((noinline))
make_instances(void)
{
    for (int i = 0; i < INSTANCES; i++) {
        cl_object instance = ecl_alloc_object(t_instance);

        instance->instance.length = 0;
        instance->instance.slots = (cl_object *)class;
        instance->instance.clas = class;
    }
}

static void __attribute__((noinline))
wipe_stack(void)
{
    volatile char room[65536];

    memset((char *)room, 0, sizeof room);
}

static void *
run_thread(void *argument)
{
    ecl_import_current_thread(ECL_NIL, ECL_NIL);
    make_instances();
    wipe_stack();
    pthread_barrier_wait(&made);
    pthread_barrier_wait(&reused);
    ecl_cons(ECL_NIL, ECL_NIL);
    ecl_release_current_thread();
    return argument;
}

/* Allocates blocks of the size of an instance. Their words do not look like those of any object. */
static void
reuse_memory(void)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        uintptr_t *block = ecl_alloc(sizeof(struct ecl_instance));

        for (size_t k = 0; k < sizeof(struct ecl_instance) / sizeof *block; k++)
            block[k] = NOWHERE;
        block[0] = t_instance;
        kept[i] = block;
    }
}

int
main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    cl_boot(argc, argv);
    class = cl_find_class(1, ecl_read_from_cstring("STANDARD-OBJECT"));
    kept = ecl_alloc_uncollectable(BLOCKS * sizeof *kept);
    pthread_barrier_init(&made, NULL, THREADS + 1);
    pthread_barrier_init(&reused, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run_thread, NULL);
    pthread_barrier_wait(&made);
    for (int i = 0; i < 3; i++)
        si_gc(1, ECL_T);
    reuse_memory();
    pthread_barrier_wait(&reused);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    cl_shutdown();
    return 0;
}
/* SPDX-License-Identifier: MIT */
