/* session_checkpoint.h -- checkpoints that the program sets itself. */
#ifndef MP_SESSION_CHECKPOINT_H
#define MP_SESSION_CHECKPOINT_H

#include <stdbool.h>

/* Sets a checkpoint called NAME, in a function with frame address FRAME.  From a signal handler, too.  Returns
 * whether it could be set. */
bool mp_session_checkpoint(const char *name, const void *frame);

/* Begins the recording of a process that has allocated nothing yet, in a function with frame address FRAME. */
void mp_session_begin_by(const void *frame);

#endif
