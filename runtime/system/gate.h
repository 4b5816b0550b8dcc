/* SPDX-License-Identifier: MIT */
/*
 * gate.h -- the generation that every activation of the monitor checks, and the monitor's lock.
 *
 * Both are in a page that the kernel clears in a forked child (MADV_WIPEONFORK), whichever call has made the child. So
 * the child finds generation 0, which is no generation of its parent, and an open lock, although a thread of the parent
 * may have held it.
 *
 * The generation is raised whenever threads must refresh their private state: recording starts or stops, a second
 * thread appears or only one remains, code is unloaded, the peak is reset. A thread whose own copy differs takes
 * the slow path of mp_enter() (session/activation.c) once.
 *
 * Lock order: the holder of this lock waits for no other lock. libgc's lock, which is held during a collection,
 * is taken before this one. This lock also guards the tables of the bridges. Signals are blocked while it is
 * held, so that no handler of the same thread can wait for it. SIGTRAP, SIGSYS, SIGBUS and SIGSEGV stay
 * unblocked, because the processor or a seccomp filter that sends one would kill the process. Their handlers
 * cannot enter the monitor: the thread's generation contains MP_GATE_HELD and equals no generation of the gate.
 *
 * In a sandboxed process (sandbox.h) signals cannot be blocked, and threads cannot sleep until the lock is open. The
 * holder may be interrupted for long there, or a handler may jump away and leave the lock held forever. So a waiting
 * thread stops waiting after a while and skips the work for which it needed the lock.
 */
#ifndef MP_GATE_H
#define MP_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "gate_page.h"
#include "runtime/compiler.h"

#define MP_GATE_HELD (1u << 31)

/* Returns whether this process has had a session of its own. Returns false in the child of a fork until the child's own
 * session begins. Until then, the session that the child sees is the parent's, which continues to write its file. The
 * first thread that takes the lock in such a child releases the parent's file. Callers need not hold the lock. */
MP_INLINE bool
mp_gate_is_ours(void)
{
    return __atomic_load_n(&mp_gate->generation, __ATOMIC_ACQUIRE) - 1 < MP_GATE_SHUT - 1;
}

/* Maps the page. Returns 0 or -errno. Called once, before a second thread enters the monitor. A thread that takes
 * the lock calls INHERITED if the process has had no session of its own yet. */
int mp_gate_open(void (*inherited)(void));

/* State that mp_gate_lock() saves for mp_gate_unlock(). */
struct mp_gate_hold {
    uint64_t mask;
    int error;
    bool taken;
};

/* mp_gate_lock() blocks signals, takes the lock and fills *HOLD. It returns false only in a sandboxed process, if
 * it could not take the lock. Then the caller must not touch what the lock guards, but must still call
 * mp_gate_unlock(). mp_gate_unlock() restores errno and the signals that *HOLD has. */
MP_MUST_USE bool mp_gate_lock(struct mp_gate_hold *hold);
void mp_gate_unlock(const struct mp_gate_hold *hold);

/* Asserts that the caller holds the lock. It is the first statement of each function that requires the lock.
 * Builds with -DMP_CHECK_LOCK crash if the assertion is wrong, from mp_gate_open() on. Other builds do nothing. */
#ifdef MP_CHECK_LOCK
bool mp_gate_held(void);
#define MP_LOCK_HELD() (mp_gate_held() ? (void)0 : __builtin_trap())
#else
#define MP_LOCK_HELD() ((void)0)
#endif

/* Makes every thread take the slow path of mp_enter() once. Called with the lock held, or in the handler of a
 * fault (session/faults.h). */
void mp_gate_raise(void);

/* Resets the page in the child of a fork, for kernels that do not clear it. */
void mp_gate_reset(void);

#endif
