#include "sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "gate.h"
#include "runtime/compiler.h"
#include "sys.h"

/* SHUTTING: nobody comes in any more but to wake others, and who is inside is waited for. */
enum phase { OPEN, SHUTTING, SHUT };

static struct {
    uint32_t phase;
    uint32_t inside;            /* how often threads are inside */
    uint32_t installing;        /* 1: a thread is about to install a filter */
    uint64_t since;             /* ns, CLOCK_MONOTONIC, when it was shut */
} sandbox;

static MP_TLS struct {
    uint32_t inside;            /* of sandbox.inside, this thread's part */
    uint32_t exposed;           /* nested; and the outermost one's place */
    uintptr_t exposed_at;
} own;

/* ------------------------------------------------------------------ in and out */

/* Counted first: who shuts looks at the number after the phase. */
MP_INLINE bool
enter_before(enum phase phase)
{
    __atomic_add_fetch(&sandbox.inside, 1, __ATOMIC_SEQ_CST);
    if (MP_LIKELY(__atomic_load_n(&sandbox.phase, __ATOMIC_SEQ_CST) < phase) || own.inside > 0) {
        own.inside++;
        return true;
    }
    __atomic_sub_fetch(&sandbox.inside, 1, __ATOMIC_SEQ_CST);
    return false;
}

bool
mp_sandbox_enter(void)
{
    return enter_before(SHUTTING);
}

bool
mp_sandbox_enter_to_wake(void)
{
    return enter_before(SHUT);
}

void
mp_sandbox_leave(void)
{
    if (own.inside == 0)        /* it was thought to be left for good, and was not */
        return;
    own.inside--;
    __atomic_sub_fetch(&sandbox.inside, 1, __ATOMIC_SEQ_CST);
}

bool
mp_sandbox_is_shut(void)
{
    return __atomic_load_n(&sandbox.phase, __ATOMIC_SEQ_CST) != OPEN && own.inside == 0;
}

void
mp_sandbox_all_left(void)
{
    __atomic_sub_fetch(&sandbox.inside, own.inside, __ATOMIC_SEQ_CST);
    own.inside = 0;
}

void
mp_sandbox_forked_child(void)
{
    sandbox.inside = own.inside;
    sandbox.installing = 0;
}

/* ------------------------------------------------------------------ shutting */

#define MAX_WAIT 1000          /* ms: a thread that was cancelled inside never leaves */

/* In between there are system calls of ours: the filter is not there yet. */
static void
wait_for_others(void)
{
    for (int i = 0; i < MAX_WAIT; i++) {
        if (__atomic_load_n(&sandbox.inside, __ATOMIC_SEQ_CST) <= own.inside)
            return;
        mp_sys_sleep(i < 10 ? 10 : 1000);
    }
}

/* Another thread is at it.  It is so for moments, and its filter may be for all threads. */
static void
wait_for_turn(void)
{
    uint32_t free = 0;

    for (uint32_t i = 0; i < 1u << 24; i++, free = 0) {
        if (__atomic_compare_exchange_n(&sandbox.installing, &free, 1, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return;
        MP_SPIN();
    }
}

static void lay_memory_by(void);

bool
mp_sandbox_shut(void)
{
    wait_for_turn();
    if (__atomic_load_n(&sandbox.phase, __ATOMIC_SEQ_CST) == SHUT)
        return false;
    lay_memory_by();
    sandbox.since = mp_sys_clock(CLOCK_MONOTONIC);
    mp_gate->shut_pid = (uint32_t)mp_sys_getpid();
    mp_sandbox_enter();
    __atomic_store_n(&sandbox.phase, SHUTTING, __ATOMIC_SEQ_CST);
    wait_for_others();
    __atomic_store_n(&sandbox.phase, SHUT, __ATOMIC_SEQ_CST);
    wait_for_others();
    mp_sandbox_leave();
    return true;
}

void
mp_sandbox_open_again(void)
{
    __atomic_store_n(&sandbox.phase, OPEN, __ATOMIC_SEQ_CST);
}

void
mp_sandbox_shut_again(void)
{
    __atomic_store_n(&sandbox.phase, SHUT, __ATOMIC_SEQ_CST);
}

void
mp_sandbox_settled(void)
{
    __atomic_store_n(&sandbox.installing, 0, __ATOMIC_SEQ_CST);
}

/* ------------------------------------------------------------------ inherited filters */

/* The number that stands behind NAME in the status of a process; 0: it is not there. */
static uint32_t
status_number(const char *status, const char *name)
{
    const char *at = strstr(status, name);
    uint32_t value = 0;

    if (!at)
        return 0;
    for (at += strlen(name); *at == ' ' || *at == '\t'; at++)
        ;
    for (; *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (uint32_t)(*at - '0');
    return value;
}

static uint32_t
inherited_filters(void)
{
    char status[8192];
    long fd = mp_sys_open("/proc/self/status", O_RDONLY, 0), n = 1;
    size_t used = 0;
    uint32_t filters;

    if (fd < 0)
        return 0;
    while (n > 0 && used < sizeof status - 1) {
        n = mp_sys_read((int)fd, status + used, sizeof status - 1 - used);
        used += n > 0 ? (size_t)n : 0;
    }
    mp_sys_close((int)fd);
    status[used] = '\0';
    filters = status_number(status, "\nSeccomp_filters:");
    /* Linux before 5.9 does not count them. */
    return filters || status_number(status, "\nSeccomp:") == 0 ? filters : 1;
}

bool
mp_sandbox_inherited(uint32_t known)
{
    if (known == UINT32_MAX || inherited_filters() <= known)
        return false;
    __atomic_store_n(&sandbox.phase, SHUT, __ATOMIC_SEQ_CST);
    return true;
}

/* ------------------------------------------------------------------ memory */

#define MAX_MEMORY  ((size_t)1 << 30)  /* addresses; what is not used costs nothing */
#define MIN_MEMORY ((size_t)1 << 20)

static struct { char *start; size_t size, used; } memory;

/* Where memory that is reserved counts as used, it is kept small. */
static size_t
memory_size(void)
{
    struct rlimit limit;
    char how = '0';
    long fd = mp_sys_open("/proc/sys/vm/overcommit_memory", O_RDONLY, 0);

    if (fd >= 0) {
        mp_sys_read((int)fd, &how, 1);
        mp_sys_close((int)fd);
    }
    if (how == '2')
        return MAX_MEMORY / 32;
    if (mp_sys_limit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur / 16 < MAX_MEMORY)
        return (size_t)limit.rlim_cur / 16 & ~(MIN_MEMORY - 1);
    return MAX_MEMORY;
}

/* Not locked, though the program may lock all that it maps (mlockall(2)): that would make it memory. */
static char *
reserve(size_t size)
{
    char *start = mp_sys_reserve(size);

    if (!start)
        return NULL;
    mp_sys_unlock(start, size);
    mp_sys_madvise(start, size, MADV_NOHUGEPAGE);
    if (mp_sys_open_up(start, size) == 0)
        return start;
    mp_sys_unmap(start, size);
    return NULL;
}

static void
lay_memory_by(void)
{
    size_t size = memory.start ? 0 : memory_size();

    for (; size >= MIN_MEMORY && !memory.start; size /= 2) {
        memory.size = size;
        memory.start = reserve(size);
    }
}

void *
mp_sandbox_memory(size_t size)
{
    const size_t rounded = (size + 4095) & ~(size_t)4095;
    size_t at = __atomic_fetch_add(&memory.used, rounded, __ATOMIC_RELAXED);

    if (memory.start && rounded >= size && at < memory.size && rounded <= memory.size - at)
        return memory.start + at;
    __atomic_sub_fetch(&memory.used, rounded, __ATOMIC_RELAXED);
    return NULL;
}

/* ------------------------------------------------------------------ the stack */

#define MAX_STACK ((uintptr_t)64 << 20)        /* the kernel keeps 128 MiB below its top free */

bool
mp_sandbox_peek(uintptr_t address, void *buffer, size_t size)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    const uintptr_t top = getauxval(AT_RANDOM);         /* just above all frames */

    if (here >= top || top - here > MAX_STACK || address < here || address >= top ||
        size > top - address)
        return false;
    memcpy(buffer, (const void *)address, size);
    return true;
}

/* ------------------------------------------------------------------ the clock */

#ifdef __aarch64__
#define VDSO_CLOCK "__kernel_clock_gettime"
#else
#define VDSO_CLOCK "__vdso_clock_gettime"
#endif

/* The kernel's code in the process.  For the coarse clocks it only reads memory, whatever clock the
 * machine has; for others it may make a system call. */
static int (*vdso_clock)(clockid_t, struct timespec *);

void
mp_sandbox_find_clock(void)
{
    void *vdso = getauxval(AT_SYSINFO_EHDR)
                     ? dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *symbol = vdso ? dlsym(vdso, VDSO_CLOCK) : NULL;

    if (!symbol)
        dlerror();              /* the program is not to find our error there */
    memcpy(&vdso_clock, &symbol, sizeof symbol);
}

uint64_t
mp_sandbox_clock(void)
{
    struct timespec now = { 0, 0 };
    uint64_t ns = 0;

    if (vdso_clock && vdso_clock(CLOCK_MONOTONIC_COARSE, &now) == 0)
        ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return ns > sandbox.since ? ns : sandbox.since;
}

/* ------------------------------------------------------------------ exposed to signals */

void
mp_sandbox_exposed(uintptr_t at)
{
    if (own.exposed++ == 0)
        own.exposed_at = at;
}

void
mp_sandbox_exposed_end(void)
{
    if (own.exposed > 0)
        own.exposed--;
}

uintptr_t
mp_sandbox_exposed_at(void)
{
    return MP_LIKELY(own.exposed == 0) ? 0 : own.exposed_at;
}

void
mp_sandbox_exposed_left(void)
{
    own.exposed = 0;
}
