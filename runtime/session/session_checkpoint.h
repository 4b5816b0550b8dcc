/* session_checkpoint.h -- checkpoints that the program sets itself. */
#ifndef MP_SESSION_CHECKPOINT_H
#define MP_SESSION_CHECKPOINT_H

/* The program calls this moment NAME, in a function with frame address FRAME.  From a signal handler, too. */
void mp_session_checkpoint(const char *name, const void *frame);

#endif
