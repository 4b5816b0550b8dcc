/* session_checkpoint.h -- checkpoints, and snapshots of the heap, that the program itself asks for. */
#ifndef MP_SESSION_CHECKPOINT_H
#define MP_SESSION_CHECKPOINT_H

#include <stdbool.h>

/* Sets a checkpoint called NAME, in a function with frame address FRAME.  From a signal handler, too.  Returns
 * whether it could be set. */
bool mp_session_checkpoint(const char *name, const void *frame);

/* Begins a snapshot of the heap, called NAME, in a function with frame address FRAME.  Returns as soon as the copy that
 * writes it has been made; waits while too many others are being written.  0 or -errno. */
int mp_session_heap_called(const char *name, const void *frame);

#endif
