/* SPDX-License-Identifier: MIT */
#include "sandbox_shut.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "gate.h"
#include "runtime/compiler.h"
#include "runtime/decimal.h"
#include "sandbox.h"
#include "sys.h"

/* ------------------------------------------------------------------ memory */

#define MAX_MEMORY ((size_t)1 << 30)    /* bytes of address space; unused memory costs nothing */
#define MIN_MEMORY ((size_t)1 << 20)

/* Returns the number of bytes to reserve. It is smaller where reserved memory counts as used, because
 * overcommitting is forbidden or the address space is limited. */
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

static void
reserve_memory(void)
{
    size_t size = mp_sandbox.memory.start ? 0 : memory_size();

    for (; size >= MIN_MEMORY && !mp_sandbox.memory.start; size /= 2) {
        mp_sandbox.memory.size = size;
        mp_sandbox.memory.start = mp_sys_map_sparse(size);
    }
}

/* ------------------------------------------------------------------ shutting */

#define MAX_WAIT 1000           /* maximum number of polls, most of them 1 ms apart; a thread that was cancelled
                                   inside never leaves */

/* Waits until no other thread is inside, or at most about a second. Sleeping makes system calls, which are still
 * allowed because the filter is not installed yet. */
static void
wait_for_others(void)
{
    for (int i = 0; i < MAX_WAIT && mp_sandbox_others_inside(); i++)
        mp_sys_sleep(i < 10 ? 10 : 1000);
}

/* Waits while another thread is installing a filter, which may apply to all threads. Installing it does not take
 * long. */
static void
wait_for_turn(void)
{
    uint32_t free = 0;

    for (uint32_t i = 0; i < 1u << 24; i++, free = 0) {
        if (__atomic_compare_exchange_n(&mp_sandbox.installing, &free, 1, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return;
        MP_SPIN();
    }
}

bool
mp_sandbox_shut(void)
{
    wait_for_turn();
    if (__atomic_load_n(&mp_sandbox.phase, __ATOMIC_SEQ_CST) == MP_SANDBOX_SHUT)
        return false;
    reserve_memory();
    mp_sandbox.since = mp_sys_clock(CLOCK_MONOTONIC);
    mp_gate->shut_pid = (uint32_t)mp_sys_getpid();
    mp_sandbox_enter();
    __atomic_store_n(&mp_sandbox.phase, MP_SANDBOX_SHUTTING, __ATOMIC_SEQ_CST);
    wait_for_others();
    __atomic_store_n(&mp_sandbox.phase, MP_SANDBOX_SHUT, __ATOMIC_SEQ_CST);
    wait_for_others();
    mp_sandbox_leave();
    return true;
}

void
mp_sandbox_open_again(void)
{
    __atomic_store_n(&mp_sandbox.phase, MP_SANDBOX_OPEN, __ATOMIC_SEQ_CST);
}

void
mp_sandbox_shut_again(void)
{
    __atomic_store_n(&mp_sandbox.phase, MP_SANDBOX_SHUT, __ATOMIC_SEQ_CST);
}

void
mp_sandbox_settled(void)
{
    __atomic_store_n(&mp_sandbox.installing, 0, __ATOMIC_SEQ_CST);
}

/* ------------------------------------------------------------------ inherited filters */

/* Returns the number after NAME in STATUS, the text of /proc/PID/status, or 0 if NAME is missing. */
static uint32_t
status_number(const char *status, const char *name)
{
    const char *at = strstr(status, name);

    if (!at)
        return 0;
    at += strlen(name);
    at += strspn(at, " \t");
    return (uint32_t)mp_take_decimal(&at);
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
    /* Linux before 5.9 has no Seccomp_filters. */
    return filters || status_number(status, "\nSeccomp:") == 0 ? filters : 1;
}

bool
mp_sandbox_inherited(uint32_t known)
{
    if (known == UINT32_MAX || inherited_filters() <= known)
        return false;
    __atomic_store_n(&mp_sandbox.phase, MP_SANDBOX_SHUT, __ATOMIC_SEQ_CST);
    return true;
}
