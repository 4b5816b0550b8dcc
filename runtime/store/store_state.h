/*
 * store_state.h -- state of the recording in the present file, and what happens when somebody truncates or
 * overwrites the live file. It also owns the present file's data in store.h: mp_store, its path, its end.
 *
 * Then the recording is *lost*: it ends as if the disk were full, one message is printed, and the program
 * continues. Missing pages of the file are replaced by zeroed memory, one by one, when they are touched.
 */
#ifndef MP_STORE_STATE_H
#define MP_STORE_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* Repairs the page of ADDRESS, in the handler of a fault there. Returns false if the page is not the monitor's.
 * Otherwise maps zeroed memory there, and the recording is lost. MAPPED means that a file is mapped there that
 * has become too short. Async-signal-safe. */
bool mp_store_repair(uintptr_t address, bool mapped);

/* Sets the path of the present file to PATH, which is shorter than MP_PATH_SIZE. */
void mp_store_set_path(const char *path);

/* mp_store_lost_begin() is called when a file becomes the present one, mp_store_lost_settled() when its header
 * identifies the writer. Lock held. */
void mp_store_lost_begin(void);
void mp_store_lost_settled(void);

/* Returns whether the present file's recording is lost. Checks the file's header, which others may have
 * overwritten. Lock held. */
bool mp_store_is_lost(void);

#endif
