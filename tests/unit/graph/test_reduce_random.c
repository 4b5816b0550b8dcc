/* Compares the graphs of random profiles, and the insides of their cycles, with sums by definition. Checks the
 * identities of the reduction. */
#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/graph/way.h"

#define ck_assert_bytes(sums, n) ck_assert_uint_eq(mp_sums_bytes(&(sums)), (n))

#define FUNCTIONS 12
#define LONGEST 16
#define CHAINS 60

/* Sums over chains by definition: a chain credits each of its functions, and each pair of caller and callee, once. */
struct expected {
    struct {
        unsigned functions[LONGEST], n;
        uint64_t bytes;
    } chains[CHAINS];
    unsigned n_chains;
    bool reaches[FUNCTIONS][FUNCTIONS];         /* by calls on any chain, at least one */
    uint64_t self[FUNCTIONS], inclusive[FUNCTIONS], called[FUNCTIONS], calling[FUNCTIONS];
    uint64_t root[FUNCTIONS], recur[FUNCTIONS];
    uint64_t arc[FUNCTIONS][FUNCTIONS], arc_recur[FUNCTIONS][FUNCTIONS];
};

static void
expect_chain(struct expected *e, const unsigned *chain, unsigned n, uint64_t bytes)
{
    bool arc_seen[FUNCTIONS][FUNCTIONS] = { 0 };
    bool seen[FUNCTIONS] = { 0 }, called[FUNCTIONS] = { 0 }, calling[FUNCTIONS] = { 0 };

    memcpy(e->chains[e->n_chains].functions, chain, n * sizeof *chain);
    e->chains[e->n_chains].n = n;
    e->chains[e->n_chains++].bytes = bytes;
    e->root[chain[0]] += bytes;
    e->self[chain[n - 1]] += bytes;
    for (unsigned i = 0; i < n; i++) {
        e->recur[chain[i]] += seen[chain[i]];       /* counts allocations; each chain has one */
        seen[chain[i]] = true;
        if (i == 0)
            continue;
        e->arc_recur[chain[i - 1]][chain[i]] += arc_seen[chain[i - 1]][chain[i]];
        arc_seen[chain[i - 1]][chain[i]] = true;
        e->reaches[chain[i - 1]][chain[i]] = true;
        if (chain[i - 1] != chain[i])
            calling[chain[i - 1]] = called[chain[i]] = true;
    }
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        e->inclusive[f] += seen[f] ? bytes : 0;
        e->called[f] += called[f] ? bytes : 0;
        e->calling[f] += calling[f] ? bytes : 0;
        for (unsigned g = 0; g < FUNCTIONS; g++)
            e->arc[f][g] += arc_seen[f][g] ? bytes : 0;
    }
}

/* Adds a chain of the functions "a" to "l". Each frame has one to three of them. */
static void
add_chain(struct pb *pb, unsigned short seed[3], const unsigned *chain, unsigned n,
          uint64_t bytes)
{
    char text[4 * LONGEST] = "";
    size_t length = 0;

    for (unsigned i = 0; i < n; i++) {
        if (i > 0)
            text[length++] = nrand48(seed) % 4 ? ';' : '/';
        text[length++] = (char)('a' + chain[i]);
    }
    text[length] = '\0';
    pb_add(pb, text, (uint32_t)nrand48(seed) % MP_KIND_C_COUNT, 1, bytes, 0, 0);
}

static struct mp_profile *
random_profile(int number, struct expected *expected)
{
    unsigned short seed[3] = { 1988, 2, (unsigned short)number };
    unsigned functions = 1 + (unsigned)nrand48(seed) % FUNCTIONS;
    unsigned chains = 1 + (unsigned)nrand48(seed) % CHAINS, longest, chain[LONGEST];
    struct pb *pb = pb_new();

    memset(expected, 0, sizeof *expected);
    longest = 1 + (unsigned)nrand48(seed) % LONGEST;
    for (unsigned c = 0; c < chains; c++) {
        unsigned n = 1 + (unsigned)nrand48(seed) % longest, low = 0;
        uint64_t bytes = (uint64_t)nrand48(seed) % 5000;

        for (unsigned i = 0; i < n; i++) {
            chain[i] = low + (unsigned)nrand48(seed) % (functions - low);
            low = number % 3 ? chain[i] - (nrand48(seed) % 5 == 0 && chain[i] > 0) : 0;
        }
        add_chain(pb, seed, chain, n, bytes);
        expect_chain(expected, chain, n, bytes);
    }
    return pb_done(pb);
}

static unsigned
letter(const struct way *way, uint32_t function)
{
    return (unsigned)(way->profile->functions[function].text[0] - 'a');
}

TEST_LOOP(random_nodes_and_arcs_by_definition, 0, 300)
{
    struct expected e;
    const struct way *way = way_of(random_profile(_i, &e), false);
    uint32_t n_arcs = 0;

    for (uint32_t i = 0; i < way->graph->n_nodes; i++) {
        const struct mp_node *n = &way->graph->nodes[i];
        unsigned f = letter(way, i);

        ck_assert_bytes(n->self, e.self[f]);
        ck_assert_bytes(n->inclusive, e.inclusive[f]);
        ck_assert_bytes(n->called, e.called[f]);
        ck_assert_bytes(n->calling, e.calling[f]);
        ck_assert_bytes(n->root, e.root[f]);
        ck_assert_uint_eq(n->recur, e.recur[f]);
        n_arcs += n->n_in;
    }
    ck_assert_uint_eq(n_arcs, way->graph->n_arcs);
    for (uint32_t i = 0; i < way->graph->n_arcs; i++) {
        const struct mp_arc *a = &way->graph->arcs[i];
        unsigned f = letter(way, a->caller), g = letter(way, a->callee);

        ck_assert_bytes(a->sums, e.arc[f][g]);
        ck_assert_uint_eq(a->recur, e.arc_recur[f][g]);
        e.arc[f][g] = 0;
    }
    for (unsigned f = 0; f < FUNCTIONS; f++)
        for (unsigned g = 0; g < FUNCTIONS; g++)
            ck_assert_uint_eq(e.arc[f][g], 0);
}

static void
assert_equal(const struct mp_sums *a, const struct mp_sums *b)
{
    ck_assert_mem_eq(a, b, sizeof *a);
}

static struct mp_sums
sum_of_rows(const struct mp_row *rows, uint32_t n)
{
    struct mp_sums sum = { 0 };

    for (uint32_t i = 0; i < n; i++) {
        ck_assert(!rows[i].same_cycle);
        mp_sums_add(&sum, rows[i].sums);
    }
    return sum;
}

/* Checks that called + root = inclusive = self + calling in every column, for all entries but members of cycles. */
static void
check_component(const struct mp_entry *e)
{
    struct mp_sums in = sum_of_rows(e->ancestors, e->n_ancestors);
    struct mp_sums out = sum_of_rows(e->descendants, e->n_descendants);

    assert_equal(&in, &e->called);
    assert_equal(&out, &e->calling);
    mp_sums_add(&in, &e->root);
    mp_sums_add(&out, &e->self);
    assert_equal(&in, &e->inclusive);
    assert_equal(&out, &e->inclusive);
}

TEST_LOOP(random_identities, 0, 300)
{
    struct expected expected;
    const struct way *way = way_of(random_profile(_i, &expected), false);
    struct mp_sums self = { 0 }, root = { 0 };
    uint32_t in_cycles = 0, members = 0;

    for (uint32_t i = 0; i < way->reduced->n_entries; i++) {
        const struct mp_entry *e = &way->reduced->entries[i];

        if (i > 0)
            ck_assert_uint_le(mp_sums_bytes(&e->inclusive), mp_sums_bytes(&e[-1].inclusive));
        if (e->cycle == 0 || e->function == MP_NO_ID)
            check_component(e);
        in_cycles += e->cycle != 0 && e->function != MP_NO_ID;
        members += e->n_members;
        if (e->function == MP_NO_ID)
            continue;
        mp_sums_add(&self, &e->self);
        mp_sums_add(&root, &e->root);
        ck_assert_uint_eq(way->reduced->entry_of[e->function], i);
    }
    assert_equal(&self, &way->graph->total);
    assert_equal(&root, &way->graph->total);
    ck_assert_uint_eq(in_cycles, members);
}

/* Checks that the members of a cycle, and no other functions, have arcs to and from other members. */
TEST_LOOP(random_cycles, 0, 100)
{
    struct expected expected;
    const struct way *way = way_of(random_profile(_i, &expected), false);

    for (uint32_t i = 0; i < way->reduced->n_entries; i++) {
        const struct mp_entry *e = &way->reduced->entries[i];
        uint32_t in = 0, out = 0;

        for (uint32_t j = 0; j < e->n_ancestors; j++)
            in += e->ancestors[j].same_cycle;
        for (uint32_t j = 0; j < e->n_descendants; j++)
            out += e->descendants[j].same_cycle;
        ck_assert_int_eq(in > 0, e->cycle != 0 && e->function != MP_NO_ID);
        ck_assert_int_eq(out > 0, in > 0);
    }
}

/* Computes the transitive closure of `reaches` by Warshall's algorithm. */
static void
close_reaches(struct expected *e)
{
    for (unsigned via = 0; via < FUNCTIONS; via++)
        for (unsigned from = 0; from < FUNCTIONS; from++)
            for (unsigned to = 0; to < FUNCTIONS; to++)
                e->reaches[from][to] |= e->reaches[from][via] && e->reaches[via][to];
}

static bool
is_member(const struct expected *e, unsigned of, unsigned function)
{
    return function == of || (e->reaches[of][function] && e->reaches[function][of]);
}

/* Sums the bytes that were allocated below the cycle of OF, by the function that allocated and by the innermost member
 * of the cycle on the chain. */
static void
expect_inside(const struct expected *e, unsigned of, uint64_t allocators[FUNCTIONS],
              uint64_t innermost[FUNCTIONS])
{
    memset(allocators, 0, FUNCTIONS * sizeof *allocators);
    memset(innermost, 0, FUNCTIONS * sizeof *innermost);
    for (unsigned c = 0; c < e->n_chains; c++) {
        const unsigned *chain = e->chains[c].functions;
        unsigned n = e->chains[c].n, last = n;

        while (last > 0 && !is_member(e, of, chain[last - 1]))
            last--;
        if (last == 0)
            continue;
        allocators[chain[n - 1]] += e->chains[c].bytes;
        innermost[chain[last - 1]] += e->chains[c].bytes;
    }
}

/* Checks that the rows are exactly the expected ones, and that their sums are the inclusive figures of the cycle. */
static void
check_rows(const struct way *way, const struct mp_row *rows, uint32_t n, uint64_t *bytes,
           const struct expected *e, const struct mp_entry *cycle)
{
    struct mp_sums sum = { 0 };
    unsigned of = letter(way, cycle->members[0]);

    for (uint32_t i = 0; i < n; i++) {
        unsigned function = letter(way, rows[i].function);

        ck_assert_bytes(*rows[i].sums, bytes[function]);
        bytes[function] = 0;
        ck_assert_int_eq(rows[i].same_cycle, is_member(e, of, function));
        if (i > 0)
            ck_assert_uint_le(mp_sums_bytes(rows[i].sums), mp_sums_bytes(rows[i - 1].sums));
        mp_sums_add(&sum, rows[i].sums);
    }
    assert_equal(&sum, &cycle->inclusive);
    for (unsigned f = 0; f < FUNCTIONS; f++)
        ck_assert_uint_eq(bytes[f], 0);
}

static void
check_arcs(const struct way *way, const struct mp_inside *inside, const struct expected *e,
           unsigned of)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < way->graph->n_arcs; i++)
        n += is_member(e, of, letter(way, way->graph->arcs[i].caller)) &&
             is_member(e, of, letter(way, way->graph->arcs[i].callee));
    ck_assert_uint_eq(inside->n_arcs, n);
    for (uint32_t i = 0; i < n; i++) {
        ck_assert(is_member(e, of, letter(way, inside->arcs[i]->caller)));
        ck_assert(is_member(e, of, letter(way, inside->arcs[i]->callee)));
        if (i > 0)
            ck_assert_uint_le(mp_sums_bytes(&inside->arcs[i]->sums),
                              mp_sums_bytes(&inside->arcs[i - 1]->sums));
    }
}

TEST_LOOP(random_insides, 0, 300)
{
    uint64_t allocators[FUNCTIONS], innermost[FUNCTIONS];
    struct expected e;
    const struct way *way = way_of(random_profile(_i, &e), false);

    close_reaches(&e);
    for (uint32_t number = 1; number <= way->reduced->n_cycles; number++) {
        const struct mp_entry *cycle = &way->reduced->entries[way->reduced->entry_of_cycle[number]];
        unsigned of = letter(way, cycle->members[0]), members = 0;
        struct mp_arena *arena = keep_arena();
        struct mp_inside inside;

        for (unsigned f = 0; f < FUNCTIONS; f++)
            members += is_member(&e, of, f);
        ck_assert_uint_eq(cycle->n_members, members);
        expect_inside(&e, of, allocators, innermost);
        mp_cycles_inside(way->cycles, cycle, arena, &inside);
        check_rows(way, inside.allocators, inside.n_allocators, allocators, &e, cycle);
        check_rows(way, inside.innermost, inside.n_innermost, innermost, &e, cycle);
        check_arcs(way, &inside, &e, of);
    }
}
/* SPDX-License-Identifier: MIT */
