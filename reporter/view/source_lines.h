/* SPDX-License-Identifier: MIT */
/*
 * source_lines.h -- reads source files: text of lines, and line numbers of positions.
 *
 * All source files are read here. Text is available only if source_paths.h allows it.
 *
 * A language that compiles form by form knows where it began to read each form, in bytes from the start of the
 * file. The form itself begins after the blanks and comments (of Lisp) that follow. The source file is read when
 * a report is made. Its line numbers are used only if the file has not been written since the recording began.
 * The text of its lines is available in any case.
 */
#ifndef MP_SOURCE_LINES_H
#define MP_SOURCE_LINES_H

#include "reporter/profile/profile.h"
#include "source_paths.h"

struct mp_source_lines;

#define MP_SOURCE_MOST ((size_t)1 << 26)        /* maximum size of a source file, in bytes; generated files are large */

/* Creates a cache of source files, in ARENA. Files that ALLOWED does not allow are not read. If ALLOWED is NULL, files
 * in all places are read, but only numbers of lines are available, and no text. The recording began at START_REALTIME,
 * in ns since 1970; if that is 0 (unknown), no line numbers are available. A file may have MOST bytes. ALLOWED must
 * outlive the cache. The caller must close the cache, which releases the files. */
struct mp_source_lines *mp_source_lines_open(struct mp_arena *arena, const struct mp_source_paths *allowed,
                                             uint64_t start_realtime, size_t most);
void mp_source_lines_close(struct mp_source_lines *lines);

/* In the functions below, PATH is the recorded path of a file; see mp_source_find(). */

/* Returns the line of the form read from POSITION in the file PATH. Also sets *LAST, unless LAST is NULL, to the line
 * in which the form ends. Returns 0 if the line cannot be determined. */
uint32_t mp_source_form(struct mp_source_lines *lines, const char *path, int64_t position,
                        uint32_t *last);

/* Returns whether the form read from POSITION in the file PATH begins with "(OPERATOR ", in any case. */
bool mp_source_form_is(struct mp_source_lines *lines, const char *path, int64_t position, const char *operator);

/* Returns the text of line NUMBER, counted from 1, of the file PATH, and sets *LENGTH. The text has no newline,
 * may contain any bytes except zeros, and is valid until the cache is closed. Returns NULL if there is no such line or
 * file. */
const char *mp_source_text(struct mp_source_lines *lines, const char *path, uint32_t number,
                           size_t *length);

/* Returns the resolved path of the file PATH, printable and in the arena. Returns NULL if the file was not read. */
const char *mp_source_found(struct mp_source_lines *lines, const char *path);

/* Returns why line numbers of the file PATH are unavailable, or MP_SOURCE_NONE. With MP_SOURCE_CHANGED and
 * MP_SOURCE_UNDATED, the text of lines is available. */
enum mp_source_problem mp_source_problem(struct mp_source_lines *lines, const char *path);

/* Returns the end of a sentence that begins with the name of a file and says that its text may not be the recorded one.
 * Returns NULL for other problems. */
const char *mp_source_doubt(enum mp_source_problem problem);

/* Returns the *N files whose line numbers were needed but are unavailable, as "words.lisp: changed". The list is
 * in the arena. */
const char **mp_source_problems(const struct mp_source_lines *lines, uint32_t *n);

#endif
