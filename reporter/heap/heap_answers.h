/* heap_answers.h -- how a question about a part of a heap is answered: what these files share. */
#ifndef MP_HEAP_ANSWERS_H
#define MP_HEAP_ANSWERS_H

#include "heap_report.h"

struct mp_heap_answering {
    struct mp_heap *heap;
    const struct mp_heap_question *question;
    struct mp_heap_tables *tables;
    /* What needs references, and is made before there are dominators: memory is for one of them at a time. */
    struct mp_heap_tables early;
    struct mp_heap_rows groups; /* of the answer to no question */
    struct mp_heap_containers *containers;      /* NULL: none are told */
    bool *wanted;               /* by class: the question is about its objects; NULL: */
    uint32_t object;            /* about this one */
    struct mp_dominators dominators;
};

/* Tops of LEVEL, see mp_heap_top_rows(), as a table. */
void mp_heap_add_tops(struct mp_heap_answering *answering, const char *name, const char *title,
                      enum mp_heap_level level, uint32_t under);

/* Of blocks of C, what was requested and what is usable, by size class; nothing where that is not known. */
void mp_heap_add_sizes(struct mp_heap_answering *answering);

/* Of a collected heap, what is free, by size; nothing where that is not known. */
void mp_heap_add_free(struct mp_heap_answering *answering);

/* As long as there are references. */
bool mp_heap_answer_path(struct mp_heap_answering *answering, struct mp_error *error);
bool mp_heap_answer_referrers(struct mp_heap_answering *answering, struct mp_error *error);
bool mp_heap_begin_object(struct mp_heap_answering *answering, struct mp_error *error);
bool mp_heap_begin_set(struct mp_heap_answering *answering, struct mp_error *error);

/* When there are dominators. */
bool mp_heap_answer_root(struct mp_heap_answering *answering, struct mp_error *error);
void mp_heap_answer_object(struct mp_heap_answering *answering);
bool mp_heap_answer_set(struct mp_heap_answering *answering, struct mp_error *error);

#endif
