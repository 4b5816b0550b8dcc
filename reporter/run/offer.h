/*
 * offer.h -- takes a requested snapshot, which a process writes into a file without a name.
 */
#ifndef MP_RUN_OFFER_H
#define MP_RUN_OFFER_H

#include "process.h"

/* Takes the file that PROCESS offers in its header and waits until it is complete. Only opens a regular file without
 * a name that belongs to the user of the process. NAME is used in messages and identifies the source of the snapshot.
 * Returns a copy without a name, which no other process can change and the caller closes. On failure returns -1 and
 * fills *ERROR. */
int mp_offer_take(struct mp_process *process, const char *name, struct mp_error *error);

#endif
