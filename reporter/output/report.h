/* report.h -- the whole report: head and tables, through the pager. */
#ifndef MP_REPORT_H
#define MP_REPORT_H

#include <stdio.h>

#include "outputs.h"
#include "print.h"
#include "reporter/findings/findings.h"
#include "reporter/base/term.h"
#include "reporter/profile/filter.h"
#include "reporter/profile/profile.h"
#include "reporter/profile/view.h"

struct mp_report_options {
    struct mp_print_options print;      /* width and color are filled by mp_report_show() */
    unsigned tables;                    /* sum of enum mp_report_table */
    enum mp_report_table order[MP_REPORT_TABLES];   /* those that come first, in this order; 0 behind the
                                           last: the others follow in the order of the report */
    bool chosen;                        /* ... and all of them, also those that have nothing to do
                                           with what the profile holds */
    bool lisp;                          /* objects of Lisp only */
    bool no_head;
    bool chart;                         /* of what lived over time, in the head; set by mp_report_show() */
    bool no_overview;                   /* also not on a terminal */
    bool no_findings;                   /* the same */
    bool all_findings;                  /* and not only the first seven */
    enum mp_frames frames;
    bool all_frames;                    /* start-up frames too */
    bool full_names;                    /* of functions, with all arguments */
    struct mp_skip skip;                /* functions that are no part of chains */
    bool by_process;                    /* chains begin with what a merged file tells apart, see process_part.h */
    const char *focus;                  /* only chains through this function, see focus.h; or NULL */
    const struct mp_filters *filters;   /* and only what all of these want; NULL: there are none */
    struct mp_window_ends window;       /* only this part of the time; print.moment or print.growth says the
                                           same to tables */
    const struct mp_held *held;         /* for findings: see heap_held.h */
    uint32_t n_held;
    const char *file;                   /* of the data, for commands; NULL: mprof.data */
    const char *json;           /* as the document of a command of this name, see json_head.h, which is not
                                   paged; NULL: as text */
    const char *path;           /* of the data, for documents */
    enum mp_color_when color;
    bool no_pager;
};

#define MP_REPORT_DEFAULT {.print = MP_PRINT_DEFAULT, .tables = MP_TABLE_DEFAULT, .skip.wrappers = true}

/* Lets OPTIONS be of what VIEW and FILTERS show.  FILTERS may be NULL. */
void mp_report_of_view(struct mp_report_options *options, const struct mp_view_options *view,
                       const struct mp_filters *filters);

/* Write the head and the tables of PROFILE, which is symbolised, to OUT. */
bool mp_report_write(const struct mp_profile *profile, const struct mp_report_options *options,
                     FILE *out, struct mp_error *error);

/* Let OPTIONS make a document of COMMAND's about the data file PATH. */
void mp_report_as_json(struct mp_report_options *options, const char *command, const char *path);

/* The same on stdout, with the pager, colours and width that OPTIONS and the terminal allow. */
bool mp_report_show(const struct mp_profile *profile, const struct mp_report_options *options,
                    struct mp_error *error);

#endif
