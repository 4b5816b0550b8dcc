/* SPDX-License-Identifier: MIT */
/*
 * annotate.h -- figures for each line of source code, and for the calls that were inlined into the line.
 *
 * A line counts what was allocated by all calls in it (`whole`), and separately what it allocated itself (`self`). A
 * chain counts once for a line, even if a recursion passes through the line several times. If the lines of a Lisp
 * function are unknown, its figures belong to the form that defines it.
 */
#ifndef MP_ANNOTATE_H
#define MP_ANNOTATE_H

#include "reporter/view/source_lines.h"
#include "tree.h"

struct mp_source_row {
    uint32_t section;
    uint32_t under;             /* the row that this call was inlined into, or MP_NO_ID */
    uint32_t function;          /* id in the view: the function that contains the line; for a whole file the first
                                   function that contains it */
    const char *file;           /* path of the file when it was compiled */
    uint32_t line, last;        /* first and last line of the form in Lisp; equal in C; 0 if unknown */
    struct mp_counts whole, self;
};

/* A file, or the part of a function whose lines are in one file. */
struct mp_source_section {
    const char *name;           /* the function's name, or NULL if the section is a whole file */
    const char *file;           /* path of the file when it was compiled, or "" if unknown */
    struct mp_counts whole, self;       /* counted as if the section were one line */
};

struct mp_annotated {
    struct mp_source_section *sections; uint32_t n_sections;    /* sorted by bytes, largest first */
    struct mp_source_row *rows;         uint32_t n_rows;        /* sorted by section and line; rows under a row follow
                                                                   it, by bytes, largest first */
    uint64_t all;               /* bytes of the whole view */
    const struct mp_profile *view;
    struct mp_source_lines *sources;    /* contents of the files of sections and rows; open */
    struct mp_arena *arena;     /* owns everything above except the view */
};

/* Returns the annotated lines of NAME, which is a function or a source file. A function is named as in view.h; the
 * case of Lisp names does not matter. A file is named by its path or by the last components of its path. VIEW is a
 * view of PROFILE made with `places`. PATHS says which files may be shown. Both must outlive the result. The caller
 * frees the result with mp_annotated_free(). Returns NULL and sets *ERROR if no chain contains NAME or if its lines are
 * unknown. */
struct mp_annotated *mp_annotate(const struct mp_profile *profile, const struct mp_profile *view,
                                 const char *name, const struct mp_source_paths *paths,
                                 bool all_frames, struct mp_error *error);
void mp_annotated_free(struct mp_annotated *annotated);

/* Returns the name of the function of VIEW that allocates the most bytes, itself or in functions whose source is
 * unknown. Its own source is known. Returns NULL and sets *ERROR if there is none. */
const char *mp_annotate_hottest(const struct mp_profile *view, struct mp_error *error);

#endif
