/*
 * allocator.h -- what the program's allocator has of the system, asked when the program ends.
 *
 * Only glibc's is asked, by mallinfo2(): it takes the lock of each arena for a short time, and goes
 * through lists of free chunks.  So it is asked where the program itself could call malloc(): in exit(), not in
 * _exit() and its kin, which may come in a signal handler or after vfork.
 */
#ifndef MP_ALLOCATOR_H
#define MP_ALLOCATOR_H

/* Once, from a constructor, where it is wanted: else nothing is asked.  And: in the child of a fork() of glibc's,
 * which has made its malloc usable. */
void mp_allocator_open(void);
void mp_allocator_forked_child(void);

/* The program calls exit(), and HOOK_FRAME is that of our handler: note what the allocator says. */
void mp_allocator_note(const void *hook_frame);

#endif
