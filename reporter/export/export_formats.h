/* SPDX-License-Identifier: MIT */
/* export_formats.h -- what the writers of formats share: texts, and the list of formats. */
#ifndef MP_EXPORT_FORMATS_H
#define MP_EXPORT_FORMATS_H

#include "export.h"
#include "reporter/graph/tree.h"

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
char *mp_export_command(const struct mp_meta *meta);

/* Sets LIST, which has space for MP_LABELS_MOST, to the labels of EXPORT and those of META that these do not replace.
 * Returns their number. The texts are in ARENA or EXPORT. */
uint32_t mp_export_labels(const struct mp_export *export, const struct mp_meta *meta, struct mp_label list[],
                          struct mp_arena *arena);

/* Returns the mean distance of samples in bytes, or 0 if every block was recorded or it is not known. */
uint32_t mp_export_period(const struct mp_meta *meta);

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

/* The formats in the order in which they are listed. An entry is WRITTEN or APPENDED, after the member of struct
 * mp_export_format that its function mp_export_NAME() becomes, with NAME and the other members. */
#define MP_EACH_FORMAT(WRITTEN, APPENDED) \
    WRITTEN(pprof, "pprof", "profile.proto, gzip: go tool pprof, Parca, Pyroscope", .binary = true) \
    WRITTEN(pprof_legacy, "pprof-legacy", "gperftools' text of addresses: google-pprof") \
    WRITTEN(speedscope, "speedscope", "JSON, with all figures: speedscope.app") \
    WRITTEN(collapsed, "collapsed", "a line for each chain: flamegraph.pl, speedscope, inferno", .one_figure = true) \
    WRITTEN(callgrind, "callgrind", "functions, lines and calls: KCachegrind, callgrind_annotate") \
    WRITTEN(massif, "massif", "what lived when, and at the peak: ms_print, massif-visualizer") \
    WRITTEN(dhat, "dhat", "chains with total, peak and end, as JSON: dh_view.html of valgrind") \
    WRITTEN(heaptrack, "heaptrack", \
            "chains and sizes, to a name in .zst, .gz or plain: heaptrack_gui, heaptrack_print") \
    WRITTEN(csv, "csv", "a line for each chain and type, with all figures: DuckDB, sqlite3, spreadsheets", \
            .labels = true, .by_process = true, .flat = MP_FLAT_CSV) \
    WRITTEN(ndjson, "ndjson", "the same as JSON, with whole chains: DuckDB, jq", .labels = true, .by_process = true, \
            .flat = MP_FLAT_NDJSON) \
    APPENDED(sqlite, "sqlite", "appended to the database that -o names, for queries over many runs: sqlite3", \
            .binary = true, .labels = true) \
    WRITTEN(chains, "chains", "a line for each chain, with whole names and most figures: awk, scripts", .whole = true) \
    WRITTEN(ids, "ids", "the same, each function and chain once and then by its number: scripts", .whole = true) \
    WRITTEN(lifetimes, "lifetimes", "how long the blocks of each chain lived, after mprof run --lifetimes: scripts", \
            .whole = true)

#define MP_DECLARE_WRITER(name, ...) \
    bool mp_export_##name(const struct mp_export *export, FILE *out, struct mp_error *error);
#define MP_DECLARE_APPENDER(name, ...) \
    bool mp_export_##name(const struct mp_export *export, bool *added, struct mp_error *error);
MP_EACH_FORMAT(MP_DECLARE_WRITER, MP_DECLARE_APPENDER)

#endif
