/* SPDX-License-Identifier: MIT */
/*
 * sys_process.h -- creates copies of the process, and has the system calls that these need. Conventions as in
 * sys.h.
 */
#ifndef MP_SYS_PROCESS_H
#define MP_SYS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Forks the process without running fork handlers. wait(2) does not see the child, and its end sends no signal.
 * Returns 0 in the child, its pid in the parent, or -errno. */
long mp_sys_copy(void);

/* Maps zeroed memory that the process shares with later children. Returns NULL if memory is exhausted. */
void *mp_sys_map_shared(size_t size);

/* Checks whether the child PID, made by mp_sys_copy(), has ended. If so, reaps it and returns PID. Returns 0 if
 * it is running, or -errno. */
long mp_sys_wait_copy(long pid);

/* Returns whether this process has a thread TID. Also returns true if the kernel cannot be asked. */
bool mp_sys_has_thread(uint32_t tid);

/* Returns the bytes of the process's address space, of its resident memory, or of its resident memory that is neither
 * shared nor of a file. Returns 0 if they are unknown. */
enum mp_memory { MP_MEMORY_SIZE, MP_MEMORY_RESIDENT, MP_MEMORY_PRIVATE };
uint64_t mp_sys_memory(enum mp_memory which);

/* Opens a pipe: ENDS[0] is for reading, ENDS[1] for writing. Returns 0 or -errno. */
long mp_sys_pipe(int ends[2]);

/* Closes all descriptors except FD. */
void mp_sys_keep_only(int fd);

/* Limits the process to SECONDS of processor time, gives it normal priority and no core dumps, and makes it the
 * first to be killed if memory runs out. */
void mp_sys_confine(unsigned seconds);

_Noreturn void mp_sys_exit(int status);

/* Reads entries of the directory FD into BUFFER, as records of getdents64(2). Returns the number of bytes, 0 at
 * the end, or -errno. */
long mp_sys_read_directory(int fd, void *buffer, unsigned size);

/* Returns the head of the robust mutex list of thread TID of this process, or 0 if it has no list. TID 0 means
 * the calling thread. */
uintptr_t mp_sys_robust_list(uint32_t tid);

#endif
