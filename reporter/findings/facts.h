/* SPDX-License-Identifier: MIT */
/* facts.h -- the input of the rules of findings, and the functions by which a rule reports a finding. */
#ifndef MP_FINDINGS_FACTS_H
#define MP_FINDINGS_FACTS_H

#include "findings.h"
#include "places.h"

#define MP_LEAST_UNUSED 16000000u       /* bytes beyond all blocks that are worth a finding */

struct mp_facts {
    const struct mp_profile *view;
    const struct mp_profile *recorded;  /* the recording that VIEW shows; NULL if VIEW is a part, or if the recording
                                         * is unknown */
    const char *recursion;      /* what mp_finding_of_recursion() says of `recorded`, or NULL */
    struct mp_tree *tree;       /* built with lines */
    struct mp_places blocks, objects;
    struct mp_totals totals;
    uint64_t peak;              /* bytes of blocks and objects at the peak; for a view of one point in time, the bytes
                                 * alive then */
    const uint64_t *most;       /* by place of blocks: the most bytes that were live at any counted point; NULL if
                                   there are few such points */
    const struct mp_candidate_place **turned;   /* places whose blocks die soon, those with the largest cost first; NULL
                                                   until rules_turnover.c has listed them */
    uint32_t n_turned;
    bool little;                /* all blocks and objects together cost little time and little memory */
    const struct mp_held *held;         /* roots of heap snapshots that hold much memory */
    uint32_t n_held;
    const struct mp_lost *lost;         /* chains of lost blocks */
    uint32_t n_lost;
    const char *file;           /* " FILE" for the printed commands, quoted for a shell; "" if they need no file */
    enum mp_frames frames;      /* names that the printed commands show */
    struct mp_findings *findings;
    uint32_t room;
    const struct mp_lisp_causes *lisp;  /* why the program makes objects, see rules_lisp.c; NULL before that is known */
    struct mp_way way;          /* chain of the newest finding */
    bool runtimes;              /* whether the newest finding's chain shows functions of the runtime, called by
                                 * way.user */
    struct mp_arena *arena;     /* owns temporary data that the findings do not keep */
};

/* Adds a finding of RULE about PLACE, which belongs to PLACES. The finding affects PART of WHOLE. Its chain is the
 * one that most of SORT's figure went through. The caller fills in the text, the figures and the command. The
 * returned pointer is valid until the next finding is added. */
struct mp_finding *mp_facts_find(struct mp_facts *facts, const struct mp_rule *rule,
                                 const struct mp_places *places, const struct mp_candidate_place *place,
                                 enum mp_sort sort, uint64_t part, uint64_t whole);

/* Adds a finding about the whole program with CALLS as its chain, which need not occur in the view and may
 * be empty. */
struct mp_finding *mp_facts_find_calls(struct mp_facts *facts, const struct mp_rule *rule,
                                       const struct mp_calls *calls);

/* Adds a figure to FINDING. Figures beyond MP_FINDING_FIGURES are dropped. */
void mp_finding_figure(struct mp_finding *finding, const char *key, enum mp_finding_unit unit,
                       uint64_t number);

/* Sets the finding's command to `mprof report OPTIONS`, restricted to its function and to the view's part of the
 * time. */
void mp_facts_command(const struct mp_facts *facts, struct mp_finding *finding, const char *options);

/* Sets the finding's command like mp_facts_command(), but not restricted to a function. Used by findings about
 * several functions. */
void mp_facts_command_of_all(const struct mp_facts *facts, struct mp_finding *finding, const char *options);

/* Adds N more places of PLACES to FINDING, besides the one that it was created for. */
void mp_facts_also(const struct mp_facts *facts, struct mp_finding *finding, const struct mp_places *places,
                   const struct mp_candidate_place *const also[], uint32_t n, enum mp_sort sort);

/* Format a value for human readers, allocated in the arena of FACTS: "1,234", "5.6 MB" for the size of a block,
 * "12 %" of WHOLE. */
const char *mp_facts_blocks(const struct mp_facts *facts, uint64_t number);
const char *mp_facts_size(const struct mp_facts *facts, uint64_t bytes);
const char *mp_facts_share(const struct mp_facts *facts, uint64_t part, uint64_t whole);

/* Returns a placeholder for BYTES. mp_facts_units() replaces it when the whole sentence is known, so that all amounts
 * of a sentence have the same unit. */
const char *mp_facts_bytes(const struct mp_facts *facts, uint64_t bytes);

/* Returns the end of the first sentence in TEXT, which follows its full stop. */
const char *mp_facts_sentence_end(const char *text);

/* Returns TEXT, in ARENA, with the placeholders of mp_facts_bytes() replaced: "0.9 MB of 1.2 MB". */
const char *mp_facts_units(const char *text, struct mp_arena *arena);

/* Describes the block sizes of PLACE, which belongs to PLACES: "of 16 bytes", "of 16 to 40 bytes", or "of several
 * sizes" if the sizes are unknown. Returns "nearly all of 16 bytes" if 90 % of the figure SORT belong to one size.
 * SORT must be the figure that the sentence mentions. */
const char *mp_facts_sizes(const struct mp_facts *facts, const struct mp_places *places,
                           const struct mp_candidate_place *place, enum mp_sort sort);

/* Returns the weight of PLACE for RULE. It is 0 if the rule does not consider the place. */
typedef uint64_t mp_place_weight(const struct mp_facts *facts, const struct mp_rule *rule,
                                 const struct mp_candidate_place *place);

/* Stores the places of blocks with the largest weights in TOPS, at most MOST of them, heaviest first. Returns their
 * number. */
uint32_t mp_facts_heaviest(const struct mp_facts *facts, const struct mp_rule *rule, mp_place_weight *weight,
                           const struct mp_candidate_place *tops[], uint32_t most);

/* Returns the size that accounts for at least 90 % of the figure SORT at PLACE, or 0. */
uint32_t mp_facts_usual_size(const struct mp_places *places, const struct mp_candidate_place *place, enum mp_sort sort);

/* Returns the bytes that glibc's malloc takes from the heap for a block of SIZE bytes on 64-bit machines. The program
 * can use max(24, ((SIZE + 8 + 15) & ~15) - 8) of them, and the header has 8. */
uint64_t mp_facts_malloc_takes(uint64_t size);

/* Returns the estimated time in ns that malloc, free and the first use of the bytes take. If realloc enlarged a block
 * in place, the block's old bytes are not counted again. */
#define MP_NS_OF_BLOCK 60u
#define MP_BYTES_OF_BLOCK 600u  /* number of bytes whose first use takes as long as malloc and free of a block */
uint64_t mp_facts_cost(const struct mp_counts *counts);

/* Returns whether PART is nonzero and at least PERMILLE/1000 of WHOLE. */
bool mp_facts_reaches(uint64_t part, uint64_t whole, uint64_t permille);

/* mp_rule_has() returns whether NUMBER reaches limit I of RULE. mp_rule_share() returns whether the share of PART in
 * WHOLE reaches limit I, which is in permille. */
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

/* Returns the name that findings use for the function of NODE: the language's name, without its place in the source, or
 * else the name of its symbol. */
const char *mp_facts_function(const struct mp_tree *tree, uint32_t node);

/* Returns the text of NODE's function as in chains, with its line if that is known. The text is in ARENA. */
const char *mp_facts_call(const struct mp_tree *tree, uint32_t node, struct mp_arena *arena);

/* Returns true if the program ended by exit() and its recording is intact. Only then were kept blocks really not
 * freed. */
bool mp_facts_ended(const struct mp_facts *facts);

#define MP_FINDING_TEXT(facts, finding, ...) \
    ((finding)->text = mp_arena_printf((facts)->findings->arena, __VA_ARGS__))

/* Initializes a rule's limits from the array TABLE. */
#define MP_RULE_LIMITS(table) .limits = (table), .n_limits = sizeof(table) / sizeof *(table)

/* The rules in the order of the manual. In a family, the first rule that fires reports a place. */
#define MP_EACH_RULE(RULE)                                                                                      \
    RULE(faulty) RULE(overrun) RULE(held) RULE(lost) RULE(grows) RULE(grew) RULE(kept) RULE(cached)             \
    RULE(tenured) RULE(phase) RULE(steps) RULE(copied) RULE(pulse) RULE(again) RULE(churn) RULE(regex)          \
    RULE(threads) RULE(foreign) RULE(conditions) RULE(format) RULE(tables) RULE(streams) RULE(dispatch)         \
    RULE(types) RULE(rest) RULE(builtin) RULE(recopied) RULE(regrown) RULE(closures) RULE(boxed) RULE(bignums)  \
    RULE(evaluated) RULE(prepared) RULE(fleeting) RULE(tiny) RULE(rounded) RULE(sparse) RULE(across)            \
    RULE(spread) RULE(peak) RULE(resident) RULE(contexts)
#define MP_DECLARE_RULE(name) extern const struct mp_rule mp_rule_##name;
MP_EACH_RULE(MP_DECLARE_RULE)

#endif
