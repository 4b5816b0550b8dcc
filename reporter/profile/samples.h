/*
 * samples.h -- from the samples of a sampled recording to estimates.
 */
#ifndef MP_SAMPLES_H
#define MP_SAMPLES_H

#include "profile.h"

/* What was met in one context of one kind and size is a cell of profile->samples, with plain counts of
 * blocks and their bytes.  Sort them, add up what is alike, and fill from them and from bins, for the
 * period in profile->meta: cells, each kind of a context once, with estimates and their variances;
 * bin_counts and unmet; and what meta says of the peak.  Cells of kinds from MP_KIND_LISP on are not
 * samples, and taken as they are.  The last step of a reader of such a recording. */
void mp_samples_scale(struct mp_profile *profile);

/* How many blocks of SIZE bytes a sample stands for, in the mean. */
double mp_sample_weight(double size, uint32_t period);

#endif
