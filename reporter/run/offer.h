/*
 * offer.h -- the snapshot that a process writes into a file without a name, because it was asked to.
 */
#ifndef MP_RUN_OFFER_H
#define MP_RUN_OFFER_H

#include "process.h"

/* Take the file that PROCESS offers in its header, and wait until it is whole.  Nothing is opened but a regular file
 * without a name that belongs to the user of the process.  The result is a copy without a name, which no other process
 * can change, and which the caller closes; NAME, for messages, is what it is a snapshot of.  -1 and *ERROR. */
int mp_offer_take(struct mp_process *process, const char *name, struct mp_error *error);

#endif
