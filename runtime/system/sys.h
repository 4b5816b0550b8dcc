/*
 * sys.h -- system calls without libc.
 *
 * The monitor runs inside malloc, in signal handlers, before libc is ready and after it is done.
 * libc's wrappers set errno and several are cancellation points; these are neither.  All return
 * the kernel's value: negative is -errno.  In a process that is shut off (sandbox.h) none is made:
 * -EPERM, or what is said below.
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
long mp_sys_pread(int fd, void *buffer, size_t size, uint64_t offset);
/* Write all SIZE bytes at OFFSET: 0 or -errno. */
long mp_sys_pwrite_all(int fd, const void *bytes, size_t size, uint64_t offset);
long mp_sys_unlink(const char *path);
long mp_sys_symlink(const char *target, const char *path);
long mp_sys_readlink(const char *path, char *buffer, size_t size);
long mp_sys_getcwd(char *buffer, size_t size);
long mp_sys_fdatasync(int fd);
long mp_sys_flock(int fd, int operation);
long mp_sys_fcntl(int fd, int command, long argument);

long mp_sys_uname(struct utsname *system);

/* Writes the status of PATH; of a symbolic link itself with AT_SYMLINK_NOFOLLOW in FLAGS: 0 or -errno. */
long mp_sys_stat(const char *path, int flags, struct stat *status);

/* Writes the status of the file that descriptor FD refers to: 0 or -errno. */
long mp_sys_fstat(int fd, struct stat *status);

/* Writes the bytes that are free for this user on the file system that has the file PATH: 0 or -errno. */
long mp_sys_free_space(const char *path, uint64_t *bytes);

/* Identifies the file that descriptor FD refers to.  Returns false if FD is not open. */
struct mp_file_id { uint64_t device, inode; };
bool mp_sys_file_id(int fd, struct mp_file_id *id);

/* Is FD open, and refers to the file ID? */
bool mp_sys_is_file(int fd, const struct mp_file_id *id);

/* Shut off: what it was then, 0 in a child that was forked since.  And: MP_SOME_THREAD. */
#define MP_SOME_THREAD INT32_MAX
long mp_sys_getpid(void);
long mp_sys_getppid(void);
long mp_sys_gettid(void);

/* The soft limit of RESOURCE; 0 or -errno. */
long mp_sys_limit(int resource, struct rlimit *limit);
void mp_sys_sleep(unsigned microseconds);

/* Space for SIZE bytes at OFFSET that is really there, zeroed, so that touching it can never be a
 * SIGBUS.  Never raises SIGXFSZ: -EFBIG beyond RLIMIT_FSIZE. */
long mp_sys_allocate(int fd, uint64_t offset, uint64_t size);

/* MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE memory, zeroed, apart from all that the program maps
 * (place.h); NULL if there is none.  Shut off: mp_sandbox_memory(). */
void *mp_sys_map(size_t size);

/* The same where only some of it will be touched: not locked, though the program may lock all that it maps
 * (mlockall(2)), and without huge pages. */
void *mp_sys_map_sparse(size_t size);

/* Address space only (PROT_NONE); NULL if there is none. */
void *mp_sys_reserve(size_t size);

/* Make SIZE bytes of a reservation at ADDRESS, whole pages, memory. */
long mp_sys_open_up(void *address, size_t size);

/* At ADDRESS, where nothing is: memory; SIZE bytes of FD at OFFSET, shared and writable.
 * -EEXIST: something is there. */
long mp_sys_map_at(void *address, size_t size);
long mp_sys_map_file_at(void *address, size_t size, int fd, uint64_t offset);

/* Over ADDRESS, where there is memory of ours: SIZE bytes of FD at OFFSET, writable, shared or not;
 * private zeroed memory. */
long mp_sys_map_file(void *address, size_t size, int fd, uint64_t offset);
long mp_sys_map_private(void *address, size_t size, int fd, uint64_t offset);
long mp_sys_map_over(void *address, size_t size);

/* Where the program's addresses are limited: set SIZE bytes of them aside, once.  And: of these, give
 * SIZE back, or what is left, for as much that the monitor maps now, so that this takes none from the
 * program (all that map at places of ours do so themselves); false: nothing is left. */
void mp_sys_set_aside(size_t size);
bool mp_sys_pay(size_t size);

long mp_sys_unmap(void *address, size_t size);
long mp_sys_madvise(void *address, size_t size, int advice);

/* Which pages of SIZE bytes at ADDRESS are in memory: bit 0 of a byte for each.  -ENOMEM: not all of them
 * are mapped. */
long mp_sys_resident(void *address, size_t size, uint8_t *pages);

/* Maps zeroed private memory of SIZE bytes, whole pages, at ADDRESS, from a handler of a fault there: over the
 * present mapping if OVER, else where none is.  0 or -errno.  Also behind a filter: the process ends without it. */
long mp_sys_repair(void *address, size_t size, bool over);

/* Move SIZE bytes of private memory from ADDRESS, where zeros are left, to where NULL, there is none, or
 * the result says. */
void *mp_sys_move_away(void *address, size_t size);

/* Sets the protection (PROT_*) of SIZE bytes at ADDRESS, whole pages: 0 or -errno. */
long mp_sys_protect(void *address, size_t size, int protection);

/* Read SIZE bytes at ADDRESS of this process; 0, or -errno where they cannot be read. */
long mp_sys_peek(uintptr_t address, void *buffer, size_t size);

/* Nanoseconds of CLOCK.  Shut off: mp_sandbox_clock(). */
uint64_t mp_sys_clock(clockid_t clock);

/* 64 bits of chance.  Shut off, or where the kernel has none: of the clock and the process's addresses. */
uint64_t mp_sys_random(void);

/* May programs read the processor's time stamp counter: PR_TSC_* of prctl(2).  0 or -errno. */
long mp_sys_counter_mode(int *mode);

/* Whether the thread runs on its alternate signal stack, and where that is (0, 0: none).  Shut off:
 * negative, which means not known. */
int mp_sys_on_alternate_stack(uintptr_t *low, uintptr_t *high);

/* Block all signals but those that kill where they are blocked (SIGTRAP, SIGSYS; SIGBUS and SIGSEGV, see
 * session/faults.h); the old mask is put into
 * *MASK for mp_sys_unblock_signals().  In between the thread may make system calls, whatever others
 * do.  Shut off: false, and handlers may come; see mp_sandbox_exposed(). */
bool mp_sys_block_signals(uint64_t *mask);
void mp_sys_unblock_signals(const uint64_t *mask);

/* Sends signal NUMBER once more, which came with INFO: to this thread or to the process, as it was sent.  Also
 * behind a filter: the process ends without it. */
void mp_sys_queue_signal(int number, siginfo_t *info);

void mp_sys_futex_wait(uint32_t *word, uint32_t value);
void mp_sys_futex_wake(uint32_t *word);

#endif
