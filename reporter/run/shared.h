/*
 * shared.h -- words of a live file that are changed in place while the recorded process changes them, too.
 *
 * This requires a mapping. The process may truncate its file meanwhile, and then an access raises SIGBUS. The signal
 * handler replaces the mapping with zeroed private memory, and the access continues. Changes are then lost with the
 * file. Data that is only read is read by pread(2) elsewhere.
 */
#ifndef MP_RUN_SHARED_H
#define MP_RUN_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_shared {
    uint8_t *bytes;             /* mapped bytes; NULL if nothing is mapped */
    size_t size;
};

/* Maps SIZE bytes of the file FD at OFFSET, a multiple of the page size. Returns false if they cannot be mapped. */
bool mp_shared_open(struct mp_shared *shared, int fd, uint64_t offset, size_t size);
void mp_shared_close(struct mp_shared *shared);

/* Accesses to SHARED between these two calls survive truncation. A thread can use one mapping at a time.
 * mp_shared_end() returns false if the file was too short for an access. */
void mp_shared_begin(struct mp_shared *shared);
bool mp_shared_end(void);

/* Changes the word at OFFSET from EXPECTED to WANTED atomically. Returns false if it has another value or the file is
 * too short. */
bool mp_shared_exchange(struct mp_shared *shared, size_t offset, uint32_t expected, uint32_t wanted);

#endif
