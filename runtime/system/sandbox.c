/* SPDX-License-Identifier: MIT */
#include "sandbox.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "runtime/compiler.h"

struct mp_sandbox mp_sandbox;

static MP_TLS struct {
    uint32_t inside;            /* share of this thread in mp_sandbox.inside */
    uint32_t exposed;           /* number of nested calls of mp_sandbox_exposed() */
    uintptr_t exposed_at;
} own;

/* ------------------------------------------------------------------ in and out */

/* Enters if the phase is before PHASE or the thread is inside already. Returns whether it has entered. Increments
 * `inside` before it reads the phase, and mp_sandbox_shut() sets the phase before it reads `inside`. So either this
 * thread sees the new phase, or mp_sandbox_shut() waits for this thread. */
MP_INLINE bool
enter_before(enum mp_sandbox_phase phase)
{
    __atomic_add_fetch(&mp_sandbox.inside, 1, __ATOMIC_SEQ_CST);
    if (MP_LIKELY(__atomic_load_n(&mp_sandbox.phase, __ATOMIC_SEQ_CST) < phase) || own.inside > 0) {
        own.inside++;
        return true;
    }
    __atomic_sub_fetch(&mp_sandbox.inside, 1, __ATOMIC_SEQ_CST);
    return false;
}

bool
mp_sandbox_enter(void)
{
    return enter_before(MP_SANDBOX_SHUTTING);
}

bool
mp_sandbox_enter_to_wake(void)
{
    return enter_before(MP_SANDBOX_SHUT);
}

void
mp_sandbox_leave(void)
{
    if (own.inside == 0)        /* mp_sandbox_all_left() has been called although the thread was still in its hook */
        return;
    own.inside--;
    __atomic_sub_fetch(&mp_sandbox.inside, 1, __ATOMIC_SEQ_CST);
}

bool
mp_sandbox_is_shut(void)
{
    return __atomic_load_n(&mp_sandbox.phase, __ATOMIC_SEQ_CST) != MP_SANDBOX_OPEN && own.inside == 0;
}

bool
mp_sandbox_others_inside(void)
{
    return __atomic_load_n(&mp_sandbox.inside, __ATOMIC_SEQ_CST) > own.inside;
}

void
mp_sandbox_all_left(void)
{
    __atomic_sub_fetch(&mp_sandbox.inside, own.inside, __ATOMIC_SEQ_CST);
    own.inside = 0;
}

void
mp_sandbox_forked_child(void)
{
    mp_sandbox.inside = own.inside;
    mp_sandbox.installing = 0;
}

/* ------------------------------------------------------------------ memory */

void *
mp_sandbox_memory(size_t size)
{
    const size_t rounded = (size + 4095) & ~(size_t)4095;
    const size_t room = mp_sandbox.memory.start ? mp_sandbox.memory.size : 0;
    size_t at = __atomic_fetch_add(&mp_sandbox.memory.used, rounded, __ATOMIC_RELAXED);

    if (rounded >= size && at < room && rounded <= room - at)
        return mp_sandbox.memory.start + at;
    __atomic_sub_fetch(&mp_sandbox.memory.used, rounded, __ATOMIC_RELAXED);
    return NULL;
}

/* ------------------------------------------------------------------ the stack */

#define MAX_STACK ((uintptr_t)64 << 20)        /* bytes; nothing else is mapped 128 MiB below the stack's top */

bool
mp_sandbox_peek(uintptr_t address, void *buffer, size_t size)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    const uintptr_t top = getauxval(AT_RANDOM);         /* address just above all frames */

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

/* clock_gettime() of the vDSO, or NULL. It reads coarse clocks without a system call on every machine. For other clocks
 * it may make a system call. */
static int (*vdso_clock)(clockid_t, struct timespec *);

void
mp_sandbox_find_clock(void)
{
    void *vdso = getauxval(AT_SYSINFO_EHDR)
                     ? dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *symbol = vdso ? dlsym(vdso, VDSO_CLOCK) : NULL;

    if (!symbol)
        dlerror();              /* clears our error, which the program would otherwise find */
    memcpy(&vdso_clock, &symbol, sizeof symbol);
}

uint64_t
mp_sandbox_clock(void)
{
    struct timespec now = { 0, 0 };
    uint64_t ns = 0;

    if (vdso_clock && vdso_clock(CLOCK_MONOTONIC_COARSE, &now) == 0)
        ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return ns > mp_sandbox.since ? ns : mp_sandbox.since;
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
