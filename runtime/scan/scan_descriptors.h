/*
 * scan_descriptors.h -- the threads that glibc knows: also those that have not run yet, and those that have ended.
 *
 * glibc keeps three lists of threads' descriptors: threads whose stacks it allocated, threads whose stacks the program
 * allocated, and the cache, that is, stacks of threads that have ended, which the next thread gets.  The first two
 * have a thread from before clone(2) is called until somebody has joined it.  The offsets are those that libc exports
 * for debuggers, by which libthread_db finds the same lists.
 */
#ifndef MP_SCAN_DESCRIPTORS_H
#define MP_SCAN_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "scan_memory.h"
#include "scan_threads.h"

enum mp_scan_list { MP_SCAN_USED, MP_SCAN_USER, MP_SCAN_CACHED, MP_SCAN_LISTS };

struct mp_scan_descriptor {
    uintptr_t address;
    enum mp_scan_list list;
    bool runs;                  /* it is of a thread that is there, which may not have run yet */
};

struct mp_scan_descriptors {
    struct mp_scan_descriptor *list;
    uint32_t n;
};

/* Looks up where glibc has its lists.  Called once, when the process starts. */
void mp_scan_descriptors_open(void);

/* Reads the lists.  A thread of THREADS whose descriptor is unknown gets it, and a thread that is not among them is
 * added.  For a copy of the process.  Where the lists are unknown there are no descriptors. */
void mp_scan_descriptors_find(struct mp_scan_descriptors *descriptors, struct mp_scan_threads *threads,
                              struct mp_scan_memory *memory);

/* Is the stack of one of them in START to END, allocated by glibc, and of no thread that is there? */
bool mp_scan_descriptors_idle(const struct mp_scan_descriptors *descriptors, uintptr_t start, uintptr_t end);

/* Bytes of a descriptor, and where in it the address of its vector of thread-local storage is stored. */
uintptr_t mp_scan_descriptor_size(void);
uintptr_t mp_scan_descriptor_vector(void);

#endif
