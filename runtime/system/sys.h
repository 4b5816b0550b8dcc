/* SPDX-License-Identifier: MIT */
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
/* Opens the file PATH with FLAGS if it is a regular file. Other files are not opened, because opening a device or a
 * FIFO can have effects. Returns the descriptor or -errno, -ENODEV for other files. */
long mp_sys_open_regular(const char *path, int flags);
long mp_sys_close(int fd);
long mp_sys_read(int fd, void *buffer, size_t size);
/* Writes without waiting. The program gets no SIGPIPE, SIGXFSZ or SIGTTOU. If FD may be a blocking pipe, SIZE is at
 * most PIPE_BUF. Returns the number of bytes or -errno, which is -EAGAIN if FD takes nothing now. */
long mp_sys_write(int fd, const void *buffer, size_t size);
/* Returns the id of the mount through which FD was opened, or UINT32_MAX if it is unknown. */
uint32_t mp_sys_mount(int fd);
/* Appends SIZE bytes to the file PATH, and creates it with mode 0600 if it does not exist. Follows no symbolic
 * link, and does not wait for the reader of a pipe. Returns 0 or -errno. */
long mp_sys_append(const char *path, const void *bytes, size_t size);
long mp_sys_pread(int fd, void *buffer, size_t size, uint64_t offset);
/* Writes all SIZE bytes at OFFSET, without a signal for the program. Returns 0 or -errno. */
long mp_sys_pwrite_all(int fd, const void *bytes, size_t size, uint64_t offset);
long mp_sys_unlink(const char *path);
long mp_sys_rename_new(const char *path, const char *new_path);        /* fails if NEW_PATH exists */
long mp_sys_symlink(const char *target, const char *path);
long mp_sys_readlink(const char *path, char *buffer, size_t size);
long mp_sys_getcwd(char *buffer, size_t size);
long mp_sys_fdatasync(int fd);
long mp_sys_flock(int fd, int operation);
long mp_sys_fcntl(int fd, int command, long argument);

long mp_sys_uname(struct utsname *system);

/* Writes the status of PATH to *STATUS. With AT_SYMLINK_NOFOLLOW in FLAGS, the status of a symbolic link is that
 * of the link itself. Returns 0 or -errno. */
long mp_sys_stat(const char *path, int flags, struct stat *status);

/* Writes the status of the file that FD refers to, to *STATUS. Returns 0 or -errno. */
long mp_sys_fstat(int fd, struct stat *status);

/* Stores in *BYTES how many bytes of the file system with the file PATH are free for this user. Returns 0 or
 * -errno. */
long mp_sys_free_space(const char *path, uint64_t *bytes);

/* Identifies the file that FD refers to. Returns false if FD is not open. */
struct mp_file_id { uint64_t device, inode; };
bool mp_sys_file_id(int fd, struct mp_file_id *id);

/* Returns whether FD is open and refers to the file ID. */
bool mp_sys_is_file(int fd, const struct mp_file_id *id);

/* In a sandboxed process, mp_sys_getpid() returns the pid that the process had when it was sandboxed, or 0 in a
 * child that was forked since. mp_sys_gettid() returns MP_SOME_THREAD there. */
#define MP_SOME_THREAD INT32_MAX
long mp_sys_getpid(void);
long mp_sys_getppid(void);
long mp_sys_gettid(void);

/* Writes the limits of RESOURCE to *LIMIT. Returns 0 or -errno. */
long mp_sys_limit(int resource, struct rlimit *limit);
void mp_sys_sleep(unsigned microseconds);

/* Allocates SIZE zeroed bytes of disk space for FD at OFFSET, so that touching a mapping of these bytes cannot
 * raise SIGBUS. Returns -EFBIG beyond RLIMIT_FSIZE, and never raises SIGXFSZ. */
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

/* Map at ADDRESS. mp_sys_map_at() maps zeroed memory, and mp_sys_map_file_at() maps SIZE bytes of FD at OFFSET,
 * shared and writable. Both return -EEXIST if something is mapped there. */
long mp_sys_map_at(void *address, size_t size);
long mp_sys_map_file_at(void *address, size_t size, int fd, uint64_t offset);

/* Replace memory of the monitor at ADDRESS. mp_sys_map_file() and mp_sys_map_private() map SIZE bytes of FD at
 * OFFSET, writable, the one shared and the other private. mp_sys_map_over() maps private zeroed memory. */
long mp_sys_map_file(void *address, size_t size, int fd, uint64_t offset);
long mp_sys_map_private(void *address, size_t size, int fd, uint64_t offset);
long mp_sys_map_over(void *address, size_t size);

/* Support programs with limited address space. mp_sys_set_aside() reserves SIZE bytes of address space, once.
 * mp_sys_pay() releases SIZE bytes of this reserve before the monitor maps as many, so that the mapping takes
 * nothing from the program. It releases less if less is left, and returns false if nothing is left. The functions
 * that map memory at places of the monitor call it themselves. */
void mp_sys_set_aside(size_t size);
bool mp_sys_pay(size_t size);

long mp_sys_unmap(void *address, size_t size);
long mp_sys_madvise(void *address, size_t size, int advice);

/* Writes one byte for each page of the SIZE bytes at ADDRESS to PAGES. Bit 0 of a byte is set if its page is in
 * memory. Returns -ENOMEM if some pages are not mapped. */
long mp_sys_resident(void *address, size_t size, uint8_t *pages);

/* Why memory cannot be accessed: the file that is mapped there has become too short, nothing is mapped there, or the
 * mapping forbids it. */
enum mp_sys_fault { MP_FAULT_SHORT, MP_FAULT_UNMAPPED, MP_FAULT_DENIED };

/* Makes SIZE bytes at ADDRESS, whole pages, readable and writable. Called in the handler of FAULT at ADDRESS. If the
 * mapping forbids access, allows access, and otherwise maps zeroed private memory. Returns 0 or -errno, which is
 * -EEXIST if another thread has mapped something at ADDRESS since an MP_FAULT_UNMAPPED. Makes the system call even
 * behind a filter, because the process would end without it. */
long mp_sys_repair(void *address, size_t size, enum mp_sys_fault fault);

/* Moves SIZE bytes of private memory from ADDRESS to another place, and leaves zeros. Returns the new address, or
 * NULL on failure. */
void *mp_sys_move_away(void *address, size_t size);

/* Sets the protection (PROT_*) of SIZE bytes at ADDRESS, whole pages. Returns 0 or -errno. */
long mp_sys_protect(void *address, size_t size, int protection);

/* Creates a file without a name in memory. Returns its descriptor or -errno. */
long mp_sys_memory_file(void);

/* Sends MESSAGE through the socket FD without waiting and without a signal. Returns the number of bytes or -errno. */
struct msghdr;
long mp_sys_send(int fd, const struct msghdr *message);

/* Receives a message from the socket FD without waiting. Returns the number of bytes or -errno. */
long mp_sys_receive(int fd, struct msghdr *message);

/* Returns whether nobody has the other end of the socket FD open. */
bool mp_sys_is_hung_up(int fd);

/* Copies SIZE bytes at ADDRESS of this process to BUFFER. Returns 0, or -errno if they cannot be read. -EFAULT means
 * that they are not mapped. */
long mp_sys_peek(uintptr_t address, void *buffer, size_t size);

/* Does what mp_sys_peek() does without a system call, by instructions whose faults are handled (stack_word.h). NULL as
 * long as no handler of these faults is installed. */
extern long (*mp_sys_peek_directly)(uintptr_t address, void *buffer, size_t size);

/* Returns the nanoseconds of CLOCK. Sandboxed: mp_sandbox_clock(). */
uint64_t mp_sys_clock(clockid_t clock);

/* Returns 64 random bits. If the kernel has no random bits, or the process is sandboxed, derives them from the clock
 * and the process's addresses. */
uint64_t mp_sys_random(void);

/* Sets *MODE to a PR_TSC_* constant of prctl(2), which states whether the process may read the time stamp
 * counter. Returns 0 or -errno. */
long mp_sys_counter_mode(int *mode);

/* Returns 1 if the thread runs on its alternate signal stack, and 0 if not. Stores the range of that stack in
 * *LOW and *HIGH, or 0 in both if the thread has no such stack. Returns a negative number in a sandboxed process,
 * where this is unknown. */
int mp_sys_on_alternate_stack(uintptr_t *low, uintptr_t *high);

/* mp_sys_block_signals() blocks all signals except SIGTRAP, SIGSYS, SIGBUS and SIGSEGV, which would kill the
 * process if they were blocked. It stores the old mask in *MASK for mp_sys_unblock_signals(). In between, the
 * thread may make system calls even if another thread sandboxes the process. In a sandboxed process,
 * mp_sys_block_signals() returns false and handlers may run (see mp_sandbox_exposed()), but
 * mp_sys_unblock_signals() must still be called. */
bool mp_sys_block_signals(uint64_t *mask);
void mp_sys_unblock_signals(const uint64_t *mask);

/* Sends signal NUMBER again, which was received with INFO. Sends it to this thread or to the process, as before.
 * Makes the system call even behind a filter, because the process would end without it. */
void mp_sys_queue_signal(int number, siginfo_t *info);

void mp_sys_futex_wait(uint32_t *word, uint32_t value);
void mp_sys_futex_wake(uint32_t *word);

#endif
