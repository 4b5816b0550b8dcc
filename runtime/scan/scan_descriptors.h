/* SPDX-License-Identifier: MIT */
/*
 * scan_descriptors.h -- the threads that glibc knows, including those that have not run yet and those that have
 * ended.
 *
 * glibc has three lists of threads' descriptors. The first has threads whose stacks glibc allocated, and the second
 * has threads whose stacks the program allocated. The third is a cache of stacks of ended threads, which glibc gives to
 * new threads. A thread is in the first or second list from before clone(2) is called until another thread has joined
 * it. The lists are found by offsets that libc exports for debuggers, as libthread_db does.
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
    bool runs;                  /* belongs to an existing thread, which may not have run yet */
};

struct mp_scan_descriptors {
    struct mp_scan_descriptor *list;
    uint32_t n;
};

/* Finds glibc's lists. Called once, when the process starts. */
void mp_scan_descriptors_open(void);

/* Reads the lists. Sets unknown descriptors of threads in THREADS, and adds threads that are missing in THREADS. Used
 * in a copy of the process. Finds no descriptors if the lists are unknown. */
void mp_scan_descriptors_find(struct mp_scan_descriptors *descriptors, struct mp_scan_threads *threads,
                              struct mp_scan_memory *memory);

/* Returns whether the range from START to END contains a stack that glibc allocated and that belongs to no existing
 * thread. */
bool mp_scan_descriptors_idle(const struct mp_scan_descriptors *descriptors, uintptr_t start, uintptr_t end);

/* Return the size of a descriptor in bytes, and the offset in it of the address of the vector of thread-local
 * storage. */
uintptr_t mp_scan_descriptor_size(void);
uintptr_t mp_scan_descriptor_vector(void);

#endif
