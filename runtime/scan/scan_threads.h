/* SPDX-License-Identifier: MIT */
/*
 * scan_threads.h -- lists the threads of the process, with their stack pointers and registers as far as they are
 * known.
 *
 * No thread is stopped or gets a signal, because the program might notice. If a thread waits in the kernel,
 * /proc/self/task/ID/syscall has its stack pointer and the registers of its system call. If it runs, both are
 * unknown. glibc keeps the head of a thread's list of robust mutexes in the thread's descriptor, next to the
 * thread-local storage. The kernel knows the address of this head, which locates the descriptor. A thread that has not
 * run yet has not told the kernel this address; scan_descriptors.h finds such a thread.
 */
#ifndef MP_SCAN_THREADS_H
#define MP_SCAN_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#define MP_SCAN_REGISTERS 6u

struct mp_scan_thread {
    uint32_t tid;
    uint32_t n_registers;
    uintptr_t sp;               /* 0 if unknown */
    uintptr_t descriptor;       /* the value of pthread_self(); 0 if unknown */
    uint64_t registers[MP_SCAN_REGISTERS];
};

struct mp_scan_threads {
    struct mp_scan_thread *list;
    uint32_t n, room;
    uint32_t without_registers; /* number of threads except the calling one; only some of their registers are known */
    bool cut;                   /* there was no memory for all threads */
};

/* Finds the threads. Called before the copy of the process is made, because the copy has only one thread. SP is the
 * stack pointer of the calling thread, which has saved its registers on the stack. Returns 0, or -errno if the threads
 * cannot be listed. */
long mp_scan_threads_find(struct mp_scan_threads *threads, uintptr_t sp);
void mp_scan_threads_free(struct mp_scan_threads *threads);

/* Adds the thread TID with DESCRIPTOR. If THREADS already has TID without a descriptor, sets the descriptor. Returns
 * false if there is no memory for another thread. */
bool mp_scan_threads_know(struct mp_scan_threads *threads, uint32_t tid, uintptr_t descriptor);

/* Returns the thread with the lowest descriptor in the range from START to END, or NULL. */
const struct mp_scan_thread *mp_scan_threads_in(const struct mp_scan_threads *threads, uintptr_t start,
                                                uintptr_t end);

#endif
