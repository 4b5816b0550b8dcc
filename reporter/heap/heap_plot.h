/* SPDX-License-Identifier: MIT */
/*
 * heap_plot.h -- turns a series of snapshots into a time line that mprof plot can draw, with a band for each row.
 */
#ifndef MP_HEAP_PLOT_H
#define MP_HEAP_PLOT_H

#include "heap_series.h"
#include "reporter/draw/plot.h"

/* Returns the recording of SERIES with another time line. Its moments are the snapshots and the recording's
 * collections, checkpoints, peak and end, and its points those of the recording. RECORDING is the path of the
 * recording. If it is NULL, the recording is searched in the directory of the snapshots and at the path that they
 * contain. If it cannot be read or belongs to another process, the time line has only the snapshots. The caller frees
 * the profile. */
struct mp_profile *mp_heap_plot_profile(const struct mp_heap_series *series, const char *recording);

/* Returns the plot of SERIES over PROFILE, which must outlive the plot. The caller frees it, see plot.h. */
struct mp_plot *mp_heap_plot_new(const struct mp_heap_series *series, const struct mp_profile *profile,
                                 const struct mp_plot_options *options);

#endif
