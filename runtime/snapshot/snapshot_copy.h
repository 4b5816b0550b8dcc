/*
 * snapshot_copy.h -- a copy of the process that writes a snapshot while the program goes on.
 *
 * The copy is made without libc, so no handler of pthread_atfork() runs, and is a child whose end sends no signal
 * and that wait(2) does not see.  It has one thread, all signals blocked, no file open but one, and the memory as it
 * was: locks that other threads held stay held in it for ever.  What others wait for is not kept open by it.  It
 * ends when its work is done, and is killed when it takes longer than anybody needs.
 */
#ifndef MP_SNAPSHOT_COPY_H
#define MP_SNAPSHOT_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/system/sys.h"

/* A file that a copy writes to.  The program may close all files there are, and open others. */
struct mp_copy_file {
    int fd;
    struct mp_file_id id;
    const uint32_t *offered;    /* of a file without a name: where `offer` is stored until another process has opened
                                   the file, so that its writer need not be there any more; NULL: the file has a name */
    uint32_t offer;
};

/* In a copy of the process do WORK, given DATA, and have FILE open; if the program closed it, its number is none.  The
 * copy's process id, or -errno: none was made.  *HELD: ns that it took to make the copy.  -EBUSY: too many are at
 * work.  Lock-free. */
long mp_copy_make(void (*work)(void *data), void *data, const struct mp_copy_file *file, uint64_t *held);

/* FD was opened for a copy to write to, and becomes FILE: it is locked until it is whole, or the writer is gone.  And:
 * it is closed, where it is not needed any more.  In between a child that another thread forks has it open, too, until
 * mp_copy_forked_child(). */
void mp_copy_opened(int fd, struct mp_copy_file *file);
void mp_copy_closed(const struct mp_copy_file *file);

/* Is FILE still what was opened? */
bool mp_copy_is_open(const struct mp_copy_file *file);

/* In a child by fork(), before anything else is done with copies: none is its own. */
void mp_copy_forked_child(void);

/* Let go of copies that have ended, which would else be zombies.  And: is one left? */
void mp_copy_reap(void);
bool mp_copy_works(void);

/* Wait until the copy PID has ended, or the sandbox shuts (runtime/system/sandbox.h). */
void mp_copy_wait(long pid);

#endif
