/* SPDX-License-Identifier: MIT */
/*
 * store_past.h -- earlier files of the process, kept as long as a thread may still write there.
 *
 * A thread writes into the file of its recorder until it notices that there is a new file. A thread that does not
 * allocate any more never notices that. So each file counts the recorders that use it. The file before the present one
 * stays mapped, because a thread may be writing its last counter there. The mappings of an older file are replaced by
 * plain memory, so that its disk space is freed, and are removed when no recorder uses the file. Headers are never
 * unmapped, because they are read without the lock. They are reused for later files.
 *
 * The gate's lock is held for all functions.
 */
#ifndef MP_STORE_PAST_H
#define MP_STORE_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/format.h"

/* mp_past_header() returns memory for a header, or NULL if memory is exhausted. mp_past_free_header() takes back
 * a header that is not used any more or never was. */
struct mp_live_header *mp_past_header(void);
void mp_past_free_header(struct mp_live_header *header);

/* Keeps the content of HEADER, which belongs to the present file, after that file's end, because other processes and
 * threads read it without a lock. It is kept until this function is called with another header. */
void mp_past_keep_header(struct mp_live_header *header);

/* Begins a new present file with HEADER, and chooses where its records begin in the rows. Returns 0 or -ENOMEM. */
int mp_past_begin(struct mp_live_header *header);

/* mp_past_present() returns the number of the present file, counted from 1. mp_past_is_there() returns whether
 * somebody may still read or write in file NUMBER. */
uint32_t mp_past_present(void);
bool mp_past_is_there(uint32_t number);

/* mp_past_hold() counts one more recorder of the present file. mp_past_release() counts one recorder less of the
 * file with HEADER. */
void mp_past_hold(void);
void mp_past_release(const struct mp_live_header *header);

/* Unmaps the files of the ancestors. Called in the child of a fork before it begins a file. The threads that
 * write there are not in this process. */
void mp_past_inherited(void);

#endif
