/* SPDX-License-Identifier: MIT */
/*
 * mappings.c -- hooks of the functions that map and unmap memory.
 *
 * Memory that the program and its libraries map is recorded with the callers of mmap() and so on, separately from
 * malloc's blocks. Calls by the library that defines malloc count as the allocator's own. glibc's own calls do not
 * reach these hooks. mprof leaks has to distinguish memory that the program maps itself from memory that an allocator
 * or a collector maps. For mprof leaks, the callers of mmap() and mremap() are noted a second time, without a lock, and
 * even while nothing is recorded (scan_mapped.h).
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "malloc_hooks.h"
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/mapping_calls.h"
#include "runtime/scan/scan_mapped.h"
#include "runtime/unwind/module.h"
#include "unbound.h"

#define HOOK    MP_PUBLIC
#define FRAME   __builtin_frame_address(0)
#define CALLER  ((uintptr_t)__builtin_return_address(0))
#define DONTUNMAP 4                                     /* MREMAP_DONTUNMAP; not in the headers of every libc */
#define SHARED  (MAP_SHARED | MAP_ANONYMOUS)            /* MAP_SHARED_VALIDATE contains MAP_SHARED */

static struct {
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    void *(*mremap)(void *, size_t, size_t, int, void *);
    int (*munmap)(void *, size_t);
    int (*madvise)(void *, size_t, int);
    void *(*sbrk)(intptr_t);
    int (*brk)(void *);
} next;

static void
find_next(void)
{
    MP_NEXT_FUNCTION(next.mmap, "mmap");
    MP_NEXT_FUNCTION(next.mremap, "mremap");
    MP_NEXT_FUNCTION(next.munmap, "munmap");
    MP_NEXT_FUNCTION(next.madvise, "madvise");
    MP_NEXT_FUNCTION(next.sbrk, "sbrk");
    MP_NEXT_FUNCTION(next.brk, "brk");
}

/* Finds the functions if they are called before our constructor, perhaps by the allocator's own first call. dlsym()
 * allocates nothing here. */
#define NEED(field) do { if (MP_UNLIKELY(!next.field)) find_next(); } while (0)

void
mp_mappings_open(void)
{
    find_next();
    mp_scan_mapped_open((uintptr_t)mp_next.allocator);
}

/* ------------------------------------------------------------------ what is recorded */

/* Returns whether CALLER is in the library that defines malloc. */
static bool
is_allocator(uintptr_t caller)
{
    return mp_module_same(caller, (uintptr_t)mp_next.allocator);
}

/* Records a mapping, without a change of errno. Nothing is recorded before the monitor knows the allocator. */
static void
note(const void *address, size_t size, enum mp_mapped_kind kind, const void *frame, uintptr_t caller)
{
    const int saved = errno;

    if (mp_next.found)
        mp_mapped(address, size, is_allocator(caller) ? MP_MAPPED_ALLOCATOR : kind, frame);
    errno = saved;
}

static enum mp_mapped_kind
kind_of(int flags)
{
    return !(flags & MAP_ANONYMOUS) ? MP_MAPPED_FILE : flags & MAP_SHARED ? MP_MAPPED_SHARED : MP_MAPPED_PRIVATE;
}

/* ------------------------------------------------------------------ hooks */

MP_INLINE void *
map(void *address, size_t size, int protection, int flags, int fd, off_t offset, const void *frame, uintptr_t caller)
{
    void *result;

    MP_PASS_UNBOUND(mmap, address, size, protection, flags, fd, offset);
    NEED(mmap);
    result = next.mmap(address, size, protection, flags, fd, offset);
    if (result == MAP_FAILED)
        return result;
    if ((flags & SHARED) == MAP_ANONYMOUS && !(flags & MAP_FIXED && protection == PROT_NONE))
        mp_scan_mapped_note((uintptr_t)result, size, caller);
    note(result, size, kind_of(flags), frame, caller);
    return result;
}

/* Both names are one function where off_t has 64 bits. */
HOOK void *
mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map(address, size, protection, flags, fd, offset, FRAME, CALLER);
}

HOOK void *
mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return map(address, size, protection, flags, fd, offset, FRAME, CALLER);
}

HOOK int
munmap(void *address, size_t size)
{
    struct mp_mapping_pieces pieces;
    int result, saved;

    MP_PASS_UNBOUND(munmap, address, size);
    NEED(munmap);
    saved = errno;
    mp_unmapping(address, size, &pieces);
    errno = saved;
    result = next.munmap(address, size);
    if (result != 0) {
        saved = errno;
        mp_unmapping_failed(&pieces);
        errno = saved;
    }
    return result;
}

/* Callers pass ADDRESS only with some FLAGS. It is passed on unchanged in any case. */
HOOK void *mp_mremap(void *old, size_t old_size, size_t size, int flags, void *address) __asm__("mremap");

HOOK void *
mp_mremap(void *old, size_t old_size, size_t size, int flags, void *address)
{
    enum mp_mapped_kind kind;
    struct mp_mapping_pieces pieces = { .n = 0 };
    int saved;
    void *result;

    MP_PASS_UNBOUND(mremap, old, old_size, size, flags, address);
    NEED(mremap);
    saved = errno;
    kind = mp_mapped_kind_at(old);
    if (!(flags & DONTUNMAP))
        mp_unmapping(old, old_size, &pieces);
    errno = saved;
    result = next.mremap(old, old_size, size, flags, address);
    if (result != MAP_FAILED) {
        mp_scan_mapped_note((uintptr_t)result, size, CALLER);
        note(result, size, kind, FRAME, CALLER);
    } else {
        saved = errno;
        mp_unmapping_failed(&pieces);
        errno = saved;
    }
    return result;
}

HOOK int
madvise(void *address, size_t size, int advice)
{
    const bool discards = advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE;
    int result, saved;

    MP_PASS_UNBOUND(madvise, address, size, advice);
    NEED(madvise);
    result = next.madvise(address, size, advice);
    if (result == 0 && discards) {
        saved = errno;
        mp_discarded(address, size);
        errno = saved;
    }
    return result;
}

/* Records that the end of the data segment has moved from OLD to NEW. */
static void
note_break(char *old, char *new, const void *frame, uintptr_t caller)
{
    struct mp_mapping_pieces pieces;
    const int saved = errno;

    if (new > old)
        note(old, (size_t)(new - old), MP_MAPPED_BREAK, frame, caller);
    else if (new < old)
        mp_unmapping(new, (size_t)(old - new), &pieces);
    errno = saved;
}

HOOK void *
sbrk(intptr_t change)
{
    void *old;

    MP_PASS_UNBOUND(sbrk, change);
    NEED(sbrk);
    old = next.sbrk(change);
    if (change != 0 && old != (void *)-1)
        note_break(old, (char *)old + change, FRAME, CALLER);
    return old;
}

HOOK int
brk(void *end)
{
    void *old;
    int result;

    MP_PASS_UNBOUND(brk, end);
    NEED(brk);
    NEED(sbrk);
    old = next.sbrk(0);
    result = next.brk(end);
    if (result == 0)
        note_break(old, end, FRAME, CALLER);
    return result;
}
