/*
 * session_state.h -- what is going on, for the files of this folder; begun and ended in session.c.
 */
#ifndef MP_SESSION_STATE_H
#define MP_SESSION_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/record/recorder.h"
#include "session_file.h"

/* Written with the gate's lock held; read without it where an old value does no harm. */
struct mp_session {
    bool opened;                /* mp_session_prepare() has been done */
    bool off;                   /* nothing is recorded: stopped, or impossible */
    bool late;                  /* loaded into a program that was running */
    bool gap;                   /* the program ran for a while and was not recorded: some blocks are not known */
    bool child;                 /* by fork, of a process that had a session */
    bool orphan;                /* such a child can have no file: its family counts what it drops */
    bool interrupted;           /* a hook that was at work when the process was forked goes on */
    bool alone;                 /* one recorder only: the peak is exact */
    uint32_t number;            /* of the session, 0: none yet */
    uint64_t autosave;          /* allocations of a thread between two pushes to the disk */
};

extern struct mp_session mp_session;

/* Once: options, gate, tables.  0 or -errno. */
int mp_session_prepare(void);

/* What follows is for who holds the lock. */

/* Is the present file to be written?  If not even a session has begun in this process, it begins. */
bool mp_session_goes_on(void);

/* A recorder for the calling thread, NULL: no memory; while mp_session_goes_on(). */
struct mp_recorder *mp_session_take_recorder(void);

/* RECORDER, of this session or an earlier one, has no thread any more. */
void mp_session_give_recorder(struct mp_recorder *recorder);

/* End the recording; begin one with chains as the environment asks, FILE being a template, with samples
 * SAMPLE bytes apart in the mean: 0: of every allocation; MP_SAMPLE_AS_SAID: as the environment asks.  0 or
 * -errno. */
void mp_session_end_held(void);
int mp_session_begin_held(const char *file, enum mp_file_name name, uint32_t sample);

#endif
