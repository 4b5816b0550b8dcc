/* The shadow: values by address, and blocks of malloc of every size. */
#include "tests/unit/tap.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/record/block_table.h"
#include "runtime/record/block_trim.h"
#include "runtime/record/shadow.h"
#include "runtime/system/gate.h"

#define HEAP   ((uintptr_t)0x7f1200000000)
#define REGION MP_SHADOW_REGION_SIZE

static void
nothing_inherited(void)
{
}

static void
set_up(void)
{
    ck_assert_int_eq(mp_gate_open(nothing_inherited), 0);
    mp_gate_raise();
    mp_block_open(32);
    mp_block_delays = 0;
}

FIXTURE(set_up, NULL)

TEST(each_address_has_a_word_of_its_own)
{
    static struct mp_shadow_table table;
    uint64_t *region, all = 0;

    mp_shadow_open(&table, 16, sizeof *region, 65536, 4096);
    ck_assert_ptr_null(mp_shadow_region(&table, HEAP));
    region = mp_shadow_force_region(&table, HEAP + 160);
    ck_assert_ptr_nonnull(region);
    ck_assert_ptr_eq(mp_shadow_region(&table, HEAP), region);
    ck_assert_ptr_eq(mp_shadow_region(&table, HEAP + REGION - 1), region);
    ck_assert_ptr_null(mp_shadow_region(&table, HEAP + REGION));
    ck_assert_ptr_null(mp_shadow_region(&table, HEAP - 1));
    ck_assert_uint_eq(mp_shadow_index(&table, HEAP), 0);
    ck_assert_uint_eq(mp_shadow_index(&table, HEAP + 160), 10);
    ck_assert_uint_eq(mp_shadow_index(&table, HEAP + REGION - 16), REGION / 16 - 1);
    memset((char *)region - 65536, 1, 65536);
    memset((char *)region + (MP_SHADOW_REGION_SIZE >> table.shift) * table.width, 1, 4096);
    for (size_t i = 0; i < REGION / 16; i++)
        all |= region[i];
    ck_assert_uint_eq(all, 0);
}

/* Returns how often a walk through TABLE visits the region of ADDRESS. Sets *ALL to the number of visited regions. */
static unsigned
met(const struct mp_shadow_table *table, uintptr_t address, unsigned *all)
{
    struct mp_shadow_walk walk = {0};
    unsigned n = 0;
    void *region;

    for (*all = 0; (region = mp_shadow_next(table, &walk)) != NULL; ++*all) {
        ck_assert_ptr_eq(region, mp_shadow_region(table, walk.address));
        n += walk.address == (address & ~(REGION - 1));
    }
    return n;
}

TEST(a_region_is_made_once)
{
    static const uintptr_t far[] = {0, REGION, HEAP - REGION, HEAP, ((uintptr_t)1 << 47) - 1,
                                    ((uintptr_t)1 << 48) - 1};
    static struct mp_shadow_table table;
    unsigned all;
    void *region;

    mp_shadow_open(&table, 8, 8, 0, 0);
    ck_assert_uint_eq(met(&table, HEAP, &all) + all, 0);
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        region = mp_shadow_new_region(&table, far[i]);
        ck_assert_ptr_nonnull(region);
        ck_assert_ptr_eq(mp_shadow_new_region(&table, far[i] ^ 64), region);
        ck_assert_ptr_eq(mp_shadow_force_region(&table, far[i] ^ 8), region);
        ck_assert_uint_eq(met(&table, far[i], &all), 1);
        ck_assert_uint_eq(all, i + 1);
    }
}

/* Regions that are mapped many at a time, around existing ones, are all found. */
TEST(many_regions_are_all_there)
{
    static struct mp_shadow_table table;
    unsigned all;

    mp_shadow_open(&table, 32, 4, 65536, 4);
    for (uintptr_t i = 0; i < 200; i += i < 50 ? 5 : 1) {
        uint32_t *words = mp_shadow_new_region(&table, HEAP + i * REGION);

        words[0] = words[REGION / 32] = (uint32_t)i + 1;
    }
    for (uintptr_t i = 50; i < 200; i++) {
        uint32_t *words = mp_shadow_region(&table, HEAP + i * REGION);

        ck_assert_uint_eq(words[0], i + 1);
        ck_assert_uint_eq(words[REGION / 32], i + 1);
        ck_assert_uint_eq(met(&table, HEAP + i * REGION, &all), 1);
    }
    ck_assert_uint_ge(all, 160);
}

TEST(sizes_beyond_a_word_are_listed)
{
    const size_t size = (size_t)5 << 32;

    ck_assert_int_eq(mp_shadow_put_huge(HEAP, size), 0);
    ck_assert_int_eq(mp_shadow_put_huge(HEAP + 64, size + 1), 0);
    ck_assert_int_eq(mp_shadow_put_huge(HEAP, size + 2), 0);
    ck_assert_uint_eq(mp_shadow_find_huge(HEAP, false), size + 2);
    ck_assert_uint_eq(mp_shadow_take_huge(HEAP), size + 2);
    ck_assert_uint_eq(mp_shadow_take_huge(HEAP), 0);
    ck_assert_uint_eq(mp_shadow_take_huge(HEAP + 64), size + 1);
}

#define CELLS MP_BLOCK_MARKS         /* the first cell */

static enum mp_block_put
put(uintptr_t block, size_t size, uint32_t cell)
{
    const void *at = (const void *)block;

    return mp_block_put(mp_block_region(at), at, size, cell + CELLS, false);
}

/* Removes BLOCK. Fails the test if it did not have SIZE and CELL. */
static void
must_take(uintptr_t block, size_t size, uint32_t cell)
{
    size_t found;
    uint64_t record;

    ck_assert(mp_block_find_size((const void *)block, &found));
    ck_assert_uint_eq(found, size);
    record = mp_block_take((const void *)block);
    ck_assert_uint_eq(record >> 32, cell + CELLS);
    ck_assert_uint_eq(mp_block_size((const void *)block, record), size);
    ck_assert_uint_eq(mp_block_take((const void *)block), 0);
    ck_assert(!mp_block_find_size((const void *)block, &found));
}

TEST(blocks_of_every_size_are_remembered)
{
    static const size_t sizes[] = {0, 1, 31, 32, 63, 64, 1023, 1024, MP_BLOCK_LARGE - 1, MP_BLOCK_LARGE,
                                   UINT32_MAX - 1, UINT32_MAX, (size_t)1 << 32,
                                   (size_t)1 << 40};

    ck_assert_uint_eq(mp_block_take((const void *)HEAP), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ck_assert_int_eq(put(HEAP + 16, sizes[i], 7), MP_BLOCK_DONE);
        must_take(HEAP + 16, sizes[i], 7);
    }
}

/* ---------------------------------------------------------------- as near to each other as can be */

struct placed { uintptr_t address; size_t size; };

#define BLOCKS 10000

/* Adds and removes blocks of all sizes that follow each other across the end of a region. TAKES returns the distance
 * from the start of a block of SIZE bytes to the start of the next block. */
static void
must_not_meet(unsigned distance, size_t takes(size_t size))
{
    static struct placed blocks[BLOCKS];
    uint64_t state = 1;

    memset(&mp_block_shadow, 0, sizeof mp_block_shadow);
    memset(&mp_block_sizes, 0, sizeof mp_block_sizes);
    mp_block_open(distance);
    for (uintptr_t i = 0, at = HEAP + REGION - 500000; i < BLOCKS; i++) {
        size_t size = (state = state * 6364136223846793005u + 1442695040888963407u) >> 33;

        blocks[i] = (struct placed){ at, size % (size & 1 ? 130 : 2100) };
        at += takes(blocks[i].size);
    }
    ck_assert_uint_gt(blocks[BLOCKS - 1].address, HEAP + REGION + 500000);
    ck_assert(mp_block_make_sizes(CELLS, BLOCKS + 1));
    for (uint32_t k = 0; k < BLOCKS; k += 2)            /* every second cell is uniform */
        mp_block_note_size(k + 1 + CELLS, (uint32_t)blocks[k].size);
    for (uint32_t round = 0; round < 3; round++) {
        uint32_t step = round < 2 ? 1 : 7919;           /* coprime to BLOCKS */

        for (uint32_t i = 0, k = 0; i < BLOCKS; i++, k = (k + step) % BLOCKS) {
            const void *block = (const void *)blocks[k].address;

            ck_assert_int_eq(mp_block_put(mp_block_region(block), block, blocks[k].size, k + 1 + CELLS, k % 2 == 0),
                             MP_BLOCK_DONE);
        }
        for (uint32_t i = 0, k = 0; i < BLOCKS; i++, k = (k + 7907) % BLOCKS)
            must_take(blocks[k].address, blocks[k].size, k + 1);
    }
}

static size_t
glibc_takes(size_t size)
{
    size_t chunk = (size + 8 + 15) & ~(size_t)15;

    return chunk < 32 ? 32 : chunk;
}

static size_t
in_eights(size_t size)
{
    return size ? (size + 7) & ~(size_t)7 : 8;
}

static size_t
in_sixteens(size_t size)
{
    return size ? (size + 15) & ~(size_t)15 : 16;
}

TEST(neighbours_do_not_meet)
{
    must_not_meet(32, glibc_takes);
    must_not_meet(8, in_eights);
    must_not_meet(16, in_sixteens);
}

TEST(cells_beyond_a_slot_are_remembered)
{
    static const size_t sizes[] = {0, 40, 500, MP_BLOCK_LARGE - 1, MP_BLOCK_LARGE, 5000};
    static const uint32_t cells[] = {MP_BLOCK_CELLS - 1 - CELLS, MP_BLOCK_CELLS - CELLS, MP_BLOCK_CELLS + 1 - CELLS,
                                     UINT32_MAX - CELLS};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
            uintptr_t at = HEAP + (i * 8 + k) * 8192;

            for (int again = 0; again < 2; again++) {
                ck_assert_int_eq(put(at, sizes[i], cells[k]), MP_BLOCK_DONE);
                ck_assert_int_eq(put(at, sizes[i], cells[k]), MP_BLOCK_OLD);
                must_take(at, sizes[i], cells[k]);
            }
            ck_assert_int_eq(put(at, sizes[i], cells[k]), MP_BLOCK_DONE);
            mp_block_put_back((const void *)at, mp_block_take((const void *)at));
            ck_assert_int_eq(put(at, 30, 9), MP_BLOCK_OLD);
            ck_assert_uint_eq(mp_block_take_old((const void *)at, 30).record,
                              (uint64_t)(cells[k] + CELLS) << 32 | sizes[i]);
            ck_assert_int_eq(put(at, 30, 9), MP_BLOCK_DONE);
        }
}

/* A new block overlaps old blocks, whose frees no hook saw. */
TEST(what_stands_in_the_way_is_found)
{
    struct mp_block_old old;

    ck_assert_int_eq(put(HEAP, 32, 1), MP_BLOCK_DONE);
    ck_assert_int_eq(put(HEAP, 32, 2), MP_BLOCK_OLD);
    old = mp_block_take_old((const void *)HEAP, 32);
    ck_assert_uint_eq(old.record, (uint64_t)(1 + CELLS) << 32 | 32);
    ck_assert_int_eq(put(HEAP, 3000, 2), MP_BLOCK_DONE);
    ck_assert_int_eq(put(HEAP + 64, 4000, 3), MP_BLOCK_OLD);    /* two large blocks cannot be so near */
    old = mp_block_take_old((const void *)(HEAP + 64), 4000);
    ck_assert_ptr_eq(old.block, (const void *)HEAP);
    ck_assert_uint_eq(old.record, (uint64_t)(2 + CELLS) << 32 | 3000);
    ck_assert_uint_eq(mp_block_take_old((const void *)(HEAP + 64), 4000).record, 0);
    ck_assert_int_eq(put(HEAP + 64, 4000, 3), MP_BLOCK_DONE);
    if (put(HEAP, 64, 4) == MP_BLOCK_OLD) {                     /* a small block can be so near */
        ck_assert_uint_eq(mp_block_take_old((const void *)HEAP, 64).record, 0);
        ck_assert_int_eq(put(HEAP, 64, 4), MP_BLOCK_DONE);
    }
    must_take(HEAP, 64, 4);
    must_take(HEAP + 64, 4000, 3);
}

/* An old block was freed unseen. The new block overlaps a part of its memory, but begins at another address. */
TEST(what_stands_in_the_way_of_its_middle_is_found)
{
    static const size_t sizes[] = {30, 100, 1000, 5000};
    struct mp_block_old old;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {         /* the new one begins inside the old one */
        const uintptr_t at = HEAP + (i << 21);          /* far from the blocks of other sizes */

        ck_assert_int_eq(put(at, 100, 1), MP_BLOCK_DONE);
        ck_assert_int_eq(put(at + 32, sizes[i], 2), MP_BLOCK_OLD);
        old = mp_block_take_old((const void *)(at + 32), sizes[i]);
        ck_assert_ptr_eq(old.block, (const void *)at);
        ck_assert_uint_eq(old.record, (uint64_t)(1 + CELLS) << 32 | 100);
        ck_assert_int_eq(put(at + 32, sizes[i], 2), MP_BLOCK_DONE);
        ck_assert_uint_eq(mp_block_take((const void *)at), 0);
        must_take(at + 32, sizes[i], 2);
    }
    for (size_t i = 1; i < sizeof sizes / sizeof *sizes; i++) {         /* the new one covers the old one */
        const uintptr_t at = HEAP + ((i + 8) << 21);

        ck_assert_int_eq(put(at + 32, sizes[i], 3), MP_BLOCK_DONE);
        ck_assert_int_eq(put(at, 4000, 4), MP_BLOCK_OLD);
        old = mp_block_take_old((const void *)at, 4000);
        ck_assert_uint_eq(old.record, (uint64_t)(3 + CELLS) << 32 | sizes[i]);
        ck_assert_ptr_eq(old.block, (const void *)(at + 32));
        ck_assert_int_eq(put(at, 4000, 4), MP_BLOCK_DONE);
        must_take(at, 4000, 4);
    }
}

/* Returns how many of the 64 pages of slots from that of HEAP on are resident. */
static unsigned
pages_there(void)
{
    char *slots = (char *)mp_block_slot(mp_shadow_region(&mp_block_shadow, HEAP), HEAP, 5);
    unsigned char there[64];
    unsigned n = 0;

    ck_assert_int_eq(mincore(slots, sizeof there * MP_BLOCK_PAGE, there), 0);
    for (size_t i = 0; i < sizeof there; i++)
        n += there[i] & 1;
    return n;
}

/* Slots are made resident ahead of a growing heap, but at most as many as the heap uses already. Elsewhere only used
 * pages of slots are resident. */
TEST(slots_are_there_ahead_of_a_growing_heap)
{
    const size_t per_page = MP_BLOCK_PAGE / sizeof(uint32_t) * 32;

    if (sysconf(_SC_PAGESIZE) != MP_BLOCK_PAGE)
        return;
    for (size_t at = 0; at < 64 * per_page; at += 7 * per_page)
        ck_assert_int_eq(put(HEAP + at, 40, 1), MP_BLOCK_DONE);
    ck_assert_uint_eq(pages_there(), 10);
    set_up();
    memset(&mp_block_shadow.parts, 0, sizeof mp_block_shadow.parts);
    for (size_t at = 0; at < 20 * per_page; at += 48) {
        ck_assert_int_eq(put(HEAP + at, 40, 1), MP_BLOCK_DONE);
        ck_assert_uint_le(pages_there(), 2 * (at / per_page + 1));
        at += at % per_page > 1000 ? per_page / 8 : 0;
    }
    ck_assert_uint_ge(pages_there(), 20);
}

/* Taking a block twice, or an address within it, finds no block. */
TEST(what_is_no_block_is_not_taken)
{
    ck_assert_int_eq(put(HEAP, 100, 1), MP_BLOCK_DONE);
    ck_assert_uint_eq(mp_block_take((const void *)(HEAP + 32)), 0);
    ck_assert_uint_eq(mp_block_take((const void *)(HEAP + 64)), 0);
    must_take(HEAP, 100, 1);
    ck_assert_int_eq(put(HEAP, 5000, 1), MP_BLOCK_DONE);
    ck_assert_uint_eq(mp_block_take((const void *)(HEAP + 16)), 0);
    ck_assert_uint_eq(mp_block_take((const void *)(HEAP + 64)), 0);
    must_take(HEAP, 5000, 1);
}

TEST(a_failed_realloc_puts_the_block_back)
{
    static const size_t sizes[] = {50, 100, 9100};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t record;

        ck_assert_int_eq(put(HEAP, sizes[i], 5), MP_BLOCK_DONE);
        record = mp_block_take((const void *)HEAP);
        mp_block_put_back((const void *)HEAP, record);
        must_take(HEAP, sizes[i], 5);
    }
}

/* ---------------------------------------------------------------- shared units */

#define UNIT ((size_t)1 << MP_BLOCK_UNIT_BITS)

static uint32_t
state_of(uintptr_t address)
{
    return *mp_block_unit(mp_shadow_region(&mp_block_shadow, address), address);
}

/* Fills BLOCKS with blocks that follow each other from FROM to END as glibc places them. Their sizes are random, from
 * LEAST bytes to less than MOST. Returns their number. */
static size_t
lay_out(struct placed *blocks, uintptr_t from, uintptr_t end, size_t least, size_t most)
{
    uint64_t state = 7;
    size_t n = 0;

    for (uintptr_t at = from + 16; at < end; at += glibc_takes(blocks[n++].size)) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        blocks[n] = (struct placed){ at, least + (state >> 33) % (most - least) };
    }
    return n;
}

static void
put_all(const struct placed *blocks, size_t n)
{
    for (uint32_t i = 0; i < n; i++)
        ck_assert_int_eq(put(blocks[i].address, blocks[i].size, i + 1), MP_BLOCK_DONE);
}

static void
must_take_all(const struct placed *blocks, size_t n)
{
    for (uint32_t i = 0; i < n; i++)
        must_take(blocks[i].address, blocks[i].size, i + 1);
}

#define MIXED (HEAP + UNIT)             /* the first unit that the one before it can make shared */

/* Records blocks of 8 to 1,000 bytes in the unit before MIXED, which is plain. */
static void
precede(void)
{
    static struct placed before[UNIT / 32];

    put_all(before, lay_out(before, HEAP, MIXED - 1100, 8, 1001));
}

/* Fills the unit at MIXED, which is shared, with BLOCKS of 8 to 1,000 bytes. Returns their number. */
static size_t
share(struct placed *blocks)
{
    const size_t n = lay_out(blocks, MIXED, MIXED + UNIT, 8, 1001);

    precede();
    put_all(blocks, n);
    ck_assert(state_of(MIXED) & MP_BLOCK_SHARED);
    return n;
}

/* Returns the number of shared units from FROM to END. */
static unsigned
count_shared(uintptr_t from, uintptr_t end)
{
    unsigned n = 0;

    for (uintptr_t at = from; at < end; at += UNIT)
        n += (state_of(at) & MP_BLOCK_SHARED) != 0;
    return n;
}

TEST(mixed_sizes_share_slots)
{
    static struct placed blocks[2 * REGION / 32];
    const size_t n = lay_out(blocks, HEAP, HEAP + 2 * REGION, 8, 1001);

    put_all(blocks, n);
    ck_assert_uint_eq(count_shared(HEAP, MIXED), 0);
    ck_assert_uint_ge(count_shared(MIXED, HEAP + 2 * REGION), 245);     /* of 255; some end because a window is full */
    ck_assert_uint_eq(state_of(MIXED) & MP_BLOCK_LEVEL, 8);
    must_take_all(blocks, n);
    put_all(blocks, n);
    must_take_all(blocks, n);
}

/* In a small heap, each block has a slot of its own. */
TEST(the_first_units_are_plain)
{
    static struct placed blocks[33 * UNIT / 32];
    const size_t n = lay_out(blocks, HEAP, HEAP + 33 * UNIT, 8, 1001);

    mp_block_delays = 1;
    put_all(blocks, n);
    ck_assert_uint_eq(count_shared(HEAP, HEAP + 17 * UNIT), 0);
    ck_assert_uint_eq(count_shared(HEAP + 17 * UNIT, HEAP + 33 * UNIT), 16);
    must_take_all(blocks, n);
}

/* Small blocks take the place of larger ones, until each needs a slot of its own. */
TEST(a_full_window_ends_sharing)
{
    static struct placed blocks[UNIT / 32];
    size_t n = share(blocks), rest = 0;

    while (blocks[rest].address < MIXED + 8000)
        rest++;
    for (size_t i = rest; i < n; i++)
        must_take(blocks[i].address, blocks[i].size, (uint32_t)i + 1);
    n = rest + lay_out(blocks + rest, blocks[rest].address - 16, MIXED + UNIT, 8, 25);
    for (uint32_t i = (uint32_t)rest; i < n; i++)
        ck_assert_int_eq(put(blocks[i].address, blocks[i].size, i + 1), MP_BLOCK_DONE);
    ck_assert_uint_eq(state_of(MIXED) & (MP_BLOCK_LEVEL | MP_BLOCK_SHARED), 5);
    must_take_all(blocks, n);
}

/* Similar sizes share no slots. */
TEST(one_size_shares_no_slots)
{
    for (uintptr_t at = HEAP; at < HEAP + REGION; at += 128)
        ck_assert_int_eq(put(at, 100, 1), MP_BLOCK_DONE);
    for (uintptr_t at = HEAP; at < HEAP + REGION; at += UNIT)
        ck_assert_uint_eq(state_of(at), 6);
}

/* Most blocks would not have the slots of their own granules. */
TEST(groups_of_small_blocks_share_no_slots)
{
    for (uintptr_t at = HEAP; at < HEAP + REGION; at += 1152) {
        ck_assert_int_eq(put(at, 1000, 1), MP_BLOCK_DONE);
        for (uintptr_t small = at + 1024; small < at + 1152; small += 32)
            ck_assert_int_eq(put(small, 20, 1), MP_BLOCK_DONE);
    }
    ck_assert_uint_eq(count_shared(HEAP, HEAP + REGION), 0);
}

TEST(frees_in_shared_units_are_remembered)
{
    static struct placed blocks[UNIT / 32];
    const size_t n = share(blocks);
    unsigned freed = 0;

    for (uint32_t i = 0; i < n; i++)
        ck_assert(!mp_block_was_freed((const void *)(blocks[i].address + 16)) ||
                  !mp_block_is_within((const void *)(blocks[i].address + 16)));
    for (uint32_t i = 0; i < n; i++) {
        const void *block = (const void *)blocks[i].address;

        if (blocks[i].size > 40)
            ck_assert(mp_block_is_within((const void *)(blocks[i].address + 32)));
        must_take(blocks[i].address, blocks[i].size, i + 1);
        ck_assert(mp_block_was_freed(block));
        ck_assert(!mp_block_is_within(block));
    }
    for (uint32_t i = 0; i < n; i++) {
        mp_block_unrecorded((const void *)blocks[i].address);
        ck_assert(!mp_block_was_freed((const void *)blocks[i].address));
    }
    put_all(blocks, n);
    for (uint32_t i = 0; i < n; i++)
        freed += mp_block_was_freed((const void *)blocks[i].address);
    ck_assert_uint_eq(freed, 0);
    must_take_all(blocks, n);
}

TEST(old_records_in_shared_units_are_found)
{
    static const size_t sizes[] = {20, 600, 5000};
    static struct placed blocks[UNIT / 32];
    const size_t n = share(blocks);

    for (uint32_t i = 0; i < n; i++) {
        const size_t size = sizes[i % 3];
        const void *block = (const void *)blocks[i].address;
        enum mp_block_put result = put(blocks[i].address, size, 9);
        struct mp_block_old old;

        ck_assert_int_eq(result, MP_BLOCK_OLD);
        old = mp_block_take_old(block, size);
        ck_assert_ptr_eq(old.block, block);
        ck_assert_uint_eq(old.record, (uint64_t)(i + 1 + CELLS) << 32 | blocks[i].size);
        if (size < MP_BLOCK_LARGE) {
            ck_assert_uint_eq(mp_block_take_old(block, size).record, 0);
            ck_assert_int_eq(put(blocks[i].address, size, 9), MP_BLOCK_DONE);
            mp_block_put_back(block, mp_block_take(block));
            must_take(blocks[i].address, size, 9);
        }
    }
}

/* The scan for leaks reads the addresses of all blocks from the slots. */
TEST(blocks_of_shared_units_are_listed)
{
    static struct placed blocks[UNIT / 32];
    const size_t n = share(blocks);
    uint32_t *region = mp_shadow_region(&mp_block_shadow, HEAP);
    const unsigned now = state_of(MIXED) & MP_BLOCK_LEVEL;
    const uintptr_t step = (uintptr_t)1 << now;
    size_t found = 0;

    for (uintptr_t granule = MIXED; granule < MIXED + UNIT; granule += step)
        for (uintptr_t from = granule, at; from < granule + step; from = at + 1) {
            uintptr_t first = granule + step;
            uint64_t record = 0, there;

            for (unsigned level = now; level <= MP_BLOCK_COARSEST; level++)
                if ((there = mp_block_read(region, from, first, level, false, &at)) != 0) {
                    first = at;
                    record = there;
                }
            if ((at = first) == granule + step)
                break;
            ck_assert_uint_lt(found, n);
            ck_assert_uint_eq(first, blocks[found].address);
            ck_assert_uint_eq(record, (uint64_t)(found + 1 + CELLS) << 32 | blocks[found].size);
            found++;
        }
    ck_assert_uint_eq(found, n);
}

/* A thread that is about to leave its mark in a slot may do so after all records were removed. */
TEST(cleared_units_are_shared_no_longer)
{
    static struct placed blocks[UNIT / 32];
    const size_t n = share(blocks);
    struct mp_gate_hold hold;

    ck_assert(mp_gate_lock(&hold));
    mp_block_clear_all();
    mp_gate_unlock(&hold);
    ck_assert(!(state_of(MIXED) & MP_BLOCK_SHARED));
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_uint_eq(mp_block_take((const void *)blocks[i].address), 0);
        ck_assert(!mp_block_was_freed((const void *)blocks[i].address));
    }
    put_all(blocks, n);
    must_take_all(blocks, n);
}

#define THREADS 4
#define TOGGLES 200000

static struct { struct placed list[REGION / 32]; size_t n; } between;
static int at_work;

/* Returns 1 if BLOCK, whose cell is CELL, is not stored or taken as it must be, otherwise 0. */
static size_t
fault(const struct placed *block, uint32_t cell, bool there)
{
    if (there)
        return mp_block_take((const void *)block->address) != ((uint64_t)(cell + CELLS) << 32 | block->size);
    return put(block->address, block->size, cell) != MP_BLOCK_DONE;
}

/* Stores and takes every THREADS-th of the blocks, of which few or most have records at any time. Returns the number of
 * faults. */
static void *
toggle(void *argument)
{
    static bool there[REGION / 32];
    const size_t own = (size_t)argument;
    uint64_t state = own;
    size_t faults = 0;

    for (int i = 0; i < TOGGLES; i++) {
        const size_t each = between.n / THREADS;
        size_t k = ((state = state * 6364136223846793005u + 1442695040888963407u) >> 33) % each * THREADS + own;

        if (!there[k] && !(state >> 32 & 1) && i / (TOGGLES / 4) % 2 == 0)
            continue;
        faults += fault(&between.list[k], (uint32_t)k, there[k]);
        there[k] = !there[k];
    }
    for (size_t k = own; k < between.n; k += THREADS)
        if (there[k])
            faults += fault(&between.list[k], (uint32_t)k, true);
    __atomic_sub_fetch(&at_work, 1, __ATOMIC_RELAXED);
    return (void *)faults;
}

/* Threads claim and clear slots next to each other, while pages of slots without blocks are released. */
TEST(threads_share_slots)
{
    pthread_t threads[THREADS];
    void *faults;

    between.n = lay_out(between.list, MIXED, MIXED + 8 * UNIT, 8, 1001);
    precede();
    put_all(between.list, between.n);
    must_take_all(between.list, between.n);
    at_work = THREADS;
    for (size_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, toggle, (void *)i), 0);
    while (__atomic_load_n(&at_work, __ATOMIC_RELAXED) > 0)
        mp_trim_now();
    for (size_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &faults), 0);
        ck_assert_ptr_null(faults);
    }
    for (size_t k = 0; k < between.n; k++)
        ck_assert_uint_eq(mp_block_take((const void *)between.list[k].address), 0);
    ck_assert_uint_ge(count_shared(MIXED, MIXED + 8 * UNIT), 7);
}
/* SPDX-License-Identifier: MIT */
