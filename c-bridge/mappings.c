/*
 * mappings.c -- memory that the program maps itself: mprof leaks has to tell it from the allocator's.
 *
 * With glibc's malloc it can do so without being told, so these hooks are a jump to the next function.  Else they note
 * private memory, and who asked for it.  glibc's own calls do not come here.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "hooks.h"
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/scan/scan_mapped.h"

#define HOOK    MP_PUBLIC WITH_JUMPS
#define CALLER  ((uintptr_t)__builtin_return_address(0))
#define SHARED  (MAP_SHARED | MAP_ANONYMOUS)            /* MAP_SHARED_VALIDATE has that bit, too */

static struct {
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    void *(*mremap)(void *, size_t, size_t, int, void *);
} next;
static bool is_glibc;           /* nothing is to be noted */

static void
find_next(void)
{
    void *map = mp_next_symbol("mmap"), *remap = mp_next_symbol("mremap");

    memcpy(&next.mmap, &map, sizeof map);
    memcpy(&next.mremap, &remap, sizeof remap);
}

void
mp_mappings_open(void)
{
    find_next();
    is_glibc = mp_next_is_glibc();
    mp_scan_mapped_open((uintptr_t)mp_next.malloc);
}

static MP_NOINLINE void *
map(void *address, size_t size, int protection, int flags, int fd, off_t offset, uintptr_t caller)
{
    void *result;

    /* Before our constructor.  This may be the allocator's own first call, and dlsym() allocates nothing here. */
    if (MP_UNLIKELY(!next.mmap))
        find_next();
    result = next.mmap(address, size, protection, flags, fd, offset);
    if (result != MAP_FAILED && (flags & SHARED) == MAP_ANONYMOUS)
        mp_scan_mapped_note((uintptr_t)result, size, caller);
    return result;
}

/* Both names are one function where off_t has 64 bits. */
HOOK void *
mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (MP_LIKELY(is_glibc))
        JUMP next.mmap(address, size, protection, flags, fd, offset);
    return map(address, size, protection, flags, fd, offset, CALLER);
}

HOOK void *
mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
    if (MP_LIKELY(is_glibc))
        JUMP next.mmap(address, size, protection, flags, fd, offset);
    return map(address, size, protection, flags, fd, offset, CALLER);
}

static MP_NOINLINE void *
remap(void *old, size_t old_size, size_t size, int flags, void *address, uintptr_t caller)
{
    void *result;

    if (MP_UNLIKELY(!next.mremap))
        find_next();
    result = next.mremap(old, old_size, size, flags, address);
    if (result != MAP_FAILED)
        mp_scan_mapped_note((uintptr_t)result, size, caller);
    return result;
}

/* The last argument is there with some flags only; it is passed on as it comes. */
HOOK void *mp_mremap(void *old, size_t old_size, size_t size, int flags, void *address) __asm__("mremap");

HOOK void *
mp_mremap(void *old, size_t old_size, size_t size, int flags, void *address)
{
    if (MP_LIKELY(is_glibc))
        JUMP next.mremap(old, old_size, size, flags, address);
    return remap(old, old_size, size, flags, address, CALLER);
}
