/*
 * answer.h -- makes the answers to questions. Each answer is completed in memory before anything is sent.
 */
#ifndef MP_ANSWER_H
#define MP_ANSWER_H

#include "delta.h"
#include "metrics.h"
#include "question.h"
#include "reporter/profile/view.h"
#include "subjects.h"

struct mp_served {
    struct mp_subjects subjects;
    struct mp_metrics metrics;
    struct mp_view_options view;        /* selection of names and frames, for profiles and pages */
    const char *executable;             /* current path of the program's file; NULL if it was not moved */
};

struct mp_reply {
    unsigned status;            /* HTTP status */
    const char *type;           /* content type */
    char *bytes;                /* content, freed by the caller */
    size_t size;
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
