/* SPDX-License-Identifier: MIT */
/*
 * snapshot_copy.h -- forks a copy of the process that writes a snapshot while the program continues.
 *
 * The copy is made without libc, so pthread_atfork() handlers do not run. The end of the copy sends no signal, and
 * wait(2) does not see the copy. It has one thread, all signals blocked, and only one open file. Locks that other
 * threads held stay held in its memory. Its other descriptors are closed, because readers of the program's pipes and
 * sockets would otherwise wait for the end of the copy, too. The copy ends when its work is done, and the kernel kills
 * it if it uses too much processor time.
 */
#ifndef MP_SNAPSHOT_COPY_H
#define MP_SNAPSHOT_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/system/sys.h"

/* A file that a copy writes to. The program may close its descriptor, and open another file with that number. */
struct mp_copy_file {
    int fd;
    struct mp_file_id id;
    const uint32_t *offered;    /* word that has the value `offer` until another process has opened the file, if the
                                   file has no name; the copy then waits for that; NULL if the file has a name */
    uint32_t offer;
};

/* Forks a copy of the process that calls WORK with DATA and has FILE open. If the program has closed FILE, the
 * copy cannot write to it. Stores the time in ns that forking took in *HELD. Returns the copy's pid or -errno,
 * which is -EBUSY if too many copies are running. Needs no lock. */
long mp_copy_make(void (*work)(void *data), void *data, const struct mp_copy_file *file, uint64_t *held);

/* mp_copy_opened() fills FILE from FD, which was just opened for a copy, and locks the file. The lock is held
 * until the file is complete or the writer has ended. mp_copy_closed() closes the file in this process when only
 * the copy needs it. If another thread forks between these calls, its child also has the file open, until the child
 * calls mp_copy_forked_child(). */
void mp_copy_opened(int fd, struct mp_copy_file *file);
void mp_copy_closed(const struct mp_copy_file *file);

/* Returns whether FILE's descriptor still refers to the file that was opened. */
bool mp_copy_is_open(const struct mp_copy_file *file);

/* Forgets the parent's copies and closes their file. Called in the child of fork(), before any other function for
 * copies. */
void mp_copy_forked_child(void);

/* mp_copy_reap() reaps the copies that have ended, which would otherwise be zombies. mp_copy_works() does the
 * same and returns whether any copy is still running. */
void mp_copy_reap(void);
bool mp_copy_works(void);

/* mp_copy_wait() waits until the copy PID has ended. mp_copy_wait_for_place() waits until so few copies are running
 * that another one can be made. Both return if the process is or becomes sandboxed (runtime/system/sandbox.h). */
void mp_copy_wait(long pid);
void mp_copy_wait_for_place(void);

#endif
