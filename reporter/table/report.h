/* SPDX-License-Identifier: MIT */
/* report.h -- the whole report: head and tables, shown through a pager. */
#ifndef MP_REPORT_H
#define MP_REPORT_H

#include <stdio.h>

#include "print.h"
#include "reporter/base/term.h"
#include "reporter/findings/findings.h"
#include "reporter/profile/profile.h"
#include "reporter/view/filter.h"
#include "reporter/view/view.h"
#include "tables.h"

struct mp_report_options {
    struct mp_print_options print;      /* width and color are set by mp_report_show() */
    unsigned tables;                    /* sum of enum mp_report_table */
    enum mp_report_table order[MP_REPORT_TABLES];   /* tables to print first, in this order, with 0 after the last;
                                                       the others follow in the default order */
    bool chosen;                        /* the user chose the tables; even inapplicable ones are printed */
    bool no_head;
    bool head_first;                    /* print the head before the tables, also in mp_report_show() */
    bool first_screen;                  /* begin with one sentence of figures, and end with the head; set by
                                           mp_report_as_screen() */
    bool chart;                         /* print a chart of live bytes over time in the head; set by mp_report_show() */
    const char *lineless;               /* sentence on source lines that are unknown, after the first one; or NULL */
    bool no_lines;                      /* do not show lines unless print.lines asks for them */
    bool no_overview;                   /* do not add the overview */
    bool no_findings;                   /* do not add findings */
    bool all_findings;                  /* show all findings, not only the first seven */
    struct mp_view_options view;        /* its window sets print.moment and print.growth; print.lines sets places */
    const struct mp_filters *filters;   /* show only what satisfies all filters, or NULL */
    const struct mp_held *held;         /* for findings, see heap_held.h */
    uint32_t n_held;
    const struct mp_lost *lost;         /* for findings, see reporter/verdict/lost.h */
    uint32_t n_lost;
    const struct mp_findings *findings; /* the findings, if the caller has them; NULL to search them */
    struct mp_profile *made;            /* the view that `view` and `filters` describe, if the caller has it, or NULL */
    struct mp_counts undecided;         /* what mp_filtered_view() stored when it was made */
    struct mp_tree *tree;               /* a tree of it, or NULL */
    const char *file;                   /* data file named in suggested commands, or NULL for mprof.data */
    const char *json;           /* name of the command if a JSON document is written (json_head.h), which is not
                                   paged, or NULL if text is written */
    const char *path;           /* of the data file, for JSON documents */
    enum mp_color_when color;
    bool no_pager;
};

#define MP_REPORT_DEFAULT {.print = MP_PRINT_DEFAULT, .tables = MP_TABLE_DEFAULT, .view = MP_VIEW_DEFAULT}

/* Writes head and tables of PROFILE, which is symbolised, to OUT. Returns false and sets *ERROR on failure. */
bool mp_report_write(const struct mp_profile *profile, const struct mp_report_options *options,
                     FILE *out, struct mp_error *error);

/* Sets OPTIONS to write a JSON document of COMMAND about the data file PATH. */
void mp_report_as_json(struct mp_report_options *options, const char *command, const char *path);

/* Sets OPTIONS to write text about PROFILE as mp_report_show() does through a pipe: one sentence, findings and overview
 * come first, chains have lines, and the head comes last. */
void mp_report_as_screen(struct mp_report_options *options, const struct mp_profile *profile);

/* Writes the report to stdout, with the pager, colours and width that OPTIONS and the terminal allow. */
bool mp_report_show(const struct mp_profile *profile, const struct mp_report_options *options,
                    struct mp_error *error);

#endif
