/*
 * mappings.c -- hooks of mmap() and mremap(), which note private memory and the caller. mprof leaks has to distinguish
 * memory that the program maps itself from that of an allocator or a collector. glibc's own calls do not come here.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "malloc_hooks.h"
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/scan/scan_mapped.h"
#include "unbound.h"

#define HOOK    MP_PUBLIC
#define CALLER  ((uintptr_t)__builtin_return_address(0))
#define SHARED  (MAP_SHARED | MAP_ANONYMOUS)            /* MAP_SHARED_VALIDATE contains MAP_SHARED */

static struct {
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    void *(*mremap)(void *, size_t, size_t, int, void *);
} next;

static void
find_next(void)
{
    MP_NEXT_FUNCTION(next.mmap, "mmap");
    MP_NEXT_FUNCTION(next.mremap, "mremap");
}

void
mp_mappings_open(void)
{
    find_next();
    mp_scan_mapped_open((uintptr_t)mp_next.allocator);
}

MP_INLINE void *
map(void *address, size_t size, int protection, int flags, int fd, off_t offset, uintptr_t caller)
{
    void *result;

    MP_PASS_UNBOUND(mmap, address, size, protection, flags, fd, offset);
    /* Called before our constructor, perhaps by the allocator's own first call. dlsym() allocates nothing here. */
    if (MP_UNLIKELY(!next.mmap))
        find_next();
    result = next.mmap(address, size, protection, flags, fd, offset);
    if (result != MAP_FAILED && (flags & SHARED) == MAP_ANONYMOUS && !(flags & MAP_FIXED && protection == PROT_NONE))
        mp_scan_mapped_note((uintptr_t)result, size, caller);
    return result;
}

/* Both names are one function where off_t has 64 bits. */
HOOK void *
mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map(address, size, protection, flags, fd, offset, CALLER);
}

HOOK void *
mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return map(address, size, protection, flags, fd, offset, CALLER);
}

/* The last argument exists only with some flags. It is passed on unchanged. */
HOOK void *mp_mremap(void *old, size_t old_size, size_t size, int flags, void *address) __asm__("mremap");

HOOK void *
mp_mremap(void *old, size_t old_size, size_t size, int flags, void *address)
{
    void *result;

    MP_PASS_UNBOUND(mremap, old, old_size, size, flags, address);
    if (MP_UNLIKELY(!next.mremap))
        find_next();
    result = next.mremap(old, old_size, size, flags, address);
    if (result != MAP_FAILED)
        mp_scan_mapped_note((uintptr_t)result, size, CALLER);
    return result;
}
