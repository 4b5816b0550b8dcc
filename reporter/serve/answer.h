/*
 * answer.h -- the answer to a question, made whole in memory before anything is sent.
 */
#ifndef MP_ANSWER_H
#define MP_ANSWER_H

#include "delta.h"
#include "metrics.h"
#include "question.h"
#include "reporter/profile/view.h"
#include "subjects.h"

struct mp_answers {
    struct mp_subjects subjects;
    struct mp_metrics metrics;
    struct mp_view_options view;        /* names and frames, of profiles and pages */
    const char *executable;             /* where the program's file is now; NULL: where it was */
};

struct mp_reply {
    unsigned status;            /* of HTTP */
    const char *type;           /* of content */
    char *bytes;                /* the caller frees it */
    size_t size;
};

/* Answer QUESTION.  DELTA: the look that was begun with for its seconds, or NULL. */
void mp_answer(struct mp_answers *answers, const struct mp_question *question,
               const struct mp_delta *delta, struct mp_reply *reply);

/* STATUS and a line of text. */
void mp_answer_line(unsigned status, const char *text, struct mp_reply *reply);

/* What QUESTION is about.  NULL, and REPLY says so: there is no such subject, or several. */
const struct mp_subject *mp_answer_subject(struct mp_answers *answers, const struct mp_question *question,
                                           struct mp_reply *reply);

#endif
