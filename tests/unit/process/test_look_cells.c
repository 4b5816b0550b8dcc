#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/process/live_sample.h"
#include "runtime/sizeclass.h"

enum { CELLS = 500, MIXED = 40, FIRST_CELL = 1, FIRST_MIXED = 17, ROUNDS = 200 };

/* The tables of a live file, the copy of them that is tested, and the changes that it reported. */
static struct mp_live_cell cells[CELLS];
static struct mp_live_mixed mixed[MIXED];
static struct mp_look_cells look;
static struct mp_point point;
static uint64_t taken[CELLS + 1][4];    /* by context, which is the cell's number: sums of all changes */
static unsigned n_taken;
static int fd;

static void
set_up(void)
{
    const struct mp_live_extent extents[] = {
        {MP_EXT_CELLS, FIRST_CELL, 100, sizeof *cells, 4096},
        {MP_EXT_FRAMES, 1, 100, sizeof(struct mp_live_frame), 0},
        {MP_EXT_CELLS, FIRST_CELL + 100, CELLS - 100, sizeof *cells, 4096 + 100 * sizeof *cells},
        {MP_EXT_MIXED, FIRST_MIXED, MIXED, sizeof *mixed, 65536}};
    char name[] = "/tmp/test_look_cells.XXXXXX";

    fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    unlink(name);
    memset(cells, 0, sizeof cells);
    memset(mixed, 0, sizeof mixed);
    memset(taken, 0, sizeof taken);
    look = (struct mp_look_cells){0};
    n_taken = 0;
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
        ck_assert(mp_look_cells_extent(&look, &extents[i]));
}

static void
tear_down(void)
{
    mp_look_cells_free(&look);
    close(fd);
}

static void
take(void *data, const struct mp_change *change)
{
    uint64_t *sums = taken[change->context];

    (void)data;
    sums[0] += change->allocs;
    sums[1] += change->bytes;
    sums[2] += change->frees;
    sums[3] += change->freed;
    n_taken++;
}

static void
read_all(void)
{
    ck_assert_int_eq(pwrite(fd, cells, sizeof cells, 4096), (int)sizeof cells);
    ck_assert_int_eq(pwrite(fd, mixed, sizeof mixed, 65536), (int)sizeof mixed);
    ck_assert(mp_look_cells_read(&look, fd, &point));
}

/* Each tenth cell is mixed. The others have blocks of 8 bytes or more. */
static void
use_cell(unsigned i)
{
    cells[i] = (struct mp_live_cell){.context = i + 1, .kind = i % 3 ? MP_KIND_SMALL : MP_KIND_LISP,
                                     .size = 8 + i};
    if (i % 10 == 0 && i / 10 < MIXED) {
        cells[i].kind |= MP_CELL_MIXED;
        cells[i].size = FIRST_MIXED + i / 10;
    }
}

static void
allocate(unsigned i, uint32_t blocks)
{
    cells[i].allocs += blocks;
    if (cells[i].kind & MP_CELL_MIXED)
        mixed[i / 10].bytes += blocks * UINT64_C(1000);
}

static void
release(unsigned i, uint32_t blocks)
{
    cells[i].frees += blocks;
    if (cells[i].kind & MP_CELL_MIXED)
        mixed[i / 10].freed += blocks * UINT64_C(1000);
}

static uint64_t
size_of(unsigned i)
{
    return cells[i].kind & MP_CELL_MIXED ? 1000 : cells[i].size;
}

/* Checks that the sums in `point` are those of all cells. */
static void
check_sums(void)
{
    uint64_t allocs = 0, bytes = 0, blocks = 0, lisp = 0;

    for (unsigned i = 0; i < CELLS; i++) {
        const uint64_t live = cells[i].allocs - cells[i].frees;

        allocs += cells[i].allocs;
        bytes += cells[i].allocs * size_of(i);
        blocks += live;
        if ((cells[i].kind & ~MP_CELL_MIXED) == MP_KIND_LISP)
            lisp += live * size_of(i);
    }
    ck_assert_uint_eq(point.allocs, allocs);
    ck_assert_uint_eq(point.bytes, bytes);
    ck_assert_uint_eq(point.blocks, blocks);
    ck_assert_uint_eq(point.live_lisp, lisp);
}

static void
check_changes(void)
{
    mp_look_cells_changes(&look, take, NULL);
    for (unsigned i = 0; i < CELLS; i++) {
        ck_assert_uint_eq(taken[i + 1][0], cells[i].allocs);
        ck_assert_uint_eq(taken[i + 1][1], cells[i].allocs * size_of(i));
        ck_assert_uint_eq(taken[i + 1][2], cells[i].frees);
        ck_assert_uint_eq(taken[i + 1][3], cells[i].frees * size_of(i));
    }
}

FIXTURE(set_up, tear_down)

/* Cells are added, count and are sampled. Changes are taken after some of the samples only. */
TEST(sums_and_changes_follow_the_cells)
{
    unsigned used = 0;

    srand(7);
    for (unsigned n = 0; n < ROUNDS; n++) {
        for (unsigned more = (unsigned)rand() % 7; more > 0 && used < CELLS; more--)
            use_cell(used++);
        for (unsigned i = 0; i < used; i++) {
            if (rand() % 20 == 0)
                allocate(i, (uint32_t)rand() % 5);
            if (rand() % 20 == 0 && cells[i].frees < cells[i].allocs)
                release(i, 1);
        }
        read_all();
        check_sums();
        if (rand() % 4 == 0)
            check_changes();
    }
    check_changes();
    ck_assert_uint_eq(used, CELLS);
}

TEST(nothing_is_taken_twice)
{
    for (unsigned i = 0; i < CELLS; i++) {
        use_cell(i);
        allocate(i, 2);
    }
    read_all();
    mp_look_cells_changes(&look, take, NULL);
    ck_assert_uint_eq(n_taken, CELLS);
    n_taken = 0;
    read_all();
    mp_look_cells_changes(&look, take, NULL);
    ck_assert_uint_eq(n_taken, 0);
    release(123, 1);
    release(0, 1);              /* mixed */
    read_all();
    check_sums();
    ck_assert_uint_eq(look.n_changed, 2);
    check_changes();
    ck_assert_uint_eq(n_taken, 2);
}

/* The bytes of a mixed cell are written before or after its blocks, and a sample may be taken between. */
TEST(bytes_of_a_mixed_cell_alone_are_a_change)
{
    use_cell(10);
    allocate(10, 1);
    read_all();
    check_changes();
    mixed[1].bytes += 500;
    read_all();
    ck_assert_uint_eq(point.bytes, 1500);
    ck_assert_uint_eq(look.n_changed, 1);
    mp_look_cells_changes(&look, take, NULL);
    ck_assert_uint_eq(taken[11][1], 1500);
}

/* The extent with the cell's record of bytes was created after the extents were read. */
TEST(a_cell_whose_bytes_cannot_be_read_yet_is_left_for_the_next_look)
{
    const struct mp_live_extent more = {MP_EXT_MIXED, FIRST_MIXED + MIXED, 1, sizeof *mixed, 131072};
    const struct mp_live_mixed late = {.bytes = 77};

    use_cell(10);
    cells[10].size = FIRST_MIXED + MIXED;
    cells[10].allocs = 1;
    read_all();
    ck_assert_uint_eq(point.bytes, 0);
    ck_assert_uint_eq(point.allocs, 0);
    ck_assert(mp_look_cells_extent(&look, &more));
    ck_assert_int_eq(pwrite(fd, &late, sizeof late, 131072), (int)sizeof late);
    read_all();
    ck_assert_uint_eq(point.bytes, 77);
    ck_assert_uint_eq(point.allocs, 1);
    mp_look_cells_changes(&look, take, NULL);
    ck_assert_uint_eq(taken[11][1], 77);
}

TEST(extents_that_no_live_file_has_are_refused)
{
    ck_assert(!mp_look_cells_extent(&look, &(struct mp_live_extent){
        MP_EXT_CELLS, FIRST_CELL + CELLS + 1, 1, sizeof *cells, 131072}));
    ck_assert(!mp_look_cells_extent(&look, &(struct mp_live_extent){
        MP_EXT_MIXED, FIRST_MIXED + MIXED, 1, 63, 131072}));
}
/* SPDX-License-Identifier: MIT */
