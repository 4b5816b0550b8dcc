/*
 * gate.h -- the generation that every activation of the monitor checks, and the one lock.
 *
 * Both stand in a page that the kernel wipes in the child of a fork (MADV_WIPEONFORK), however
 * the fork was made: the child finds generation 0 and an open lock, never a count that belongs to
 * its parent or a lock held by a thread that it does not have.
 *
 * The generation is raised whenever threads must look up from their private state: recording
 * starts or stops, a second thread comes or the last one goes, code was unloaded.  A thread whose
 * own copy differs takes the slow way in (session.c), once.
 *
 * Lock order: there is one lock, also of the bridges' tables, and nothing is called under it that
 * waits for another; libgc's, which a collection holds, comes before it.  Signals are blocked while
 * it is held, so that no handler of the same thread can wait for it; but for
 * SIGTRAP, SIGSYS, SIGBUS and SIGSEGV, whose sender, the processor or a seccomp filter, would kill the
 * process.  For their handlers the way in is closed: the thread's generation, with MP_GATE_HELD in it, equals none.
 *
 * In a process that is shut off (sandbox.h) no signal can be blocked, and nobody sleeps until the lock
 * is open.  Then a holder may be interrupted for long, or be left for good by a jump: who waits
 * gives up after a while, and does without what it was to be taken for.
 */
#ifndef MP_GATE_H
#define MP_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "gate_page.h"
#include "runtime/compiler.h"

#define MP_GATE_HELD (1u << 31)

/* Has this process had a session?  If not, and there is one, it is its parent's, who goes on writing
 * there: in the child of a fork, however it was made, until a session of its own begins.  Who takes
 * the lock first in such a child has it let go of the parent's file; who does without the lock asks
 * here. */
MP_INLINE bool
mp_gate_is_ours(void)
{
    return __atomic_load_n(&mp_gate->generation, __ATOMIC_ACQUIRE) != 0;
}

/* Map the page; 0 or -errno.  Called once, before there is a second thread.  INHERITED is called by
 * whoever takes the lock while the process has had no session of its own; the lock is held. */
int mp_gate_open(void (*inherited)(void));

/* What the holder of the lock owes the thread: its signal mask and its errno. */
struct mp_gate_hold {
    uint64_t mask;
    int error;
    bool taken;
};

/* Take the lock with signals blocked; *HOLD is for mp_gate_unlock(), which puts errno back.  False, in
 * a process that is shut off: it was not taken, and what it guards is not to be touched; it is to
 * be unlocked all the same. */
MP_MUST_USE bool mp_gate_lock(struct mp_gate_hold *hold);
void mp_gate_unlock(const struct mp_gate_hold *hold);

/* Make every thread take the slow way in.  Lock held, or in a handler of a fault (session/faults.h). */
void mp_gate_raise(void);

/* In the child of a fork, for kernels that do not wipe the page: as if it were new. */
void mp_gate_reset(void);

#endif
