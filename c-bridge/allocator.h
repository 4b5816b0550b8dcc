/* SPDX-License-Identifier: MIT */
/*
 * allocator.h -- asks the program's allocator, when the program ends, how much memory it has from the system.
 *
 * Only glibc's malloc is asked, by mallinfo2(). That takes the lock of each arena for a short time and walks lists
 * of free chunks. Therefore it is called only where the program itself could call malloc(). That is so in exit(),
 * but not in _exit() and similar functions, which may be called in a signal handler or after vfork.
 */
#ifndef MP_ALLOCATOR_H
#define MP_ALLOCATOR_H

/* mp_allocator_open() finds mallinfo2(). A constructor calls it once if the options ask for the allocator's
 * figures. mp_allocator_forked_child() is called in the child of glibc's fork(), where malloc is usable. */
void mp_allocator_open(void);
void mp_allocator_forked_child(void);

/* Records the allocator's figures. Called in exit(); HOOK_FRAME is the frame address of our handler. */
void mp_allocator_note(const void *hook_frame);

#endif
