#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "fault.h"
#include "gate.h"
#include "place.h"
#include "sandbox.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#if defined __x86_64__
static long
kernel6(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined __aarch64__
static long
kernel6(long number, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;

    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}
#else
#include <unistd.h>
/* Other machines: libc's syscall(), with errno put back. */
static long
kernel6(long number, long a, long b, long c, long d, long e, long f)
{
    int saved = errno;
    long result = syscall(number, a, b, c, d, e, f);

    if (result == -1)
        result = -errno;
    errno = saved;
    return result;
}
#endif

long
mp_sys_call(long number, long a, long b, long c, long d, long e, long f)
{
    return kernel6(number, a, b, c, d, e, f);
}

static long
call6(long number, long a, long b, long c, long d, long e, long f)
{
    long result;

    if (!mp_sandbox_enter())
        return -EPERM;
    result = kernel6(number, a, b, c, d, e, f);
    mp_sandbox_leave();
    return result;
}

#define CALL0(n)             call6(n, 0, 0, 0, 0, 0, 0)
#define CALL1(n, a)          call6(n, (long)(a), 0, 0, 0, 0, 0)
#define CALL2(n, a, b)       call6(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define CALL3(n, a, b, c)    call6(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CALL4(n, a, b, c, d) call6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

long
mp_sys_open(const char *path, int flags, unsigned mode)
{
    long fault = mp_fault(MP_FAULT_OPEN);

    return fault ? fault : CALL4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
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

long
mp_sys_write(int fd, const void *buffer, size_t size)
{
    return CALL3(SYS_write, fd, buffer, size);
}

long
mp_sys_pread(int fd, void *buffer, size_t size, uint64_t offset)
{
    return CALL4(SYS_pread64, fd, buffer, size, offset);
}

long
mp_sys_pwrite(int fd, const void *buffer, size_t size, uint64_t offset)
{
    return CALL4(SYS_pwrite64, fd, buffer, size, offset);
}

long
mp_sys_pwrite_all(int fd, const void *bytes, size_t size, uint64_t offset)
{
    for (size_t done = 0; done < size;) {
        long n = mp_sys_pwrite(fd, (const char *)bytes + done, size - done, offset + done);

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

/* File systems without fallocate (NFS, some FUSE): write the zeros. */
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

static long
map(void *address, size_t size, int protection, int flags, int fd, uint64_t offset)
{
    return call6(SYS_mmap, (long)address, (long)size, protection, flags, fd, (long)offset);
}

/* The same for a place that is to be free; -EEXIST where it is not.  Kernels before 4.17 take the
 * address for a wish. */
static long
map_new(void *address, size_t size, int protection, int flags, int fd, uint64_t offset)
{
    long result;

    mp_place_pay(size);
    result = map(address, size, protection, flags | MAP_FIXED_NOREPLACE, fd, offset);
    if (result < 0 || result == (long)address)
        return result < 0 ? result : 0;
    mp_sys_unmap((void *)result, size);
    return -EEXIST;
}

/* Private zeroed memory, or none, at the next of our own places that is free; where there is none, the
 * kernel chooses. */
static void *
map_apart(size_t size, int protection)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    long result = mp_fault(MP_FAULT_MAP);

    if (result != 0)
        return NULL;
    for (int attempt = 0; attempt < 4; attempt++) {
        void *place = mp_place_next(size);

        result = place ? map_new(place, size, protection, flags, -1, 0) : -ENOMEM;
        if (result == 0)
            return place;
        if (result != -EEXIST)
            break;
    }
    result = map(NULL, size, protection, flags, -1, 0);
    return result < 0 && result > -4096 ? NULL : (void *)result;
}

void *
mp_sys_map(size_t size)
{
    void *memory;

    if (!mp_sandbox_enter())
        return mp_sandbox_memory(size);
    memory = map_apart(size, PROT_READ | PROT_WRITE);
    mp_sandbox_leave();
    return memory;
}

void *
mp_sys_reserve(size_t size)
{
    return map_apart(size, PROT_NONE);
}

long
mp_sys_open_up(void *address, size_t size)
{
    long fault = mp_fault(MP_FAULT_PROTECT);

    return fault ? fault : CALL3(SYS_mprotect, address, size, PROT_READ | PROT_WRITE);
}

long
mp_sys_map_at(void *address, size_t size)
{
    long fault = mp_fault(MP_FAULT_MAP);

    return fault ? fault : map_new(address, size, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

long
mp_sys_map_file_at(void *address, size_t size, int fd, uint64_t offset)
{
    long fault = mp_fault(MP_FAULT_MAP);

    return fault ? fault
                 : map_new(address, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
}

/* Over what is there. */
static long
map_over(void *address, size_t size, int flags, int fd, uint64_t offset)
{
    long result = mp_fault(MP_FAULT_MAP);

    if (result == 0)
        result = map(address, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, offset);
    return result < 0 ? result : 0;
}

long
mp_sys_map_file(void *address, size_t size, int fd, uint64_t offset)
{
    return map_over(address, size, MAP_SHARED, fd, offset);
}

long
mp_sys_map_private(void *address, size_t size, int fd, uint64_t offset)
{
    return map_over(address, size, MAP_PRIVATE, fd, offset);
}

long
mp_sys_map_over(void *address, size_t size)
{
    return map_over(address, size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

long
mp_sys_unmap(void *address, size_t size)
{
    return CALL2(SYS_munmap, address, size);
}

long
mp_sys_madvise(void *address, size_t size, int advice)
{
    return CALL3(SYS_madvise, address, size, advice);
}

long
mp_sys_unlock(void *address, size_t size)
{
    return CALL2(SYS_munlock, address, size);
}

long
mp_sys_resident(void *address, size_t size, uint8_t *pages)
{
    return CALL3(SYS_mincore, address, size, pages);
}

void *
mp_sys_move_away(void *address, size_t size)
{
    long result = call6(SYS_mremap, (long)address, (long)size, (long)size,
                        MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0, 0);

    return result < 0 && result > -4096 ? NULL : (void *)result;
}

long
mp_sys_peek(uintptr_t address, void *buffer, size_t size)
{
    struct iovec local = { buffer, size };
    struct iovec remote = { (void *)address, size };
    long n;

    if (!mp_sandbox_enter())
        return mp_sandbox_peek(address, buffer, size) ? 0 : -EPERM;
    n = call6(SYS_process_vm_readv, mp_sys_getpid(), (long)&local, 1, (long)&remote, 1, 0);
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

/* In a mask: nothing was blocked.  SIGKILL's bit, which the kernel never sets. */
#define NOT_BLOCKED ((uint64_t)1 << (SIGKILL - 1))

bool
mp_sys_block_signals(uint64_t *mask)
{
    uint64_t most = ~((uint64_t)1 << (SIGTRAP - 1) | (uint64_t)1 << (SIGSYS - 1));

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

int
mp_sys_thread_exists(int pid, int tid)
{
    return CALL3(SYS_tgkill, pid, tid, 0) != -ESRCH;
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
