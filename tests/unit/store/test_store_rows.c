/* Rows of records: how they grow, and which record numbers a later file may use again. */
#include "tests/unit/tap.h"

#include "runtime/store/store.h"
#include "runtime/store/store_past.h"
#include "runtime/store/store_rows.h"
#include "runtime/system/sys.h"
#include "runtime/system/sys_process.h"

/* ------------------------------------------------------------------ a system that always can */

void *
mp_sys_map(size_t size)
{
    return calloc(1, size);
}

void *
mp_sys_reserve(size_t size)
{
    return calloc(1, size);
}

void
mp_sys_set_aside(size_t size)
{
    ck_assert_uint_gt(size, 0);
}

bool
mp_sys_pay(size_t size)
{
    return size == 0;
}

long
mp_sys_map_at(void *address, size_t size)
{
    return address && size ? 0 : -1;
}

long
mp_sys_map_file_at(void *address, size_t size, int fd, uint64_t offset)
{
    return address && size && fd >= 0 && offset ? 0 : -1;
}

long
mp_sys_map_file(void *address, size_t size, int fd, uint64_t offset)
{
    return mp_sys_map_file_at(address, size, fd, offset);
}

long
mp_sys_map_over(void *address, size_t size)
{
    return mp_sys_map_at(address, size);
}

long
mp_sys_unmap(void *address, size_t size)
{
    return mp_sys_map_at(address, size);
}

long
mp_sys_madvise(void *address, size_t size, int advice)
{
    return advice >= 0 ? mp_sys_map_at(address, size) : -1;
}

long
mp_sys_limit(int resource, struct rlimit *limit)
{
    *limit = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
    return resource == RLIMIT_AS ? 0 : -1;
}

uint64_t
mp_sys_memory(enum mp_memory which)
{
    return which == MP_MEMORY_SIZE ? 0 : 1;
}

/* ------------------------------------------------------------------ files that come and go */

static struct mp_live_header *
begin(void)
{
    struct mp_live_header *header = mp_past_header();

    ck_assert_ptr_nonnull(header);
    ck_assert_int_eq(mp_past_begin(header), 0);
    return header;
}

/* Enlarges the row of KIND by COUNT records, or by the default number if COUNT is 0. Returns the number. */
static uint32_t
grow(enum mp_extent_kind kind, uint32_t count)
{
    uint32_t next = count ? count : mp_rows_next_count(kind, 1);

    mp_rows[kind].mapped += next;
    mp_rows[kind].next = mp_rows[kind].mapped;
    return next;
}

TEST(the_directory_has_room_for_full_rows)
{
    uint32_t extents = 0;

    ck_assert_int_eq(mp_rows_open(), 0);
    begin();
    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++) {
        uint32_t count;

        while ((count = mp_rows_next_count(kind, 1)) != 0) {
            ck_assert_uint_eq((size_t)count * mp_kinds[kind].size % 4096, 0);
            ck_assert_uint_eq((size_t)count * mp_kinds[kind].beside % 4096, 0);
            grow(kind, count);
            extents++;
        }
        ck_assert_uint_eq(mp_rows[kind].mapped, mp_rows[kind].records);
    }
    ck_assert_uint_le(extents, MP_MAX_EXTENTS);
}

TEST(an_extent_is_as_large_as_is_needed)
{
    ck_assert_int_eq(mp_rows_open(), 0);
    begin();
    ck_assert_uint_eq(mp_rows_next_count(MP_EXT_STRINGS, 1), 8192);
    ck_assert_uint_eq(mp_rows_next_count(MP_EXT_STRINGS, 8193), 16384);
    ck_assert_uint_eq(mp_rows_next_count(MP_EXT_STRINGS, UINT32_MAX), 0);
    mp_rows[MP_EXT_STRINGS].end = mp_rows[MP_EXT_STRINGS].mapped + 8192;
    ck_assert_uint_eq(mp_rows_next_count(MP_EXT_STRINGS, 8192), 8192);
    ck_assert_uint_eq(mp_rows_next_count(MP_EXT_STRINGS, 8193), 0);
}

/* While a sleeping thread holds an earlier file, later files do not use the numbers of its recorders. */
TEST(numbers_are_used_again_but_not_those_that_are_held)
{
    struct mp_id_row *row = &mp_rows[MP_EXT_RECORDERS];
    uint32_t first, end, cells = 0;
    struct mp_live_header *held;
    bool again = false;

    ck_assert_int_eq(mp_rows_open(), 0);
    held = begin();
    mp_past_hold();
    first = row->first;
    grow(MP_EXT_RECORDERS, 100);
    end = row->mapped;
    for (unsigned i = 0; i < 3000; i++) {
        begin();
        ck_assert_uint_ge(row->end, row->first + 100);
        grow(MP_EXT_RECORDERS, 100);
        ck_assert(i > 2000 || row->mapped <= first || row->first >= end);
        ck_assert_int_eq(mp_past_is_there(1), i <= 2000);
        again |= row->first < end;
        ck_assert_uint_ge(mp_rows[MP_EXT_CELLS].first, cells);
        cells = mp_rows[MP_EXT_CELLS].first + 256;
        grow(MP_EXT_CELLS, 256);
        if (i == 2000)
            mp_past_release(held);
    }
    ck_assert(again);
    ck_assert(!mp_past_is_there(2999));
    ck_assert(mp_past_is_there(3000));
    ck_assert_uint_eq(mp_past_present(), 3001);
}

TEST(a_full_row_has_no_room_for_the_next_file)
{
    ck_assert_int_eq(mp_rows_open(), 0);
    begin();
    while (grow(MP_EXT_FRAMES, 0) != 0)
        continue;
    begin();
    ck_assert_uint_eq(mp_rows_next_count(MP_EXT_FRAMES, 1), 0);
    ck_assert_uint_ne(mp_rows_next_count(MP_EXT_CONTEXTS, 1), 0);
}
/* SPDX-License-Identifier: MIT */
