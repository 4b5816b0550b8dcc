/* remark.h -- texts about an export and its limits, for formats with room for remarks. */
#ifndef MP_EXPORT_REMARK_H
#define MP_EXPORT_REMARK_H

#include "export.h"

/* Returns lines with mprof's version, the part of the recording that is exported, and the head of the report, which
 * states what is missing or estimated. No line is empty, and each ends in a newline. The caller frees the text. */
char *mp_export_remark(const struct mp_export *export);

/* Writes the remark to OUT, with PREFIX before each line and \x23 instead of #. */
void mp_export_put_remark(const struct mp_export *export, const char *prefix, FILE *out);

/* Writes TEXT with \x23 instead of #, because some readers take # for the start of a comment. */
void mp_export_put_uncommented(const char *text, FILE *out);

/* Returns the recorded command line, quoted for a shell, or "" if it is not known. The caller frees it. */
char *mp_export_command(const struct mp_export *export);

/* Returns whether FIGURE is known for VIEW. For a part of the time fewer figures are known, see window.h. */
bool mp_export_knows(const struct mp_profile *view, enum mp_figure figure);

/* Returns FIGURE, or 0 if it is negative, for formats without negative numbers. Figures may be negative if memory
 * shrank in a part of the time. */
static inline uint64_t
mp_export_positive(int64_t figure)
{
    return figure > 0 ? (uint64_t)figure : 0;
}

#endif
