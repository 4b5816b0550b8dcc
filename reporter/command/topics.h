/* SPDX-License-Identifier: MIT */
/* topics.h -- the pages of the manual in doc/, which mprof help TOPIC prints; doc/pack.sh generates them. */
#ifndef MP_TOPICS_H
#define MP_TOPICS_H

struct mp_topic {
    const char *name;           /* TOPIC */
    const char *title;          /* the first line of the page */
    const char *const *lines;   /* the page, title included; NULL ends it */
};

/* The pages in the order of the manual. An entry without a name ends the array. */
extern const struct mp_topic mp_topics[];

#endif
