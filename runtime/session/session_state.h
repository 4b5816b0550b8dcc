/* SPDX-License-Identifier: MIT */
/*
 * session_state.h -- state of the session, shared by the files of this directory. session.c begins and ends the
 * session.
 */
#ifndef MP_SESSION_STATE_H
#define MP_SESSION_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/record/recorder.h"
#include "session_file.h"

/* Written with the gate's lock held. Read without it where an old value does no harm. */
struct mp_session {
    bool opened;                /* mp_session_prepare() has been done */
    bool off;                   /* nothing is recorded, because recording was stopped or is impossible */
    bool late;                  /* loaded into a program that was running */
    bool gap;                   /* the program ran unrecorded for a while, so some blocks are unknown */
    bool child;                 /* forked by a process that had a session */
    bool orphan;                /* a child that can have no file; the family's file counts what it drops */
    bool interrupted;           /* a hook that was running when the process was forked continues */
    bool alone;                 /* only one recorder has a thread, so the peak is exact */
    uint32_t number;            /* number of the session; 0 means none yet */
    uint64_t autosave;          /* allocations of a thread between two pushes to the disk */
};

extern struct mp_session mp_session;

/* Reads the options and opens the gate and the tables. Called once. Returns 0 or -errno. */
int mp_session_prepare(void);

/* Called when the child of a vfork that has installed a filter leaves its parent's memory. Allows system calls again.
 * AGAIN means that the child has not left, because its exec failed; then stops system calls again. */
void mp_session_shut_lent(bool again);

/* Callers of the functions below hold the lock. */

/* Returns whether the present file is to be written. Begins the session first if none has begun in this process. */
bool mp_session_goes_on(void);

/* Returns a recorder for the calling thread, or NULL if there is no memory. Requires that mp_session_goes_on() is
 * true. */
struct mp_recorder *mp_session_take_recorder(void);

/* Takes RECORDER, of this session or an earlier one, from a thread that no longer needs it. */
void mp_session_give_recorder(struct mp_recorder *recorder);

/* mp_session_end_held() ends the recording when another one follows at once, and mp_session_rest_held() when none does.
 * mp_session_begin_held() begins a recording into the file that the template FILE names, with chains as the environment
 * asks. Samples are SAMPLE bytes apart on average; 0 records every allocation, and MP_SAMPLE_AS_SAID means as the
 * environment asks. Returns 0 or -errno. */
void mp_session_end_held(void);
void mp_session_rest_held(void);
int mp_session_begin_held(const char *file, enum mp_file_name name, uint32_t sample);

#endif
