/* SPDX-License-Identifier: MIT */
/*
 * heap_report.h -- computes the tables that mprof heap shows of one snapshot, depending on the question.
 */
#ifndef MP_HEAP_REPORT_H
#define MP_HEAP_REPORT_H

#include "heap_hold.h"
#include "heap_table.h"
#include "heap_texts.h"
#include "retained.h"

struct mp_heap_question {
    const char *root, *type, *site;     /* each NULL if the question does not name one */
    const char *const *more_types;      /* further types besides `type`, followed by NULL; or NULL */
    uint64_t object;            /* address of the object asked for, if has_object */
    bool has_object;
    bool path, slots, referrers;
    uint32_t ways;              /* for `path`, maximum number of paths that share no reference, or 0 for one path */
    uint32_t depth;             /* levels shown of nested containers and of dominated objects */
    bool typical;               /* with `type`, also show how many objects each root leads to by a shortest path, and
                                   one such path from the root that leads to most of them */
    const struct mp_heap_range *own;    /* with `type`, roots of the asker, see mp_heap_hold() */
    size_t n_own;
};

/* Returns whether QUESTION names the type TEXT. A name without blanks also names all types that begin with it and a
 * blank: HASH-TABLE names all hash tables, and VECTOR names (VECTOR T). */
bool mp_heap_question_has_type(const struct mp_heap_question *question, const char *text);

/* Returns whether HEAP has an object of a type or site that QUESTION names. */
bool mp_heap_has(const struct mp_heap *heap, const struct mp_heap_question *question);

/* Adds the tables that answer QUESTION about HEAP to TABLES. Frees the references of HEAP. Returns false and fills
 * *ERROR if the question names something that is not in HEAP, or references cannot be read. */
bool mp_heap_answer(struct mp_heap *heap, const struct mp_heap_question *question, struct mp_heap_tables *tables,
                    struct mp_error *error);

/* Print the head: which snapshot this is, when and why it was taken, the number and bytes of its objects, and the
 * number and bytes of unreachable objects. REACHED comes from mp_heap_reached(). */
void mp_heap_head_print(const struct mp_heap *heap, const struct mp_heap_sum *reached, FILE *out);
void mp_heap_head_json(const struct mp_heap *heap, const struct mp_heap_sum *reached, struct mp_json_out *out);

/* Returns the number and bytes of the reachable objects, without computing dominators. References must be in
 * memory. */
struct mp_heap_sum mp_heap_reached(const struct mp_heap *heap);

#endif
