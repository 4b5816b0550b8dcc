/*
 * heap_plot.h -- a series of snapshots as a time line: what its bands are drawn on, and the drawing.
 */
#ifndef MP_HEAP_PLOT_H
#define MP_HEAP_PLOT_H

#include "heap_series.h"
#include "reporter/output/plot.h"

/* The recording of SERIES with a time line whose moments are the snapshots, and of the recording's own collections,
 * checkpoints, peak and end; its points stay.  RECORDING: where it is; NULL: where the snapshots say, or beside them.
 * If it is not there, is not that of the snapshots, or cannot be read, the time line has the snapshots only.  The
 * caller frees it. */
struct mp_profile *mp_heap_plot_profile(const struct mp_heap_series *series, const char *recording);

/* The plot of SERIES on that PROFILE, which outlives it.  The caller frees it, see plot.h. */
struct mp_plot *mp_heap_plot_new(const struct mp_heap_series *series, const struct mp_profile *profile,
                                 const struct mp_plot_options *options);

#endif
