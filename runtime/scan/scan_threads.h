/*
 * scan_threads.h -- the threads of the process, and what is known of their stacks and registers.
 *
 * No thread is stopped for that, nor sent a signal: it might notice.  Of a thread that waits in the kernel
 * /proc/self/task/ID/syscall tells the stack pointer and the registers that its system call has; of one that runs,
 * nothing.  Where a thread's descriptor is, with its thread-local storage, its list of robust mutexes tells, the
 * head of which glibc keeps there.  A thread that has not run yet has not told the kernel: scan_descriptors.h has it.
 */
#ifndef MP_SCAN_THREADS_H
#define MP_SCAN_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#define MP_SCAN_REGISTERS 6u

struct mp_scan_thread {
    uint32_t tid;
    uint32_t n_registers;
    uintptr_t sp;               /* 0: not known */
    uintptr_t descriptor;       /* as pthread_self() has it; 0: not known */
    uint64_t registers[MP_SCAN_REGISTERS];
};

struct mp_scan_threads {
    struct mp_scan_thread *list;
    uint32_t n, room;
    uint32_t without_registers; /* of all but the calling thread some registers are not known */
    bool cut;                   /* there was no memory for all */
};

/* Look for them: before the copy is made, which has one thread only.  SP: the stack pointer of the calling thread,
 * on whose stack its registers are.  False: they cannot be told. */
bool mp_scan_threads_find(struct mp_scan_threads *threads, uintptr_t sp);
void mp_scan_threads_free(struct mp_scan_threads *threads);

/* There is a thread TID with this DESCRIPTOR: it gets that if it has none yet, and is added if it is new.  False: there
 * is no memory for it. */
bool mp_scan_threads_know(struct mp_scan_threads *threads, uint32_t tid, uintptr_t descriptor);

/* The one whose descriptor is the lowest in START to END; NULL: none. */
const struct mp_scan_thread *mp_scan_threads_in(const struct mp_scan_threads *threads, uintptr_t start,
                                                uintptr_t end);

#endif
