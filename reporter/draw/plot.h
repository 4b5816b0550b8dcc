/* SPDX-License-Identifier: MIT */
/*
 * plot.h -- the time line as a stacked plot of live bytes, divided into the largest parts.
 *
 * reporter/draw/ owns pictures of a profile: this plot, flame graphs (flame.h) and the call graph (graph_dot.h). It
 * reads profiles that its caller has loaded. Commands and reporter/heap/ call it.
 *
 * Totals are known at many times (points). Parts are known only when all counters were read (moments). In a plot of
 * heap snapshots (heap_plot.h), the moments are the snapshots.
 */
#ifndef MP_PLOT_H
#define MP_PLOT_H

#include <stdio.h>

#include "reporter/profile/profile.h"

enum mp_plot_by {
    MP_PLOT_TYPE,               /* type of Lisp objects; size class of malloc's blocks */
    MP_PLOT_MODULE, MP_PLOT_FUNCTION, MP_PLOT_FILE,     /* of the allocating function */
    MP_PLOT_THREAD,
    MP_PLOT_PACKAGE, MP_PLOT_SITE,      /* only for heap snapshots, which also allow MP_PLOT_TYPE and
                                           MP_PLOT_FUNCTION */
    MP_PLOTS
};

/* "type", "module", "function", "file", "thread", "package", "site". */
extern const char *const mp_plot_names[MP_PLOTS];

#define MP_PLOT_PARTS 7u        /* number of parts shown; one more part is shown, too, but several more are summed up */

struct mp_plot_options {
    enum mp_plot_by by;
    bool part;                  /* the view shows only a part of the process, so totals are not shown */
    uint64_t from, to;          /* ns; to = UINT64_MAX means the end */
};

/* Totals of one snapshot of a language's heap. Those that the snapshot file does not contain are MP_NOT_SEEN. */
struct mp_plot_snapshot {
    uint64_t objects, bytes;    /* in the snapshot */
    uint64_t heap, free;        /* bytes that the heap obtained from the system, and how many are free */
    uint64_t live;              /* bytes alive after the last collection */
    uint64_t allocated, collections;    /* since the process began */
    const char *trigger;        /* reason for the snapshot, in words */
};

struct mp_plot {
    const struct mp_profile *view;
    struct mp_plot_options options;     /* `to` is at most the time of the last moment */
    const struct mp_moment **moments;   /* moments in the time range with known parts */
    uint32_t n_moments;
    const char **names;         /* of the parts, largest first; the last may combine all others */
    uint32_t n_parts, n_others; /* n_parts includes the combined part; n_others is the number of parts in it */
    int64_t *bytes;             /* live bytes by part and moment: bytes[part * n_moments + moment] */
    const struct mp_point *points;      /* points in the time range */
    uint32_t n_points;
    uint64_t *steps;            /* times between which areas are straight, in ns; two are equal where an area begins
                                   or ends */
    uint32_t n_steps;
    double *heights;            /* bytes, at least 0, by step and part: heights[step * n_parts + part]; 0 where parts
                                   were not counted */
    double *rest;               /* by step: the live bytes where parts were not counted, else 0 */
    uint64_t highest;           /* highest value drawn, in bytes */
    const struct mp_plot_snapshot *snapshots;   /* by moment; NULL unless the plot is of heap snapshots */
    struct mp_arena *arena;
};

/* Returns the plot of VIEW, which has a time line. The caller frees the plot before the view. */
struct mp_plot *mp_plot_new(const struct mp_profile *view, const struct mp_plot_options *options);
void mp_plot_free(struct mp_plot *plot);

/* Sets the points of PLOT to the points in its time range. */
void mp_plot_choose_points(struct mp_plot *plot);

/* Sets the parts of PLOT to the largest of N parts, called NAMES, and computes the steps, heights and the highest
 * value. BYTES is indexed by part and moment. All other members must be set. */
void mp_plot_take(struct mp_plot *plot, const char *const *names, const int64_t *bytes, uint32_t n);

/* Returns the bytes alive at a point, or MP_NOT_SEEN. A plot of Lisp heap snapshots counts only Lisp objects. */
static inline uint64_t
mp_plot_live(const struct mp_plot *plot, uint32_t point)
{
    return plot->snapshots && *plot->view->meta.language ? plot->points[point].live_lisp : plot->points[point].live;
}

/* Writes PLOT as a self-contained SVG. PART describes in words what is shown (said_part.h); "" if everything. */
void mp_plot_svg(const struct mp_plot *plot, const char *part, FILE *out);

/* Prints PLOT as a chart of 15 rows and at most WIDTH columns, with the largest parts at its highest point. UTF8 says
 * whether to use block characters. Returns false if WIDTH is too small. */
bool mp_plot_text(const struct mp_plot *plot, unsigned width, bool utf8, FILE *out);

/* Writes PLOT as columns of numbers, for gnuplot. */
void mp_plot_data(const struct mp_plot *plot, FILE *out);

struct mp_json_subject;

/* Writes PLOT as a JSON document about SUBJECT, see mprof-json(5). */
bool mp_plot_json(const struct mp_plot *plot, const struct mp_json_subject *subject, FILE *file,
                  struct mp_error *error);

#endif
