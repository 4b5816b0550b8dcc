/*
 * metrics.h -- writes figures of subjects in Prometheus' text format: live bytes, peak, totals and the allocation
 * rate.
 */
#ifndef MP_METRICS_H
#define MP_METRICS_H

#include <stdio.h>

#include "subjects.h"

/* The figures of the previous call, used to compute rates. Must be zeroed at first. */
struct mp_metrics {
    struct mp_metrics_seen *list;
    size_t n;
};

/* Reads all SUBJECTS and writes their figures to OUT. */
void mp_metrics_write(struct mp_metrics *metrics, const struct mp_subjects *subjects, FILE *out);
void mp_metrics_free(struct mp_metrics *metrics);

#endif
