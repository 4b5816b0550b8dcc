/* SPDX-License-Identifier: MIT */
/*
 * samples.h -- converts the samples of a sampled recording to estimates.
 */
#ifndef MP_SAMPLES_H
#define MP_SAMPLES_H

#include "profile.h"

/* Computes estimates from profile->samples, from the bins, and from the period in profile->meta. This is the last step
 * of a reader of a sampled recording.
 *
 * Each cell of profile->samples counts the sampled blocks of one context, kind and size, and their bytes. In a cell of
 * objects, the bytes may include blocks of the same size that belong to objects. The function sorts the samples and
 * merges equal ones. Then it fills cells (one for each context and kind, with estimates and variances), bin_counts,
 * unmet, and the peak in meta. If objects are not sampled, it leaves the cells of objects as they are. */
void mp_samples_scale(struct mp_profile *profile);

/* Returns the mean number of blocks of SIZE bytes that a sample represents. */
double mp_sample_weight(double size, uint32_t period);

#endif
