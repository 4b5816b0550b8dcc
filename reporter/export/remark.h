/* remark.h -- what an export says of itself, in formats with room for remarks. */
#ifndef MP_EXPORT_REMARK_H
#define MP_EXPORT_REMARK_H

#include "export.h"

/* mprof's version, which part of the recording it is, and the head of the report, which tells what is missing
 * or estimated: lines, none of them empty, each with its newline.  The caller frees it. */
char *mp_export_remark(const struct mp_export *export);

/* That on OUT, with PREFIX before each line and \x23 for #. */
void mp_export_put_remark(const struct mp_export *export, const char *prefix, FILE *out);

/* TEXT, with \x23 for #, behind which some readers see a comment. */
void mp_export_put_uncommented(const char *text, FILE *out);

/* The command line as one would type it to a shell; "" if it is not known.  The caller frees it. */
char *mp_export_command(const struct mp_export *export);

/* Is FIGURE known of VIEW?  Of a part of the time less is, see window.h. */
bool mp_export_knows(const struct mp_profile *view, enum mp_figure figure);

/* FIGURE for formats without negative numbers: what shrank in a part of the time has no place there. */
static inline uint64_t
mp_export_positive(int64_t figure)
{
    return figure > 0 ? (uint64_t)figure : 0;
}

#endif
