/* SPDX-License-Identifier: MIT */
/*
 * allocator.h -- asks the program's allocator, when the program ends, how much memory it has from the system.
 *
 * Only glibc's malloc is asked, by mallinfo2(). mallinfo2() takes the lock of each arena for a short time and walks
 * lists of free chunks. Therefore it is called only in exit(), where the program itself could call malloc(). It is not
 * called in _exit() and similar functions, which may run in a signal handler or after vfork.
 */
#ifndef MP_ALLOCATOR_H
#define MP_ALLOCATOR_H

/* mp_allocator_open() finds mallinfo2(). A constructor calls it once if the options ask for the allocator's
 * figures. mp_allocator_forked_child() is called in the child of glibc's fork(), which makes malloc usable there. In a
 * child that another call has made, the allocator is not asked. */
void mp_allocator_open(void);
void mp_allocator_forked_child(void);

/* Records the allocator's figures. Called in exit(); HOOK_FRAME is the frame address of our handler. */
void mp_allocator_note(const void *hook_frame);

#endif
