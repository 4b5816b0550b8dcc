/* SPDX-License-Identifier: MIT */
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#include "fault.h"
#include "gate_page.h"
#include "kernel.h"
#include "runtime/runner_message.h"
#include "runtime/decimal.h"
#include "sandbox.h"
#include "sys_call.h"

#define NO_EXECUTION 8u         /* MFD_NOEXEC_SEAL of newer headers */

long
mp_sys_call(long number, long a, long b, long c, long d, long e, long f)
{
    long result;

    if (!mp_sandbox_enter())
        return -EPERM;
    result = mp_kernel_call(number, a, b, c, d, e, f);
    mp_sandbox_leave();
    return result;
}

long
mp_sys_open(const char *path, int flags, unsigned mode)
{
    long fault = mp_fault(MP_FAULT_OPEN);

    return fault ? fault : CALL4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

long
mp_sys_open_regular(const char *path, int flags)
{
    char itself[] = "/proc/self/fd/0123456789", digits[MP_DECIMAL_SIZE];
    const long place = mp_sys_open(path, O_PATH | (flags & O_NOFOLLOW), 0);
    struct stat status;
    long fd = -ENODEV;

    if (place < 0)
        return place;
    flags |= O_NONBLOCK | O_NOCTTY;
    if (mp_sys_fstat((int)place, &status) == 0 && S_ISREG(status.st_mode)) {
        strcpy(strrchr(itself, '/') + 1, mp_decimal((uint32_t)place, digits));
        fd = mp_sys_open(itself, flags & ~O_NOFOLLOW, 0);
        if (fd == -ENOENT)                      /* there is no /proc */
            fd = mp_sys_open(path, flags | O_NOFOLLOW, 0);
    }
    mp_sys_close((int)place);
    return fd;
}

long
mp_sys_close(int fd)
{
    return CALL1(SYS_close, fd);
}

long
mp_sys_read(int fd, void *buffer, size_t size)
{
    return CALL3(SYS_read, fd, buffer, size);
}

/* Removes the pending signal NUMBER, which the thread's own system call has just caused. If the signal was pending
 * BEFORE that call, it belongs to the program and stays. */
static void
take_signal(int number, uint64_t before)
{
    const uint64_t set = (uint64_t)1 << (number - 1);
    const struct timespec at_once = {0};

    if (!(before & set))
        CALL4(SYS_rt_sigtimedwait, &set, 0, &at_once, sizeof set);
}

/* Makes the system call NUMBER, write(2) or pwrite64(2), without a signal for the program. */
static long
write_quietly(long number, int fd, const void *bytes, size_t size, uint64_t offset)
{
    uint64_t mask, pending = 0;
    long result = -EPERM;

    if (mp_sys_block_signals(&mask)) {
        CALL2(SYS_rt_sigpending, &pending, sizeof pending);
        result = CALL4(number, fd, bytes, size, offset);
        if (result == -EPIPE)
            take_signal(SIGPIPE, pending);
        else if (result == -EFBIG)
            take_signal(SIGXFSZ, pending);
    }
    mp_sys_unblock_signals(&mask);
    return result;
}

long
mp_sys_write(int fd, const void *buffer, size_t size)
{
    struct pollfd ready = { .fd = fd, .events = POLLOUT };
    struct timespec at_once = {0};

    if (CALL4(SYS_ppoll, &ready, 1, &at_once, 0) == 0)
        return -EAGAIN;
    return write_quietly(SYS_write, fd, buffer, size, 0);
}

long
mp_sys_append(const char *path, const void *bytes, size_t size)
{
    const long fd = mp_sys_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
    long written;

    if (fd < 0)
        return fd;
    written = mp_sys_write((int)fd, bytes, size);
    mp_sys_close((int)fd);
    return written < 0 ? written : 0;
}

long
mp_sys_pread(int fd, void *buffer, size_t size, uint64_t offset)
{
    return CALL4(SYS_pread64, fd, buffer, size, offset);
}

long
mp_sys_pwrite_all(int fd, const void *bytes, size_t size, uint64_t offset)
{
    for (size_t done = 0; done < size;) {
        long n = write_quietly(SYS_pwrite64, fd, (const char *)bytes + done, size - done, offset + done);

        if (n == -EINTR)
            continue;
        if (n <= 0)
            return n ? n : -ENOSPC;
        done += (size_t)n;
    }
    return 0;
}

long
mp_sys_unlink(const char *path)
{
    return CALL3(SYS_unlinkat, AT_FDCWD, path, 0);
}

long
mp_sys_rename_new(const char *path, const char *new_path)
{
    return mp_sys_call(SYS_renameat2, AT_FDCWD, (long)path, AT_FDCWD, (long)new_path, 1 /* RENAME_NOREPLACE */, 0);
}

long
mp_sys_symlink(const char *target, const char *path)
{
    return CALL3(SYS_symlinkat, target, AT_FDCWD, path);
}

long
mp_sys_readlink(const char *path, char *buffer, size_t size)
{
    return CALL4(SYS_readlinkat, AT_FDCWD, path, buffer, size);
}

long
mp_sys_getcwd(char *buffer, size_t size)
{
    return CALL2(SYS_getcwd, buffer, size);
}

long
mp_sys_fdatasync(int fd)
{
    return CALL1(SYS_fdatasync, fd);
}

long
mp_sys_flock(int fd, int operation)
{
    return CALL2(SYS_flock, fd, operation);
}

long
mp_sys_fcntl(int fd, int command, long argument)
{
    return CALL3(SYS_fcntl, fd, command, argument);
}

uint32_t
mp_sys_mount(int fd)
{
    struct statx status = { .stx_mask = 0 };

    return mp_sys_call(SYS_statx, fd, (long)"", AT_EMPTY_PATH, STATX_MNT_ID, (long)&status, 0) == 0 &&
                   status.stx_mask & STATX_MNT_ID
               ? (uint32_t)status.stx_mnt_id : UINT32_MAX;
}

long
mp_sys_uname(struct utsname *system)
{
    return CALL1(SYS_uname, system);
}

long
mp_sys_stat(const char *path, int flags, struct stat *status)
{
    return CALL4(SYS_newfstatat, AT_FDCWD, path, status, flags);
}

long
mp_sys_fstat(int fd, struct stat *status)
{
    return CALL2(SYS_fstat, fd, status);
}

long
mp_sys_free_space(const char *path, uint64_t *bytes)
{
    struct statfs status;
    const long result = CALL2(SYS_statfs, path, &status);

    if (result == 0)
        *bytes = (uint64_t)status.f_bavail * (uint64_t)status.f_frsize;
    return result;
}

bool
mp_sys_file_id(int fd, struct mp_file_id *id)
{
    struct stat status;

    if (mp_sys_fstat(fd, &status) != 0)
        return false;
    id->device = status.st_dev;
    id->inode = status.st_ino;
    return true;
}

bool
mp_sys_is_file(int fd, const struct mp_file_id *id)
{
    struct mp_file_id is;

    return fd >= 0 && mp_sys_file_id(fd, &is) && is.device == id->device && is.inode == id->inode;
}

long
mp_sys_getpid(void)
{
    long pid = CALL0(SYS_getpid);

    return pid < 0 ? (long)mp_gate->shut_pid : pid;
}

long
mp_sys_getppid(void)
{
    return CALL0(SYS_getppid);
}

long
mp_sys_gettid(void)
{
    long tid = CALL0(SYS_gettid);

    return tid < 0 ? MP_SOME_THREAD : tid;
}

long
mp_sys_limit(int resource, struct rlimit *limit)
{
    return CALL4(SYS_prlimit64, 0, resource, 0, limit);
}

void
mp_sys_sleep(unsigned microseconds)
{
    const struct timespec time = { microseconds / 1000000, microseconds % 1000000 * 1000 };

    CALL2(SYS_nanosleep, &time, 0);
}

/* Writes SIZE zeros at OFFSET. Used on file systems without fallocate (NFS, some FUSE). */
static long
write_zeros(int fd, uint64_t offset, uint64_t size)
{
    static const char zeros[4096];
    long result = 0;

    for (uint64_t done = 0; done < size && result == 0; done += sizeof zeros) {
        uint64_t left = size - done;

        result = mp_sys_pwrite_all(fd, zeros, left < sizeof zeros ? left : sizeof zeros,
                                   offset + done);
    }
    return result;
}

long
mp_sys_allocate(int fd, uint64_t offset, uint64_t size)
{
    struct rlimit limit;
    long result = mp_fault(MP_FAULT_ALLOCATE);

    if (result != 0)
        return result;
    if (mp_sys_limit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        offset + size > limit.rlim_cur)
        return -EFBIG;
    do
        result = CALL4(SYS_fallocate, fd, 0, offset, size);
    while (result == -EINTR);
    return result == -EOPNOTSUPP || result == -ENOSYS ? write_zeros(fd, offset, size) : result;
}

long (*mp_sys_peek_directly)(uintptr_t address, void *buffer, size_t size);

/* Returns whether all pages from ADDRESS to END can be read. Passes each page to rt_sigprocmask(2) as a set of signals,
 * which the kernel reads before it rejects the invalid first argument. */
static bool
is_mapped(uintptr_t address, uintptr_t end)
{
    for (address &= ~(uintptr_t)7; address < end; address = (address | 4095) + 1)
        if (CALL4(SYS_rt_sigprocmask, -1, address, 0, 8) == -EFAULT)
            return false;
    return true;
}

long
mp_sys_memory_file(void)
{
    const long fault = mp_fault(MP_FAULT_OPEN);
    const long fd = fault ? fault : CALL2(SYS_memfd_create, "mprof", MFD_CLOEXEC | NO_EXECUTION);

    return fd == -EINVAL ? CALL2(SYS_memfd_create, "mprof", MFD_CLOEXEC) : fd;     /* Linux before 6.3 */
}

long
mp_sys_send(int fd, const struct msghdr *message)
{
    return CALL3(SYS_sendmsg, fd, message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

long
mp_sys_receive(int fd, struct msghdr *message)
{
    return CALL3(SYS_recvmsg, fd, message, MSG_DONTWAIT);
}

bool
mp_sys_is_hung_up(int fd)
{
    struct pollfd end = { .fd = fd };
    struct timespec at_once = {0};

    return CALL4(SYS_ppoll, &end, 1, &at_once, 0) < 0 || (end.revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Containers and filters of services may deny process_vm_readv(2) also to a process that reads its own memory. Then
 * this function asks the kernel whether the memory is mapped, and reads it directly. The direct read faults only if
 * another thread unmaps the memory meanwhile. */
long
mp_sys_peek(uintptr_t address, void *buffer, size_t size)
{
    struct iovec local = { buffer, size };
    struct iovec remote = { (void *)address, size };
    long n;

    if (!mp_sandbox_enter()) {
        if (mp_sandbox_peek(address, buffer, size))
            return 0;
        return mp_sys_peek_directly && !mp_sandbox.no_return ? mp_sys_peek_directly(address, buffer, size) : -EPERM;
    }
    n = mp_sys_call(SYS_process_vm_readv, mp_sys_getpid(), (long)&local, 1, (long)&remote, 1, 0);
    if (n < 0 && n != -EFAULT && mp_sys_peek_directly)
        n = is_mapped(address, address + size) && mp_sys_peek_directly(address, buffer, size) == 0 ? (long)size
                                                                                                : -EFAULT;
    mp_sandbox_leave();
    return n == (long)size ? 0 : n < 0 ? n : -EFAULT;
}

uint64_t
mp_sys_clock(clockid_t clock)
{
    struct timespec now = { 0, 0 };

    if (CALL2(SYS_clock_gettime, clock, &now) < 0)
        return mp_sandbox_clock();
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t
mp_sys_random(void)
{
    uint64_t bits;

    if (CALL3(SYS_getrandom, &bits, sizeof bits, GRND_NONBLOCK) == sizeof bits)
        return bits;
    return mp_sys_clock(CLOCK_MONOTONIC) ^ (uint64_t)(uintptr_t)&bits << 20;
}

long
mp_sys_counter_mode(int *mode)
{
    return CALL2(SYS_prctl, PR_GET_TSC, mode);
}

int
mp_sys_on_alternate_stack(uintptr_t *low, uintptr_t *high)
{
    stack_t stack = { .ss_flags = SS_DISABLE };
    long result = CALL2(SYS_sigaltstack, 0, &stack);

    *low = *high = 0;
    if (result != 0)
        return -1;
    if (stack.ss_flags & SS_DISABLE)
        return 0;
    *low = (uintptr_t)stack.ss_sp;
    *high = *low + stack.ss_size;
    return (stack.ss_flags & SS_ONSTACK) != 0;
}

/* Mark in a saved mask which means that no signals were blocked. It is SIGKILL's bit, which the kernel never
 * sets. */
#define NOT_BLOCKED ((uint64_t)1 << (SIGKILL - 1))

bool
mp_sys_block_signals(uint64_t *mask)
{
    uint64_t most = ~((uint64_t)1 << (SIGTRAP - 1) | (uint64_t)1 << (SIGSYS - 1) |
                      (uint64_t)1 << (SIGBUS - 1) | (uint64_t)1 << (SIGSEGV - 1));

    if (!mp_sandbox_enter()) {
        *mask = NOT_BLOCKED;
        mp_sandbox_exposed((uintptr_t)mask);
        return false;
    }
    CALL4(SYS_rt_sigprocmask, SIG_BLOCK, &most, mask, sizeof most);
    return true;
}

void
mp_sys_unblock_signals(const uint64_t *mask)
{
    if (*mask & NOT_BLOCKED) {
        mp_sandbox_exposed_end();
        return;
    }
    CALL4(SYS_rt_sigprocmask, SIG_SETMASK, mask, 0, sizeof *mask);
    mp_sandbox_leave();
}

void
mp_sys_queue_signal(int number, siginfo_t *info)
{
    const long pid = mp_kernel_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    const long tid = mp_kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0);

    if (info->si_code == SI_TKILL)
        mp_kernel_call(SYS_rt_tgsigqueueinfo, pid, tid, number, (long)info, 0, 0);
    else
        mp_kernel_call(SYS_rt_sigqueueinfo, pid, number, (long)info, 0, 0, 0);
}

void
mp_sys_futex_wait(uint32_t *word, uint32_t value)
{
    CALL4(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, 0);
}

void
mp_sys_futex_wake(uint32_t *word)
{
    if (!mp_sandbox_enter_to_wake())
        return;
    CALL3(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
    mp_sandbox_leave();
}
