/* annotate_table.h -- annotated source as tables: a line of the file is a row. */
#ifndef MP_ANNOTATE_TABLE_H
#define MP_ANNOTATE_TABLE_H

#include "annotate.h"
#include "table.h"

struct mp_annotate_options {
    bool all;                   /* all lines of the files, not only those around lines with figures */
    bool flush;                 /* without the blanks with which all lines of a section begin */
    uint32_t around;            /* only what is near this line; 0: everything */
};

/* The table of section NUMBER: its lines and, where some lie between, gaps.  Rows under a line are calls
 * that were inlined there, and parts of it.  ANNOTATED must outlive it; the caller frees it. */
struct mp_table *mp_annotate_table(const struct mp_annotated *annotated, uint32_t number,
                                   const struct mp_annotate_options *options);

struct mp_json_subject;

/* All sections as a document about SUBJECT, see mprof-json(5). */
bool mp_annotate_json(const struct mp_annotated *annotated, const struct mp_annotate_options *options,
                      const struct mp_json_subject *subject, FILE *file, struct mp_error *error);

#endif
