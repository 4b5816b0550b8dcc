/* batch.h -- mprof top for scripts and logs: prints samples as text. */
#ifndef MP_BATCH_H
#define MP_BATCH_H

#include "keys.h"
#include "look.h"

/* Prints N samples to OUT, separated by empty lines, or until the recording has ended. 0 means no limit. MOST is the
 * maximum number of lines in each. Returns false if writing failed, for example because nobody reads it any more. */
bool mp_batch(struct mp_looks *looks, struct mp_controls *controls, unsigned long n, uint32_t most,
              FILE *out);

#endif
