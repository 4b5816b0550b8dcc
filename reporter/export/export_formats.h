/* export_formats.h -- what the writers of formats share: texts, and the functions in the table of export.c. */
#ifndef MP_EXPORT_FORMATS_H
#define MP_EXPORT_FORMATS_H

#include "export.h"
#include "reporter/profile/tree.h"

/* Returns lines with mprof's version, the part of the recording that is exported, and the head of the report, which
 * states what is missing or estimated. No line is empty, and each ends in a newline. The caller frees the text. */
char *mp_export_remark(const struct mp_export *export);

/* Writes the remark to OUT, with PREFIX before each line and \x23 instead of #. */
void mp_export_put_remark(const struct mp_export *export, const char *prefix, FILE *out);

/* Writes a function's name for a list with semicolons. Control characters are already escaped as \xNN. This function
 * also escapes semicolons and a beginning that looks like the number of a part (dump.c). */
void mp_export_name(const char *name, FILE *out);

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

/* Returns the text of the call NODE, which must not be the root: "0x1139: f (a.c:12)" or "0x1139: f (in
 * /usr/lib/libx.so)". The address is an offset in the module's file. The text is allocated in ARENA. */
const char *mp_export_frame_text(const struct mp_tree *tree, uint32_t node, struct mp_arena *arena);

/* Returns the text "[CONS]" that is written as the innermost call on chains of objects of KIND. The text is allocated
 * in ARENA. */
const char *mp_export_kind_text(const struct mp_tree *tree, uint32_t kind, struct mp_arena *arena);

/* The writers of struct mp_export_format. */
bool mp_export_collapsed(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_pprof(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_pprof_legacy(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_speedscope(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_callgrind(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_heaptrack(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_massif(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_dhat(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_csv(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_chains(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_ids(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_lifetimes(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_ndjson(const struct mp_export *export, FILE *out, struct mp_error *error);

/* Appends EXPORT to the SQLite database EXPORT->output, as struct mp_export_format states for `append`. */
bool mp_export_sqlite(const struct mp_export *export, bool *added, struct mp_error *error);

#endif
