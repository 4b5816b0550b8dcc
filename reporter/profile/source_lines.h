/*
 * source_lines.h -- from a position in a source file to the line.
 *
 * A language that compiles a form at a time knows where it began to read the form, in bytes from
 * the start of the file.  The form itself begins behind the blanks and comments (of Lisp) that
 * follow there.  The file is read when a report is made; it serves if nobody has written it since
 * the recording began.
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

/* Files that were asked for and do not serve, "words.lisp: changed"; *N of them, in the arena. */
const char **mp_source_problems(const struct mp_source_lines *lines, uint32_t *n);

#endif
