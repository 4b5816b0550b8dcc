/*
 * sys_process.h -- a copy of the process, and the system calls of who runs in one.  As in sys.h.
 */
#ifndef MP_SYS_PROCESS_H
#define MP_SYS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As fork(2), but no handler runs, and the child is none that wait(2) sees or whose end sends a signal: 0 in the
 * child, its process id, or -errno. */
long mp_sys_copy(void);

/* Zeroed memory that such a child shares; NULL: there is none. */
void *mp_sys_map_shared(size_t size);

/* Has such a child, PID, ended?  PID: it did, and is gone; 0: it runs; -errno. */
long mp_sys_wait_copy(long pid);

/* Has this process the thread TID?  Where that cannot be asked it has. */
bool mp_sys_has_thread(uint32_t tid);

/* Close all files but FD. */
void mp_sys_keep_only(int fd);

/* From now on so many SECONDS of the processor, no priority, and no core dump; what then still runs is killed. */
void mp_sys_confine(unsigned seconds);

_Noreturn void mp_sys_exit(int status);

/* The names in the directory FD into BUFFER: records of getdents64(2). */
long mp_sys_read_directory(int fd, void *buffer, unsigned size);

/* The head of the list of robust mutexes that thread TID of this process, 0: the calling one, has; 0: none. */
uintptr_t mp_sys_robust_list(uint32_t tid);

#endif
