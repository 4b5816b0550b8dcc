/*
 * plot.h -- the time line as a drawing: what lives over time, the largest parts of it told apart.
 *
 * Totals are known at many times, parts at the moments at which all counters were read; of snapshots of a heap,
 * see heap_plot.h, at these.
 */
#ifndef MP_PLOT_H
#define MP_PLOT_H

#include <stdio.h>

#include "reporter/profile/profile.h"

enum mp_plot_by {
    MP_PLOT_TYPE,               /* of objects; of malloc's blocks, classes of sizes */
    MP_PLOT_MODULE, MP_PLOT_FUNCTION, MP_PLOT_FILE,     /* that allocated */
    MP_PLOT_THREAD,
    MP_PLOT_PACKAGE, MP_PLOT_SITE,      /* of snapshots of heaps only, as MP_PLOT_TYPE and MP_PLOT_FUNCTION */
    MP_PLOTS
};

/* "type", "module", "function", "file", "thread", "package", "site". */
extern const char *const mp_plot_names[MP_PLOTS];

#define MP_PLOT_PARTS 7u        /* told apart at most */

struct mp_plot_options {
    enum mp_plot_by by;
    bool part;                  /* the view shows a part of the process only: there are no totals of it */
    uint64_t from, to;          /* ns; to = UINT64_MAX: up to the end */
};

/* What a snapshot of a heap says of the whole; MP_NOT_SEEN: it does not. */
struct mp_plot_snapshot {
    uint64_t objects, bytes;    /* in it */
    uint64_t heap, free;        /* bytes that the heap takes of the system, and how many of them are free */
    uint64_t live;              /* bytes after the last collection */
    uint64_t allocated, collections;    /* since the process began */
    const char *trigger;        /* in words */
};

struct mp_plot {
    const struct mp_profile *view;
    struct mp_plot_options options;     /* with `to` as it is */
    const struct mp_moment **moments;   /* those within, of which it is known what lived: */
    uint32_t n_moments;
    const char **names;         /* of parts, the largest first, then of all others, if there are any */
    uint32_t n_parts, n_others; /* with the others; how many these are */
    int64_t *bytes;             /* by part and moment: bytes[part * n_moments + moment] */
    const struct mp_point *points;      /* those within */
    uint32_t n_points;
    uint64_t *steps;            /* times of all moments and of points between two of them */
    uint32_t n_steps;
    double *heights;            /* bytes, not below 0, by step and part: heights[step * n_parts + part]; of
                                   points estimates that add up to what lived */
    uint64_t highest;           /* bytes: of what is drawn */
    const struct mp_plot_snapshot *snapshots;   /* by moment, of a plot of heap snapshots; else NULL */
    struct mp_arena *arena;
};

/* The plot of VIEW, which has a time line.  The caller frees it, before the view. */
struct mp_plot *mp_plot_new(const struct mp_profile *view, const struct mp_plot_options *options);
void mp_plot_free(struct mp_plot *plot);

/* Let the points of PLOT be those within its time. */
void mp_plot_choose_points(struct mp_plot *plot);

/* Let the largest of N parts be PLOT's, which has its moments: BYTES by part and moment. */
void mp_plot_take(struct mp_plot *plot, const char *const *names, const int64_t *bytes, uint32_t n);

/* Fill in the steps of PLOT, which has all else but its height, and that. */
void mp_plot_follow(struct mp_plot *plot);
void mp_plot_find_highest(struct mp_plot *plot);

/* Bytes that lived at a point, of PLOT's snapshots those of their kind of heap; MP_NOT_SEEN: not known. */
static inline uint64_t
mp_plot_live(const struct mp_plot *plot, uint32_t point)
{
    return plot->snapshots && *plot->view->meta.language ? plot->points[point].live_lisp : plot->points[point].live;
}

/* As a drawing that stands for itself; SVG.  PART says in words what is shown, see part.h; "": all. */
void mp_plot_svg(const struct mp_plot *plot, const char *part, FILE *out);

/* As columns of numbers, for gnuplot. */
void mp_plot_data(const struct mp_plot *plot, FILE *out);

struct mp_json_subject;

/* As a document about SUBJECT, see mprof-json(5). */
bool mp_plot_json(const struct mp_plot *plot, const struct mp_json_subject *subject, FILE *file,
                  struct mp_error *error);

#endif
