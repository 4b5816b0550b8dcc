/*
 * source_lines.h -- converts positions in source files to line numbers.
 *
 * A language that compiles form by form knows where it began to read each form, in bytes from the start of the
 * file. The form itself begins after the blanks and comments (of Lisp) that follow. The source file is read when
 * a report is made. Its line numbers are used only if the file has not been written since the recording began.
 * The text of its lines is available in any case.
 */
#ifndef MP_SOURCE_LINES_H
#define MP_SOURCE_LINES_H

#include "profile.h"

struct mp_source_lines;

/* Creates a cache of source files, in ARENA. The recording began at START_REALTIME, in ns since 1970; if that is
 * 0 (unknown), no line numbers are available. The caller must close the cache, which releases the files. */
struct mp_source_lines *mp_source_lines_open(struct mp_arena *arena, uint64_t start_realtime);
void mp_source_lines_close(struct mp_source_lines *lines);

/* Returns the line of the form read from POSITION in the file PATH, an absolute path. Also sets *LAST, unless LAST is
 * NULL, to the line in which the form ends. Returns 0 if the line cannot be determined. */
uint32_t mp_source_form(struct mp_source_lines *lines, const char *path, int64_t position,
                        uint32_t *last);

/* Returns the text of line NUMBER, counted from 1, of the file PATH, and sets *LENGTH. The text has no newline,
 * may contain any bytes, and is valid until the cache is closed. Returns NULL if there is no such line or file. */
const char *mp_source_text(struct mp_source_lines *lines, const char *path, uint32_t number,
                           size_t *length);

/* Returns why line numbers of the file PATH are unavailable, "missing" or MP_SOURCE_CHANGED. Returns NULL if
 * they are available. */
const char *mp_source_problem(struct mp_source_lines *lines, const char *path);
#define MP_SOURCE_CHANGED "changed"

/* Returns the *N files whose line numbers were needed but are unavailable, as "words.lisp: changed". The list is
 * in the arena. */
const char **mp_source_problems(const struct mp_source_lines *lines, uint32_t *n);

#endif
