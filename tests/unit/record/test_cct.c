/* The calling-context tree has one node for each chain, for any number of children, and can fold recursion. */
#include "tests/unit/tap.h"

#include <string.h>

#include "recording.h"
#include "runtime/record/cct.h"
#include "runtime/store/store.h"
#include "runtime/system/options.h"

static uint32_t frames;                 /* id of the first of 1000 frames */

static void
set_up(void)
{
    begin_sole();
    frames = mp_store_take(MP_EXT_FRAMES, MP_FRAME_FIRST + 1000) + MP_FRAME_FIRST;
    mp_options.fold = false;
}

/* Empties the cache of recent contexts, as many other chains do. */
static void
forget_recent(void)
{
    memset(sole_recorder->recent, 0, sizeof sole_recorder->recent);
}

FIXTURE(set_up, NULL)

TEST(every_child_of_a_wide_node_is_found_again)
{
    uint32_t node = mp_cct_child(sole_recorder, mp_cct_child(sole_recorder, 0, frames), frames + 1);
    static uint32_t child[1000];

    for (uint32_t i = 0; i < 1000; i++) {
        child[i] = mp_cct_child(sole_recorder, node, frames + i);
        ck_assert_uint_eq(mp_cct_parent(child[i]), node);
        ck_assert_uint_eq(mp_cct_frame(child[i]), frames + i);
        for (uint32_t k = 0; k < i; k++)
            ck_assert_uint_ne(child[k], child[i]);
    }
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 1000; i++)
            ck_assert_uint_eq(mp_cct_child(sole_recorder, node, frames + i), child[i]);
        forget_recent();
    }
}

TEST(a_frame_elsewhere_is_another_context)
{
    uint32_t a = mp_cct_child(sole_recorder, 0, frames), b = mp_cct_child(sole_recorder, a, frames + 1);
    uint32_t alone = mp_cct_child(sole_recorder, 0, frames + 1);

    ck_assert_uint_ne(b, alone);
    ck_assert_uint_ne(mp_cct_child(sole_recorder, b, frames), a);
    forget_recent();
    ck_assert_uint_eq(mp_cct_child(sole_recorder, 0, frames + 1), alone);
    ck_assert_uint_eq(mp_cct_child(sole_recorder, a, frames + 1), b);
}

TEST(new_frames_of_a_chain_stand_in_a_row)
{
    uint32_t outer = mp_cct_child(sole_recorder, 0, frames), at = outer, branch;

    for (uint32_t i = 1; i < 20; i++)
        at = mp_cct_child(sole_recorder, at, frames + i);
    ck_assert_uint_eq(at, outer + 19);
    branch = mp_cct_child(sole_recorder, outer + 5, frames);
    ck_assert_uint_eq(branch, at + 2);
    ck_assert_uint_eq(mp_store.contexts[at + 1], MP_CONTEXT_RUN | (outer + 5));
    ck_assert_uint_eq(mp_cct_parent(branch), outer + 5);
    ck_assert_uint_eq(mp_cct_parent(at), at - 1);
    forget_recent();
    ck_assert_uint_eq(mp_cct_child(sole_recorder, outer + 5, frames), branch);
    ck_assert_uint_eq(mp_cct_child(sole_recorder, outer + 5, frames + 6), outer + 6);
}

/* The list of branches is not read, so it may be empty. */
TEST(branches_are_found_in_the_order_in_which_they_were_made)
{
    uint32_t node = mp_cct_child(sole_recorder, mp_cct_child(sole_recorder, 0, frames), frames), child[20], leaf[20];

    for (uint32_t i = 0; i < 20; i++) {
        child[i] = mp_cct_child(sole_recorder, node, frames + i);
        leaf[i] = mp_cct_child(sole_recorder, child[i], frames);
    }
    mp_store.context_links[node] = 0;
    forget_recent();
    for (uint32_t i = 0; i < 20; i++) {
        ck_assert_uint_eq(mp_cct_child(sole_recorder, node, frames + i), child[i]);
        ck_assert_uint_eq(mp_cct_child(sole_recorder, child[i], frames), leaf[i]);
    }
}

/* A signal handler jumped away after a slot was reserved and before it was written. */
TEST(a_slot_that_was_left_empty_ends_a_run)
{
    uint32_t newest = mp_cct_child(sole_recorder, mp_cct_child(sole_recorder, 0, frames), frames + 1), child;

    sole_recorder->next_context++;
    child = mp_cct_child(sole_recorder, newest, frames + 2);
    ck_assert_uint_eq(mp_store.contexts[newest + 1], 0);
    ck_assert_uint_eq(mp_cct_parent(child), newest);
    forget_recent();
    ck_assert_uint_eq(mp_cct_child(sole_recorder, newest, frames + 2), child);
}

/* When a recorder's chunk of contexts ends, the next chunk may belong to another recorder. */
TEST(recorders_do_not_go_on_in_each_others_runs)
{
    struct mp_recorder *other = take_recorder(false);
    uint32_t mine = 0, theirs = 0, n = 3000;

    for (uint32_t i = 0; i < n; i++) {
        mine = mp_cct_child(sole_recorder, mine, frames + i % 1000);
        theirs = mp_cct_child(other, theirs, frames + i % 1000);
        ck_assert_uint_ne(mine, theirs);
    }
    for (; mine && theirs; mine = mp_cct_parent(mine), theirs = mp_cct_parent(theirs)) {
        ck_assert_uint_eq(mp_cct_frame(mine), frames + --n % 1000);
        ck_assert_uint_eq(mp_cct_frame(theirs), mp_cct_frame(mine));
    }
    ck_assert_uint_eq(n + mine + theirs, 0);
}

/* Returns the context of CHAIN, which has a letter for each function, outermost first. */
static uint32_t
context_of(const char *chain)
{
    uint32_t context = 0;

    for (; *chain; chain++)
        context = mp_cct_child(sole_recorder, context, frames + (uint32_t)(*chain - 'A'));
    return context;
}

/* Returns the chain of CONTEXT in the form of context_of(). */
static const char *
chain_of(uint32_t context)
{
    static char room[64];
    char *at = room + sizeof room - 1;

    for (; context; context = mp_cct_parent(context))
        *--at = (char)('A' + (mp_cct_frame(context) - frames));
    return at;
}

/* The chains are those of the table in fold.h. */
TEST(rounds_of_recursion_are_folded)
{
    static const char *const chains[][2] = {
        {"A", "A"}, {"AB", "AB"}, {"ABA", "ABA"}, {"ABAB", "ABAB"}, {"ABABA", "ABA"},
        {"ABABAB", "ABAB"}, {"ABABAC", "ABAC"}, {"ABABABABABC", "ABABC"},
        {"AAAA", "AA"}, {"ABCBD", "ABCBD"},
    };

    mp_options.fold = true;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
            ck_assert_str_eq(chain_of(context_of(chains[i][0])), chains[i][1]);
        forget_recent();
    }
}
/* SPDX-License-Identifier: MIT */
