/*
 * heap_report.h -- what mprof heap shows of one snapshot, by what was asked for.
 */
#ifndef MP_HEAP_REPORT_H
#define MP_HEAP_REPORT_H

#include "heap_table.h"
#include "heap_texts.h"
#include "retained.h"

struct mp_heap_question {
    const char *root, *type, *site;     /* NULL: not asked for */
    uint64_t object;            /* an address, if: */
    bool has_object;
    bool path, slots, referrers;
    uint32_t ways;              /* that have no reference in common, of `path`; 0: a shortest one */
    uint32_t depth;             /* of containers in containers, and of what an object holds */
};

/* Answers of HEAP to QUESTION, to TABLES.  Its references are forgotten.  False and *ERROR: there is nothing of that
 * name. */
bool mp_heap_answer(struct mp_heap *heap, const struct mp_heap_question *question, struct mp_heap_tables *tables,
                    struct mp_error *error);

/* What was taken, when, why; objects and bytes; what nothing reaches. */
void mp_heap_head_print(const struct mp_heap *heap, const struct mp_heap_sum *reached, FILE *out);
void mp_heap_head_json(const struct mp_heap *heap, const struct mp_heap_sum *reached, struct mp_json_out *out);

/* The same number for the head without dominators. */
struct mp_heap_sum mp_heap_reached(const struct mp_heap *heap);

#endif
