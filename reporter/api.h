/*
 * api.h -- the reporter for a program that links it: reports as text, sites as numbers, what holds an object.
 *
 * Nothing is written to a file descriptor, no pager is started, nothing is coloured, and no call
 * ends the process: where there is no memory, that is an error like any other (what was allocated
 * on the way is lost).  Text is UTF-8, whatever the locale.  Calls may be made in several threads.
 */
#ifndef MP_API_H
#define MP_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/arena.h"
#include "reporter/base/error.h"
#include "reporter/output/report.h"

#define MP_CHAIN_ALL UINT32_MAX

/* A part of a recording. */
struct mp_report_part {
    const char *from, *to;      /* moments as window.h has them; NULL: the start, and the end */
    uint32_t recorder;          /* of a live file: id of the recorder of the only thread that counts; 0: all threads */
};

struct mp_report_request {
    struct mp_report_part part; /* of text, totals and sites; of a sum over the time, see window.h */
    unsigned tables;            /* sum of enum mp_report_table; 0: the head and the tables that
                                   mprof report prints */
    bool lisp;                  /* objects of Lisp only */
    bool all_frames;            /* also what starts main and threads */
    enum mp_frames frames;      /* MP_FRAMES_DEFAULT: lisp with `lisp`, else all */
    const char *focus;          /* only chains through this function, see focus.h; or NULL */
    enum mp_sort sort;          /* of tables and of sites */
    uint32_t most;              /* rows of a table, or sites; 0: all */
    double min_percent;         /* smallest share that is shown, in steps of 0.1; 0: all */
    unsigned width;             /* columns to fold long paths at; 0: lines may be as long as they are */
    uint32_t chain;             /* functions of chains in the tables of leaks, of survival and of
                                   sites, MP_CHAIN_ALL: all; 0: five, one and ten of them */
    bool full_names;            /* of reports as text: of functions, with all arguments; in them */
    bool no_skip;               /* allocation wrappers are shown, too, see skip.h */
};

#define MP_REPORT_REQUEST { .min_percent = 0.5 }

/* The report of the data file FILE, malloc()ed; NULL and *ERROR on failure.  FILE may be that of
 * the calling process. */
char *mp_report_text(const char *file, const struct mp_report_request *request, struct mp_error *error);

/* The sums over all of FILE, without looking for names. */
bool mp_report_totals(const char *file, struct mp_totals *totals, struct mp_error *error);

/* Who allocated most, see charge.h. */
struct mp_report_top {
    char *name;                 /* of the function; malloc()ed */
    uint64_t objects, bytes;
};

/* Fill TOP with up to MOST functions of the data file FILE; of REQUEST count lisp, all_frames, frames,
 * focus and sort.  How many were filled; SIZE_MAX and *ERROR: none. */
size_t mp_report_top(const char *file, const struct mp_report_request *request,
                     struct mp_report_top top[], size_t most, struct mp_error *error);

/* Write the data file FILE, or what happened in the PART of it, to PATH in the sealed form: a snapshot, if it is
 * being recorded.  Of a part by time, blocks of the same chain and type that were allocated before count as the
 * part's when they are freed in it; and its peak is known within bounds. */
bool mp_report_seal(const char *file, const struct mp_report_part *part, const char *path, struct mp_error *error);

/* What objects of one type were allocated on one chain, of the frames that are shown. */
struct mp_report_site {
    uint32_t step;              /* the innermost function of its chain, see below */
    const char *type;           /* "CONS", a class; "malloc" for blocks of malloc */
    const char *base;           /* the built-in type of a class; else as `type` */
    char category;              /* c f s o; s m l x */
    uint64_t objects, bytes, requested;
    uint64_t kept_objects, kept_bytes;      /* survived a collection, and still there */
    uint64_t collected_objects, collected_bytes;
    uint64_t survived[MP_AGES]; /* objects that survived one, two, four collections or more */
};

/* Sites one after the other, those with most of what REQUEST sorts by first; of REQUEST count lisp,
 * all_frames, frames, focus, sort and most.  What a site refers to lives until
 * mp_report_sites_close(). */
struct mp_report_sites;
struct mp_report_sites *mp_report_sites_open(const char *file, const struct mp_report_request *request,
                                             struct mp_error *error);
bool mp_report_sites_next(struct mp_report_sites *sites, struct mp_report_site *site);
void mp_report_sites_close(struct mp_report_sites *sites);

/* The chains of all sites are one tree, as chains share their outer parts: steps numbered from 1
 * on, each a function and the step of its caller. */
uint32_t mp_report_sites_steps(const struct mp_report_sites *sites);

/* Fill both arrays, of one element more than there are steps: by step that of its caller (0: none,
 * or none that is shown), and its function.  Element 0 means nothing. */
void mp_report_sites_tree(const struct mp_report_sites *sites, uint32_t callers[],
                          uint32_t functions[]);

/* Functions are numbered from 0 on. */
uint32_t mp_report_sites_functions(const struct mp_report_sites *sites);
const char *mp_report_sites_name(const struct mp_report_sites *sites, uint32_t function);

/* Who holds an object, in the snapshot FILE of a heap; see heap_hold.h, in which words are explained. */
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
    struct mp_arena *arena;     /* of all this: mp_report_hold_free() */
};

/* At most MOST ways.  Roots in the N ranges OWN do not count.  False and *ERROR on failure: nothing is to be freed. */
bool mp_report_hold(const char *file, uint64_t address, const struct mp_report_range own[], size_t n, uint32_t most,
                    struct mp_report_hold *hold, struct mp_error *error);
void mp_report_hold_free(struct mp_report_hold *hold);

/* For api_text.c and api_sites.c: FILE with the names of its functions, and of PART what its thread allocated. */
struct mp_profile *mp_report_quiet_load(const char *file, const struct mp_report_part *part, struct mp_error *error);

/* Fail for want of memory. */
bool mp_report_no_memory(const char *file, struct mp_error *error);

#endif
