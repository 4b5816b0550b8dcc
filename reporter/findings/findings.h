/*
 * findings.h -- what is worth a look, in sentences: from the symptom to the line.
 *
 * A rule looks for one symptom in a view.  It speaks where figures reach its limits, of one place: the
 * function that allocates and its line, and as many of its callers as nearly all of it goes through.
 * Nothing is guessed: what a rule computes or estimates it calls so, and what it cannot know it does
 * not say.  Rules and limits stand in one table, mp_rules; mprof-findings(1) has the same words.
 *
 *     struct mp_findings *findings = mp_findings_new(view, &(struct mp_findings_options){.most = 7});
 *     for (uint32_t i = 0; i < findings->n; i++)
 *         ... findings->list[i].text ...
 *     mp_findings_free(findings);
 */
#ifndef MP_FINDINGS_H
#define MP_FINDINGS_H

#include "reporter/profile/chain.h"
#include "reporter/profile/filter.h"
#include "reporter/profile/profile.h"
#include "reporter/profile/view.h"

enum mp_finding_unit {
    MP_IN_BYTES, MP_IN_BLOCKS, MP_IN_PERMILLE, MP_IN_NANOSECONDS, MP_IN_COUNT
};

/* What must be reached before a rule speaks. */
struct mp_limit {
    uint64_t value;
    enum mp_finding_unit unit;
    const char *text;           /* for people, with %s for the value: "at least %s are kept" */
};

/* Rules of one family tell of one fault in different ways: of one place only the first of them in the
 * table speaks. */
enum mp_rule_family {
    MP_RULES_KEEPERS,           /* what keeps memory that stays */
    MP_RULES_HELD,              /* memory that stays */
    MP_RULES_MADE,              /* allocations that need not be */
    MP_RULES_FAULTS,            /* what is wrong in any amount */
    MP_RULES_SHAPE              /* blocks that cost more than they hold */
};

/* What a rule can speak of: its figures are known there, and mean the same. */
enum mp_rule_of {
    MP_OF_ALL = 1,              /* a whole recording */
    MP_OF_TIME = 2,             /* what happened between two moments, see window.h */
    MP_OF_MOMENT = 4            /* what was alive at one */
};

struct mp_facts;
struct mp_place;

/* It says something of each place that is such a one, or finds by itself what it speaks of. */
struct mp_rule {
    const char *key;            /* its name for programs: a-z and -, unique */
    const char *title;          /* for people */
    enum mp_rule_family family;
    unsigned of;                /* sum of enum mp_rule_of */
    const char *about;          /* for the manual: what it looks for, and what it cannot know */
    const struct mp_limit *limits;
    size_t n_limits;
    bool objects;               /* places are of objects, not of blocks; */
    bool (*is)(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_place *place);
    void (*say)(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_place *place);
    void (*find)(struct mp_facts *facts, const struct mp_rule *rule);       /* or this, and not these */
};

/* In the order of the manual. */
extern const struct mp_rule *const mp_rules[];
extern const size_t mp_n_rules;

/* One of the numbers that a sentence is made of. */
struct mp_finding_figure {
    const char *key;            /* its name for programs: a-z and _, unique within the finding */
    enum mp_finding_unit unit;
    uint64_t number;
};

#define MP_FINDING_FIGURES 8u

/* A further place that a finding speaks of. */
struct mp_finding_place {
    const char *function;
    const char *call;           /* with its line, as in chains */
};

struct mp_finding {
    const struct mp_rule *rule;
    const char *text;           /* sentences for people */
    struct mp_finding_figure figures[MP_FINDING_FIGURES];
    uint32_t n_figures;
    uint32_t permille;          /* what it costs: the share that it has of the whole that it is about */
    const char *function;       /* that is to be looked at, as it is called in the view */
    const char *const *calls;   /* the chain to it, outermost first, with lines where they are known: */
    uint32_t n_calls;           /* so many */
    struct mp_calls chain;      /* the same, not as texts; whole: else the callers of the first are several */
    const struct mp_finding_place *also;
    uint32_t n_also;            /* of which other rules of the family say nothing more */
    uint32_t context;           /* of the view: one of those that the finding is about, */
    uint32_t depth;             /* and how many functions its chain has up to the first of CALLS */
    enum mp_sort sort;          /* the figure that the finding is about */
    const char *command;        /* to be typed, shows more */
};

struct mp_findings {
    struct mp_finding *list;    uint32_t n;     /* those with the largest share first */
    uint32_t left_out;          /* how many more there are */
    bool estimated;             /* the recording was sampled: all figures are estimates */
    const char *caveat;         /* a sentence: why figures may be incomplete; NULL: they are not */
    struct mp_profile *view;    /* if it was made for the findings; else NULL */
    struct mp_arena *arena;     /* owns all of the above but the rules and the view */
};

#define MP_FINDINGS_MOST 7u     /* as many as people read */

/* A root that holds much in the last snapshot of the heap beside the recording. */
struct mp_held {
    const char *root;           /* what it is called */
    const char *command;        /* that shows more */
    uint64_t number;            /* of the snapshot */
    uint64_t retained, whole;   /* bytes that it alone holds, of so many that all roots hold */
    const char *type;           /* of the objects by which it holds most, and how many these are */
    uint64_t type_objects;
    const char *function;       /* that allocated most of what it holds, and how much of it: bytes */
    uint64_t allocated;
    uint64_t before_number, before;     /* of the first snapshot, and what it held then; 0: there is one only */
};

struct mp_findings_options {
    uint32_t most;              /* how many at most; 0: all */
    const struct mp_held *held; /* what snapshots say, see heap_held.h */
    uint32_t n_held;
    const char *file;           /* for commands; NULL: that which they read without being told */
};

/* What the rules say of VIEW, a symbolised profile or a view of one; with MP_FRAMES_ALL, else rules of Lisp
 * miss what they look for.  What they name belongs to VIEW, which must outlive the result; the caller
 * frees that with mp_findings_free(). */
struct mp_findings *mp_findings_new(const struct mp_profile *view,
                                    const struct mp_findings_options *options);

/* The same of PROFILE, which is symbolised, as WANTED and FILTERS (NULL: none) want it, but with all frames,
 * and lines; NULL and *ERROR: there is no such view. */
struct mp_findings *mp_findings_of(const struct mp_profile *profile,
                                   const struct mp_view_options *wanted,
                                   const struct mp_filters *filters,
                                   const struct mp_findings_options *options,
                                   struct mp_error *error);
void mp_findings_free(struct mp_findings *findings);

/* VALUE of UNIT for people, in ARENA: "1,000", "2.5 MB", "10 %". */
const char *mp_finding_number(uint64_t value, enum mp_finding_unit unit, struct mp_arena *arena);

#endif
