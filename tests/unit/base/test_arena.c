#include "tests/unit/tap.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include "reporter/base/arena.h"

TEST(arena_gives_zeroed_aligned_memory)
{
    struct mp_arena *arena = mp_arena_new();

    for (size_t size = 0; size < 5000000; size = size * 3 + 1) {
        unsigned char *bytes = mp_arena_alloc(arena, size);

        ck_assert_uint_eq((uintptr_t)bytes % 16, 0);
        for (size_t i = 0; i < size; i++)
            ck_assert_uint_eq(bytes[i], 0);
        memset(bytes, 0xff, size);
    }
    mp_arena_free(arena);
}

TEST(arena_keeps_large_and_small_pieces_apart)
{
    struct mp_arena *arena = mp_arena_new();
    char *before = mp_arena_strdup(arena, "before"), *after;
    char *large = mp_arena_alloc(arena, 1 << 20);

    memset(large, 'x', 1 << 20);
    after = mp_arena_printf(arena, "%s and %d", "after", 42);
    ck_assert_str_eq(before, "before");
    ck_assert_str_eq(after, "after and 42");
    mp_arena_free(arena);
}

/* Returns the maximum resident memory of this process so far, MB. Returns 0 with AddressSanitizer, which keeps what is
 * freed. */
static long
most_memory(void)
{
    struct rusage usage = {0};

#ifndef __SANITIZE_ADDRESS__
    getrusage(RUSAGE_SELF, &usage);
#endif
    return usage.ru_maxrss / 1024;
}

/* A huge page costs one page fault; ordinary pages cost one for each 4 KB. */
TEST(the_largest_pieces_begin_at_huge_pages)
{
    struct mp_arena *arena = mp_arena_new();

    for (size_t size = (size_t)2 << 20; size < (size_t)16 << 20; size += 1234567)
        ck_assert_uint_lt((uintptr_t)mp_arena_alloc(arena, size) % ((uintptr_t)2 << 20), 64);
    mp_arena_free(arena);
}

static void
give_back(size_t size)
{
    struct mp_arena *arena = mp_arena_new();
    char *first = mp_arena_alloc(arena, size), *small = mp_arena_strdup(arena, "small"), *last = NULL;
    long before = most_memory();

    strcpy(first, "first");
    for (int i = 0; i < 300; i++) {
        char *piece = mp_arena_alloc(arena, size);

        memset(piece, 'x', size);
        mp_arena_drop(last, size);
        last = piece;
    }
    mp_arena_drop(small, sizeof "small");        /* has no effect */
    ck_assert_str_eq(first, "first");
    ck_assert_str_eq(small, "small");
    ck_assert_int_eq(last[size - 1], 'x');
    ck_assert_int_lt(most_memory(), before + 100);
    mp_arena_drop(first, size);
    ck_assert_int_eq(last[0], 'x');
    mp_arena_free(arena);
}

TEST(large_pieces_can_be_given_back)
{
    give_back(1 << 20);
    give_back(5 << 20);
}

TEST(lists_grow_in_an_arena)
{
    struct mp_arena *arena = mp_arena_new();
    uint32_t *list = NULL, room = 0;

    for (uint32_t i = 0; i < 1000; i++) {
        list = mp_arena_grow(arena, list, i, &room, sizeof *list);
        ck_assert_uint_gt(room, i);
        list[i] = i * 3;
    }
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(list[i], i * 3);
    mp_arena_free(arena);
}

TEST(no_memory_is_where_the_caller_wants_to_go)
{
    struct mp_arena *arena = mp_arena_new();
    volatile bool came_back = false;
    jmp_buf back;

    if (setjmp(back) == 0) {
        mp_when_no_memory(&back);
        mp_arena_alloc(arena, SIZE_MAX);
    } else {
        came_back = true;
    }
    mp_when_no_memory(NULL);
    ck_assert(came_back);
    mp_arena_free(arena);
}
/* SPDX-License-Identifier: MIT */
