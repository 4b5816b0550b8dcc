/* SPDX-License-Identifier: MIT */
/*
 * sys_map.c -- the functions of sys.h that map memory.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "fault.h"
#include "kernel.h"
#include "place.h"
#include "sandbox.h"
#include "sys.h"
#include "sys_call.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* ------------------------------------------------------------------ where addresses are limited */

#define PAGE ((size_t)65536)            /* bytes; a multiple of the page size of every machine */

/* The reserved address range, of which `left` bytes from `start` on remain. `left` is written after `start`, and only
 * decreases afterwards. */
static struct { char *start; size_t left; } aside;

void
mp_sys_set_aside(size_t size)
{
    void *start = aside.start ? NULL : mp_sys_reserve(size);

    if (!start)
        return;
    aside.start = start;
    __atomic_store_n(&aside.left, size, __ATOMIC_RELEASE);
}

bool
mp_sys_pay(size_t size)
{
    size_t left = __atomic_load_n(&aside.left, __ATOMIC_ACQUIRE), part;

    size = (size + PAGE - 1) & ~(PAGE - 1);
    do
        part = size < left ? size : left;
    while (part && !__atomic_compare_exchange_n(&aside.left, &left, left - part, 0, __ATOMIC_ACQ_REL,
                                                __ATOMIC_ACQUIRE));
    if (part)
        mp_sys_unmap(aside.start + left - part, part);
    return part != 0;
}

/* ------------------------------------------------------------------ mappings */

static long
map(void *address, size_t size, int protection, int flags, int fd, uint64_t offset)
{
    return mp_sys_call(SYS_mmap, (long)address, (long)size, protection, flags, fd, (long)offset);
}

/* Maps memory at ADDRESS only if nothing is mapped there. Returns 0, -EEXIST if something is, or another -errno.
 * Kernels before 4.17 ignore MAP_FIXED_NOREPLACE and may choose another address, which is -EEXIST, too. */
static long
map_new(void *address, size_t size, int protection, int flags, int fd, uint64_t offset)
{
    long result;

    mp_sys_pay(size);
    result = map(address, size, protection, flags | MAP_FIXED_NOREPLACE, fd, offset);
    if (result < 0 || result == (long)address)
        return result < 0 ? result : 0;
    mp_sys_unmap((void *)result, size);
    return -EEXIST;
}

/* Maps private zeroed memory, or with PROT_NONE only address space, at the monitor's next free place. If no place
 * is free, the kernel chooses the address. Returns the address or -errno. */
static long
map_apart(size_t size, int protection)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    long result = mp_fault(MP_FAULT_MAP);

    if (result != 0)
        return result;
    for (int attempt = 0; attempt < 4; attempt++) {
        void *place = mp_place_next(size);

        result = place ? map_new(place, size, protection, flags, -1, 0) : -ENOMEM;
        if (result == 0)
            return (long)place;
        if (result != -EEXIST)
            break;
    }
    return map(NULL, size, protection, flags, -1, 0);
}

static void *
address_of(long result)
{
    return result < 0 && result > -4096 ? NULL : (void *)result;
}

void *
mp_sys_map(size_t size)
{
    void *memory;

    if (!mp_sandbox_enter())
        return mp_sandbox_memory(size);
    memory = address_of(map_apart(size, PROT_READ | PROT_WRITE));
    mp_sandbox_leave();
    return memory;
}

/* Maps SIZE bytes of address space in a program that locks all its mappings but may lock only a few pages. First
 * maps one page, which is locked, and unlocks it. Then enlarges this mapping, whose new pages are not locked. So at
 * most one page is locked at any time. */
static void *
reserve_unlocked(size_t size)
{
    void *place = mp_place_next(size);

    if (!place || map_new(place, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != 0)
        return NULL;
    CALL2(SYS_munlock, place, PAGE);
    mp_sys_pay(size - PAGE);
    if (mp_sys_call(SYS_mremap, (long)place, (long)PAGE, (long)size, 0, 0, 0) == (long)place)
        return place;
    mp_sys_unmap(place, PAGE);
    return NULL;
}

/* Maps memory that is not locked. The kernel touches all pages of a locked mapping at once, unless they are
 * inaccessible. Therefore maps inaccessible memory, unlocks it, and then makes it accessible. If mapping it fails with
 * -EAGAIN, the program's limit of locked memory is smaller than SIZE. */
static void *
map_sparse(size_t size)
{
    const long result = map_apart(size, PROT_NONE);
    void *memory = result == -EAGAIN ? reserve_unlocked(size) : address_of(result);

    if (!memory)
        return NULL;
    CALL2(SYS_munlock, memory, size);
    mp_sys_madvise(memory, size, MADV_NOHUGEPAGE);
    if (mp_sys_open_up(memory, size) == 0)
        return memory;
    mp_sys_unmap(memory, size);
    return NULL;
}

void *
mp_sys_map_sparse(size_t size)
{
    void *memory;

    if (!mp_sandbox_enter())
        return mp_sandbox_memory(size);
    memory = map_sparse(size);
    mp_sandbox_leave();
    return memory;
}

void *
mp_sys_reserve(size_t size)
{
    return address_of(map_apart(size, PROT_NONE));
}

long
mp_sys_open_up(void *address, size_t size)
{
    long fault = mp_fault(MP_FAULT_PROTECT);

    return fault ? fault : mp_sys_protect(address, size, PROT_READ | PROT_WRITE);
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

/* Replaces the mapping at ADDRESS. Returns 0 or -errno. */
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
mp_sys_protect(void *address, size_t size, int protection)
{
    return CALL3(SYS_mprotect, address, size, protection);
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
mp_sys_resident(void *address, size_t size, uint8_t *pages)
{
    return CALL3(SYS_mincore, address, size, pages);
}

/* Allows access to SIZE bytes at ADDRESS, also where a protection key forbids it. */
static long
allow(void *address, size_t size)
{
    const long result = mp_kernel_call(SYS_pkey_mprotect, (long)address, (long)size, PROT_READ | PROT_WRITE, 0, 0, 0);

    return result == 0 ? 0 : mp_kernel_call(SYS_mprotect, (long)address, (long)size, PROT_READ | PROT_WRITE, 0, 0, 0);
}

long
mp_sys_repair(void *address, size_t size, enum mp_sys_fault fault)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (fault == MP_FAULT_SHORT ? MAP_FIXED : MAP_FIXED_NOREPLACE);
    long result;

    if (fault == MP_FAULT_DENIED)
        return allow(address, size);
    result = mp_kernel_call(SYS_mmap, (long)address, (long)size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return result == (long)address ? 0 : result < 0 && result > -4096 ? result : -EEXIST;
}

void *
mp_sys_move_away(void *address, size_t size)
{
    long result = mp_sys_call(SYS_mremap, (long)address, (long)size, (long)size,
                              MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0, 0);

    return address_of(result);
}
