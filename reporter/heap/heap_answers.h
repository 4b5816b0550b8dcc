/* heap_answers.h -- state and functions that the files that answer questions about a heap share. heap_report.c calls
 * them. */
#ifndef MP_HEAP_ANSWERS_H
#define MP_HEAP_ANSWERS_H

#include "heap_report.h"

struct mp_heap_answering {
    struct mp_heap *heap;
    const struct mp_heap_question *question;
    struct mp_heap_tables *tables;
    /* Tables that need references. They are made before the dominators, because memory holds only references or
     * dominators at a time. */
    struct mp_heap_tables early;
    struct mp_heap_rows groups; /* rows of the table of groups, if the question names nothing */
    struct mp_heap_containers *containers;      /* NULL if the answer has no table of containers */
    bool *wanted;               /* by class: whether the question is about its objects; NULL if the question is
                                   about `object` alone */
    uint32_t object;            /* the object asked for, if `wanted` is NULL */
    struct mp_dominators dominators;
};

/* Adds a table of the tops of LEVEL below UNDER, see mp_heap_top_rows(). */
void mp_heap_add_tops(struct mp_heap_answering *answering, const char *name, const char *title,
                      enum mp_heap_level level, uint32_t under);

/* Finds the objects that the question is about, which names an object, a type or a site. Returns false and fills
 * *ERROR if the heap does not contain them. */
bool mp_heap_find_wanted(struct mp_heap_answering *answering, struct mp_error *error);

/* These functions are called after mp_heap_find_wanted() and need references in memory. */
void mp_heap_answer_path(struct mp_heap_answering *answering);
void mp_heap_answer_referrers(struct mp_heap_answering *answering);
void mp_heap_begin_object(struct mp_heap_answering *answering);
void mp_heap_begin_set(struct mp_heap_answering *answering);

/* These functions need the dominators. They return false and fill *ERROR on failure. */
bool mp_heap_answer_root(struct mp_heap_answering *answering, struct mp_error *error);
void mp_heap_answer_object(struct mp_heap_answering *answering);
bool mp_heap_answer_set(struct mp_heap_answering *answering, struct mp_error *error);

#endif
