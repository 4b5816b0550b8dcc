/*
 * heap_plot.h -- turns a series of snapshots into a time line that mprof plot can draw, with a band for each row.
 */
#ifndef MP_HEAP_PLOT_H
#define MP_HEAP_PLOT_H

#include "heap_series.h"
#include "reporter/output/plot.h"

/* Returns the recording of SERIES with its time line replaced by one whose moments are the snapshots and the
 * recording's collections, checkpoints, peak and end. The observed points stay. RECORDING is its path; if it is NULL,
 * the recording is searched beside the snapshots and where they say. If it cannot be read or belongs to another
 * process, the time line has the snapshots only. The caller frees the profile. */
struct mp_profile *mp_heap_plot_profile(const struct mp_heap_series *series, const char *recording);

/* Returns the plot of SERIES over PROFILE, which must outlive the plot. The caller frees it, see plot.h. */
struct mp_plot *mp_heap_plot_new(const struct mp_heap_series *series, const struct mp_profile *profile,
                                 const struct mp_plot_options *options);

#endif
