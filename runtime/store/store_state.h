/*
 * store_state.h -- how the recording in the present file stands, and what becomes of it when somebody truncates the
 * live file, or writes over it.  It also owns what store.h shows of the present file: mp_store, its path, its end.
 *
 * From then on the recording is lost: it ends as if there were no more space, says so once, and the program goes
 * on.  Pages of the file that are gone become empty memory, one by one, as they are met.
 */
#ifndef MP_STORE_STATE_H
#define MP_STORE_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* A signal handler found that the page of ADDRESS cannot be used.  Returns false if it is no page of the
 * monitor's; else there is empty memory now, and the recording is lost.  MAPPED: a file is mapped there, which
 * is too short.  Async-signal-safe. */
bool mp_store_repair(uintptr_t address, bool mapped);

/* PATH, shorter than MP_PATH_SIZE, is the present file's. */
void mp_store_set_path(const char *path);

/* A file becomes the present one.  And: its header says whose it is.  Lock held. */
void mp_store_lost_begin(void);
void mp_store_lost_settled(void);

/* Is the present file's recording lost?  Looks at the file's header, which others may have written over.  Lock
 * held. */
bool mp_store_is_lost(void);

#endif
