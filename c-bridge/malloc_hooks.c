/* SPDX-License-Identifier: MIT */
/*
 * malloc_hooks.c -- the functions of the malloc family that the program calls.
 *
 * Each hook passes the call on to the next allocator and reports it to the monitor. Results, errno, alignment and
 * failures are the allocator's own. An allocation is recorded after it succeeded and before the program has the
 * block. A free is recorded before it happens, because right after it another thread may get the same address.
 *
 * This file is compiled with frame pointers, because the monitor starts each chain at the hook's frame. It is
 * compiled without builtins, because gcc would turn malloc and memset into calls of calloc.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "malloc_hooks.h"
#include "next.h"
#include "paint.h"
#include "runtime/allocations.h"
#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "runtime/record/block_filter.h"
#include "runtime/session/hook_mode.h"
#include "runtime/session/session.h"
#include "runtime/unwind/module.h"
#include "unbound.h"

#define FRAME  __builtin_frame_address(0)
#define CALLER ((uintptr_t)__builtin_return_address(0))
#define HOOK   MP_PUBLIC MP_NOINLINE

/* Follows a call that gets the hook's frame address. It prevents the compiler from making that call a jump. */
#define NO_JUMP() __asm__ volatile("")

/* C23; not yet in the headers of every libc. */
void free_sized(void *block, size_t size);
void free_aligned_sized(void *block, size_t alignment, size_t size);

static uintptr_t loader_start, loader_size;

/* ------------------------------------------------------------------ what the hooks share */

/* Records BLOCK, which is NULL if the allocation failed. Returns BLOCK. */
MP_INLINE void *
record(void *block, size_t size, const void *frame)
{
    return MP_LIKELY(block != NULL) ? mp_alloc(block, size, frame) : NULL;
}

/* Makes the monitor look for unloaded code. Called when ld.so frees a block, which may describe an object that ld.so
 * has just unloaded. */
static MP_COLD void
freed_by_loader(void)
{
    mp_session_code_unloaded();
}

MP_INLINE bool
is_loader(uintptr_t caller)
{
    return caller - loader_start < loader_size;
}

static MP_COLD void
free_unbound(void *block)
{
    ((__typeof__(free) *)(uintptr_t)mp_unbound_next("free"))(block);
}

/* Frees BLOCK, which may be NULL, if mp_free_quick() did nothing. ENTERED is what that function has set. */
static MP_NOINLINE void
record_and_release(struct mp_recorder *entered, void *block, const void *frame)
{
    if (MP_LIKELY(entered != NULL) && MP_LIKELY(mp_free_elsewhere(entered, block))) {
        mp_next.free(block);
        return;
    }
    if (!entered) {
        if (!block)
            return;
        if (MP_UNLIKELY(is_loader(mp_machine_caller_key(frame))))
            freed_by_loader();
    }
    if (MP_UNLIKELY(!mp_free(entered, block, frame)) && (!block || mp_bootstrap_owns(block)))
        return;
    if (mp_next_is_there())
        mp_next.free(block);
}

MP_INLINE void
release(void *block)
{
    struct mp_recorder *entered = NULL;

    if (MP_UNLIKELY(is_loader(CALLER)) || MP_UNLIKELY(!mp_free_quick(&block, FRAME, &entered))) {
        record_and_release(entered, block, FRAME);
        NO_JUMP();
    } else {
        mp_next.free(block);
    }
}

static MP_COLD void *
leave_bootstrap(void *old, size_t size, const void *frame)
{
    size_t old_size = mp_bootstrap_size(old);
    void *block = mp_next_is_there() ? record(mp_next.malloc(size), size, frame) : mp_bootstrap_alloc(size);

    if (block)
        memcpy(block, old, old_size < size ? old_size : size);
    return block;
}

MP_INLINE void *
resize(void *old, size_t size, const void *frame)
{
    uint64_t object;
    void *block;

    if (MP_UNLIKELY(mp_bootstrap_owns(old)))
        return leave_bootstrap(old, size, frame);
    if (MP_UNLIKELY(!mp_next.found)) {
        MP_PASS_UNBOUND(realloc, old, size);
        if (!mp_next_find())
            return old ? NULL : mp_bootstrap_alloc(size);
    }
    if (!old)
        return record(mp_next.realloc(NULL, size), size, frame);
    object = mp_realloc_begin(old);
    block = mp_next.realloc(old, size);
    if (MP_LIKELY(block || size == 0))  /* a realloc(p, 0) that returns NULL has freed p */
        mp_realloc_done(old, object, block, size, frame);
    else
        mp_realloc_failed(old, object);
    return block;
}

void
mp_hooks_open(void)
{
    uintptr_t start, end;

    mp_module_loader(&start, &end);
    loader_size = end - start;
    loader_start = start;
}

/* ------------------------------------------------------------------ when not everything is recorded */

/* The SAMPLED functions are the rare paths of the hooks in a sampled recording and in a process that records nothing.
 * malloc() and the other hooks jump to the SAMPLED functions before they push anything, and the SAMPLED functions end
 * in jumps, too. So the stack has only one of our frames at a time, which needs no frame pointer unless a chain begins
 * there. clang can only jump to functions with the same parameters. So with clang, and without optimisation, MODE()
 * returns MP_HOOKS_RECORD once this library is bound, and the hooks take the path of a complete recording, which is
 * always correct, but slower. gcc makes no jumps with -Og, and no macro shows whether -Og is used, so SAMPLED selects
 * the optimisation for each function. Until the first call finds the next allocator, the mode is MP_HOOKS_SAMPLE, and
 * the first values of mp_next send all calls to the SAMPLED functions. So only the SAMPLED functions have to check
 * whether this library is unbound. */
#if defined __OPTIMIZE__ && !defined __clang__
#define SAMPLED                                                                                    \
    static MP_NOINLINE __attribute__((optimize("O2", "optimize-sibling-calls", "omit-frame-pointer")))

#define MODE()         mp_hooks_mode()
#define RECORDS_ALL()  mp_is_equal(&mp_hook_mode, MP_HOOKS_RECORD)
#else
#define SAMPLED        static MP_NOINLINE
#define MODE()         (mp_is_unbound() ? MP_HOOKS_SAMPLE : MP_HOOKS_RECORD)
#define RECORDS_ALL()  (!mp_is_unbound())
#endif

/* Attributes of a hook that ends with a jump to one of the SAMPLED functions. */
#define JUMPING_HOOK HOOK WITH_JUMPS

/* The SAMPLED functions call the functions *_with_frame(), at whose frame the chain of a sample begins. */
static MP_NOINLINE void *
record_with_frame(void *block, size_t size)
{
    return record(block, size, FRAME);
}

static MP_NOINLINE void
free_with_frame(void *block)
{
    if (mp_is_unbound())
        free_unbound(block);
    else
        record_and_release(NULL, block, FRAME);
}

static MP_NOINLINE void *
realloc_with_frame(void *old, size_t size)
{
    return resize(old, size, FRAME);
}

SAMPLED void *
sampled_malloc(size_t size)
{
    if (MP_UNLIKELY(!mp_next.found))
        MP_PASS_UNBOUND(malloc, size);
    return record_with_frame(mp_next.malloc(size), size);
}

SAMPLED void *
sampled_calloc(size_t count, size_t size)
{
    if (MP_UNLIKELY(!mp_next.found))
        MP_PASS_UNBOUND(calloc, count, size);
    return record_with_frame(mp_next.calloc(count, size), count * size);
}

SAMPLED void *
sampled_realloc(void *old, size_t size)
{
    return record_with_frame(mp_next.realloc(old, size), size);
}

/* Returns true if the next allocator is known and BLOCK certainly has no record. */
MP_INLINE bool
excludes(const void *block)
{
    return __atomic_load_n(mp_filter_count(block), __ATOMIC_RELAXED) == mp_next.excluded;
}

/* Counts an allocation of SIZE bytes before it is made, unless it is a sample. Returns whether it was counted; then the
 * hook has only to jump to the allocator. An allocation that fails afterwards remains counted. Large allocations fail
 * more often, so blocks of MP_COUNTED_FIRST bytes or more are counted after they were allocated. So are all blocks as
 * long as the next allocator is unknown. */
MP_INLINE bool
is_counted(size_t size)
{
    if (MP_UNLIKELY(size - 1 >= mp_next.small))
        return size - 1 < mp_next.counted_first && mp_count_unsampled(size, true);
    return MP_LIKELY(mp_count_unsampled(size, false));
}

/* ------------------------------------------------------------------ C */

JUMPING_HOOK void *
malloc(size_t size)
{
    size_t asked;
    void *block;

    switch (MODE()) {
    case MP_HOOKS_IDLE:
        return MP_LIKELY(!mp_control_wanted()) ? mp_next.malloc(size) : sampled_malloc(size);
    case MP_HOOKS_SAMPLE:
        return is_counted(size) ? mp_next.malloc(size) : sampled_malloc(size);
    default:
        asked = mp_copied(size);
        block = mp_next.malloc(size);
        block = mp_alloc_quick(block, asked, FRAME);
        NO_JUMP();
        return block;
    }
}

JUMPING_HOOK void *
calloc(size_t count, size_t size)
{
    size_t bytes;
    void *block;

    switch (MODE()) {
    case MP_HOOKS_IDLE:
        return MP_LIKELY(!mp_control_wanted()) ? mp_next.calloc(count, size) : sampled_calloc(count, size);
    case MP_HOOKS_SAMPLE:
        return !__builtin_mul_overflow(count, size, &bytes) && is_counted(bytes) ? mp_next.calloc(count, size)
                                                                               : sampled_calloc(count, size);
    default:
        block = mp_next.calloc(count, size);
        block = mp_alloc_quick(block, count * size, FRAME);
        NO_JUMP();
        return block;
    }
}

JUMPING_HOOK void *
realloc(void *old, size_t size)
{
    void *block;

    if (MP_UNLIKELY(!RECORDS_ALL())) {
        if (MP_UNLIKELY(!excludes(old)))
            return realloc_with_frame(old, size);
        if (MODE() == MP_HOOKS_IDLE ? MP_LIKELY(!mp_control_wanted()) : is_counted(size))
            return mp_next.realloc(old, size);
        return sampled_realloc(old, size);
    }
    block = resize(old, size, FRAME);
    NO_JUMP();
    return block;
}

HOOK void *
reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return resize(old, bytes, FRAME);
}

JUMPING_HOOK void
free(void *block)
{
    if (MP_LIKELY(RECORDS_ALL()))
        release(block);
    else if (MP_LIKELY(excludes(block)))
        mp_next.free(block);
    else
        free_with_frame(block);
}

HOOK void
free_sized(void *block, size_t size)
{
    (void)size;
    if (mp_is_unbound())
        free_unbound(block);
    else
        release(block);
}

HOOK void
free_aligned_sized(void *block, size_t alignment, size_t size)
{
    (void)alignment, (void)size;
    if (mp_is_unbound())
        free_unbound(block);
    else
        release(block);
}

/* ------------------------------------------------------------------ aligned */

HOOK void *
memalign(size_t alignment, size_t size)
{
    MP_PASS_UNBOUND(memalign, alignment, size);
    if (MP_UNLIKELY(!mp_next_is_there()))
        return NULL;
    return record(mp_next.memalign(alignment, size), size, FRAME);
}

HOOK void *
aligned_alloc(size_t alignment, size_t size)
{
    MP_PASS_UNBOUND(aligned_alloc, alignment, size);
    if (MP_UNLIKELY(!mp_next_is_there()))
        return NULL;
    return record(mp_next.aligned_alloc(alignment, size), size, FRAME);
}

HOOK int
posix_memalign(void **block, size_t alignment, size_t size)
{
    int result;

    MP_PASS_UNBOUND(posix_memalign, block, alignment, size);
    if (MP_UNLIKELY(!mp_next_is_there()))
        return ENOMEM;
    result = mp_next.posix_memalign(block, alignment, size);
    if (MP_LIKELY(result == 0))
        record(*block, size, FRAME);
    return result;
}

HOOK void *
valloc(size_t size)
{
    MP_PASS_UNBOUND(valloc, size);
    if (MP_UNLIKELY(!mp_next_is_there()))
        return NULL;
    return record(mp_next.valloc(size), size, FRAME);
}

HOOK void *
pvalloc(size_t size)
{
    MP_PASS_UNBOUND(pvalloc, size);
    if (MP_UNLIKELY(!mp_next_is_there()))
        return NULL;
    return record(mp_next.pvalloc(size), mp_paint_pages(size), FRAME);
}

/* ------------------------------------------------------------------ how large a block is */

HOOK size_t
malloc_usable_size(void *block)
{
    MP_PASS_UNBOUND(malloc_usable_size, block);
    if (MP_UNLIKELY(mp_bootstrap_owns(block)))
        return mp_bootstrap_size(block);
    return mp_next_is_there() && mp_next.malloc_usable_size ? mp_next.malloc_usable_size(block) : 0;
}

/* ------------------------------------------------------------------ giving memory back */

HOOK int
malloc_trim(size_t pad)
{
    int result;

    MP_PASS_UNBOUND(malloc_trim, pad);
    result = mp_next_is_there() && mp_next.malloc_trim ? mp_next.malloc_trim(pad) : 0;

    mp_monitor_trimmed();
    return result;
}

/* ------------------------------------------------------------------ all of them */

/* The table of hooks has the addresses of local aliases, because "malloc" in an expression may yield the address of a
 * stub in the program instead of our hook. gcc wants an alias to have the attributes of its target. */
#ifdef __clang__
#define OWN(name) static __typeof__(name) own_##name __attribute__((alias(#name)));
#else
#define OWN(name) static __typeof__(name) own_##name __attribute__((alias(#name), copy(name)));
#endif
#define ALL(EACH) MP_FAMILY(EACH) EACH(reallocarray) EACH(free_sized) EACH(free_aligned_sized)
ALL(OWN)

#define ENTRY(name) { #name, (void (*)(void))own_##name },
const struct mp_hook mp_hooks[MP_MAX_HOOKS] = { ALL(ENTRY) { NULL, NULL } };
