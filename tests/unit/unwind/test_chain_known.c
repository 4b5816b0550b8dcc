/* A known chain that is recognised by the words of the stack is always the chain that unwinding finds. */
#include "tests/unit/tap.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "runtime/system/options.h"
#include "runtime/unwind/chain.h"
#include "runtime/unwind/code.h"
#include "runtime/unwind/module.h"
#include "tests/programs/program.h"
#include "tests/unit/record/recording.h"

#define PAGE 4096u

/* Results of the last capture(). */
static struct {
    uint32_t context;
    uint64_t sp, key;           /* stack pointer and key of the caller */
    bool known;
} last;

static unsigned n_known, n_captures;

static void
set_up(void)
{
    begin_sole();
    mp_options.unwinder = MP_UNWIND_RULES;
    mp_chain_select();
    mp_module_reset();
    ck_assert_int_eq(mp_code_reset(), 0);
    n_known = n_captures = 0;
}

/* Returns the context that unwinding finds if no chains are remembered. */
static uint32_t
unwind_anew(const void *frame)
{
    static struct mp_known known;
    uint32_t context;

    known = sole_recorder->known;
    mp_recorder_forget_chains(sole_recorder);
    context = mp_chain_memoised(sole_recorder, frame);
    mp_recorder_forget_chains(sole_recorder);
    sole_recorder->known = known;
    return context;
}

/* Finds the chain of the caller as a hook does, and checks it. */
static FRAME void
capture(void)
{
    const void *frame = __builtin_frame_address(0);

    last.sp = mp_machine_caller_sp(frame);
    last.key = mp_machine_caller_key(frame);
    last.known = mp_known_find(sole_recorder, frame) != NULL;
    last.context = mp_chain_capture(sole_recorder, frame);
    ck_assert_uint_ne(last.context, 0);
    ck_assert_uint_eq(last.context, unwind_anew(frame));
    n_known += last.known;
    n_captures++;
}

/* ------------------------------------------------------------------ places that alternate */

FIXTURE(set_up, NULL)

TEST(alternating_sites_are_known)
{
    for (int i = 0; i < 8; i++) {
        uint32_t context;

        capture();
        context = last.context;
        ck_assert(last.known == (i >= 2));      /* the first call noted the chain, the second one kept it */
        capture();
        ck_assert(last.known == (i >= 2));
        ck_assert_uint_ne(last.context, context);
    }
}

static FRAME void
wrapper(int n)
{
    capture();
    KEEP(&n);
}

static FRAME void
one(void)
{
    wrapper(1);
    KEEP(sole_recorder);
}

static FRAME void
two(void)
{
    wrapper(2);
    KEEP(sole_recorder);
}

TEST(chains_with_equal_innermost_frames_are_told_apart)
{
    void (*const ways[])(void) = { one, two };
    uint64_t sp[2], key[2];
    uint32_t contexts[2];

    for (unsigned i = 0; i < 8; i++) {
        ways[i % 2]();
        sp[i % 2] = last.sp, key[i % 2] = last.key;
        contexts[i % 2] = last.context;
        ck_assert(last.known == (i >= 4));
    }
    ck_assert_uint_eq(sp[0], sp[1]);            /* otherwise this test checks nothing */
    ck_assert_uint_eq(key[0], key[1]);
    ck_assert_uint_ne(contexts[0], contexts[1]);
}

/* Three functions with equal frames, which call each other for LEVELS levels. The digits of N to the base of 3 select
 * the function of each level. */
static FRAME void level_0(unsigned n, unsigned levels);
static FRAME void level_1(unsigned n, unsigned levels);
static FRAME void level_2(unsigned n, unsigned levels);

static void (*const of_level[])(unsigned, unsigned) = { level_0, level_1, level_2 };

#define LEVEL(name)                                                                                \
    static FRAME void                                                                              \
    name(unsigned n, unsigned levels)                                                              \
    {                                                                                              \
        if (levels > 0)                                                                            \
            of_level[n % 3](n / 3, levels - 1);                                                    \
        else                                                                                       \
            wrapper(1);                                                                            \
        KEEP(&n);                                                                                  \
    }
LEVEL(level_0)
LEVEL(level_1)
LEVEL(level_2)

TEST(code_that_is_unloaded_makes_all_unknown)
{
    for (unsigned i = 0; i < 8; i++) {
        one();
        ck_assert(last.known == (i != 4 && i >= 2));
        if (i == 3)
            mp_recorder_forget_chains(sole_recorder);
    }
}

/* ------------------------------------------------------------------ at random */

static uint64_t state = 1;

static FRAME void small_frame(unsigned depth);

static FRAME void
large_frame(unsigned depth)
{
    char room[600];

    KEEP(room);
    small_frame(depth);
    KEEP(room);
}

/* Has a frame of variable size, so it needs a frame pointer, which unwinding must restore for the frames outside. */
static FRAME void
changing_frame(unsigned depth)
{
    char *room = __builtin_alloca(next_random(&state) % 4 * 16 + 16);

    KEEP(room);
    small_frame(depth);
    KEEP(room);
}

static FRAME void
small_frame(unsigned depth)
{
    static void (*const ways[])(unsigned) = { small_frame, large_frame, changing_frame };

    if (next_random(&state) % 4 == 0)
        capture();
    if (depth > 0)
        ways[next_random(&state) % 3](depth - 1);
    KEEP(&depth);
}

TEST(chains_of_random_calls_are_right)
{
    for (unsigned i = 0; i < 5000; i++)
        small_frame(next_random(&state) % 6);
    ck_assert_uint_gt(n_known, n_captures / 8);         /* some chains occur again */
    ck_assert_uint_lt(n_known, n_captures);
}

/* ------------------------------------------------------------------ recursion */

static FRAME void
deep(unsigned n)
{
    if (n > 0)
        deep(n - 1);
    else
        capture();
    KEEP(&n);
}

/* Recursion in which each frame needs its frame pointer. */
static FRAME void
deep_with_pointers(unsigned n)
{
    char *room = __builtin_alloca(n > 0 ? 32 : 48);

    KEEP(room);
    if (n > 0)
        deep_with_pointers(n - 1);
    else
        capture();
    KEEP(room);
}

static FRAME void two_deep(unsigned n);

static FRAME void
one_deep(unsigned n)
{
    if (n > 0)
        two_deep(n - 1);
    else
        capture();
    KEEP(&n);
}

static FRAME void
two_deep(unsigned n)
{
    char room[64];

    KEEP(room);
    one_deep(n);
    KEEP(room);
}

TEST(chains_that_are_too_long_are_left_to_the_memo)
{
    for (unsigned i = 0; i < 4; i++) {
        one_deep(8 * MP_KNOWN_GROUPS);
        ck_assert(!last.known);
        one_deep(4);
        ck_assert(last.known == (i >= 2));
    }
}

/* Returns whether the chain of RECURSION at the depth N was known. */
static FRAME bool
recursion_is_known(void (*recursion)(unsigned), unsigned n)
{
    recursion(n);
    return last.known;
}

TEST(recursion_of_any_depth_is_known)
{
    void (*const ways[])(unsigned) = { deep, deep_with_pointers };

    for (unsigned w = 0; w < 2; w++)
        for (unsigned n = 4; n < 1500; n += n / 4 + 1) {
            mp_recorder_forget_chains(sole_recorder);       /* a set of the cache may be full by chance */
            for (unsigned i = 0; i < 4; i++)
                ck_assert(recursion_is_known(ways[w], n) == (i >= 2));
        }
}

static unsigned detour;             /* deep_by_two_ways() calls itself from another place in this frame */

static FRAME void
deep_by_two_ways(unsigned n)
{
    if (n == 0)
        capture();
    else if (n == detour) {
        deep_by_two_ways(n - 1);
        KEEP(&detour);
    } else
        deep_by_two_ways(n - 1);
    KEEP(&n);
}

TEST(recursion_that_differs_in_one_frame_is_told_apart)
{
    enum { DEPTH = 100, EQUAL = 4 };
    uint32_t context = 0;

    for (unsigned i = 0; i <= EQUAL + DEPTH; i++) {
        const bool equal = i < EQUAL || i == EQUAL + DEPTH;

        detour = equal ? DEPTH + 1 : i - EQUAL + 1;
        ck_assert(recursion_is_known(deep_by_two_ways, DEPTH) == (equal && i >= 2));
        if (i == 0)
            context = last.context;
        ck_assert((last.context == context) == equal);
    }
}

/* ------------------------------------------------------------------ other stacks */

static ucontext_t here, there;

static FRAME void
through_large_frame(void)
{
    char room[4 * PAGE];

    KEEP(room);
    wrapper(3);
    KEEP(room);
}

static FRAME void
directly(void)
{
    wrapper(4);
    KEEP(sole_recorder);
}

/* Runs FUNCTION on the stack of SIZE bytes that ends at TOP. */
static void
run_on_stack(void (*function)(void), uintptr_t top, size_t size)
{
    getcontext(&there);
    there.uc_stack.ss_sp = (void *)(top - size);
    there.uc_stack.ss_size = size;
    there.uc_link = &here;
    makecontext(&there, function, 0);
    swapcontext(&here, &there);
}

static void
many_chains(void)
{
    enum { CHAINS = 27, ROUNDS = 16 };
    uint64_t sp = 0;

    for (unsigned i = 0; i < CHAINS * ROUNDS; i++) {
        if (i == CHAINS * (ROUNDS - 1))
            n_known = 0;
        level_0(i % CHAINS, 3);
        if (i == 0)
            sp = last.sp;
        ck_assert_uint_eq(last.sp, sp);         /* otherwise this test checks nothing */
    }
    ck_assert_uint_gt(n_known, CHAINS / 2);     /* not all, because some may belong to the same set of the cache */
}

/* The chains run on a stack of their own, whose last page has all their frames. So words of one page distinguish
 * them. */
TEST(many_chains_with_equal_innermost_frames_are_found)
{
    const size_t size = 64 * PAGE;
    char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(stack, MAP_FAILED);
    run_on_stack(many_chains, (uintptr_t)stack + size, size);
    munmap(stack, size);
}

TEST(a_smaller_stack_in_the_place_of_another_is_not_read_beyond)
{
    const size_t size = 64 * PAGE;
    char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t top = (uintptr_t)stack + size, same, gone;
    uint64_t sp, key;
    uint32_t context;

    ck_assert_ptr_ne(stack, MAP_FAILED);
    run_on_stack(directly, top, size);
    same = top - last.sp;
    for (unsigned i = 0; i < 4; i++)
        run_on_stack(through_large_frame, top, size);
    ck_assert(last.known);
    sp = last.sp, key = last.key, context = last.context;

    same += sp;                         /* on a stack that ends here, the innermost frame of directly() is at SP */
    gone = (same + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    ck_assert_uint_lt(gone, top);
    ck_assert_int_eq(munmap((void *)gone, top - gone), 0);
    run_on_stack(directly, same, same - (uintptr_t)stack);
    ck_assert_uint_eq(last.sp, sp);     /* otherwise this test checks nothing */
    ck_assert_uint_eq(last.key, key);
    ck_assert(!last.known);
    ck_assert_uint_ne(last.context, context);
    munmap(stack, gone - (uintptr_t)stack);
}
/* SPDX-License-Identifier: MIT */
