/* The file of a process that was killed while it counted has the same sums in cells and in bins, except for the event
 * that was being counted. */
#include "tests/unit/tap.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording.h"
#include "reporter/file/reader.h"
#include "runtime/record/cct.h"
#include "runtime/record/counter.h"
#include "runtime/sizeclass.h"
#include "tests/unit/profile_checks.h"

#define ROUNDS   60
#define CONTEXTS 8u
#define BLOCKS   64u
#define LARGEST  1500u

static uint32_t contexts[CONTEXTS];

static void
begin(void)
{
    begin_sole();
    mp_store.header->state = MP_STATE_RUNNING;
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        uint32_t frame = mp_store_take(MP_EXT_FRAMES, 1);

        mp_store.frames[frame] =
            (struct mp_live_frame){ .ip = 0x1000 + i, .flags = MP_LIVE_FRAME_VALID };
        contexts[i] = mp_cct_child(sole_recorder, 0, frame);
        ck_assert_uint_ne(contexts[i], 0);
    }
}

/* Allocates and frees until the process is killed. The first half of the contexts have one size each, the others many
 * sizes. */
static void
count_for_ever(unsigned seed)
{
    struct { uint32_t cell; size_t size; } live[BLOCKS] = { 0 };

    srand(seed);
    for (;;) {
        const unsigned at = (unsigned)rand() % BLOCKS, context = (unsigned)rand() % CONTEXTS;
        const size_t size = context < CONTEXTS / 2 ? 16 * (context + 1) : (size_t)rand() % LARGEST;

        if (live[at].cell) {
            mp_counter_free(sole_recorder, live[at].cell, live[at].size, at % 2 == 0);
            live[at].cell = 0;
            continue;
        }
        live[at].size = size;
        live[at].cell = mp_counter_cell(sole_recorder, contexts[context], mp_sizeclass(size), size);
        mp_counter_alloc(sole_recorder, live[at].cell, size);
    }
}

static uint64_t
apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Checks the sums in the file of FD. Returns its number of allocations. */
static uint64_t
check(int fd)
{
    struct mp_totals totals;
    struct mp_bin bins = { 0 };
    struct mp_profile *profile;
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    profile = mp_read(path, &error);
    ck_assert_msg(profile != NULL, "%s", error.text);
    assert_valid(profile);
    mp_profile_totals(profile, &totals);
    for (uint32_t i = 0; i < MP_BINS; i++) {
        bins.allocs += profile->bins[i].allocs;
        bins.bytes += profile->bins[i].bytes;
        bins.frees += profile->bins[i].frees;
        bins.freed += profile->bins[i].freed;
    }
    ck_assert_uint_le(apart(totals.all.allocs, bins.allocs), 1);
    ck_assert_uint_le(apart(totals.all.bytes, bins.bytes), LARGEST);
    ck_assert_uint_le(apart(totals.all.frees, bins.frees), 1);
    ck_assert_uint_le(apart(totals.all.freed, bins.freed), LARGEST);
    ck_assert_uint_le(totals.all.allocs - totals.all.frees, BLOCKS);
    mp_profile_free(profile);
    return bins.allocs;
}

TIMEOUT(120)

TEST(a_killed_process_leaves_whole_sums)
{
    uint64_t allocs = 0;

    srand(1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        pid_t child;

        begin();
        child = fork();
        if (child == 0)
            count_for_ever(round);
        usleep((useconds_t)(rand() % 3000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        allocs += check(mp_store_number());
    }
    ck_assert_uint_gt(allocs, ROUNDS);
}
/* SPDX-License-Identifier: MIT */
