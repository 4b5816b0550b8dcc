/*
 * head.h -- the head of the report: what was recorded, and whether anything is missing.
 *
 * As of tables, rows are computed first: a label, and figures or a text or both.
 */
#ifndef MP_HEAD_H
#define MP_HEAD_H

#include <stdio.h>

#include "print.h"
#include "reporter/base/arena.h"
#include "reporter/profile/estimate.h"
#include "reporter/profile/profile.h"

struct mp_head_row {
    const char *key;            /* its name for programs: a-z and _; there may be several */
    const char *label;          /* for people */
    enum { MP_HEAD_TEXT, MP_HEAD_BLOCKS, MP_HEAD_BYTES, MP_HEAD_BOTH, MP_HEAD_NAMES } has;
    uint64_t blocks;            /* blocks or objects; or how many there are of what is counted */
    uint64_t bytes;
    const char *text;           /* what is said instead of figures, or of them; "": nothing */
    bool close;                 /* the text goes on where the figures end */
    bool estimated;             /* blocks and bytes are estimates, with these: */
    struct mp_estimate of_blocks, of_bytes;
    const char *const *names;   /* n_names of them */
    uint32_t n_names;
};

struct mp_head {
    struct mp_head_row *rows;
    uint32_t n_rows, room;
    struct mp_arena *arena;     /* owns rows and texts, but for what the profile owns, which must
                                   outlive the head */
};

/* LISP: of objects of Lisp only.  VIEW: the profile as it is shown, or NULL; it tells which source
 * files it wanted lines of in vain, and which functions it skips. */
struct mp_head *mp_head(const struct mp_profile *profile, const struct mp_profile *view, bool lisp);
void mp_head_free(struct mp_head *head);

/* Its text. */
void mp_head_print(const struct mp_head *head, const struct mp_print_options *options, FILE *out);

/* Why a table of Lisp objects has no rows: there are none, or none could be recorded.  In ARENA. */
const char *mp_head_no_objects(const struct mp_profile *profile, struct mp_arena *arena);

/* For the files that compute it: one more row of text, of figures, of figures and text. */
void mp_head_say(struct mp_head *head, const char *key, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void mp_head_count(struct mp_head *head, const char *key, const char *label, uint64_t count,
                   const char *text);
struct mp_head_row *mp_head_add(struct mp_head *head, const char *key, const char *label);

/* How deep the stacks of threads were. */
void mp_head_stacks(struct mp_head *head, const struct mp_profile *profile);

/* What malloc held in the end, where blocks with KEPT were not freed. */
void mp_head_allocator(struct mp_head *head, const struct mp_profile *profile, const struct mp_counts *kept);

/* Instead of the process: those of a merged profile.  And of the largest peak of one of them, beside their
 * sum; in ARENA. */
void mp_head_merged(struct mp_head *head, const struct mp_processes *processes);
const char *mp_head_largest_peak(const struct mp_processes *processes, struct mp_arena *arena);

/* What is not whole: cut chains, dropped records, frees of unknown blocks, modules without names. */
void mp_head_missing(struct mp_head *head, const struct mp_profile *profile,
                     const struct mp_totals *totals);

#endif
