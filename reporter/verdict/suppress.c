/* SPDX-License-Identifier: MIT */
#include "suppress.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/globs.h"
#include "reporter/base/name_parts.h"
#include "reporter/profile/cells.h"

/* How chains are compared with all suppressions at once:
 *
 * A *step* is one call of a chain as patterns see it; inlined calls are steps, too. A *test* is a pattern of a
 * suppression with the kind of text that it is compared with. The set of tests that a step passes depends on few texts,
 * and each text is compared with the patterns once.
 *
 * Then an automaton reads all chains as one tree, from the outermost call inwards, so it reads suppressions backwards.
 * Its state is a bit for each pattern: the context's step passes the test of the pattern, and the callers match the
 * patterns that follow in the file. If `...` precedes the pattern, the bit remains set in all callees. Each suppression
 * has a column of bits. Block 0 has the bits of the outermost patterns, block 1 those of the patterns before them, and
 * so on. A step takes a few instructions for 128 bits (Baeza-Yates and Gonnet, "A new approach to text searching",
 * 1992). */

enum { BY_FUNCTION, BY_OBJECT, BY_SOURCE, BY };

/* Properties of bits. */
enum {
    STAYS,                              /* its pattern is preceded by `...` */
    ENDS,                               /* its pattern is the innermost one */
    ENDS_BEFORE_NEW,                    /* the same, but only of chains whose innermost call is not operator new */
    LASTS,                              /* STAYS and ENDS: the suppression matches all callees */
    MASKS
};

/* A comparison of a step with a pattern. */
struct test {
    enum mp_suppress_by by;
    const char *pattern;
};

/* Sets of bits are arrays of words. */
typedef uint64_t word;

/* Words that are computed at once. */
typedef word vector __attribute__((vector_size(16)));
#define WORDS ((uint32_t)(sizeof(vector) / sizeof(word)))

/* A bit of the automaton. */
struct bit {
    uint32_t column, block;
    uint32_t rest;                      /* further patterns up to the innermost one */
    uint32_t next;                      /* next bit with the same test, or MP_NO_ID */
    bool has[MASKS];
};

struct work {
    const struct mp_profile *profile;
    const struct mp_suppressions *suppressions;
    struct mp_arena *arena;

    struct mp_map test_ids;             /* by mp_suppress_by and pattern */
    struct test *tests;         uint32_t n_tests, tests_room;
    size_t set_size;                    /* bytes of a set of tests */
    struct mp_globs *globs[BY];
    struct mp_map texts[BY];            /* the compared texts */
    uint32_t *text_sets[BY], sets_room[BY];     /* by text: the set of tests that it passes */
    struct mp_map sets;                 /* sets of tests; the first is empty */
    word *scratch;                      /* a set of tests */
    uint32_t is_new;                    /* the test for operator new */

    uint32_t *elements;                 /* tests of all suppressions, MP_NO_ID for `...` */
    bool *keeps;                        /* by context: it keeps something */
    uint32_t *height;                   /* by context: 1 + the steps to the farthest callee that keeps something, or 0
                                           if there is none */
    uint32_t *first_step;               /* by frame: its first step, or MP_NO_ID */
    uint32_t *steps, n_steps, steps_room;       /* by step: the set of tests that it passes */

    uint32_t *columns, n_columns, columns_room; /* by column: its suppression, ascending */
    struct bit *bits;           uint32_t n_bits, bits_room;
    uint32_t *bit_of_test;              /* last bit with this test, or MP_NO_ID */
    uint32_t n_blocks, block_size;      /* vectors of a block, which has a bit for each column */
    vector *all, *none;                 /* blocks with all bits and without bits */
    vector *masks[MASKS];               /* by property: the bits that have it */
    bool *blocks_with[MASKS];           /* by property: the blocks that have such bits */
    uint32_t *rest;                     /* by block: the minimum `rest` of its bits */
    vector **passed_by;                 /* by set of tests: the bits of these tests, or NULL if there are none */
    uint32_t always;                    /* first suppression that matches every chain, or MP_NO_ID */
};

static bool
has_bit(const word *words, uint32_t i)
{
    return words[i / 64] >> i % 64 & 1;
}

/* ---------------------------------------------------------------- patterns */

/* Returns a pattern of the identifiers in PATTERN, which matches mangled names: "*map*emplace*" for "_ZN3map*emplace*".
 * In a mangled name, identifiers follow their length or a wildcard; everything else is syntax and ignored. Returns NULL
 * if PATTERN does not match mangled names or has no identifier. */
static const char *
loosen_mangled(struct mp_arena *arena, const char *pattern)
{
    char *loose, *to;
    bool after_wild = false;

    if (strncmp(pattern, "_Z", 2) != 0 || !strpbrk(pattern, "*?"))
        return NULL;
    loose = to = mp_arena_alloc(arena, 2 * strlen(pattern));
    for (pattern += 2; *pattern;) {
        size_t left = strcspn(pattern, "*?"), n = 0;

        if (left == 0) {
            after_wild = true;
            pattern++;
            continue;
        }
        if (isdigit((unsigned char)*pattern)) {
            for (; isdigit((unsigned char)*pattern); pattern++)
                n = n < left ? 10 * n + (size_t)(*pattern - '0') : n;
            left = strcspn(pattern, "*?");
            n = n < left ? n : left;
        } else {
            n = after_wild ? left : 0;
        }
        if (n > 0) {
            *to++ = '*';
            to = (char *)memcpy(to, pattern, n) + n;
        }
        pattern += n > 0 ? n : left > 0;
        after_wild = false;
    }
    if (to == loose)
        return NULL;
    *to = '*';
    return loose;
}

static uint32_t
add_test(struct work *w, enum mp_suppress_by by, const char *pattern)
{
    const char *key = mp_arena_printf(w->arena, "%c%s", '0' + (int)by, pattern);
    uint32_t id = mp_map_add(&w->test_ids, key, strlen(key));

    if (id < w->n_tests)
        return id;
    w->tests = mp_arena_grow(w->arena, w->tests, w->n_tests, &w->tests_room, sizeof *w->tests);
    w->tests[w->n_tests++] = (struct test){by, pattern};
    return id;
}

/* Makes a set of wildcard patterns for functions, objects and sources, from the tests. */
static void
make_globs(struct work *w)
{
    static const enum mp_suppress_by by[BY] = {MP_SUPPRESS_FUNCTION, MP_SUPPRESS_OBJECT, MP_SUPPRESS_SOURCE};

    for (int i = 0; i < BY; i++) {
        w->globs[i] = mp_globs_new(w->arena);
        w->texts[i].arena = w->arena;
        for (uint32_t j = 0; j < w->n_tests; j++) {
            const struct test *test = &w->tests[j];
            const char *loose = i == BY_FUNCTION ? loosen_mangled(w->arena, test->pattern) : NULL;

            if (test->by != by[i] && test->by != MP_SUPPRESS_ANY)
                continue;
            mp_globs_add(w->globs[i], test->pattern, j);
            if (loose)
                mp_globs_add(w->globs[i], loose, j);
        }
    }
}

/* Adds the tests of all suppressions. */
static void
add_tests(struct work *w)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->suppressions->n; i++)
        n += w->suppressions->list[i].n_frames + 1;
    w->elements = mp_arena_alloc(w->arena, n * sizeof *w->elements);
    n = 0;
    for (uint32_t i = 0; i < w->suppressions->n; i++) {
        const struct mp_suppression *suppression = &w->suppressions->list[i];

        if (suppression->frames[0].by == MP_SUPPRESS_ANY)
            w->elements[n++] = MP_NO_ID;
        for (uint32_t j = 0; j < suppression->n_frames; j++) {
            const struct mp_suppress_frame *frame = &suppression->frames[j];

            w->elements[n++] = frame->by == MP_SUPPRESS_REST ? MP_NO_ID : add_test(w, frame->by, frame->pattern);
        }
    }
    w->is_new = add_test(w, MP_SUPPRESS_FUNCTION, "operator new*");
    w->set_size = (w->n_tests + 63) / 64 * sizeof(word);
    w->scratch = mp_arena_alloc(w->arena, w->set_size);
    w->sets.arena = w->arena;
    mp_map_add(&w->sets, w->scratch, w->set_size);
    make_globs(w);
}

/* ---------------------------------------------------------------- steps */

/* Returns the set of tests that TEXT passes. */
static uint32_t
set_of_text(struct work *w, int by, const char *text)
{
    const size_t length = strlen(text);
    const uint32_t n = w->texts[by].count, id = mp_map_add(&w->texts[by], text, length);
    const struct mp_name_list *lists;
    uint32_t n_lists;

    if (id < n)
        return w->text_sets[by][id];
    memset(w->scratch, 0, w->set_size);
    mp_globs_match(w->globs[by], text, length, w->scratch);
    lists = mp_name_lists((struct mp_text_part){text, length}, by == BY_FUNCTION, w->arena, &n_lists);
    if (n_lists > 0 && lists[n_lists - 1].kind == MP_LIST_SIGNATURE)    /* without its parameters */
        mp_globs_match(w->globs[by], text, (size_t)(lists[n_lists - 1].span.text - text), w->scratch);
    w->text_sets[by] = mp_arena_grow(w->arena, w->text_sets[by], id, &w->sets_room[by], sizeof **w->text_sets);
    return w->text_sets[by][id] = mp_map_add(&w->sets, w->scratch, w->set_size);
}

/* Adds the tests that TEXT passes to the set *SET. TEXT may be NULL. */
static void
pass(struct work *w, int by, const char *text, uint32_t *set)
{
    const uint32_t more = text && *text ? set_of_text(w, by, text) : 0;
    const word *a, *b;

    if (more == 0 || *set == 0 || more == *set) {
        *set = more ? more : *set;
        return;
    }
    a = (const word *)mp_map_key(&w->sets, *set);
    b = (const word *)mp_map_key(&w->sets, more);
    for (size_t i = 0; i < w->set_size / sizeof(word); i++)
        w->scratch[i] = a[i] | b[i];
    *set = mp_map_add(&w->sets, w->scratch, w->set_size);
}

/* Adds the tests for the source file, with or without its folder, and with a line: "f.c", "/src/f.c", "f.c:12". */
static void
pass_source(struct work *w, const struct mp_location *at, uint32_t *set)
{
    const char *file = at->file[0] ? at->file : w->profile->functions[at->function].file, *slash;

    if (!file)
        return;
    slash = strrchr(file, '/');
    pass(w, BY_SOURCE, file, set);
    pass(w, BY_SOURCE, slash ? slash + 1 : file, set);
    pass(w, BY_SOURCE, mp_arena_printf(w->arena, "%s:%u", slash ? slash + 1 : file, at->line), set);
}

/* Adds the step of FRAME at LOCATION, an index in the profile, or MP_NO_ID if at most a Lisp name is known. */
static void
add_step(struct work *w, const struct mp_frame *frame, uint32_t location)
{
    const struct mp_profile *profile = w->profile;
    const struct mp_name *name = mp_frame_name(profile, frame);
    uint32_t set = 0;

    if (name && (location == MP_NO_ID || !profile->locations[location].inlined))
        pass(w, BY_FUNCTION, name->name, &set);
    if (frame->module < profile->n_modules) {
        pass(w, BY_OBJECT, profile->modules[frame->module].path, &set);
        pass(w, BY_OBJECT, profile->modules[frame->module].name, &set);
    }
    if (location != MP_NO_ID) {
        const struct mp_location *at = &profile->locations[location];

        pass(w, BY_FUNCTION, profile->functions[at->function].text, &set);
        pass(w, BY_FUNCTION, mp_function_name(&profile->functions[at->function]), &set);
        pass_source(w, at, &set);
    }
    w->steps = mp_arena_grow(w->arena, w->steps, w->n_steps, &w->steps_room, sizeof *w->steps);
    w->steps[w->n_steps++] = set;
}

/* Returns the number of steps of FRAME, innermost first. */
static uint32_t
count_steps(const struct mp_frame *frame)
{
    if (frame->mark != 0)
        return 0;
    return frame->n_locations == 0 ? 1 : mp_frame_locations(frame);
}

/* Adds the steps of all frames of wanted contexts. */
static void
add_steps(struct work *w)
{
    const struct mp_profile *profile = w->profile;

    w->first_step = mp_arena_alloc(w->arena, profile->n_frames * sizeof *w->first_step);
    memset(w->first_step, 0xff, profile->n_frames * sizeof *w->first_step);
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const uint32_t id = profile->contexts[i].frame;
        const struct mp_frame *frame = &profile->frames[id];

        if (w->height[i] == 0 || w->first_step[id] != MP_NO_ID)
            continue;
        w->first_step[id] = w->n_steps;
        for (uint32_t j = 0; j < count_steps(frame); j++)
            add_step(w, frame, frame->n_locations == 0 ? MP_NO_ID : frame->first_location + j);
    }
}

/* ---------------------------------------------------------------- the automaton */

/* Adds a column for a suppression with N ELEMENTS, innermost first. The innermost bit gets the property END. Adds
 * nothing if no chain can match: no step passes one of the tests, or there are more patterns than steps. PASSED is the
 * set of tests that some step passes. */
static void
add_column(struct work *w, uint32_t suppression, const uint32_t *elements, uint32_t n, int end, const word *passed)
{
    uint32_t block = 0;

    for (uint32_t i = 0, longest = w->height[0]; i < n; i++)
        if (elements[i] != MP_NO_ID && (longest-- <= 1 || !has_bit(passed, elements[i])))
            return;
    while (n-- > 0) {
        if (elements[n] != MP_NO_ID) {
            w->bits = mp_arena_grow(w->arena, w->bits, w->n_bits, &w->bits_room, sizeof *w->bits);
            w->bits[w->n_bits] = (struct bit){w->n_columns, block++, .next = w->bit_of_test[elements[n]]};
            w->bit_of_test[elements[n]] = w->n_bits++;
        } else if (block > 0) {
            w->bits[w->n_bits - 1].has[STAYS] = true;
        }
    }
    if (block == 0) {
        w->always = suppression;
        return;
    }
    w->bits[w->n_bits - 1].has[end] = true;
    w->bits[w->n_bits - 1].has[LASTS] = end == ENDS && w->bits[w->n_bits - 1].has[STAYS];
    for (uint32_t i = 0; i < block; i++)
        w->bits[w->n_bits - 1 - i].rest = i;
    w->n_blocks = block > w->n_blocks ? block : w->n_blocks;
    w->columns = mp_arena_grow(w->arena, w->columns, w->n_columns, &w->columns_room, sizeof *w->columns);
    w->columns[w->n_columns++] = suppression;
}

/* Returns true if FRAME may match an allocation function, which mprof's chains do not contain. */
static bool
is_allocator(const struct mp_suppress_frame *frame)
{
    static const char *const names[] = {
        "malloc", "calloc", "realloc", "reallocarray", "memalign", "posix_memalign",
        "aligned_alloc", "valloc", "pvalloc", "_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t",
        "_ZnamRKSt9nothrow_t", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t"};

    for (size_t i = 0; frame->by == MP_SUPPRESS_FUNCTION && i < sizeof names / sizeof *names; i++)
        if (mp_glob_matches(frame->pattern, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Adds the columns of all suppressions, in their order, up to the first one that matches every chain. A suppression
 * whose innermost pattern matches an allocation function also matches chains without that function. In chains that
 * begin with operator new, which replaces malloc in valgrind's chains, the pattern matches that. */
static void
add_columns(struct work *w)
{
    word *passed = mp_arena_alloc(w->arena, w->set_size);
    uint32_t *elements = w->elements;

    w->bit_of_test = mp_arena_alloc(w->arena, w->n_tests * sizeof *w->bit_of_test);
    memset(w->bit_of_test, 0xff, w->n_tests * sizeof *w->bit_of_test);
    for (uint32_t i = 0; i < w->sets.count; i++)
        for (uint32_t j = 0; j < w->set_size / sizeof(word); j++)
            passed[j] |= ((const word *)mp_map_key(&w->sets, i))[j];
    w->always = MP_NO_ID;
    for (uint32_t i = 0; i < w->suppressions->n && w->always == MP_NO_ID; i++) {
        const struct mp_suppression *suppression = &w->suppressions->list[i];
        const uint32_t n = suppression->n_frames + (suppression->frames[0].by == MP_SUPPRESS_ANY);

        add_column(w, i, elements, n, ENDS, passed);
        if (n > 1 && is_allocator(&suppression->frames[0])) {
            add_column(w, i, elements + 1, n - 1, ENDS_BEFORE_NEW, passed);
            elements[0] = w->is_new;
            add_column(w, i, elements, n, ENDS, passed);
        }
        elements += n;
    }
}

static void
set_bit(const struct work *w, vector *blocks, const struct bit *bit)
{
    vector *block = blocks + (size_t)bit->block * w->block_size;

    ((word *)block)[bit->column / 64] |= (word)1 << bit->column % 64;
}

static vector *
new_blocks(const struct work *w, uint32_t n)
{
    return mp_arena_alloc(w->arena, (size_t)n * w->block_size * sizeof(vector));
}

/* Returns the bits whose tests are in SET, or NULL if there are none. */
static vector *
bits_passed_by(const struct work *w, const word *set)
{
    vector *mask = NULL;

    for (uint32_t i = 0; i < w->n_tests; i++)
        for (uint32_t j = has_bit(set, i) ? w->bit_of_test[i] : MP_NO_ID; j != MP_NO_ID; j = w->bits[j].next) {
            mask = mask ? mask : new_blocks(w, w->n_blocks);
            set_bit(w, mask, &w->bits[j]);
        }
    return mask;
}

static void
make_automaton(struct work *w)
{
    add_columns(w);
    w->block_size = (w->n_columns + 64 * WORDS - 1) / (64 * WORDS);
    w->none = new_blocks(w, 1);
    w->all = new_blocks(w, 1);
    memset(w->all, 0xff, w->block_size * sizeof *w->all);
    for (int i = 0; i < MASKS; i++) {
        w->masks[i] = new_blocks(w, w->n_blocks);
        w->blocks_with[i] = mp_arena_alloc(w->arena, w->n_blocks * sizeof *w->blocks_with[i]);
        for (uint32_t j = 0; j < w->n_bits; j++)
            if (w->bits[j].has[i]) {
                set_bit(w, w->masks[i], &w->bits[j]);
                w->blocks_with[i][w->bits[j].block] = true;
            }
    }
    w->rest = mp_arena_alloc(w->arena, w->n_blocks * sizeof *w->rest);
    memset(w->rest, 0xff, w->n_blocks * sizeof *w->rest);
    for (uint32_t i = 0; i < w->n_bits; i++) {
        uint32_t *rest = &w->rest[w->bits[i].block];

        *rest = w->bits[i].rest < *rest ? w->bits[i].rest : *rest;
    }
    w->passed_by = mp_arena_alloc(w->arena, w->sets.count * sizeof *w->passed_by);
    for (uint32_t i = 0; i < w->n_steps; i++) {
        vector **passed = &w->passed_by[w->steps[i]];

        if (w->steps[i] != 0 && !*passed)
            *passed = bits_passed_by(w, (const word *)mp_map_key(&w->sets, w->steps[i]));
    }
}

/* ---------------------------------------------------------------- contexts */

/* A context whose callees are being visited. */
struct level {
    uint32_t next;              /* its next callee, or 0 */
    uint32_t state;             /* index of its state in the walk */
    uint32_t height;            /* maximum steps of the callees below it */
    uint32_t n_blocks;          /* the blocks of the state that have bits are less than this */
    uint32_t size;              /* number of vectors of a block that matter: if a suppression matches all callees, the
                                   columns of later suppressions do not matter */
    bool is_new;                /* the innermost call is operator new */
};

/* A walk through the wanted contexts. */
struct walk {
    struct level *levels;       uint32_t n, levels_room;
    vector *states;             uint32_t states_room;   /* of the levels; equal ones are shared with the caller */
    uint32_t *first, *next;     /* by context: its first callee, the next callee of its caller, or 0 */
    uint32_t *found;            /* by context: the suppression that matches, or MP_NO_ID */
};

static vector *
state_of(const struct work *w, const struct walk *walk, uint32_t state)
{
    return walk->states + (size_t)state * w->n_blocks * w->block_size;
}

/* Computes SIZE vectors of a block of the next state: from the same block of the state, from the one BEFORE it, and
 * from the bits PASSED by the step. */
static void
advance_block(vector *to, const vector *from, const vector *before, const vector *passed, const vector *stays,
              uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        to[i] = (from[i] & stays[i]) | (before[i] & passed[i]);
}

/* Returns whether BLOCK matters at LEVEL: the callees have enough steps to match the rest of a suppression. If it does,
 * then the block before it mattered one step before. */
static bool
matters(const struct work *w, const struct level *level, uint32_t block)
{
    return w->rest[block] <= level->height;
}

/* Writes to TO the state after the state FROM of LEVEL, which may be TO, and after a step that passes the tests in SET.
 * Updates LEVEL, except its height, which is that after the step. Blocks that do not matter are not written. */
static void
advance(const struct work *w, const vector *from, vector *to, struct level *level, uint32_t set)
{
    const vector *passed = w->passed_by[set];
    const uint32_t old = level->n_blocks;

    level->n_blocks = passed && old < w->n_blocks ? old + 1 : old;
    for (uint32_t i = level->n_blocks; i-- > 0;) {
        const size_t at = (size_t)i * w->block_size;

        if (!matters(w, level, i))
            continue;
        advance_block(to + at, i < old ? from + at : w->none, i > 0 ? from + at - w->block_size : w->all,
                      passed ? passed + at : w->none, w->masks[STAYS] + at, level->size);
    }
    while (level->n_blocks > 0 &&
           (!matters(w, level, level->n_blocks - 1) ||
            memcmp(to + (size_t)(level->n_blocks - 1) * w->block_size, w->none, level->size * sizeof *to) == 0))
        level->n_blocks--;
}

/* Returns the first column with a bit of STATE, the state of LEVEL, that has the property PROPERTY, or MP_NO_ID. */
static uint32_t
find_column(const struct work *w, const vector *state, const struct level *level, int property)
{
    uint32_t n = level->size * WORDS, first = MP_NO_ID;

    for (uint32_t block = 0; block < level->n_blocks; block++) {
        const size_t at = (size_t)block * w->block_size;
        const word *bits = (const word *)(state + at), *mask = (const word *)(w->masks[property] + at);

        for (uint32_t i = 0; w->blocks_with[property][block] && i < n; i++) {
            uint32_t column;

            if ((bits[i] & mask[i]) == 0)
                continue;
            column = 64 * i + (uint32_t)__builtin_ctzll(bits[i] & mask[i]);
            first = column < first ? column : first;
            n = i + 1;
        }
    }
    return first;
}

/* Returns the first suppression that matches a chain with STATE, the state of LEVEL. */
static uint32_t
find(const struct work *w, const vector *state, const struct level *level)
{
    uint32_t column = find_column(w, state, level, ENDS), other = MP_NO_ID;

    if (!level->is_new)
        other = find_column(w, state, level, ENDS_BEFORE_NEW);
    column = other < column ? other : column;
    return column == MP_NO_ID ? w->always : w->columns[column];
}

/* Returns whether the states of A and of its caller B are equal in what matters at A. */
static bool
is_same_state(const struct work *w, const struct walk *walk, const struct level *a, const struct level *b)
{
    const vector *x = state_of(w, walk, a->state), *y = state_of(w, walk, b->state);

    if (a->n_blocks != b->n_blocks || a->size != b->size)
        return false;
    for (uint32_t i = 0; i < a->n_blocks; i++, x += w->block_size, y += w->block_size)
        if (matters(w, a, i) && memcmp(x, y, a->size * sizeof *x) != 0)
            return false;
    return true;
}

/* Enters CONTEXT, a callee of the last level. */
static void
enter(struct work *w, struct walk *walk, uint32_t context)
{
    const uint32_t frame = w->profile->contexts[context].frame;
    const struct level caller = walk->levels[walk->n - 1];
    struct level level = caller;
    const vector *state;
    uint32_t lasting;

    walk->states = mp_grow(walk->states, caller.state + 1, &walk->states_room,
                           (size_t)w->n_blocks * w->block_size * sizeof(vector));
    for (uint32_t i = count_steps(&w->profile->frames[frame]); i-- > 0;) {
        const uint32_t set = w->steps[w->first_step[frame] + i];
        const vector *from = state_of(w, walk, level.state);

        level.state = caller.state + 1;
        level.height = w->height[context] - 1 + i;
        advance(w, from, state_of(w, walk, level.state), &level, set);
        level.is_new = has_bit((const word *)mp_map_key(&w->sets, set), w->is_new);
    }
    level.height = w->height[context] - 1;
    state = state_of(w, walk, level.state);
    if (w->keeps[context])
        walk->found[context] = find(w, state, &level);
    if (walk->first[context] == 0)
        return;
    lasting = find_column(w, state, &level, LASTS);
    if (lasting != MP_NO_ID)
        level.size = lasting / (64 * WORDS) + 1;
    if (is_same_state(w, walk, &level, &caller))
        level.state = caller.state;
    level.next = walk->first[context];
    walk->levels = mp_grow(walk->levels, walk->n, &walk->levels_room, sizeof *walk->levels);
    walk->levels[walk->n++] = level;
}

/* Returns, for each wanted context, the suppression that matches its chain, or MP_NO_ID. */
static const uint32_t *
find_all(struct work *w)
{
    const struct mp_profile *profile = w->profile;
    const size_t size = profile->n_contexts * sizeof(uint32_t);
    struct walk walk = {.first = mp_arena_alloc(w->arena, size), .next = mp_arena_alloc(w->arena, size),
                        .found = mp_arena_alloc(w->arena, size)};

    for (uint32_t i = profile->n_contexts; i-- > 0;) {
        const uint32_t caller = profile->contexts[i].parent;

        walk.found[i] = w->always;
        if (i > 0 && w->height[i] > 0) {
            walk.next[i] = walk.first[caller];
            walk.first[caller] = i;
        }
    }
    if (w->n_bits == 0)
        return walk.found;
    walk.levels = mp_grow(NULL, 0, &walk.levels_room, sizeof *walk.levels);
    walk.levels[walk.n++] = (struct level){.next = walk.first[0], .size = w->block_size};
    while (walk.n > 0) {
        const uint32_t callee = walk.levels[walk.n - 1].next;

        if (callee == 0) {
            walk.n--;
            continue;
        }
        walk.levels[walk.n - 1].next = walk.next[callee];
        enter(w, &walk, callee);
    }
    free(walk.states);
    free(walk.levels);
    return walk.found;
}

/* ---------------------------------------------------------------- cells */

static bool
keeps(const struct mp_cell *cell)
{
    return cell->counts.kept > 0 || cell->counts.kept_blocks > 0;
}

/* Finds the contexts of cells that keep something, and their callers. */
static void
find_wanted(struct work *w)
{
    const struct mp_profile *profile = w->profile;

    w->keeps = mp_arena_alloc(w->arena, profile->n_contexts * sizeof *w->keeps);
    w->height = mp_arena_alloc(w->arena, profile->n_contexts * sizeof *w->height);
    for (uint32_t i = 0; i < profile->n_cells; i++)
        w->keeps[profile->cells[i].context] |= keeps(&profile->cells[i]);
    for (uint32_t i = profile->n_contexts; i-- > 1;) {
        uint32_t *caller = &w->height[profile->contexts[i].parent], height;

        if (w->keeps[i] && w->height[i] == 0)
            w->height[i] = 1;
        if (w->height[i] == 0)
            continue;
        height = w->height[i] + count_steps(&profile->frames[profile->contexts[i].frame]);
        *caller = height > *caller ? height : *caller;
    }
}

struct mp_profile *
mp_suppress(const struct mp_profile *profile, struct mp_suppressions *suppressions)
{
    struct mp_profile *left = mp_profile_new();
    struct mp_arena *arena = mp_arena_new();
    struct work w = {.profile = profile, .suppressions = suppressions, .arena = arena, .test_ids.arena = arena};
    const uint32_t *found;

    find_wanted(&w);
    add_tests(&w);
    add_steps(&w);
    make_automaton(&w);
    found = find_all(&w);
    mp_profile_share(left, profile);
    left->cells = mp_arena_alloc(left->arena, profile->n_cells * sizeof *left->cells);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        struct mp_cell *cell = &left->cells[i];
        struct mp_suppression *by;

        *cell = profile->cells[i];
        if (!keeps(cell) || found[cell->context] == MP_NO_ID)
            continue;
        by = &suppressions->list[found[cell->context]];
        by->blocks += cell->counts.kept_blocks;
        by->bytes += cell->counts.kept;
        cell->counts.kept = cell->counts.kept_blocks = 0;
        if (cell->rest) {
            struct mp_spread *spread = &mp_cell_own_rest(cell, left->arena)->counts.spread;

            spread->kept = spread->kept_blocks = 0;
        }
    }
    mp_arena_free(arena);
    return left;
}
