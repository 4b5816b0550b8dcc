/* SPDX-License-Identifier: MIT */
#include "sys_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "fault.h"
#include "runtime/decimal.h"
#include "sys.h"
#include "sys_call.h"

#ifndef SYS_close_range
#define SYS_close_range 436     /* same number on all machines */
#endif

#define CLONE_CHILD 0x80000000u /* __WCLONE of wait4(2): children that send no SIGCHLD */
#define MANY_FILES  65536       /* without close_range(2), only descriptors below this number are closed */

long
mp_sys_copy(void)
{
    long fault = mp_fault(MP_FAULT_FORK);

    return fault ? fault : mp_sys_call(SYS_clone, 0, 0, 0, 0, 0, 0);
}

void *
mp_sys_map_shared(size_t size)
{
    long result = mp_sys_call(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return result < 0 && result > -4096 ? NULL : (void *)result;
}

long
mp_sys_wait_copy(long pid)
{
    return CALL4(SYS_wait4, pid, 0, CLONE_CHILD | (unsigned)WNOHANG, 0);
}

bool
mp_sys_has_thread(uint32_t tid)
{
    return CALL3(SYS_tgkill, mp_sys_getpid(), tid, 0) != -ESRCH;
}

/* The first three numbers in /proc/self/statm are the pages of the address space, resident pages, and shared pages. */
uint64_t
mp_sys_memory(enum mp_memory which)
{
    const long fd = mp_sys_open("/proc/self/statm", O_RDONLY, 0);
    char text[64] = "";
    const char *at = text;
    uint64_t pages[MP_MEMORY_PRIVATE + 1];

    if (fd < 0)
        return 0;
    mp_sys_read((int)fd, text, sizeof text - 1);
    mp_sys_close((int)fd);
    for (unsigned i = 0; i <= MP_MEMORY_PRIVATE; i++, at += strspn(at, " "))
        pages[i] = mp_take_decimal(&at);
    pages[MP_MEMORY_PRIVATE] = pages[MP_MEMORY_RESIDENT] - pages[MP_MEMORY_PRIVATE];    /* resident less shared */
    return pages[which] * getauxval(AT_PAGESZ);
}

long
mp_sys_pipe(int ends[2])
{
    return CALL2(SYS_pipe2, ends, O_CLOEXEC);
}

void
mp_sys_keep_only(int fd)
{
    if ((fd == 0 || CALL3(SYS_close_range, 0, fd - 1, 0) == 0) &&
        CALL3(SYS_close_range, fd + 1, INT_MAX, 0) == 0)
        return;
    for (int other = 0; other < MANY_FILES; other++)
        if (other != fd)
            mp_sys_close(other);
}

/* The core limit is 1 byte. This is too small for a core file, and unlike 0 it also keeps the kernel from starting a
 * core handler. */
void
mp_sys_confine(unsigned seconds)
{
    const struct rlimit processor = { seconds, seconds }, core = { 1, 1 }, none = { 0, 0 };
    const struct sched_param normal = { .sched_priority = 0 };
    const long policy = CALL1(SYS_sched_getscheduler, 0) & ~SCHED_RESET_ON_FORK;
    long fd;

    CALL4(SYS_prlimit64, 0, RLIMIT_CPU, &processor, 0);
    if (CALL4(SYS_prlimit64, 0, RLIMIT_CORE, &core, 0) != 0)
        CALL4(SYS_prlimit64, 0, RLIMIT_CORE, &none, 0);
    if (policy == SCHED_FIFO || policy == SCHED_RR)
        CALL3(SYS_sched_setscheduler, 0, SCHED_OTHER, &normal);
    fd = mp_sys_open("/proc/self/oom_score_adj", O_WRONLY, 0);
    if (fd >= 0) {
        mp_sys_write((int)fd, "1000", 4);
        mp_sys_close((int)fd);
    }
}

_Noreturn void
mp_sys_exit(int status)
{
    for (;;)
        CALL1(SYS_exit_group, status);
}

long
mp_sys_read_directory(int fd, void *buffer, unsigned size)
{
    return CALL3(SYS_getdents64, fd, buffer, size);
}

uintptr_t
mp_sys_robust_list(uint32_t tid)
{
    uintptr_t head = 0;
    size_t size;

    return CALL3(SYS_get_robust_list, tid, &head, &size) == 0 ? head : 0;
}
