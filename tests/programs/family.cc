/*
 * family.cc -- calls every function of the malloc family and uses every form of new and delete, each in a function of
 * its own, and prints the expected figures.
 *
 *     family [--no-pvalloc]      --no-pvalloc is for valgrind and jemalloc, which have no pvalloc
 *
 * Prints `self FUNCTION ALLOCS BYTES` for the callers, then the sums. Every block is freed in the matching way, except
 * one of 11 bytes.
 */
#include <malloc.h>

#include <new>

#include "program.h"

/* clang declares these with -fsized-deallocation only. */
void operator delete(void *, std::size_t) noexcept;
void operator delete[](void *, std::size_t) noexcept;

namespace {

long allocs, bytes, frees;

void *
book(const char *caller, void *block, long size)
{
    if (block == nullptr)
        abort();
    memset(block, 1, static_cast<size_t>(size));
    allocs++;
    bytes += size;
    say("self %s 1 %ld\n", caller, size);
    return block;
}

void
drop(void *block)
{
    free(block);
    frees++;
}

#define CALLER(name, size, call)                                                                   \
    FRAME void *name()                                                                             \
    {                                                                                              \
        void *volatile block = call;                                                               \
        return book(#name, block, size);                                                           \
    }

void *
by_posix_memalign(size_t alignment, size_t size)
{
    void *block = nullptr;

    return posix_memalign(&block, alignment, size) == 0 ? block : nullptr;
}

struct alignas(128) wide {
    char data[384];
};

struct plain {
    char data[56];
};

CALLER(call_malloc, 101, malloc(101))
CALLER(call_calloc, 206, calloc(2, 103))
CALLER(call_realloc, 107, realloc(nullptr, 107))
CALLER(call_reallocarray, 327, reallocarray(nullptr, 3, 109))
CALLER(call_memalign, 113, memalign(64, 113))
CALLER(call_aligned_alloc, 256, aligned_alloc(128, 256))
CALLER(call_posix_memalign, 127, by_posix_memalign(256, 127))
CALLER(call_valloc, 131, valloc(131))
CALLER(call_new, 56, new plain)
CALLER(call_new_array, 560, new plain[10])
CALLER(call_new_nothrow, 56, new (std::nothrow) plain)
CALLER(call_new_array_nothrow, 112, new (std::nothrow) plain[2])
CALLER(call_new_aligned, 384, new wide)
CALLER(call_new_array_aligned, 768, new wide[2])
CALLER(call_new_aligned_nothrow, 384, new (std::nothrow) wide)
CALLER(call_new_array_aligned_nothrow, 1152, new (std::nothrow) wide[3])
CALLER(call_operator_new, 137, operator new(137))
CALLER(call_operator_new_array, 139, operator new[](139))
CALLER(leak, 11, malloc(11))

/* pvalloc rounds up to whole pages, but mprof counts the requested size. */
CALLER(call_pvalloc, 149, pvalloc(149))

template <class T>
void
delete_one(void *block)
{
    delete static_cast<T *>(block);
    frees++;
}

template <class T>
void
delete_array(void *block)
{
    delete[] static_cast<T *>(block);
    frees++;
}

void
c_family(bool with_pvalloc)
{
    drop(call_malloc());
    drop(call_calloc());
    drop(call_realloc());
    drop(call_reallocarray());
    drop(call_memalign());
    drop(call_aligned_alloc());
    drop(call_posix_memalign());
    drop(call_valloc());
    if (with_pvalloc)
        drop(call_pvalloc());
}

void
cxx_family()
{
    delete_one<plain>(call_new());
    delete_array<plain>(call_new_array());
    operator delete(call_new_nothrow(), std::nothrow);
    operator delete[](call_new_array_nothrow(), std::nothrow);
    frees += 2;
    delete_one<wide>(call_new_aligned());
    delete_array<wide>(call_new_array_aligned());
    operator delete(call_new_aligned_nothrow(), std::align_val_t(128), std::nothrow);
    operator delete[](call_new_array_aligned_nothrow(), std::align_val_t(128), std::nothrow);
    operator delete(call_operator_new(), static_cast<size_t>(137));
    operator delete[](call_operator_new_array(), static_cast<size_t>(139));
    frees += 4;
}

/* Calls that fail do not count as allocations. new is not tested, because libstdc++ allocates the exception. */
void
failures()
{
    volatile size_t huge = static_cast<size_t>(PTRDIFF_MAX);

    if (malloc(huge) != nullptr || calloc(huge, 16) != nullptr || memalign(64, huge) != nullptr)
        abort();
}

}   // namespace

int
main(int argc, char **)
{
    c_family(argc == 1);
    cxx_family();
    failures();
    KEEP(leak());
    free(nullptr);
    operator delete(nullptr);
    say("allocs %ld\nbytes %ld\nfrees %ld\nfreed %ld\n", allocs, bytes, frees, bytes - 11);
    return 0;
}
/* SPDX-License-Identifier: MIT */
