/*
 * metrics.h -- figures of subjects in Prometheus' text format: what lives, at the peak, in total, and the rate.
 */
#ifndef MP_METRICS_H
#define MP_METRICS_H

#include <stdio.h>

#include "subjects.h"

/* What was told the last time, that rates are reckoned from.  Zeroed is empty. */
struct mp_metrics {
    struct mp_metrics_seen *list;
    size_t n;
};

/* Read all SUBJECTS, and write what they are to OUT. */
void mp_metrics_write(struct mp_metrics *metrics, const struct mp_subjects *subjects, FILE *out);
void mp_metrics_free(struct mp_metrics *metrics);

#endif
