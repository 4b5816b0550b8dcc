/* report.h -- the whole report: head and tables, through the pager. */
#ifndef MP_REPORT_H
#define MP_REPORT_H

#include <stdio.h>

#include "print.h"
#include "reporter/base/term.h"
#include "reporter/profile/profile.h"
#include "reporter/profile/view.h"

enum mp_report_table {
    MP_TABLE_BINS = 1,
    MP_TABLE_LEAKS = 2,
    MP_TABLE_DIRECT = 4,
    MP_TABLE_GRAPH = 8,
    MP_TABLE_TYPES = 16,
    MP_TABLE_GC = 32,
    MP_TABLE_HEAD = 64,                 /* of struct mp_report_wish */
    MP_TABLE_SITES = 128,
    MP_TABLE_FLAT = 256,
    MP_TABLE_FUNCTION_TYPES = 512,
    MP_TABLE_DEFAULT = MP_TABLE_BINS | MP_TABLE_TYPES | MP_TABLE_LEAKS | MP_TABLE_DIRECT |
                       MP_TABLE_GRAPH,
    MP_TABLE_LISP = MP_TABLE_TYPES | MP_TABLE_DIRECT | MP_TABLE_GRAPH
};

struct mp_report_options {
    struct mp_print_options print;      /* width and color are filled by mp_report_show() */
    unsigned tables;                    /* sum of enum mp_report_table */
    bool chosen;                        /* ... and all of them, also those that have nothing to do
                                           with what the profile holds */
    bool lisp;                          /* objects of Lisp only */
    bool no_head;
    enum mp_frames frames;
    bool all_frames;                    /* start-up frames too */
    const char *focus;                  /* only chains through this function, see focus.h; or NULL */
    enum mp_color_when color;
    bool no_pager;
};

#define MP_REPORT_DEFAULT {.print = MP_PRINT_DEFAULT, .tables = MP_TABLE_DEFAULT}

/* The table called NAME on the command line, 0: there is none. */
unsigned mp_report_table(const char *name);

/* Write the head and the tables of PROFILE, which is symbolised, to OUT. */
bool mp_report_write(const struct mp_profile *profile, const struct mp_report_options *options,
                     FILE *out, struct mp_error *error);

/* The same on stdout, with the pager, colours and width that OPTIONS and the terminal allow. */
bool mp_report_show(const struct mp_profile *profile, const struct mp_report_options *options,
                    struct mp_error *error);

#endif
