/* SPDX-License-Identifier: MIT */
/*
 * answer.h -- makes the answers to questions. Each answer is completed in memory before anything is sent.
 */
#ifndef MP_ANSWER_H
#define MP_ANSWER_H

#include <stdio.h>

#include "question.h"
#include "reporter/base/text.h"
#include "reporter/process/since.h"
#include "reporter/profile/profile.h"
#include "reporter/view/view.h"
#include "subjects.h"

/* ---------------------------------------------------------------- metrics */

/*
 * Writes figures of subjects in Prometheus' text format: live bytes, peak, totals and the allocation
 * rate.
 */

/* The figures of the previous call, used to compute rates. Must be zeroed at first. */
struct mp_metrics {
    struct mp_metrics_seen *list;
    size_t n;
};

void mp_metrics_free(struct mp_metrics *metrics);

/* ---------------------------------------------------------------- deltas */

/* The first sample of a delta, which shows what a process allocates within some seconds. At the end the whole file is
 * read, and the delta is the window of its time line that begins at the sample (view/window.h). */
struct mp_delta {
    struct mp_since first;
    uint64_t start;             /* start of the recording, ns, CLOCK_MONOTONIC */
};

/* Takes the first sample of SUBJECT. Returns false and fills *ERROR if it is not a process that is being recorded;
 * then DELTA need not be freed. */
bool mp_delta_begin(struct mp_delta *delta, const struct mp_subject *subject, struct mp_error *error);

void mp_delta_free(struct mp_delta *delta);

struct mp_served {
    struct mp_subjects subjects;
    struct mp_metrics metrics;
    struct mp_view_options view;        /* selection of names and frames, for profiles and pages */
};

struct mp_reply {
    unsigned status;            /* HTTP status */
    const char *type;           /* content type */
    struct mp_text_stream body; /* its text is freed by the caller */
};

/* Answers QUESTION in REPLY. DELTA is the first sample of a delta, or NULL if the question has no seconds. */
void mp_answer(struct mp_served *answers, const struct mp_http_question *question,
               const struct mp_delta *delta, struct mp_reply *reply);

/* Makes a reply of one line of TEXT with the HTTP status STATUS. */
void mp_answer_line(unsigned status, const char *text, struct mp_reply *reply);

/* Returns the subject that QUESTION is about. If no subject or more than one matches, returns NULL and makes an
 * error REPLY. */
const struct mp_subject *mp_answer_subject(struct mp_served *answers, const struct mp_http_question *question,
                                           struct mp_reply *reply);

#endif
