/* Stacks of threads that ended: a row for each function that they begin with, in a table that does not grow. */
#include "tests/unit/tap.h"

#include <string.h>

#include "runtime/record/cct.h"
#include "runtime/record/stack.h"
#include "runtime/session/session_stacks.h"
#include "runtime/store/store.h"
#include "tests/unit/record/recording.h"

static struct mp_live_recorder *live;
static uint32_t frames;         /* the first of many that are in no module */
static uint32_t libc;           /* one of libc's code */

static void
set_up(void)
{
    begin_sole();
    live = sole_recorder->live;
    frames = mp_store_take(MP_EXT_FRAMES, 200);
    libc = mp_store_take(MP_EXT_FRAMES, 1);
    ck_assert_uint_ge(frames, MP_FRAME_FIRST);
    mp_store.frames[libc].ip = (uintptr_t)&strlen + 1;
}

/* A thread's chain: libc starts it, START, and as many calls of CALL as said. */
static uint32_t
chain(uint32_t start, uint32_t call, unsigned calls)
{
    uint32_t context = mp_cct_child(sole_recorder, mp_cct_child(sole_recorder, 0, libc), start);

    while (calls-- > 0)
        context = mp_cct_child(sole_recorder, context, call);
    ck_assert_uint_ne(context, 0);
    return context;
}

static void
thread_ends(uint64_t bytes, uint32_t context)
{
    mp_stack_raise(&live->stack, mp_stack_word(bytes, context));
    mp_stacks_thread_ended(sole_recorder);
    ck_assert_uint_eq(live->stack, 0);
}

static void
assert_row(unsigned i, uint32_t threads, uint32_t start, uint64_t bytes, uint32_t context)
{
    ck_assert_uint_eq(live->stacks[i].threads, threads);
    ck_assert_uint_eq(live->stacks[i].start, start);
    ck_assert_uint_eq((live->stacks[i].deepest >> 32) * MP_STACK_UNIT, bytes);
    ck_assert_uint_eq(mp_stack_context(live->stacks[i].deepest), context);
}

FIXTURE(set_up, NULL)

TEST(threads_of_one_start_are_one_row)
{
    const uint32_t one = chain(frames, frames + 1, 0), other = chain(frames + 2, frames + 1, 0);
    const uint32_t deep = chain(frames, frames + 1, 30);

    thread_ends(800, chain(frames, frames + 1, 3));
    thread_ends(8000, deep);
    thread_ends(80, one);
    thread_ends(640, chain(frames + 2, frames + 3, 12));
    assert_row(0, 3, one, 8000, deep);
    assert_row(1, 1, other, 640, chain(frames + 2, frames + 3, 12));
    ck_assert_uint_eq(live->stacks[2].threads, 0);
    ck_assert_uint_eq(live->stacks_ended, 4);
}

TEST(where_all_is_libc_the_third_stands_for_it)
{
    uint32_t first = mp_cct_child(sole_recorder, 0, libc), second = mp_cct_child(sole_recorder, first, libc);
    uint32_t third = mp_cct_child(sole_recorder, second, libc);
    uint32_t deep = third;

    for (int i = 0; i < 20; i++)
        deep = mp_cct_child(sole_recorder, deep, libc);
    thread_ends(800, deep);
    thread_ends(16, mp_cct_parent(third));
    assert_row(0, 1, third, 800, deep);
    assert_row(1, 1, mp_cct_parent(third), 16, mp_cct_parent(third));
}

TEST(those_that_find_no_room_share_the_last_row)
{
    uint32_t context = 0;

    for (uint32_t i = 0; i < 100; i++)
        thread_ends(8 * (i + 1), context = chain(frames + i, frames, 0));
    assert_row(0, 1, chain(frames, frames, 0), 8, chain(frames, frames, 0));
    assert_row(MP_STACK_STARTS - 2, 1, chain(frames + MP_STACK_STARTS - 2, frames, 0),
               8 * (MP_STACK_STARTS - 1), chain(frames + MP_STACK_STARTS - 2, frames, 0));
    assert_row(MP_STACK_STARTS - 1, 100 - (MP_STACK_STARTS - 1), 0, 800, context);
    thread_ends(4000, chain(frames + 5, frames, 1));
    ck_assert_uint_eq(live->stacks[5].threads, 2);
    ck_assert_uint_eq(live->stacks_ended, 101);
}

TEST(a_thread_of_which_nothing_is_known_is_none)
{
    mp_stacks_thread_ended(sole_recorder);
    ck_assert_uint_eq(live->stacks_ended, 0);
    mp_stack_raise(&live->stack, MP_STACK_AWAY);
    mp_stacks_thread_ended(sole_recorder);
    assert_row(0, 1, 0, 0, 0);
    ck_assert_uint_eq(live->stacks[0].deepest, MP_STACK_AWAY);
}

TEST(away_stays_and_the_deeper_one_wins)
{
    uint64_t word = 0;

    mp_stack_raise(&word, mp_stack_word(800, 20));
    mp_stack_raise(&word, MP_STACK_AWAY);
    mp_stack_raise(&word, mp_stack_word(792, 30));
    ck_assert_uint_eq(word, mp_stack_word(800, 20) | MP_STACK_AWAY);
    mp_stack_raise(&word, mp_stack_word(808, 40));
    ck_assert_uint_eq(word, mp_stack_word(808, 40) | MP_STACK_AWAY);
    mp_stack_raise(&word, mp_stack_word((uint64_t)1 << 60, 50));        /* more than can be told */
    ck_assert_uint_eq(word >> 32, UINT32_MAX);
}

TEST(what_a_lent_recorder_saw_is_its_threads)
{
    struct mp_recorder *lent = take_recorder(false);
    const uint32_t context = chain(frames, frames, 0);

    live->stack = mp_stack_word(800, context);
    lent->live->stack = mp_stack_word(880, context);
    mp_stacks_lent_back(lent, sole_recorder);
    ck_assert_uint_eq(live->stack, mp_stack_word(880, context));
    ck_assert_uint_eq(lent->live->stack, 0);
    lent->live->stack = mp_stack_word(8800, context);
    mp_stacks_lent_back(lent, NULL);
    ck_assert_uint_eq(live->stack, mp_stack_word(880, context));
    ck_assert_uint_eq(lent->live->stack, 0);
}
