/*
 * sys.h -- system calls without libc.
 *
 * This directory owns system calls, the gate, the options, and what is known about the process and its objects. It
 * knows nothing of recordings. Every directory of the monitor and both bridges may call it.
 *
 * The monitor runs inside malloc, in signal handlers, before libc is ready and after it has finished. libc's
 * wrappers set errno, and several are cancellation points; these functions are neither. All return the kernel's
 * value, -errno if it is negative. In a sandboxed process (sandbox.h) they make no system call and return -EPERM,
 * unless their comments describe something else.
 */
#ifndef MP_SYS_H
#define MP_SYS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <time.h>

long mp_sys_open(const char *path, int flags, unsigned mode);
long mp_sys_close(int fd);
long mp_sys_read(int fd, void *buffer, size_t size);
long mp_sys_write(int fd, const void *buffer, size_t size);
/* Appends SIZE bytes to the file PATH, which is created with mode 0600 if it is absent. Follows no symbolic link and
 * does not wait for the reader of a pipe. Returns 0 or -errno. */
long mp_sys_append(const char *path, const void *bytes, size_t size);
long mp_sys_pread(int fd, void *buffer, size_t size, uint64_t offset);
/* Writes all SIZE bytes at OFFSET. Returns 0 or -errno. */
long mp_sys_pwrite_all(int fd, const void *bytes, size_t size, uint64_t offset);
long mp_sys_unlink(const char *path);
long mp_sys_symlink(const char *target, const char *path);
long mp_sys_readlink(const char *path, char *buffer, size_t size);
long mp_sys_getcwd(char *buffer, size_t size);
long mp_sys_fdatasync(int fd);
long mp_sys_flock(int fd, int operation);
long mp_sys_fcntl(int fd, int command, long argument);

long mp_sys_uname(struct utsname *system);

/* Writes the status of PATH to *STATUS. With AT_SYMLINK_NOFOLLOW in FLAGS it is that of a symbolic link itself.
 * Returns 0 or -errno. */
long mp_sys_stat(const char *path, int flags, struct stat *status);

/* Writes the status of the file that FD refers to. Returns 0 or -errno. */
long mp_sys_fstat(int fd, struct stat *status);

/* Writes the free bytes, available to this user, of the file system with the file PATH. Returns 0 or -errno. */
long mp_sys_free_space(const char *path, uint64_t *bytes);

/* Identifies the file that FD refers to. Returns false if FD is not open. */
struct mp_file_id { uint64_t device, inode; };
bool mp_sys_file_id(int fd, struct mp_file_id *id);

/* Returns whether FD is open and refers to the file ID. */
bool mp_sys_is_file(int fd, const struct mp_file_id *id);

/* In a sandboxed process mp_sys_getpid() returns the pid at that time, or 0 in a child forked since, and
 * mp_sys_gettid() returns MP_SOME_THREAD. */
#define MP_SOME_THREAD INT32_MAX
long mp_sys_getpid(void);
long mp_sys_getppid(void);
long mp_sys_gettid(void);

/* Writes the limits of RESOURCE to *LIMIT. Returns 0 or -errno. */
long mp_sys_limit(int resource, struct rlimit *limit);
void mp_sys_sleep(unsigned microseconds);

/* Allocates SIZE zeroed bytes of disk space at OFFSET, so that touching a mapping of them cannot raise SIGBUS.
 * Never raises SIGXFSZ, but returns -EFBIG beyond RLIMIT_FSIZE. */
long mp_sys_allocate(int fd, uint64_t offset, uint64_t size);

/* Maps zeroed memory (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE) away from the program's mappings (place.h).
 * Returns NULL if memory is exhausted. Sandboxed: mp_sandbox_memory(). */
void *mp_sys_map(size_t size);

/* Like mp_sys_map(), for memory of which only parts will be touched. It is not locked, even if the program locks
 * all its mappings (mlockall(2)), and has no huge pages. */
void *mp_sys_map_sparse(size_t size);

/* Reserves address space only (PROT_NONE). Returns NULL if address space is exhausted. */
void *mp_sys_reserve(size_t size);

/* Makes SIZE bytes of a reservation at ADDRESS, whole pages, readable and writable. */
long mp_sys_open_up(void *address, size_t size);

/* Map at ADDRESS: zeroed memory, or SIZE bytes of FD at OFFSET, shared and writable. Return -EEXIST if something
 * is mapped there. */
long mp_sys_map_at(void *address, size_t size);
long mp_sys_map_file_at(void *address, size_t size, int fd, uint64_t offset);

/* Replace memory of the monitor at ADDRESS: by SIZE bytes of FD at OFFSET, writable and shared (file) or private
 * (private), or by private zeroed memory (over). */
long mp_sys_map_file(void *address, size_t size, int fd, uint64_t offset);
long mp_sys_map_private(void *address, size_t size, int fd, uint64_t offset);
long mp_sys_map_over(void *address, size_t size);

/* For programs with limited address space. mp_sys_set_aside() reserves SIZE bytes of address space, once.
 * mp_sys_pay() releases SIZE bytes of this reserve, or what is left, before the monitor maps as much, so that its
 * mapping takes nothing from the program. It returns false if nothing is left. The functions that map memory at
 * places of the monitor call it themselves. */
void mp_sys_set_aside(size_t size);
bool mp_sys_pay(size_t size);

long mp_sys_unmap(void *address, size_t size);
long mp_sys_madvise(void *address, size_t size, int advice);

/* Writes a byte for each page of SIZE bytes at ADDRESS; bit 0 is set if the page is in memory. Returns -ENOMEM if
 * some pages are not mapped. */
long mp_sys_resident(void *address, size_t size, uint8_t *pages);

/* Maps SIZE bytes of zeroed private memory, whole pages, at ADDRESS, in the handler of a fault there. Replaces
 * the present mapping if OVER; otherwise nothing may be mapped there. Returns 0 or -errno. Makes the system call
 * even behind a filter, because the process would end without it. */
long mp_sys_repair(void *address, size_t size, bool over);

/* Moves SIZE bytes of private memory away from ADDRESS, where zeros remain. Returns the new address, or NULL on
 * failure. */
void *mp_sys_move_away(void *address, size_t size);

/* Sets the protection (PROT_*) of SIZE bytes at ADDRESS, whole pages. Returns 0 or -errno. */
long mp_sys_protect(void *address, size_t size, int protection);

/* Copies SIZE bytes at ADDRESS of this process to BUFFER. Returns 0, or -errno if they cannot be read. */
long mp_sys_peek(uintptr_t address, void *buffer, size_t size);

/* Returns the nanoseconds of CLOCK. Sandboxed: mp_sandbox_clock(). */
uint64_t mp_sys_clock(clockid_t clock);

/* Returns 64 random bits. If the kernel has no random bits, or the process is sandboxed, derives them from the clock
 * and the process's addresses. */
uint64_t mp_sys_random(void);

/* Sets *MODE to PR_TSC_* of prctl(2), which shows whether the process may read the time stamp counter. Returns 0 or
 * -errno. */
long mp_sys_counter_mode(int *mode);

/* Returns whether the thread runs on its alternate signal stack. Stores the range of that stack in *LOW and *HIGH,
 * or 0 and 0 if the thread has no such stack. In a sandboxed process this is unknown; then returns a negative
 * number. */
int mp_sys_on_alternate_stack(uintptr_t *low, uintptr_t *high);

/* mp_sys_block_signals() blocks all signals except SIGTRAP, SIGSYS, SIGBUS and SIGSEGV, which would kill the
 * process if they were blocked. It stores the old mask in *MASK for mp_sys_unblock_signals(). In between the
 * thread may make system calls, even if another thread sandboxes the process. Sandboxed: returns false, and
 * handlers may run; see mp_sandbox_exposed(). */
bool mp_sys_block_signals(uint64_t *mask);
void mp_sys_unblock_signals(const uint64_t *mask);

/* Sends signal NUMBER, received with INFO, again, to this thread or to the process as before. Makes the system
 * call even behind a filter, because the process would end without it. */
void mp_sys_queue_signal(int number, siginfo_t *info);

void mp_sys_futex_wait(uint32_t *word, uint32_t value);
void mp_sys_futex_wake(uint32_t *word);

#endif
