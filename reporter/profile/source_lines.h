/*
 * source_lines.h -- from a position in a source file to the line.
 *
 * A language that compiles a form at a time knows where it began to read the form, in bytes from
 * the start of the file.  The form itself begins behind the blanks and comments (of Lisp) that
 * follow there.  The file is read when a report is made; it serves if nobody has written it since
 * the recording began.  The text of its lines can be had even so.
 */
#ifndef MP_SOURCE_LINES_H
#define MP_SOURCE_LINES_H

#include "profile.h"

struct mp_source_lines;

/* For the files of a recording that began at START_REALTIME (ns since 1970; 0, not known: no file
 * serves).  In ARENA; to be closed, as files are kept meanwhile. */
struct mp_source_lines *mp_source_lines_open(struct mp_arena *arena, uint64_t start_realtime);
void mp_source_lines_close(struct mp_source_lines *lines);

/* The line of the form that was read from POSITION on in the file PATH, which is absolute; 0: it
 * cannot be told. */
uint32_t mp_source_line(struct mp_source_lines *lines, const char *path, int64_t position);

/* The same, and in *LAST, unless that is NULL, the line in which the form ends. */
uint32_t mp_source_form(struct mp_source_lines *lines, const char *path, int64_t position,
                        uint32_t *last);

/* Line NUMBER, from 1 on, of the file PATH: *LENGTH bytes, whatever they are, without the newline; they
 * hold until the files are closed.  NULL: there is no such line, or no such file. */
const char *mp_source_text(struct mp_source_lines *lines, const char *path, uint32_t number,
                           size_t *length);

/* Why the file PATH does not serve, "missing" or MP_SOURCE_CHANGED; NULL: it does. */
const char *mp_source_problem(struct mp_source_lines *lines, const char *path);
#define MP_SOURCE_CHANGED "changed"

/* Files that were asked for and do not serve, "words.lisp: changed"; *N of them, in the arena. */
const char **mp_source_problems(const struct mp_source_lines *lines, uint32_t *n);

#endif
