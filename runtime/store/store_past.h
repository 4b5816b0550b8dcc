/*
 * store_past.h -- the files of the process that are not the present one any more, as long as somebody may
 * still write there.
 *
 * A thread holds on to the file in which its recorder is until it notices the next one itself, which may
 * be never.  So each recorder holds its file.  The file before the present one stays as it is: a thread
 * may be writing its last counter.  One before that becomes plain memory, so that its disk space is
 * free, and is unmapped when nobody holds it.  Headers alone stay mapped, and serve later files: they
 * are looked at without a lock.
 *
 * The gate's lock is held for all of these.
 */
#ifndef MP_STORE_PAST_H
#define MP_STORE_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/format.h"

/* Memory for a header; NULL: none.  And: it is not used. */
struct mp_live_header *mp_past_header(void);
void mp_past_free_header(struct mp_live_header *header);

/* HEADER, of the present file, stays as it is whatever becomes of the file, until another one is to. */
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

/* In the child of a fork, before it begins a file: nobody writes into its ancestors' files. */
void mp_past_inherited(void);

#endif
