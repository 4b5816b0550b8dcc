/*
 * claim.h -- a new data file under a name that others may want as well.
 *
 * Of several processes that start at once one gets the name, and none takes another's file away: who
 * makes a file has it locked (flock(2)) until its header says which process writes it, and who removes an
 * old one has that locked meanwhile.  A file is this process's when, locked, it still has its name.
 */
#ifndef MP_CLAIM_H
#define MP_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

/* Make PATH, empty, locked; its descriptor, or -errno.  REPLACE: a data file, or an empty one, that is
 * there is removed first if it is this process's or nobody writes it any more.
 * -EBUSY: another process records there.  -EEXIST: what is there stays.  Gate's lock held. */
long mp_claim(const char *path, bool replace);

/* The header of FD says by now which process writes the file: unlock it. */
void mp_claim_settled(int fd);

/* When this process started, as in the header; 0 not known. */
uint64_t mp_claim_start_ticks(void);

/* The inode number of this process's pid namespace; 0 not known. */
uint64_t mp_claim_namespace(void);

#endif
