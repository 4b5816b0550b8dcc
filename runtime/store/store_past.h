/*
 * store_past.h -- earlier files of the process, kept as long as a thread may still write there.
 *
 * A thread writes into the file of its recorder until it notices the next file, which may be never. So each file
 * counts the recorders that hold it. The file before the present one stays mapped, because a thread may be
 * writing its last counter. An older file is replaced by plain memory, so that its disk space is freed, and is
 * unmapped when no recorder holds it. Headers are never unmapped, because they are read without a lock; they are
 * reused for later files.
 *
 * The gate's lock is held for all functions.
 */
#ifndef MP_STORE_PAST_H
#define MP_STORE_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/format.h"

/* mp_past_header() returns memory for a header, or NULL if memory is exhausted. mp_past_free_header() takes it
 * back when it is no longer used or never was. */
struct mp_live_header *mp_past_header(void);
void mp_past_free_header(struct mp_live_header *header);

/* Keeps the contents of HEADER, of the present file, after that file's end, for readers without a lock, until
 * another header is kept. */
void mp_past_keep_header(struct mp_live_header *header);

/* Begins a new present file with HEADER, and chooses where its records begin in the rows. Returns 0 or -ENOMEM. */
int mp_past_begin(struct mp_live_header *header);

/* mp_past_present() returns the number of the present file, from 1 on. mp_past_is_there() returns whether anybody
 * may still read or write in file NUMBER. */
uint32_t mp_past_present(void);
bool mp_past_is_there(uint32_t number);

/* Count one more recorder of the present file, and one less of the file with HEADER. */
void mp_past_hold(void);
void mp_past_release(const struct mp_live_header *header);

/* Unmaps the files of the ancestors in the child of a fork, before it begins a file. The threads that write there
 * are not in this process. */
void mp_past_inherited(void);

#endif
