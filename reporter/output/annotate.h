/*
 * annotate.h -- what lines of source allocated: figures by line, with the calls that were inlined there.
 *
 * A line has what was allocated in calls that it makes, and, of that, itself.  A chain counts once for a
 * line, however often a recursion comes through it.  Of Lisp, whose chains know functions and no lines, a
 * function's figures are those of the form that defines it.
 */
#ifndef MP_ANNOTATE_H
#define MP_ANNOTATE_H

#include "reporter/profile/source_lines.h"
#include "reporter/profile/tree.h"
#include "source_paths.h"

struct mp_source_row {
    uint32_t section;
    uint32_t under;             /* a row that this call was inlined into; MP_NO_ID: none */
    uint32_t function;          /* of the view: of the line; of a whole file the first that has it */
    const char *file;           /* where it is now, see source_paths.h */
    uint32_t line, last;        /* the line; of Lisp the form's first and last; 0: not known */
    struct mp_counts whole, self;
};

/* A function as far as its lines are of one file, or a file. */
struct mp_source_section {
    const char *name;           /* of the function; NULL: all of the file's */
    const char *recorded;       /* the path of the file as it was compiled; "": not known */
    const char *file;           /* where it is now */
    struct mp_counts whole, self;       /* as if it were one line */
};

struct mp_annotated {
    struct mp_source_section *sections; uint32_t n_sections;    /* most bytes first */
    struct mp_source_row *rows;         uint32_t n_rows;        /* by section and line; those under a row
                                                                   behind it, most bytes first */
    uint64_t all;               /* bytes of the whole view */
    const struct mp_profile *view;
    struct mp_source_lines *sources;    /* of the files of sections and rows; open */
    struct mp_arena *arena;     /* owns all of the above but the view */
};

/* The lines of NAME in VIEW, a view of PROFILE that was made with `places`: a function as focus.h has it,
 * or of Lisp in any case of letters, else a source file, its path or the end of that.  NULL and *ERROR:
 * there is none, or it has no lines.  VIEW must outlive it. */
struct mp_annotated *mp_annotate(const struct mp_profile *profile, const struct mp_profile *view,
                                 const char *name, const struct mp_source_paths *paths,
                                 bool all_frames, struct mp_error *error);
void mp_annotated_free(struct mp_annotated *annotated);

#endif
