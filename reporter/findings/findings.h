/* SPDX-License-Identifier: MIT */
/*
 * findings.h -- findings: sentences that lead from a symptom in a profile to the responsible line.
 *
 * reporter/findings/ owns the rules and their sentences, but not how these are printed. It reads a view of a profile
 * and nothing else. Tables, the page and heap snapshots call it through this header only.
 *
 * A rule looks for one symptom in a view. It reports a place, that is, an allocating function with its line and the
 * callers that most of its figure came through, if the place's figures reach the rule's limits. A sentence never
 * guesses. It says which figures are computed or estimated, and leaves out what is unknown. mp_rules lists all rules.
 * The file of each rule has its limits and its explanation, which mprof-findings(1) repeats word for word.
 *
 *     struct mp_findings *findings = mp_findings_new(view, &(struct mp_findings_options){.most = 7});
 *     for (uint32_t i = 0; i < findings->n; i++)
 *         ... findings->list[i].text ...
 *     mp_findings_free(findings);
 */
#ifndef MP_FINDINGS_H
#define MP_FINDINGS_H

#include "reporter/graph/node_chain.h"
#include "reporter/profile/profile.h"
#include "reporter/view/filter.h"
#include "reporter/view/view.h"

enum mp_finding_unit {
    MP_IN_BYTES, MP_IN_BLOCKS, MP_IN_PERMILLE, MP_IN_NANOSECONDS, MP_IN_COUNT
};

/* A figure that must be reached before a rule reports anything. */
struct mp_limit {
    uint64_t value;
    enum mp_finding_unit unit;
    const char *text;           /* human-readable, with %s for the value: "at least %s are kept" */
};

/* Rules of one family describe the same fault in different ways. Only the first rule of a family in the table reports
 * a given place. */
enum mp_rule_family {
    MP_RULES_KEEPERS,           /* roots that keep memory alive */
    MP_RULES_HELD,              /* memory that stays allocated */
    MP_RULES_MADE,              /* avoidable allocations */
    MP_RULES_FAULTS,            /* faults in any amount */
    MP_RULES_SHAPE              /* blocks with more overhead than content */
};

/* The views that a rule applies to. In these views its figures are known and have the same meaning. */
enum mp_rule_of {
    MP_OF_ALL = 1,              /* a whole recording */
    MP_OF_TIME = 2,             /* what happened between two points in time, see window.h */
    MP_OF_MOMENT = 4            /* what was alive at one point in time */
};

struct mp_facts;
struct mp_candidate_place;

/* A rule either has `is` and `say`, which are called for each place, or `find`, which looks for findings by itself. */
struct mp_rule {
    const char *key;            /* machine-readable name: a-z and -, unique */
    const char *title;          /* human-readable */
    enum mp_rule_family family;
    unsigned of;                /* set of enum mp_rule_of */
    const char *about;          /* explanation in the manual: what the rule looks for, and what it cannot know */
    const struct mp_limit *limits;
    size_t n_limits;
    bool apart;                 /* its allocations are counted by no other rule with this flag, so that both may report
                                   the same function */
    bool objects;               /* `is` and `say` get places of objects, not of blocks */
    bool (*is)(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place);
    void (*say)(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place);
    void (*find)(struct mp_facts *facts, const struct mp_rule *rule);       /* NULL if the rule has `is` and `say` */
};

/* All rules, in the order of the manual. */
extern const struct mp_rule *const mp_rules[];
extern const size_t mp_n_rules;

/* One of the numbers in a finding's sentences. */
struct mp_finding_figure {
    const char *key;            /* machine-readable name: a-z and _, unique within the finding */
    enum mp_finding_unit unit;
    uint64_t number;
};

#define MP_FINDING_FIGURES 8u

/* A further place of a finding. */
struct mp_finding_place {
    const char *function;
    const char *call;           /* function with its line, as in chains */
};

struct mp_finding {
    const struct mp_rule *rule;
    const char *text;           /* human-readable sentences */
    struct mp_finding_figure figures[MP_FINDING_FIGURES];
    uint32_t n_figures;
    uint32_t permille;          /* affected share of the whole */
    uint32_t rank;              /* findings are sorted by it; usually the same share */
    const char *function;       /* name of the function to look at, as in the view */
    const char *const *calls;   /* texts of the chain to the function, outermost first, with lines if known */
    uint32_t n_calls;           /* number of calls */
    struct mp_calls chain;      /* the same chain as calls; its flag `whole` is false if the outermost call has
                                 * several callers */
    const struct mp_finding_place *also;
    uint32_t n_also;            /* number of further places, which other rules of the family do not report again */
    uint32_t context;           /* a context of the view that the finding is about */
    uint32_t depth;             /* number of frames from that context's end up to the first of CALLS */
    enum mp_sort sort;          /* main figure of the finding */
    const char *command;        /* shell command that shows more */
};

struct mp_findings {
    struct mp_finding *list;    uint32_t n;     /* sorted by share, largest first */
    uint32_t left_out;          /* number of findings beyond the requested maximum */
    bool estimated;             /* true if the recording was sampled and all figures are estimates */
    const char *nothing;        /* sentence to show if there are no findings; never NULL */
    const char *caveat;         /* a sentence that explains why figures may be incomplete, or NULL */
    struct mp_profile *view;    /* the view, if it was created for the findings; else NULL */
    struct mp_tree *tree;       /* the tree of the view, if it was created for the findings; else NULL */
    struct mp_arena *arena;     /* owns all of the above except the rules, the view and the tree */
};

#define MP_FINDINGS_MOST 7u     /* default maximum: as many as people read */

/* A root that holds much memory in the last snapshot of the heap taken during the recording. */
struct mp_held {
    const char *root;           /* name of the root */
    const char *command;        /* shell command that shows more */
    uint64_t number;            /* number of the snapshot */
    uint64_t retained, whole;   /* bytes that this root alone retains, and bytes that all roots hold */
    const char *type;           /* the type that accounts for most of the retained bytes, and the number of its
                                 * objects */
    uint64_t type_objects;
    const char *function;       /* the function that allocated most of the retained bytes, and its bytes */
    uint64_t allocated;
    uint64_t before_number, before;     /* number of the first snapshot and the bytes retained then; number 0 if there
                                         * is only one snapshot */
};

/* A chain of blocks that a search for leaks found to be lost. */
struct mp_lost {
    const char *const *functions;       uint32_t n;     /* names of its functions, innermost first */
    uint64_t blocks, bytes;
};

struct mp_findings_options {
    uint32_t most;              /* maximum number of findings; 0 for all */
    const struct mp_held *held; /* roots that heap snapshots report, see heap_held.h */
    uint32_t n_held;
    const struct mp_lost *lost; /* chains of lost blocks, see reporter/verdict/lost.h */
    uint32_t n_lost;
    const char *file;           /* file to name in commands; NULL if they find it by default */
    bool paths;                 /* name source files by their whole paths */
    enum mp_frames frames;      /* the names that the user wants in commands; set by mp_findings_of() */
    const struct mp_profile *recorded;  /* the recording that the view shows, or NULL if the view is a part of it; set
                                           by mp_findings_of() */
    const struct mp_profile *view;      /* for mp_findings_of(): the view that WANTED and FILTERS describe, or NULL. It
                                           is used if it has all frames and lines */
    struct mp_tree *tree;       /* a tree of the view, which is used if it has lines (mp_tree_suits()); or NULL */
};

/* Applies all rules to VIEW, which is a symbolised profile or a view of one. VIEW should have all frames
 * (MP_FRAMES_ALL), because rules of Lisp need the runtime's frames. The findings refer to names in VIEW, which must
 * outlive them. The caller frees the result with mp_findings_free(). */
struct mp_findings *mp_findings_new(const struct mp_profile *view,
                                    const struct mp_findings_options *options);

/* Creates the view of the symbolised PROFILE that WANTED and FILTERS describe, but with all frames and lines, and
 * returns its findings, which refer to names in OPTIONS->view if that is set. FILTERS may be NULL. If the view cannot
 * be created, returns NULL and sets *ERROR. */
struct mp_findings *mp_findings_of(const struct mp_profile *profile,
                                   const struct mp_view_options *wanted,
                                   const struct mp_filters *filters,
                                   const struct mp_findings_options *options,
                                   struct mp_error *error);
void mp_findings_free(struct mp_findings *findings);

/* Returns the first sentence of FINDING's text, with its full stop, in ARENA. */
const char *mp_finding_sentence(const struct mp_finding *finding, struct mp_arena *arena);

/* Returns a sentence, in ARENA, that says how many contexts of the symbolised PROFILE --fold-recursion would save, or
 * NULL if they are not many. It takes little time even if there are millions of contexts. */
const char *mp_finding_of_recursion(const struct mp_profile *profile, struct mp_arena *arena);

/* Formats VALUE for human readers, allocated in ARENA: "1,000", "2.5 MB", "10 %". */
const char *mp_finding_number(uint64_t value, enum mp_finding_unit unit, struct mp_arena *arena);

#endif
