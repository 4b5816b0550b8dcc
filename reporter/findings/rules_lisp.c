/* SPDX-License-Identifier: MIT */
/*
 * Rules that find why a Lisp program conses, by what the runtime did between a function of the program and the object.
 *
 * CAUSES is the table of all causes. The objects of one chain and type belong to the first cause that takes them. The
 * objects of one cause that one function of the program is responsible for make one finding. Numbers of calls are not
 * recorded. So a cause counts its units instead: objects of which each call makes exactly one.
 */
#include <string.h>

#include "facts.h"
#include "lisp_calls.h"
#include "reporter/base/map.h"
#include "reporter/profile/collections.h"

enum { UNITS, BYTES, SHARE, NUMBER };

#define NUMBER_BYTES 20u        /* minimum part of all bytes, per mille, of objects reported for their number */

/* The objects of a cause that one function of the program is responsible for. */
struct group {
    const struct mp_places *places;
    const struct mp_candidate_place *place;
    uint64_t bytes, objects, units;
    uint64_t strings;           /* calls of FORMAT that made a string */
    uint64_t parsing;           /* bytes that FORMAT allocated to parse its control string */
    uint64_t alive;             /* bytes at the peak */
    const char *what;           /* function that the program's function called, or "" */
    bool in_instance;           /* the program's function called MAKE-INSTANCE */
};

struct cause;

/* All causes of a view, computed once. */
struct mp_lisp_causes {
    const struct mp_lisp_calls *calls;
    uint8_t *cause;             /* by cell: 1 + index of its cause, or 0 */
    uint64_t bytes, objects;    /* sums over all objects that functions of the program are responsible for */
    uint64_t kept;              /* number of these objects that were alive after a collection */
    uint64_t extension;         /* bytes for tables that grew */
    uint64_t conses;
};

struct cause {
    const struct mp_rule *rule;
    /* Returns the node that is responsible for CELL of NODE, or 0 if the cause does not take CELL. If `owner` is NULL,
     * the cause takes the objects made in calls of the runtime's functions that are marked with BELOW (MP_BELOW_...)
     * or, if `below` is 0, in calls of LIBRARY. */
    uint32_t (*owner)(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell);
    unsigned below;
    enum mp_lisp_library library;
    /* Units are the objects of type UNIT, or those in cells for which IS_UNIT returns true. If both are NULL, all
     * objects are units. */
    const char *unit;
    bool (*is_unit)(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell);
    bool by_callee;             /* each function that the program's function called has a group of its own */
    /* Returns whether GROUP is a fault. NULL if every group is. */
    bool (*is_fault)(const struct mp_facts *facts, const struct group *group);
    /* Returns what the function does, without the figures that all sentences end with. */
    const char *(*say)(const struct mp_facts *facts, const struct group *group);
    const char *remedy;         /* what to do instead; NULL if remedy_of() returns it for each group */
    const char *(*remedy_of)(const struct group *group);
};

/* ---------------------------------------------------------------- objects */

static bool
is_of(const struct mp_lisp_calls *calls, const struct mp_cell *cell, const char *kind)
{
    const struct mp_object_kind *of = mp_profile_kind(calls->tree->profile, cell->kind);

    return of && strcmp(of->name, kind) == 0;
}

static bool
is_stream(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    return is_of(calls, cell, "STREAM") && calls->below[node] & MP_BELOW_STREAM;
}

static bool
is_one_of(const char *name, const char *const *list)
{
    while (*list && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

/* Returns whether the program's function called one of the runtime's functions in LIST, which ends with NULL. */
static bool
calls_one_of(const struct mp_lisp_calls *calls, uint32_t node, const char *const *list)
{
    const uint32_t direct = calls->direct[node];
    const struct mp_name *name = direct ? mp_tree_name(calls->tree, direct) : NULL;

    return name && name->builtin && is_one_of(name->name, list);
}

/* ---------------------------------------------------------------- texts */

#define SAY(...) mp_arena_printf(facts->arena, __VA_ARGS__)

static const char *
times(const struct mp_facts *facts, uint64_t n)
{
    return SAY("%s times", mp_facts_blocks(facts, n));
}

/* Returns ", 16.5 kB each". */
static const char *
each(const struct mp_facts *facts, const struct group *group)
{
    return SAY(", %s each", mp_facts_size(facts, group->bytes / (group->units ? group->units : 1)));
}

/* ---------------------------------------------------------------- libraries */

static const char *
say_regex(const struct mp_facts *facts, const struct group *group)
{
    return SAY("has a regular expression compiled %s%s", times(facts, group->units), each(facts, group));
}

/* Returns whether at most a third of the threads' memory was alive at the peak. Threads that live at the same time may
 * all be needed, so they are no fault. */
static bool
is_fault_threads(const struct mp_facts *facts, const struct group *group)
{
    return facts->view->meta.unknown == 0 && group->alive <= group->bytes / 3;
}

static const char *
say_threads(const struct mp_facts *facts, const struct group *group)
{
    return SAY("starts %s threads, for each of which ECL allocates %s", mp_facts_blocks(facts, group->units),
               mp_facts_size(facts, group->bytes / group->units));
}

static const char *
say_foreign(const struct mp_facts *facts, const struct group *group)
{
    return SAY("looks up the name of a foreign function %s%s, as each call by name and each function of DEFCFUN does",
               times(facts, group->units), each(facts, group));
}

static uint32_t
owner_prepared(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    const uint32_t owner = calls->beyond[MP_LIBRARY_PREPARED][node];
    const struct mp_name *name = owner ? mp_tree_name(calls->tree, owner) : NULL;

    (void)cell;
    return name && !mp_lisp_is_nameless(name->name) && strncmp(name->name, "top-level", 9) != 0 ? owner : 0;
}

static bool
is_fault_prepared(const struct mp_facts *facts, const struct group *group)
{
    return mp_facts_reaches(group->bytes, facts->lisp->bytes, 500);
}

static const char *
say_calls(const struct mp_facts *facts, const struct group *group)
{
    return SAY("calls %s, which made %s objects", group->what, mp_facts_blocks(facts, group->objects));
}

/* ---------------------------------------------------------------- operations of the runtime */

/* Returns whether the objects of CELL are instances that the program asked for, not those that describe classes. */
static bool
is_instance(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    const struct mp_object_kind *of = mp_profile_kind(calls->tree->profile, cell->kind);

    return (calls->below[node] & (MP_BELOW_INSTANCE | MP_BELOW_DISPATCH | MP_BELOW_PROTOTYPE)) == MP_BELOW_INSTANCE &&
           of && strncmp(of->name, "CLOS:", 5) != 0 && strncmp(of->name, "STANDARD-", 9) != 0;
}

static const char *
say_condition(const struct mp_facts *facts, const struct group *group)
{
    return SAY("makes %s conditions%s", mp_facts_blocks(facts, group->units), each(facts, group));
}

/* Returns whether CELL has string streams that FORMAT itself made to return a string. */
static bool
is_stream_of_format(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    const struct mp_tree *tree = calls->tree;
    uint32_t at = node;

    if (!is_stream(calls, node, cell))
        return false;
    while (at != calls->direct[node] && (!mp_tree_name(tree, at) ||
                                         strstr(mp_tree_name(tree, at)->name, "STRING-OUTPUT-STREAM")))
        at = tree->nodes[at].parent;
    return at == calls->direct[node];
}

static bool
is_fault_format(const struct mp_facts *facts, const struct group *group)
{
    (void)facts;
    return group->strings >= 100 || mp_facts_reaches(group->parsing, group->bytes, 200);
}

static const char *
say_format(const struct mp_facts *facts, const struct group *group)
{
    const char *parsing = mp_facts_share(facts, group->parsing, group->bytes);
    const bool parses = mp_facts_reaches(group->parsing, group->bytes, 10);

    if (group->strings == 0)
        return SAY("calls FORMAT, which parses its control string each time, by %s of its memory", parsing);
    return SAY("calls FORMAT %s to make a string, %s each%s%s%s", times(facts, group->strings),
               mp_facts_size(facts, group->bytes / group->strings),
               parses ? "; " : "", parses ? parsing : "", parses ? " of it to parse the control string each time" : "");
}

static const char *
remedy_format(const struct group *group)
{
    return group->strings > 0 ? "a stream that the caller passes, which needs no string stream for each call, and "
                              "(formatter \"...\"), which is parsed by the compiler"
                            : "(formatter \"...\"), which is parsed by the compiler, or WRITE-STRING and PRINC";
}

static uint32_t
owner_tables(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    return is_of(calls, cell, "HASH-TABLE") && calls->below[node] & MP_BELOW_TABLE ? calls->user[node] : 0;
}

#define DEFAULT_ENTRIES 1024u   /* number of entries of a table that is made without a size; an entry has 16 bytes */

/* Returns whether the tables have the default size, and few tables of the program grew. */
static bool
is_fault_tables(const struct mp_facts *facts, const struct group *group)
{
    const uint64_t mean = group->bytes / (group->units ? group->units : 1);

    return mean >= DEFAULT_ENTRIES * 16 && mean < DEFAULT_ENTRIES * 16 + 1000 &&
           facts->lisp->extension < group->bytes / 4;
}

static const char *
say_tables(const struct mp_facts *facts, const struct group *group)
{
    return SAY("makes %s hash tables%s with room for 1,024 entries, the default%s",
               mp_facts_blocks(facts, group->units), group->in_instance ? " in MAKE-INSTANCE" : "", each(facts, group));
}

static const char *
say_streams(const struct mp_facts *facts, const struct group *group)
{
    const bool itself = strstr(group->what, "STRING-OUTPUT-STREAM") || strstr(group->what, "STRING-INPUT-STREAM");

    return SAY("%s%s%smakes a string stream %s%s", itself ? "" : "calls ", itself ? "" : group->what,
               itself ? "" : " and so ", times(facts, group->units), each(facts, group));
}

static const char *
remedy_streams(const struct group *group)
{
    return strstr(group->what, "READ") || strstr(group->what, "INPUT")
               ? "one stream that is read to its end, or PARSE-INTEGER, which needs no stream"
               : "one stream that the caller passes";
}

static const char *
say_dispatch(const struct mp_facts *facts, const struct group *group)
{
    return SAY("calls generic functions that made %s objects while they looked for their methods",
               mp_facts_blocks(facts, group->objects));
}

static const char *
say_types(const struct mp_facts *facts, const struct group *group)
{
    return SAY("calls TYPEP, which makes the type anew from its definition each time: %s objects",
               mp_facts_blocks(facts, group->objects));
}

/* Functions of the runtime that allocate a list of their arguments, and that a program can avoid. */
static const char *const avoidable_lists[] = {"AREF", "BIT", "SBIT", "SI:ASET", NULL};

static uint32_t
owner_rest(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    const struct mp_name *direct = calls->direct[node] ? mp_tree_name(calls->tree, calls->direct[node]) : NULL;

    if (!is_of(calls, cell, "CONS") || !(calls->below[node] & MP_BELOW_REST))
        return 0;
    return !direct || calls_one_of(calls, node, avoidable_lists) || strstr(direct->name, "MAKE-INSTANCE")
               ? calls->user[node] : 0;
}

static const char *
say_rest(const struct mp_facts *facts, const struct group *group)
{
    if (*group->what)
        return SAY("calls %s, which takes its arguments as a list: %s conses", group->what,
                   mp_facts_blocks(facts, group->objects));
    return SAY("takes arguments as a &rest list: %s conses for such lists", mp_facts_blocks(facts, group->objects));
}

static const char *
remedy_rest(const struct group *group)
{
    if (!*group->what)
        return "required and &optional parameters, which make none";
    return strstr(group->what, "INSTANCE") ? "a structure, which needs no list, or fewer initargs"
                                           : "ROW-MAJOR-AREF, which takes no list";
}

/* Functions that do not return a list that they created, so their conses are temporary. */
static const char *const no_lists[] = {
    "EVERY", "SOME", "NOTEVERY", "NOTANY", "REDUCE", "FIND", "FIND-IF", "POSITION", "POSITION-IF",
    "COUNT", "COUNT-IF", "SEARCH", "MISMATCH", "FILL", "REPLACE", "MAP-INTO", "ELT", "LENGTH", "AREF",
    "BIT", "SBIT", "SVREF", "GETHASH", "STRING=", "EQUALP", NULL,
};

static uint32_t
owner_builtin(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    return is_of(calls, cell, "CONS") && calls_one_of(calls, node, no_lists) ? calls->user[node] : 0;
}

static const char *
say_builtin(const struct mp_facts *facts, const struct group *group)
{
    return SAY("calls %s, which conses although it returns no list: %s conses", group->what,
               mp_facts_blocks(facts, group->objects));
}

/* ---------------------------------------------------------------- copies */

static const char *const list_copiers[] = {
    "APPEND", "REMOVE", "REMOVE-IF", "REMOVE-IF-NOT", "DELETE-DUPLICATES", "REMOVE-DUPLICATES", "UNION", "BUTLAST",
    "SUBSTITUTE", "SET-DIFFERENCE", "ADJOIN", NULL,
};

static uint32_t
owner_copied(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    return is_of(calls, cell, "CONS") && calls_one_of(calls, node, list_copiers) ? calls->user[node] : 0;
}

#define COPIES          10u     /* minimum ratio of copied conses to all others of the program */
#define COPIES_OF_OWN   100u    /* minimum ratio of copied conses to those that the function makes otherwise */

/* Returns the number of conses that the function of GROUP makes otherwise. */
static uint64_t
other_conses(const struct mp_facts *facts, const struct group *group)
{
    const struct mp_tree *tree = facts->tree;
    const struct mp_lisp_calls *calls = facts->lisp->calls;
    const uint32_t function = mp_tree_function(tree, group->places->owner[group->place->first]);
    uint64_t sum = 0;

    for (uint32_t node = 1; node < tree->n_nodes; node++) {
        if (!calls->user[node] || mp_tree_function(tree, calls->user[node]) != function)
            continue;
        for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++) {
            const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];

            if (is_of(calls, cell, "CONS") && !group->places->takes(group->places, node, cell))
                sum = mp_plus(sum, cell->counts.allocs);
        }
    }
    return sum;
}

/* A list has no more conses than were made to build it. So a function whose copies have COPIES times as many conses as
 * all other objects together copies lists again and again. A function whose copies have COPIES_OF_OWN times as many
 * conses as it makes otherwise adds few conses to long lists and copies these each time. */
static bool
is_fault_copied(const struct mp_facts *facts, const struct group *group)
{
    const uint64_t others = facts->lisp->conses > group->objects ? facts->lisp->conses - group->objects : 0;
    const uint64_t own = other_conses(facts, group);

    return group->objects / COPIES >= others || (own > 0 && group->objects / COPIES_OF_OWN >= own);
}

static const char *
say_copied(const struct mp_facts *facts, const struct group *group)
{
    const uint64_t own = other_conses(facts, group);
    const char *all = mp_facts_blocks(facts, group->objects);

    if (own == 0)
        return SAY("calls %s, which copies lists: %s conses", group->what, all);
    return SAY("calls %s, which copies lists: %s conses, %s times as many as the function makes otherwise", group->what,
               all, mp_facts_blocks(facts, group->objects / own));
}

static const char *
remedy_copied(const struct group *group)
{
    if (strcmp(group->what, "APPEND") == 0)
        return "PUSH and one NREVERSE, or LOOP COLLECT, which copy nothing";
    if (strncmp(group->what, "REMOVE", 6) == 0)
        return "DELETE, which copies nothing, if nobody else uses the list, or one pass for all elements";
    return "a hash table or a list that is changed in place";
}

static const char *const array_copiers[] = {
    "CONCATENATE", "SUBSEQ", "ADJUST-ARRAY", "VECTOR-PUSH-EXTEND", "SI:BASE-STRING-CONCATENATE", NULL,
};

static uint32_t
owner_regrown(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    const struct mp_object_kind *of = mp_profile_kind(calls->tree->profile, cell->kind);

    return of && of->category == 's' && calls_one_of(calls, node, array_copiers) ? calls->user[node] : 0;
}

#define LARGE 512u              /* mean size of a copy that costs more than a call, bytes */

static bool
is_fault_regrown(const struct mp_facts *facts, const struct group *group)
{
    (void)facts;
    return group->bytes / group->objects >= LARGE;
}

static const char *
say_regrown(const struct mp_facts *facts, const struct group *group)
{
    return SAY("calls %s, which made %s copies%s", group->what, mp_facts_blocks(facts, group->objects),
               each(facts, group));
}

static const char *
remedy_regrown(const struct group *group)
{
    if (strcmp(group->what, "CONCATENATE") == 0)
        return "one string stream to which the parts are written, if each result is an argument of the next call";
    return strcmp(group->what, "SUBSEQ") == 0 ? "indices into one sequence (:start, :end), if the copies are only read"
                                              : "an array that grows by a factor and not by a constant";
}

/* ---------------------------------------------------------------- objects of compiled code */

static uint32_t
owner_closures(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    return is_of(calls, cell, "CLOSURE") && !calls->direct[node] ? calls->user[node] : 0;
}

static const char *
say_closures(const struct mp_facts *facts, const struct group *group)
{
    return SAY("makes %s closures%s", mp_facts_blocks(facts, group->units), each(facts, group));
}

/* Functions that compute numbers from numbers. Others, such as READ, make numbers that the program keeps. */
static const char *const arithmetic[] = {
    "+", "-", "*", "/", "1+", "1-", "ABS", "ACOS", "ASH", "ASIN", "ATAN", "BOOLE", "CEILING", "COERCE", "COS", "COSH",
    "EXP", "EXPT", "FFLOOR", "FLOAT", "FLOOR", "GCD", "ISQRT", "LCM", "LDB", "LOG", "LOGAND", "LOGIOR", "LOGXOR", "MAX",
    "MIN", "MOD", "RANDOM", "REM", "ROUND", "SIN", "SINH", "SQRT", "TAN", "TANH", "TRUNCATE", NULL,
};

static uint32_t
owner_number(const struct mp_lisp_calls *calls, uint32_t node)
{
    return !calls->direct[node] || calls_one_of(calls, node, arithmetic) ? calls->user[node] : 0;
}

static uint32_t
owner_boxed(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    const struct mp_object_kind *of = mp_profile_kind(calls->tree->profile, cell->kind);

    return of && of->category == 'f' ? owner_number(calls, node) : 0;
}

/* Returns whether most of the numbers died, or whether that is unknown because the view is a part of the time. Numbers
 * that stay alive are the program's data and no fault. */
static bool
is_fault_number(const struct mp_facts *facts, const struct group *group)
{
    const struct mp_counts *c = &group->place->counts;

    return facts->view->window || !mp_facts_reaches(c->kept_blocks, c->frees + c->kept_blocks, 500);
}

static const char *
say_boxed(const struct mp_facts *facts, const struct group *group)
{
    return SAY("makes %s floats that are objects of their own", mp_facts_blocks(facts, group->units));
}

static uint32_t
owner_bignums(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    return is_of(calls, cell, "BIGNUM") ? owner_number(calls, node) : 0;
}

/* Returns the operations of GROUP: "by * and +", or "". */
static const char *
operations(const struct mp_facts *facts, const struct group *group)
{
    const struct mp_lisp_calls *calls = facts->lisp->calls;
    const char *names[3] = {NULL};
    size_t n = 0;

    for (uint32_t node = group->place->first; node != MP_NO_ID; node = group->places->next[node]) {
        const uint32_t direct = calls->direct[node];
        const char *name = direct ? mp_lisp_calls_name(facts->tree, direct, facts->arena) : NULL;

        if (!name || mp_places_basic(group->places, node).allocs * 10 < group->objects)
            continue;
        for (size_t i = 0; i < n && name; i++)
            name = strcmp(names[i], name) == 0 ? NULL : name;
        if (name && n < 3)
            names[n++] = name;
    }
    return n == 0 ? "" : SAY(" by %s%s%s%s%s", names[0], n == 3 ? ", " : n == 2 ? " and " : "", n > 1 ? names[1] : "",
                             n == 3 ? " and " : "", n == 3 ? names[2] : "");
}

static const char *
say_bignums(const struct mp_facts *facts, const struct group *group)
{
    return SAY("makes %s bignums%s%s", mp_facts_blocks(facts, group->units), operations(facts, group),
               each(facts, group));
}

static uint32_t
owner_evaluated(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    static const char *const evaluators[] = {"EVAL", "SI:EVAL-WITH-ENV", "COMPILE", NULL};

    (void)cell;
    return calls->below[node] & MP_BELOW_EVAL && calls_one_of(calls, node, evaluators) ? calls->user[node] : 0;
}

static const char *
say_evaluated(const struct mp_facts *facts, const struct group *group)
{
    return SAY("has forms evaluated or compiled while it runs: %s objects", mp_facts_blocks(facts, group->objects));
}

/* ---------------------------------------------------------------- the table */

/*
 * CAUSE(key, title, explanation for the manual, minimum of units, what the units are called in the manual, members of
 * struct cause...)
 */
#define CAUSES(CAUSE)                                                                                                  \
    CAUSE(regex, "Regular expressions compiled again",                                                                 \
          "A Lisp function has CL-PPCRE compile regular expressions.", 50, "such compilations",                        \
          .library = MP_LIBRARY_REGEX, .unit = "CL-PPCRE::LEXER", .say = say_regex,                                    \
          .remedy = "CREATE-SCANNER once for each expression, or a constant string, which is compiled when the "       \
                    "file is loaded")                                                                                  \
    CAUSE(threads, "A thread for each task",                                                                           \
          "A Lisp function starts threads that live only for a short time; for each, ECL allocates its stacks.",       \
          10, "threads",                                                                                               \
          .library = MP_LIBRARY_THREADS, .unit = "PROCESS", .is_fault = is_fault_threads, .say = say_threads,          \
          .remedy = "a few threads that take their work from a queue")                                                 \
    CAUSE(foreign, "Names of foreign functions looked up",                                                             \
          "A Lisp function calls foreign functions by name, which ECL looks up in each call.", 100, "such calls",      \
          .library = MP_LIBRARY_FOREIGN, .unit = "FOREIGN-DATA", .say = say_foreign,                                   \
          .remedy = "FOREIGN-FUNCALL-POINTER with a pointer that was looked up once")                                  \
    CAUSE(conditions, "Conditions for what happens often",                                                             \
          "A Lisp function makes or signals conditions, or calls a function of the runtime that does.",                \
          100, "conditions",                                                                                           \
          .below = MP_BELOW_CONDITION, .is_unit = is_instance, .say = say_condition,                                   \
          .remedy = "a second value for what happens often")                                                           \
    CAUSE(format, "FORMAT again and again",                                                                            \
          "A Lisp function calls FORMAT to make strings, or FORMAT needs a fifth of its memory to parse the control "  \
          "string.", 1000, "objects in FORMAT",                                                                        \
          .below = MP_BELOW_FORMAT, .is_fault = is_fault_format, .say = say_format, .remedy_of = remedy_format)        \
    CAUSE(tables, "Hash tables of default size",                                                                       \
          "A Lisp function makes hash tables without :size, and few tables of the program grow.  How many entries "    \
          "they have is not recorded.", 20, "hash tables",                                                             \
          .owner = owner_tables, .is_fault = is_fault_tables, .say = say_tables,                                       \
          .remedy = "(make-hash-table :size 16), which takes 0.4 kB, for a few entries")                               \
    CAUSE(streams, "String streams for single strings",                                                                \
          "A Lisp function makes string streams, also by PRINC-TO-STRING, READ-FROM-STRING and the like.",             \
          100, "string streams",                                                                                       \
          .below = MP_BELOW_STREAM, .is_unit = is_stream, .by_callee = true, .say = say_streams,                       \
          .remedy_of = remedy_streams)                                                                                 \
    CAUSE(dispatch, "Generic functions that cons",                                                                     \
          "Generic functions make objects when they search for the applicable methods.", 1000, "objects",              \
          .below = MP_BELOW_DISPATCH, .say = say_dispatch,                                                             \
          .remedy = "classes and methods that are defined once, because each change empties the caches of generic "    \
                    "functions")                                                                                       \
    CAUSE(types, "Types expanded while the program runs",                                                              \
          "A Lisp function calls TYPEP, which expands a DEFTYPE each time.", 100, "objects",                           \
          .library = MP_LIBRARY_TYPES, .say = say_types,                                                               \
          .remedy = "a predicate, or a DEFTYPE without parameters, whose expansion is a constant")                     \
    CAUSE(rest, "Argument lists",                                                                                      \
          "A compiled Lisp function has its arguments put into a list by &rest, or it calls MAKE-INSTANCE or a "       \
          "function for arrays of several dimensions that do so.  This is unknown for interpreted functions.", 1000,   \
          "conses of such lists",                                                                                      \
          .owner = owner_rest, .by_callee = true, .say = say_rest, .remedy_of = remedy_rest)                           \
    CAUSE(builtin, "Built-in functions that cons",                                                                     \
          "A Lisp function calls a function of the runtime that conses but returns no list: EVERY, SOME, REDUCE, "     \
          "FIND, AREF and some more.", 1000, "conses",                                                                 \
          .owner = owner_builtin, .by_callee = true, .say = say_builtin,                                               \
          .remedy = "a loop written out, which makes none")                                                            \
    CAUSE(recopied, "Lists copied",                                                                                    \
          "A Lisp function calls APPEND, REMOVE or another function that copies lists.  It fires if that makes ten "   \
          "times as many conses as the rest of the program, so that lists are copied more than once, or a hundred "    \
          "times as many as the function makes otherwise.", 1000, "conses",                                            \
          .owner = owner_copied, .by_callee = true, .is_fault = is_fault_copied, .say = say_copied,                    \
          .remedy_of = remedy_copied)                                                                                  \
    CAUSE(regrown, "Arrays and strings copied again and again",                                                        \
          "A Lisp function calls CONCATENATE, ADJUST-ARRAY, SUBSEQ or the like, and the mean copy has 512 bytes or "   \
          "more.", 100, "copies",                                                                                      \
          .owner = owner_regrown, .by_callee = true, .is_fault = is_fault_regrown, .say = say_regrown,                 \
          .remedy_of = remedy_regrown)                                                                                 \
    CAUSE(closures, "Closures",                                                                                        \
          "A Lisp function makes closures, also as handlers of conditions.", 500, "closures",                          \
          .owner = owner_closures, .say = say_closures,                                                                \
          .remedy = "one closure made outside of the loop; handlers of HANDLER-CASE and HANDLER-BIND are closures, "   \
                    "too")                                                                                             \
    CAUSE(boxed, "Floats as objects",                                                                                  \
          "A Lisp function makes floats that are separate objects instead of numbers in registers, and most of them "  \
          "die.", 1000, "floats",                                                                                      \
          .owner = owner_boxed, .is_fault = is_fault_number, .say = say_boxed,                                         \
          .remedy = "(declare (optimize (safety 0)) (type double-float x)), so that a local variable x of compiled "   \
                    "code holds the number; what is returned, passed to functions or put into lists is an object "     \
                    "all the same")                                                                                    \
    CAUSE(bignums, "Integers as objects",                                                                              \
          "A Lisp function makes integers that are too large for a fixnum, and most of them die.", 100, "bignums",     \
          .owner = owner_bignums, .is_fault = is_fault_number, .say = say_bignums,                                     \
          .remedy = "numbers that each step reduces to a fixnum (MOD, LOGAND), if the result allows it")               \
    CAUSE(evaluated, "Forms compiled while the program runs",                                                          \
          "A Lisp function calls EVAL or COMPILE.", 1000, "objects",                                                   \
          .owner = owner_evaluated, .say = say_evaluated,                                                              \
          .remedy = "a function or closure that is compiled once and called with arguments")                           \
    CAUSE(prepared, "Things prepared again",                                                                           \
          "A Lisp function calls an exported function of a library whose name begins with CREATE- or COMPILE-, which " \
          "makes half of all that the program's functions allocate.", 1000, "objects",                                 \
          .owner = owner_prepared, .by_callee = true, .is_fault = is_fault_prepared, .say = say_calls,                 \
          .remedy = "one call whose result is kept, if the arguments are often the same")

static void find_cause(struct mp_facts *facts, const struct mp_rule *rule);

#define CAUSE_RULE(name, title_, about_, least, units, ...)                                                         \
    static const struct mp_limit limits_##name[] = {                                                                \
        [UNITS] = {least, MP_IN_COUNT, "one function makes at least %s " units},                                    \
        [BYTES] = {20000, MP_IN_BYTES, "they need at least %s"},                                                    \
        [SHARE] = {100, MP_IN_PERMILLE, "that is at least %s of what the program's functions allocate"},            \
        [NUMBER] = {250, MP_IN_PERMILLE, "or at least %s of their number, and 2 % of the bytes"},                     \
    };                                                                                                              \
    const struct mp_rule mp_rule_##name = {                                                                         \
        .key = #name, .title = title_, .family = MP_RULES_MADE, .apart = true, .of = MP_OF_ALL | MP_OF_TIME,        \
        .about = about_, MP_RULE_LIMITS(limits_##name), .find = find_cause};
CAUSES(CAUSE_RULE)

#define CAUSE_ROW(name, title, about, least, units, ...) {.rule = &mp_rule_##name, __VA_ARGS__},
static const struct cause causes[] = {CAUSES(CAUSE_ROW)};
#define N_CAUSES (sizeof causes / sizeof *causes)

#define EXTENDS (uint8_t)(N_CAUSES + 1)         /* in `cause` of a cell: a hash table grew, see find_cached() */

/* ---------------------------------------------------------------- who has which */

static uint32_t
owner_extends(const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    const uint32_t user = calls->user[node];
    const struct mp_name *name = user ? mp_tree_name(calls->tree, user) : NULL;

    (void)cell;
    return name && calls->below[node] & MP_BELOW_EXTENSION && strncmp(name->name, "top-level", 9) != 0 ? user : 0;
}

/* Returns the node that is responsible for CELL of NODE, or 0 if CAUSE does not take it. */
static uint32_t
owner_of(const struct cause *cause, const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    if (cause->owner)
        return cause->owner(calls, node, cell);
    if (cause->below)
        return calls->below[node] & cause->below ? calls->user[node] : 0;
    return calls->beyond[cause->library][node];
}

static bool
is_unit(const struct cause *cause, const struct mp_lisp_calls *calls, uint32_t node, const struct mp_cell *cell)
{
    return cause->unit ? is_of(calls, cell, cause->unit) : !cause->is_unit || cause->is_unit(calls, node, cell);
}

/* Adds CELL of NODE, which is cell ID of the profile, to the sums of FOUND and finds its cause. */
static void
take(struct mp_lisp_causes *found, uint32_t node, const struct mp_cell *cell, uint32_t id)
{
    const struct mp_lisp_calls *calls = found->calls;

    if (!calls->user[node])
        return;
    found->bytes = mp_plus(found->bytes, cell->counts.bytes);
    found->objects = mp_plus(found->objects, cell->counts.allocs);
    found->kept = mp_plus(found->kept, cell->counts.kept_blocks);
    if (is_of(calls, cell, "CONS"))
        found->conses = mp_plus(found->conses, cell->counts.allocs);
    if (calls->below[node] & MP_BELOW_EXTENSION)
        found->extension = mp_plus(found->extension, cell->counts.bytes);
    for (size_t i = 0; i < N_CAUSES && found->cause[id] == 0; i++)
        if (owner_of(&causes[i], calls, node, cell))
            found->cause[id] = (uint8_t)(i + 1);
    if (found->cause[id] == 0 && owner_extends(calls, node, cell))
        found->cause[id] = EXTENDS;
}

/* Returns the causes of the view, or NULL if it has no objects. */
static const struct mp_lisp_causes *
causes_of(struct mp_facts *facts)
{
    const struct mp_tree *tree = facts->tree;
    struct mp_lisp_causes *found;

    if (facts->lisp || facts->objects.all.allocs == 0)
        return facts->lisp;
    facts->lisp = found = mp_arena_alloc(facts->arena, sizeof *found);
    found->calls = mp_lisp_calls(tree, facts->arena);
    found->cause = mp_arena_alloc(facts->arena, tree->profile->n_cells * sizeof *found->cause);
    for (uint32_t node = 1; node < tree->n_nodes; node++)
        for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++)
            if (mp_is_lisp(&tree->profile->cells[tree->cells[i]]))
                take(found, node, &tree->profile->cells[tree->cells[i]], tree->cells[i]);
    return found;
}

/* The data of a struct mp_places that counts the cells of one cause. */
struct chosen {
    const struct mp_lisp_causes *found;
    uint8_t cause;              /* 1 + its index */
};

static bool
takes_cause(const struct mp_places *places, uint32_t node, const struct mp_cell *cell)
{
    const struct chosen *chosen = places->data;

    (void)node;
    return chosen->found->cause[cell - places->tree->profile->cells] == chosen->cause;
}

/* Returns the node of the function that the program's function called on the chain of NODE: an entry of a library, or a
 * function of the runtime. Returns 0 if there is none. */
static uint32_t
callee_of(const struct mp_lisp_calls *calls, const struct cause *cause, uint32_t node)
{
    return cause->owner == owner_prepared ? calls->entry[MP_LIBRARY_PREPARED][node] : calls->direct[node];
}

static struct mp_places
places_of(struct mp_facts *facts, const struct cause *cause, const struct chosen *chosen)
{
    const struct mp_tree *tree = facts->tree;
    const struct mp_lisp_calls *calls = chosen->found->calls;
    uint32_t *owner = mp_arena_alloc(facts->arena, tree->n_nodes * sizeof *owner);
    uint64_t *keys = mp_arena_alloc(facts->arena, tree->n_cells * sizeof *keys);
    struct mp_places places = {.tree = tree, .takes = takes_cause, .data = chosen, .owner = owner};
    struct mp_map callees = {.arena = facts->arena};

    for (uint32_t node = 1; node < tree->n_nodes; node++)
        for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++) {
            const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];
            const uint32_t callee = callee_of(calls, cause, node);
            const char *name = callee && cause->by_callee ? mp_lisp_calls_name(tree, callee, facts->arena) : "";

            if (!takes_cause(&places, node, cell))
                continue;
            owner[node] = owner_of(cause, calls, node, cell);
            keys[tree->nodes[node].first_cell] = (uint64_t)mp_tree_function(tree, owner[node]) << 32 |
                                                 mp_map_add(&callees, name, strlen(name));
        }
    mp_places_sum(&places, keys, facts->arena);
    return places;
}

/* ---------------------------------------------------------------- findings */

static struct group
group_of(struct mp_facts *facts, const struct cause *cause, const struct mp_places *places,
         const struct mp_candidate_place *place)
{
    const struct mp_lisp_calls *calls = facts->lisp->calls;
    const struct mp_tree *tree = facts->tree;
    const uint32_t callee = callee_of(calls, cause, place->first);
    struct group group = {.places = places, .place = place, .bytes = place->counts.bytes,
                          .objects = place->counts.allocs, .alive = mp_counts_key(&place->counts, MP_SORT_PEAK),
                          .what = callee && cause->by_callee ? mp_lisp_calls_name(tree, callee, facts->arena) : ""};

    for (uint32_t node = place->first; node != MP_NO_ID; node = places->next[node]) {
        if (calls->direct[node] &&
            strstr(mp_lisp_calls_name(tree, calls->direct[node], facts->arena), "MAKE-INSTANCE"))
            group.in_instance = true;
        for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++) {
            const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];

            if (!places->takes(places, node, cell))
                continue;
            if (is_unit(cause, calls, node, cell))
                group.units = mp_plus(group.units, cell->counts.allocs);
            if (cause->below == MP_BELOW_FORMAT && is_stream_of_format(calls, node, cell))
                group.strings = mp_plus(group.strings, cell->counts.allocs);
            if (calls->below[node] & MP_BELOW_PARSING)
                group.parsing = mp_plus(group.parsing, cell->counts.bytes);
        }
    }
    return group;
}

static bool
is_fault(const struct mp_facts *facts, const struct cause *cause, const struct group *group)
{
    const struct mp_rule *rule = cause->rule;
    const struct mp_lisp_causes *all = facts->lisp;

    return mp_rule_has(rule, UNITS, group->units) && mp_rule_has(rule, BYTES, group->bytes) &&
           (mp_rule_share(rule, SHARE, group->bytes, all->bytes) ||
            (mp_rule_share(rule, NUMBER, group->objects, all->objects) &&
             mp_facts_reaches(group->bytes, all->bytes, NUMBER_BYTES))) &&
           (!cause->is_fault || cause->is_fault(facts, group));
}

static void
say(struct mp_facts *facts, const struct cause *cause, const struct group *group)
{
    const uint64_t all = facts->lisp->bytes;
    struct mp_finding *finding = mp_facts_find(facts, cause->rule, group->places, group->place, MP_SORT_BYTES,
                                               group->bytes, all);
    const char *bytes = mp_facts_bytes(facts, group->bytes);

    MP_FINDING_TEXT(facts, finding, "%s %s: %s, %s of what the program's functions allocate. Instead: %s.",
                    mp_facts_call(facts->tree, facts->way.user, facts->arena), cause->say(facts, group),
                    bytes, mp_facts_share(facts, group->bytes, all),
                    cause->remedy ? cause->remedy : cause->remedy_of(group));
    mp_finding_figure(finding, "objects", MP_IN_BLOCKS, group->objects);
    mp_finding_figure(finding, "bytes", MP_IN_BYTES, group->bytes);
    mp_finding_figure(finding, "units", MP_IN_COUNT, group->strings > 0 ? group->strings : group->units);
    mp_finding_figure(finding, "program_bytes", MP_IN_BYTES, all);
    mp_facts_command(facts, finding, "--lisp --table=sites");
}

static void
find_cause(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct cause *cause = causes;
    struct mp_places *places;
    struct chosen *chosen;

    if (!causes_of(facts))
        return;
    while (cause->rule != rule)
        cause++;
    chosen = mp_arena_alloc(facts->arena, sizeof *chosen);
    *chosen = (struct chosen){facts->lisp, (uint8_t)(cause - causes + 1)};
    places = mp_arena_alloc(facts->arena, sizeof *places);
    *places = places_of(facts, cause, chosen);
    for (uint32_t i = 0; i < places->n; i++) {
        const struct group group = group_of(facts, cause, places, &places->list[i]);

        if (is_fault(facts, cause, &group))
            say(facts, cause, &group);
    }
}

/* ---------------------------------------------------------------- tables that only grow */

enum { ALIVE, ALIVE_SHARE, COLLECTIONS };

static const struct mp_limit cached_limits[] = {
    [ALIVE] = {5000, MP_IN_BLOCKS, "at least %s objects that a function and its callees made survived a collection"},
    [ALIVE_SHARE] = {500, MP_IN_PERMILLE, "these are at least %s of all such objects of the program's functions"},
    [COLLECTIONS] = {2, MP_IN_COUNT, "there were at least %s collections"},
};

/* Returns the number of live objects that FUNCTION and its callees made. */
static uint64_t
made_within(const struct mp_facts *facts, uint32_t function)
{
    const struct mp_tree *tree = facts->tree;
    bool *within = mp_arena_alloc(facts->arena, tree->n_nodes * sizeof *within);
    uint64_t sum = 0;

    for (uint32_t node = 1; node < tree->n_nodes; node++) {
        within[node] = within[tree->nodes[node].parent] ||
                       (!mp_tree_ends(tree, node) && mp_tree_function(tree, node) == function);
        if (within[node])
            sum = mp_plus(sum, mp_places_basic(&facts->objects, node).kept_blocks);
    }
    return sum;
}

static void
say_cached(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_places *places,
           const struct mp_candidate_place *place, uint64_t made)
{
    const uint64_t all = facts->lisp->kept;
    struct mp_finding *finding = mp_facts_find(facts, rule, places, place, MP_SORT_BYTES, made, all);

    MP_FINDING_TEXT(facts, finding, "%s fills a hash table that grows: %s objects that it and its callees made "
                    "survived, %s of all that did. What holds them is in a snapshot of the heap, see mprof-heap(1).",
                    mp_facts_call(facts->tree, facts->way.user, facts->arena), mp_facts_blocks(facts, made),
                    mp_facts_share(facts, made, all));
    mp_finding_figure(finding, "kept_objects", MP_IN_BLOCKS, made);
    mp_facts_command(facts, finding, "--lisp --table=leaks");
}

static void
find_cached(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_collections *collections = facts->view->collections;
    const struct mp_lisp_causes *found = causes_of(facts);
    struct chosen *chosen;
    struct mp_places *places;

    if (!found || !collections || !mp_rule_has(rule, COLLECTIONS, collections->n))
        return;
    chosen = mp_arena_alloc(facts->arena, sizeof *chosen);
    *chosen = (struct chosen){found, EXTENDS};
    places = mp_arena_alloc(facts->arena, sizeof *places);
    *places = places_of(facts, &(struct cause){.owner = owner_extends}, chosen);
    for (uint32_t i = 0; i < places->n; i++) {
        const struct mp_candidate_place *place = &places->list[i];
        const uint64_t made = made_within(facts, mp_tree_function(facts->tree, places->owner[place->first]));

        if (mp_rule_has(rule, ALIVE, made) && mp_rule_share(rule, ALIVE_SHARE, made, found->kept))
            say_cached(facts, rule, places, place, made);
    }
}

const struct mp_rule mp_rule_cached = {
    .key = "cached", .title = "Tables that only grow", .family = MP_RULES_HELD, .of = MP_OF_ALL,
    .about = "A Lisp function puts entries into a hash table that grows, and most of what stays alive was made by it.  "
             "Whether the program still needs them is unknown.",
    MP_RULE_LIMITS(cached_limits), .find = find_cached};
