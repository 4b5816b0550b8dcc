/* SPDX-License-Identifier: MIT */
/* annotate_table.h -- annotated source as tables with one row for each line of the file. */
#ifndef MP_ANNOTATE_TABLE_H
#define MP_ANNOTATE_TABLE_H

#include "reporter/graph/annotate.h"
#include "table.h"

struct mp_annotate_options {
    bool all;                   /* show all lines of the files, not only those near lines with figures */
    bool flush;                 /* remove the indentation that all lines of a section share */
    uint32_t around;            /* show only lines near this line number, or all lines if 0 */
};

/* Returns the table of section NUMBER. It contains the lines of the section and a row "..." for each gap. The rows
 * under a line are calls that were inlined there; their figures are part of the line's figures. ANNOTATED must
 * outlive the table, which the caller frees. */
struct mp_table *mp_annotate_table(const struct mp_annotated *annotated, uint32_t number,
                                   const struct mp_annotate_options *options);

struct mp_json_subject;

/* Writes all sections as a JSON document about SUBJECT, see mprof-json(5). */
bool mp_annotate_json(const struct mp_annotated *annotated, const struct mp_annotate_options *options,
                      const struct mp_json_subject *subject, FILE *file, struct mp_error *error);

#endif
