/* facts.h -- what rules are given, and how they speak. */
#ifndef MP_FINDINGS_FACTS_H
#define MP_FINDINGS_FACTS_H

#include "findings.h"
#include "places.h"

struct mp_facts {
    const struct mp_profile *view;
    struct mp_tree *tree;       /* with lines */
    struct mp_places blocks, objects;
    struct mp_totals totals;
    uint64_t peak;              /* bytes, of blocks and objects; of a moment, what was alive then */
    const struct mp_held *held;         /* by roots */
    uint32_t n_held;
    const char *file;           /* for commands, as a shell wants it; "": not needed */
    struct mp_findings *findings;
    uint32_t room;
    struct mp_way way;          /* of the last finding, */
    bool runtimes;              /* and its chain ends in a function of the runtime's that is shown */
    struct mp_arena *arena;     /* what the findings do not need */
};

/* A rule has something to say of PLACE, one of PLACES: PART of WHOLE is affected.  The chain is the one
 * that most of what SORT counts goes through.  The caller fills the text, the figures and the command; the
 * finding holds until the next call. */
struct mp_finding *mp_facts_find(struct mp_facts *facts, const struct mp_rule *rule,
                                 const struct mp_places *places, const struct mp_place *place,
                                 enum mp_sort sort, uint64_t part, uint64_t whole);

/* The same of all there is, with CALLS as the chain, which the view need not have. */
struct mp_finding *mp_facts_find_calls(struct mp_facts *facts, const struct mp_rule *rule,
                                       const struct mp_calls *calls);

/* One more figure. */
void mp_finding_figure(struct mp_finding *finding, const char *key, enum mp_finding_unit unit,
                       uint64_t number);

/* `mprof report OPTIONS`, of FINDING's function, and of the view's part of the time. */
void mp_facts_command(const struct mp_facts *facts, struct mp_finding *finding, const char *options);

/* The same of all functions: of a finding that speaks of several. */
void mp_facts_command_of_all(const struct mp_facts *facts, struct mp_finding *finding, const char *options);

/* FINDING speaks of N more of PLACES, beside the one that it was made for. */
void mp_facts_also(const struct mp_facts *facts, struct mp_finding *finding, const struct mp_places *places,
                   const struct mp_place *const also[], uint32_t n, enum mp_sort sort);

/* For people, in the arena of FACTS: 1,234; 5.6 MB; 12 % of WHOLE. */
const char *mp_facts_blocks(const struct mp_facts *facts, uint64_t number);
const char *mp_facts_bytes(const struct mp_facts *facts, uint64_t bytes);
const char *mp_facts_share(const struct mp_facts *facts, uint64_t part, uint64_t whole);

/* Returns the sizes of the blocks of PLACE, one of PLACES: "of 16 bytes"; "nearly all of 16 bytes" if nine of ten are
 * such, by what SORT counts, which must be what the sentence counts; "of 16 to 40 bytes"; "of several sizes" if they
 * are not known. */
const char *mp_facts_sizes(const struct mp_facts *facts, const struct mp_places *places, const struct mp_place *place,
                           enum mp_sort sort);

/* PART is at least PERMILLE thousandths of WHOLE, or of more than 0. */
bool mp_facts_reaches(uint64_t part, uint64_t whole, uint64_t permille);

/* Is NUMBER as much as limit I of RULE wants?  Is PART as much of WHOLE? */
static inline bool
mp_rule_has(const struct mp_rule *rule, size_t i, uint64_t number)
{
    return number >= rule->limits[i].value;
}

static inline bool
mp_rule_share(const struct mp_rule *rule, size_t i, uint64_t part, uint64_t whole)
{
    return mp_facts_reaches(part, whole, rule->limits[i].value);
}

/* What the function of NODE is called in findings. */
const char *mp_facts_function(const struct mp_places *places, uint32_t node);

/* Did the program end by itself, so that what is kept was not freed? */
bool mp_facts_ended(const struct mp_facts *facts);

#define MP_FINDING_TEXT(facts, finding, ...) \
    ((finding)->text = mp_arena_printf((facts)->findings->arena, __VA_ARGS__))

/* Of a rule: its table of limits. */
#define MP_RULE_LIMITS(table) .limits = (table), .n_limits = sizeof(table) / sizeof *(table)

extern const struct mp_rule
    mp_rule_faulty, mp_rule_held, mp_rule_grows, mp_rule_grew, mp_rule_kept, mp_rule_tenured, mp_rule_phase,
    mp_rule_churn, mp_rule_boxed, mp_rule_bignums, mp_rule_rest, mp_rule_builtin, mp_rule_dispatch,
    mp_rule_fleeting, mp_rule_tiny, mp_rule_rounded, mp_rule_across, mp_rule_steps, mp_rule_young,
    mp_rule_sparse;

#endif
