/*
 * shared.h -- words of a live file that are changed in place, while the process that records changes them, too.
 *
 * Only a mapping allows that.  The process may cut its file short meanwhile, and then an access raises SIGBUS.  Here
 * that signal puts zeroed memory of this process's own in place of the mapping, and the access goes on; what was
 * changed is lost with the file.  All that is only read is read by pread(2), not here.
 */
#ifndef MP_RUN_SHARED_H
#define MP_RUN_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_shared {
    uint8_t *bytes;             /* NULL: nothing is mapped */
    size_t size;
};

/* Maps SIZE bytes of the file FD at OFFSET, a multiple of the page size.  False: they cannot be mapped. */
bool mp_shared_open(struct mp_shared *shared, int fd, uint64_t offset, size_t size);
void mp_shared_close(struct mp_shared *shared);

/* The accesses between these two are safe; one thread has one mapping at a time in use.  mp_shared_end(): false if the
 * file was too short for one of them. */
void mp_shared_begin(struct mp_shared *shared);
bool mp_shared_end(void);

/* Changes the word at OFFSET from EXPECTED to WANTED.  False: it is another one, or the file is too short. */
bool mp_shared_exchange(struct mp_shared *shared, size_t offset, uint32_t expected, uint32_t wanted);

#endif
