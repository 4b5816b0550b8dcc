/* SPDX-License-Identifier: MIT */
/*
 * api.h -- the reporter as a library: reports as text, sites as numbers, what is in a heap, and what holds an object.
 *
 * No call writes to a file descriptor (except to a file that it is asked for), starts a pager, uses colours or
 * ends the process. Running out of memory is an error like any other, but leaks what was allocated meanwhile.
 * Text is UTF-8, whatever the locale. Different threads may make calls at the same time.
 */
#ifndef MP_API_H
#define MP_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reporter/base/arena.h"
#include "reporter/base/error.h"
#include "reporter/table/report.h"

#define MP_CHAIN_ALL UINT32_MAX

/* A part of a recording. */
struct mp_report_part {
    const char *from, *to;      /* moments as in window.h; NULL means the start or the end */
    uint32_t recorder;          /* live file only: id of the recorder of the only thread to be counted, or 0 for
                                   all threads */
};

struct mp_report_request {
    struct mp_report_part part; /* of the text, the top and the sites; figures of a period are explained in
                                   window.h */
    unsigned tables;            /* sum of enum mp_report_table, or 0 for the head and the default tables of mprof
                                   report; findings come first, then the table of functions */
    bool lisp;                  /* only objects of Lisp */
    bool all_frames;            /* also show what starts main and threads */
    enum mp_frames frames;      /* MP_FRAMES_DEFAULT means MP_FRAMES_LISP if `lisp`, else MP_FRAMES_ALL */
    const char *focus;          /* show only chains with this function, see view.h; or NULL */
    enum mp_sort sort;          /* order of tables and of sites */
    bool with_callees;          /* text only: functions are sorted by what was allocated while they ran */
    uint32_t most;              /* maximum number of rows of a table, or of sites, or 0 for no limit */
    double min_percent;         /* smallest share shown, in steps of 0.1, or 0 to show all */
    unsigned width;             /* columns at which long paths are folded, or 0 if lines are not limited */
    uint32_t chain;             /* number of functions on chains in the tables of leaks, survival and sites;
                                   MP_CHAIN_ALL for all; 0 for 5, 1 and 10 */
    bool full_names;            /* text only: show names of functions with all arguments */
    bool no_skip;               /* also show allocation wrappers, see skip.h */
};

#define MP_REPORT_REQUEST { .min_percent = 0.5 }

/* Returns the report of the data file FILE, malloc()ed. FILE may be that of the calling process. The text names
 * forms of the Lisp module instead of commands. On failure returns NULL and fills *ERROR. */
char *mp_report_text(const char *file, const struct mp_report_request *request, struct mp_error *error);

/* Sets *TOTALS to the sums over all of FILE, without symbolising it. On failure returns false and fills *ERROR. */
bool mp_report_totals(const char *file, struct mp_totals *totals, struct mp_error *error);

/* A function and what is charged to it, see charge.h. */
struct mp_report_top {
    char *name;                 /* malloc()ed */
    uint64_t objects, bytes;
};

/* Fills TOP with up to MOST functions of the data file FILE, largest first. Uses the members part, lisp,
 * all_frames, frames, focus and sort of REQUEST. Returns their number. On failure returns SIZE_MAX and fills
 * *ERROR. */
size_t mp_report_top(const char *file, const struct mp_report_request *request,
                     struct mp_report_top top[], size_t most, struct mp_error *error);

/* Writes the data file FILE, or the PART of it, to PATH in the sealed form. If FILE is still being recorded, the
 * result is a snapshot. If PART is a period of time, its blocks cannot be distinguished from older ones of the
 * same chain and type, so frees of those count as the part's, and its peak is only known within bounds. On
 * failure returns false and fills *ERROR. */
bool mp_report_seal(const char *file, const struct mp_report_part *part, const char *path, struct mp_error *error);

/* Allocations of one type on one chain of the shown frames. */
struct mp_report_site {
    uint32_t step;              /* innermost step of its chain, see below */
    const char *type;           /* "CONS", or a class; "malloc" for blocks of malloc */
    const char *base;           /* built-in type of a class; otherwise the same as `type` */
    char category;              /* c f s o for Lisp; s m l x for C */
    uint64_t objects, bytes, requested;
    uint64_t kept_objects, kept_bytes;      /* survived a collection and are still alive */
    uint64_t collected_objects, collected_bytes;
    uint64_t survived[MP_AGES]; /* objects that survived at least 1, 2 and 4 collections */
};

/* An iterator over sites, sorted by what REQUEST sorts by, largest first. Uses the members part, lisp,
 * all_frames, frames, focus, sort and most of REQUEST. mp_report_sites_open() returns NULL and fills *ERROR on
 * failure. mp_report_sites_next() returns false after the last site. What a site refers to is valid until
 * mp_report_sites_close(). */
struct mp_report_sites;
struct mp_report_sites *mp_report_sites_open(const char *file, const struct mp_report_request *request,
                                             struct mp_error *error);
bool mp_report_sites_next(struct mp_report_sites *sites, struct mp_report_site *site);
void mp_report_sites_close(struct mp_report_sites *sites);

/* The chains of all sites form one tree, because they share their outer parts. Its nodes are steps, numbered
 * from 1. A step has a function and the step of its caller. Returns the number of steps. */
uint32_t mp_report_sites_steps(const struct mp_report_sites *sites);

/* Fills both arrays by step, with the caller's step and with the function. The caller's step is 0 if the step
 * has no caller or no shown one. The arrays must have one element more than there are steps; element 0 has no
 * meaning. */
void mp_report_sites_tree(const struct mp_report_sites *sites, uint32_t callers[],
                          uint32_t functions[]);

/* Functions are numbered from 0. */
uint32_t mp_report_sites_functions(const struct mp_report_sites *sites);
const char *mp_report_sites_name(const struct mp_report_sites *sites, uint32_t function);

/* The following finds what holds an object, in the snapshot FILE of a heap. heap_hold.h explains the members. */
struct mp_report_range {
    uint64_t start, end;
};

struct mp_report_step {
    const char *what, *by;
    uint64_t address, bytes;
};

struct mp_report_way {
    struct mp_report_step *steps;
    uint32_t n;
};

struct mp_report_hold {
    uint64_t retained, retained_objects;
    struct mp_report_way *ways, cut;
    uint32_t n_ways;
    bool more, own;
    struct mp_arena *arena;     /* owns everything here; mp_report_hold_free() frees it */
};

/* Finds at most MOST ways to the object at ADDRESS. Ignores roots in the N ranges of OWN. On failure returns
 * false and fills *ERROR, and nothing has to be freed. */
bool mp_report_hold(const char *file, uint64_t address, const struct mp_report_range own[], size_t n, uint32_t most,
                    struct mp_report_hold *hold, struct mp_error *error);
void mp_report_hold_free(struct mp_report_hold *hold);

/* The following shows what the snapshot FILE of a heap contains, and what has changed since an earlier one. */
struct mp_heap;
struct mp_heap_state;
struct mp_report_heap_request {
    const char *const *types;   /* names of types, followed by NULL; or NULL for all types */
    const char *root;           /* title, group or kind of a root; or NULL */
    const char *package;        /* only what belongs to this package; or NULL */
    const char *const *standard;        /* names of COMMON-LISP's symbols, followed by NULL */
    bool by_growth;             /* sort by growth instead of retained bytes */
    uint32_t most;              /* maximum number of rows of a table, or 0 for no limit */
    unsigned width;             /* as in struct mp_report_request */
    const struct mp_report_range *own;  /* roots of the asker, which do not explain why objects of `types` exist */
    size_t n_own;
    const struct mp_heap_state *since;  /* state of an earlier snapshot, or NULL */
};

struct mp_report_heap {
    uint64_t objects, bytes;    /* in the snapshot */
    uint64_t heap;              /* bytes of the heap with free memory */
    char *text;                 /* the tables as text */
    struct mp_table *const *tables; uint32_t n_tables;
    struct mp_heap_state *state;        /* for `since`; the caller frees it with mp_report_heap_forget() */
    struct mp_heap *loaded;     /* owns texts of the tables */
    struct mp_arena *arena;     /* owns the tables; mp_report_heap_free() frees all but `state` */
};

/* Fills *RESULT with what REQUEST asks of FILE; see mp_heap_now(). On failure returns false and fills *ERROR, and
 * nothing has to be freed. The error MP_ERR_UNKNOWN means that there is no such root. */
bool mp_report_heap(const char *file, const struct mp_report_heap_request *request, struct mp_report_heap *result,
                    struct mp_error *error);
void mp_report_heap_free(struct mp_report_heap *result);
void mp_report_heap_forget(struct mp_heap_state *state);

/* For api_heap.c: returns what WRITE writes, malloc()ed, in the locale C.UTF-8, whatever the locale of the calling
 * program is. Therefore numbers and messages have the form that they have in the C locale. Returns NULL if WRITE
 * returns false. */
typedef bool mp_report_write_text(const void *data, FILE *out, struct mp_error *error);
char *mp_report_in_utf8(mp_report_write_text *write, const void *data, struct mp_error *error);

/* For api_text.c and api_sites.c: reads and symbolises FILE, restricted to the thread of PART. On failure
 * returns NULL and fills *ERROR. */
struct mp_profile *mp_report_quiet_load(const char *file, const struct mp_report_part *part, struct mp_error *error);

/* Fills *ERROR because memory has run out, and returns false. */
bool mp_report_no_memory(const char *file, struct mp_error *error);

#endif
