/* SPDX-License-Identifier: MIT */
/* session_checkpoint.h -- checkpoints and snapshots of the heap that the program itself asks for. */
#ifndef MP_SESSION_CHECKPOINT_H
#define MP_SESSION_CHECKPOINT_H

#include <stdbool.h>

/* Sets a checkpoint called NAME. FRAME is the caller's frame address. May be called in a signal handler. Returns
 * whether the checkpoint was set. */
bool mp_session_checkpoint(const char *name, const void *frame);

/* Begins a snapshot of the heap called NAME. FRAME is the caller's frame address. Returns as soon as the copy of
 * the process that writes the snapshot has been made. Waits while too many others are being written. Returns 0 or
 * -errno. */
int mp_session_heap_called(const char *name, const void *frame);

#endif
