/*
 * session.h -- recording as a whole: when it begins and ends, in which file, and how a thread gets
 * in and out of the monitor.
 *
 * A session is one data file.  It begins with the first allocation of the process, after
 * mprof_restart(), and in the child of a fork with the child's first allocation.
 */
#ifndef MP_SESSION_H
#define MP_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/record/recorder.h"
#include "runtime/system/gate.h"
#include "runtime/system/thread.h"
#include "session_file.h"

struct mp_recorder *mp_session_enter(struct mp_thread *self, uintptr_t frame);
void mp_session_leave(struct mp_thread *self, struct mp_recorder *recorder);

/* A recorder of the session, which begins if it did not yet; NULL: nothing is recorded.  Lock held. */
struct mp_recorder *mp_session_take_recorder(void);

/* RECORDER, of this session or an earlier one, has no thread any more.  Lock held. */
void mp_session_give_recorder(struct mp_recorder *recorder);

/* Is the hook that SELF is busy with interrupted, seen from a hook with frame FRAME?  Hooks that were
 * left for good are forgotten. */
bool mp_session_interrupted(struct mp_thread *self, uintptr_t frame);

/* All hooks that SELF was in were left for good. */
void mp_session_all_left(struct mp_thread *self);

/* A recorder for the hook with frame FRAME alone, which SELF is busy with then.  NULL: nothing is to
 * be recorded. */
struct mp_recorder *mp_session_lend(struct mp_thread *self, uintptr_t frame);

/* Its hook leaves; SELF is busy again with what was interrupted. */
void mp_session_lent_back(struct mp_thread *self, struct mp_recorder *recorder);

/*
 * Into the monitor, from the hook with frame address FRAME.  NULL: nothing is to be recorded.
 *
 * `busy` tells an interrupted activation (a signal handler allocates while its thread is in here)
 * from one that a longjmp left for good; see session.c.
 */
MP_INLINE struct mp_recorder *
mp_enter(struct mp_thread *self, const void *frame)
{
    if (MP_UNLIKELY(self->busy != 0 ||
                    self->generation != __atomic_load_n(&mp_gate->generation, __ATOMIC_ACQUIRE)))
        return mp_session_enter(self, (uintptr_t)frame);
    *(volatile uintptr_t *)&self->busy = (uintptr_t)frame;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return self->recorder;
}

MP_INLINE void
mp_leave(struct mp_thread *self, struct mp_recorder *recorder)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (MP_UNLIKELY(mp_recorder_pending_work(recorder)))
        mp_session_leave(self, recorder);
    else
        *(volatile uintptr_t *)&self->busy = 0;
}

/* Once, from a constructor: what needs libc (thread destructors, libunwind).  */
void mp_session_open(void);

/* The same in a program that runs already: nothing is recorded before mprof_restart(). */
void mp_session_open_late(void);

/* LANGUAGE is recorded too, from now on.  0 or -errno. */
struct mp_language;
int mp_session_language(const struct mp_language *language);

/* The calling thread's recorder in the present session; NULL: it has none yet. */
struct mp_recorder *mp_session_recorder(void);

/* A recorder for what a collector frees; NULL: no memory.  Lock held. */
struct mp_recorder *mp_session_collector(void);

/* What a recorder that has pending_work has to do after an allocation. */
void mp_session_after_alloc(struct mp_recorder *recorder, uint32_t context, const void *hook_frame);

/* Nothing is recorded: stopped, or impossible. */
bool mp_session_is_off(void);

/* SELF was not let in to record an allocation, or the free of a recorded block, by the hook with frame
 * FRAME: counted if it is lost by that. */
void mp_session_dropped(const struct mp_thread *self, const void *frame);
void mp_session_free_dropped(const struct mp_thread *self, const void *frame);

/* WHAT bypasses us (an operator new, a malloc of the program's own): to be shown in the report. */
void mp_session_not_seen(enum mp_missing what);

/* The process is about to end with STATUS (-1 not known), or to become another program. */
void mp_session_exit(int status);
void mp_session_exec(bool profiled);
void mp_session_exec_failed(bool profiled);

/* A program was started beside this one. */
void mp_session_spawned(bool profiled);

/* After fork(), in the parent and in the child. */
void mp_session_forked(void);
void mp_session_forked_child(void);

/* The first time in a process: if it was forked, its ancestors' files and recorders are given up, which
 * nobody uses here.  Lock held. */
void mp_session_leave_ancestors(void);

/* The process is about to be shut off by a filter, in the hook with frame FRAME; false: it was. */
bool mp_session_shut(const void *frame);
void mp_session_shut_failed(void);

/* The child of a vfork that is shut off leaves its parent's memory; or does not, and has it AGAIN. */
void mp_session_shut_lent(bool again);

/* A child of a process that is shut off is not recorded.  Lock held. */
void mp_session_shut_child(void);

/* SELF was left half way by a jump, where no signal could be blocked. */
void mp_session_torn(struct mp_thread *self);

/* Called when code may have been unloaded. */
void mp_session_code_unloaded(void);

/* mprof_stop(), mprof_restart(): what was recorded is on the disk. */
void mp_session_stop(void);
int mp_session_restart(const char *file);

/* End a recording, without waiting for the disk. */
void mp_session_end(void);

/* Begin one, with chains of at most DEPTH frames, 0: whole; FOLD: recursion is folded. */
int mp_session_begin(const char *file, uint32_t depth, bool fold);
void mp_session_autosave(uint64_t count);

/* Is a file of this process being written?  And: are allocations recorded, the next of which may begin
 * the session? */
bool mp_session_active(void);
bool mp_session_records(void);

/* End it, begin it, for who holds the lock.  FILE: a template; chains as the environment asks.  0 or
 * -errno. */
void mp_session_end_held(void);
int mp_session_begin_held(const char *file, enum mp_file_name name);

/* Figures of the present session, bytes. */
int64_t mp_session_current(void);
int64_t mp_session_peak(void);
uint64_t mp_session_total(void);
void mp_session_reset_peak(void);

#endif
