/* batch.h -- mprof top for scripts and logs: looks as text. */
#ifndef MP_BATCH_H
#define MP_BATCH_H

#include "keys.h"
#include "look.h"

/* Print each look to OUT, an empty line between them: N of them (0: any number), or until the recording
 * has ended.  MOST: lines of each.  False: it could not be written, or nobody reads it any more. */
bool mp_batch(struct mp_looks *looks, struct mp_controls *controls, unsigned long n, uint32_t most,
              FILE *out);

#endif
