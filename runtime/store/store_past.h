/*
 * store_past.h -- the files of the process that are not the present one any more, as long as a thread may
 * still write there.
 *
 * A thread writes into the file in which its recorder is until it notices the next one itself, which may
 * be never.  So files count the recorders that hold them.  The file before the present one stays as it is: a
 * thread may be writing its last counter.  A file before that becomes plain memory, so that its disk space
 * is free, and is unmapped when no recorder holds it.  Headers are never unmapped, because they are looked
 * at without a lock: they serve later files.
 *
 * The gate's lock is held for all of these.
 */
#ifndef MP_STORE_PAST_H
#define MP_STORE_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/format.h"

/* Memory for a header; NULL: none.  And: it is not used any more, or never was. */
struct mp_live_header *mp_past_header(void);
void mp_past_free_header(struct mp_live_header *header);

/* HEADER, of the present file, keeps what it says also when the file is past, for whoever reads it without a
 * lock, until another header is to be kept. */
void mp_past_keep_header(struct mp_live_header *header);

/* The present file is one with HEADER from now on, and rows begin where it may put its records.  0 or
 * -ENOMEM. */
int mp_past_begin(struct mp_live_header *header);

/* Number of the present file, from 1 on; and: may anybody still read or write in file NUMBER? */
uint32_t mp_past_present(void);
bool mp_past_is_there(uint32_t number);

/* One more recorder of the present file; one less of the file with HEADER. */
void mp_past_hold(void);
void mp_past_release(const struct mp_live_header *header);

/* In the child of a fork, before it begins a file: its ancestors' files are unmapped, because the threads
 * that write there are not in this process. */
void mp_past_inherited(void);

#endif
