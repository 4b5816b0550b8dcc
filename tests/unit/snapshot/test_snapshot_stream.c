/* The stream of a heap snapshot, which an independent reader checks, and its errors. */
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "runtime/snapshot/snapshot_copy.h"
#include "runtime/snapshot/snapshot_stream.h"

static char path[] = "/tmp/snapshot_stream.XXXXXX";
static int fd;

static uint8_t *content;        /* concatenated content of all blocks */
static size_t size, at;
static unsigned n_blocks;

static void
set_up(void)
{
    strcpy(path + sizeof path - 7, "XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    content = NULL;
    size = at = n_blocks = 0;
}

static void
tear_down(void)
{
    close(fd);
    unlink(path);
    free(content);
}

static uint32_t
u32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void
read_block(off_t *offset)
{
    static uint8_t block[8 + MP_HEAP_MAX_BLOCK + 4];
    uint32_t n;

    ck_assert_int_eq(pread(fd, block, 8, *offset), 8);
    n = u32(block);
    ck_assert_uint_ge(n, 1);
    ck_assert_uint_le(n, MP_HEAP_MAX_BLOCK);
    ck_assert_uint_eq(u32(block + 4), n);
    ck_assert_int_eq(pread(fd, block, n + 12, *offset), n + 12);
    ck_assert_uint_eq(u32(block + 8 + n), (uint32_t)crc32(0, block, n + 8));
    content = realloc(content, size + n);
    memcpy(content + size, block + 8, n);
    size += n;
    n_blocks++;
    *offset += n + 12;
}

static void
read_back(void)
{
    uint8_t header[MP_HEAP_HEADER];
    off_t end = lseek(fd, 0, SEEK_END), offset = sizeof header;

    ck_assert_int_eq(pread(fd, header, sizeof header, 0), sizeof header);
    ck_assert_int_eq(memcmp(header, MP_HEAP_MAGIC, 8), 0);
    ck_assert_uint_eq(u32(header + 8), MP_HEAP_VERSION);
    ck_assert_uint_eq(u32(header + 12), MP_HEAP_RAW);
    while (offset < end)
        read_block(&offset);
    ck_assert_int_eq(offset, end);
}

static uint64_t
next(void)
{
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 7) {
        ck_assert_uint_lt(at, size);
        value |= (uint64_t)(content[at] & 0x7f) << shift;
        if (content[at++] < 0x80)
            return value;
    }
}

static int64_t
next_signed(void)
{
    uint64_t value = next();

    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static void
expect(const uint64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_uint_eq(next(), values[i]);
}
#define EXPECT(...) expect((const uint64_t[]){ __VA_ARGS__ }, sizeof(uint64_t[]){ __VA_ARGS__ } / sizeof(uint64_t))

static void
expect_text(const char *text)
{
    ck_assert_uint_eq(next(), strlen(text));
    ck_assert_int_eq(memcmp(content + at, text, strlen(text)), 0);
    at += strlen(text);
}

FIXTURE(set_up, tear_down)

TEST(records)
{
    struct mp_stream *s = mp_stream_open(fd);
    uint32_t name, slots[2];

    ck_assert_ptr_nonnull(s);
    mp_stream_fact(s, MP_FACT_PID, 300);
    name = mp_stream_text(s, "POINT", 5);
    slots[0] = 0;
    slots[1] = mp_stream_text(s, "X", 1);
    ck_assert_uint_eq(mp_stream_type(s, MP_SHAPE_INSTANCE, name, 2, slots), 1);
    ck_assert_uint_eq(mp_stream_site(s, 77), 1);
    mp_stream_root(s, MP_ROOT_VALUE, name, slots[1], 0x1000, 0x2001);
    mp_stream_object(s, &(struct mp_stream_object){ 0x2000, 32, 1, 1, true, 2 });
    mp_stream_reference(s, 1, false, 0x1ff0);
    mp_stream_reference(s, 3, true, 0x2041);
    mp_stream_object(s, &(struct mp_stream_object){ 0x2040, 16, 1, 0, false, 0 });
    mp_stream_beginning(s, "so", 2);
    mp_stream_part(s, 2, 1);
    mp_stream_name(s, "it", 2);
    mp_stream_keys(s, "\1\2", 2);
    mp_stream_free(s, 3, 32, true, 96);
    mp_stream_free(s, 1, 4096, false, 5000);
    ck_assert_int_eq(mp_stream_close(s), 0);
    read_back();
    ck_assert_uint_eq(n_blocks, 1);
    EXPECT(MP_HEAP_FACT, MP_FACT_PID, 300);
    EXPECT(MP_HEAP_TEXT);
    expect_text("POINT");
    EXPECT(MP_HEAP_TEXT);
    expect_text("X");
    EXPECT(MP_HEAP_TYPE, MP_SHAPE_INSTANCE, 1, 2, 0, 2, MP_HEAP_SITE, 77);
    EXPECT(MP_HEAP_ROOT, MP_ROOT_VALUE, 1, 2, 0x1000, 0x2001);
    EXPECT(MP_HEAP_OBJECT, 0x2000, 32, 3, 1, 2);
    EXPECT(2 * 1);
    ck_assert_int_eq(next_signed(), -16);
    EXPECT(2 * 1 + 1);
    ck_assert_int_eq(next_signed(), 0x41);
    EXPECT(MP_HEAP_OBJECT, 0x20, 16, 2, 0, 0, MP_HEAP_BEGINNING);
    expect_text("so");
    EXPECT(MP_HEAP_PART, 2, 1, MP_HEAP_NAME);
    expect_text("it");
    EXPECT(MP_HEAP_KEYS, 2, 1, 2, MP_HEAP_FREE, 3, 2 * 32 + 1, 96, MP_HEAP_FREE, 1, 2 * 4096, 5000);
    EXPECT(MP_HEAP_END, 2, 2, 1, 48);
    ck_assert_uint_eq(at, size);
}

/* One of the objects has more references than fit into a block. */
TEST(many_references)
{
    enum { MANY = 200000 };
    struct mp_stream *s = mp_stream_open(fd);
    uint64_t left, slot;

    mp_stream_object(s, &(struct mp_stream_object){ 0x100000, 8 * MANY, 1, 0, false, MANY / 2 });
    for (uint64_t i = 0; i < MANY; i += 2)
        mp_stream_reference(s, i, false, 0x7fffffff0000 - 16 * i);
    mp_stream_object(s, &(struct mp_stream_object){ 0x100000 + 8 * MANY, 16, 1, 0, false, 0 });
    ck_assert_int_eq(mp_stream_close(s), 0);
    read_back();
    ck_assert_uint_gt(n_blocks, 2);
    EXPECT(MP_HEAP_OBJECT, 0x100000, 8 * MANY, 2, 0);
    slot = 0;
    for (uint64_t i = 0; i < MANY;) {
        for (left = next(); left > 0; left--, i += 2, slot++) {
            slot += next() / 2;
            ck_assert_uint_eq(slot, i);
            ck_assert_int_eq(next_signed(), 0x7fffffff0000 - 16 * (int64_t)i - 0x100000);
        }
        if (i < MANY)
            EXPECT(MP_HEAP_MORE);
    }
    EXPECT(MP_HEAP_OBJECT, 0, 16, 2, 0, 0, MP_HEAP_END, 2, MANY / 2, 0, 8 * MANY + 16);
}

TEST(texts)
{
    static char longer[2 * MP_HEAP_MAX_TEXT];
    struct mp_stream *s = mp_stream_open(fd);
    uint64_t n;

    memset(longer, 'a', sizeof longer);
    memcpy(longer + MP_HEAP_MAX_TEXT - 4, "\xc3\xa4", 2);       /* would be cut in two */
    mp_stream_text(s, "\xc3\xa4\xff\n\xe2\x82", 6);
    mp_stream_text(s, longer, sizeof longer);
    mp_stream_text(s, longer, MP_HEAP_MAX_TEXT);
    ck_assert_int_eq(mp_stream_close(s), 0);
    read_back();
    EXPECT(MP_HEAP_TEXT);
    expect_text("\xc3\xa4????");
    EXPECT(MP_HEAP_TEXT);
    n = next();
    ck_assert_uint_eq(n, MP_HEAP_MAX_TEXT - 1);
    ck_assert_int_eq(memcmp(content + at + n - 4, "a...", 4), 0);
    at += n;
    EXPECT(MP_HEAP_TEXT, MP_HEAP_MAX_TEXT);
}

/* Number of objects, each of which refers to the one before it. */
enum { OBJECTS = 100000 };
static void
write_objects(struct mp_stream *s)
{
    for (uintptr_t i = 0; i < OBJECTS; i++) {
        mp_stream_object(s, &(struct mp_stream_object){ 0x100000 + 16 * i, 16, 1, 0, false, 1 });
        mp_stream_reference(s, 0, false, 0x100000 + 16 * (i - 1));
    }
    ck_assert_int_eq(mp_stream_close(s), 0);
}

static void
expect_objects(void)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        EXPECT(MP_HEAP_OBJECT, i == 0 ? 0x100000 : 0, 16, 2, 0, 1, 0);
        ck_assert_int_eq(next_signed(), -16);
    }
    EXPECT(MP_HEAP_END, OBJECTS, OBJECTS, 0, 16 * OBJECTS);
    ck_assert_uint_eq(at, size);
}

TEST(many_blocks)
{
    write_objects(mp_stream_open(fd));
    read_back();
    expect_objects();
    ck_assert_uint_gt(n_blocks, 2);
}

/* The first error is kept, and the file is no valid snapshot. */
TEST(errors)
{
    struct mp_stream *s;
    int full = open("/dev/full", O_WRONLY);
    uint8_t header[8] = "";

    ck_assert_int_ge(full, 0);
    s = mp_stream_open(full);
    for (unsigned i = 0; i < 100000; i++)
        mp_stream_fact(s, MP_FACT_PID, i);
    ck_assert_int_eq(mp_stream_error(s), -ENOSPC);
    ck_assert_int_eq(mp_stream_close(s), -ENOSPC);
    close(full);
    s = mp_stream_open(fd);
    mp_stream_object(s, &(struct mp_stream_object){ 0x1000, 16, 1, 0, false, 2 });
    mp_stream_reference(s, 0, false, 0x1000);
    ck_assert_int_eq(mp_stream_close(s), -EINVAL);      /* one is missing */
    ck_assert_int_ge(pread(fd, header, 8, 0), 0);
    ck_assert_int_ne(memcmp(header, MP_HEAP_MAGIC, 8), 0);
}

static void
write_in_copy(void *data)
{
    write_objects(mp_stream_open(*(int *)data));
}

TEST(by_a_copy)
{
    struct mp_copy_file file;
    uint64_t held = 0;
    long pid;

    mp_copy_opened(fd, &file);
    pid = mp_copy_make(write_in_copy, &fd, &file, &held);
    ck_assert_int_gt(pid, 0);
    mp_copy_wait(pid);
    ck_assert_uint_gt(held, 0);
    read_back();
    expect_objects();
}

/* The program closes all its files, and opens another one, which gets the same number. */
TEST(the_number_is_another_files)
{
    struct mp_copy_file file;
    struct stat status;
    FILE *other = tmpfile();
    uint64_t held = 0;
    long pid;

    ck_assert_ptr_nonnull(other);
    mp_copy_opened(fd, &file);
    ck_assert(mp_copy_is_open(&file));
    ck_assert_int_eq(dup2(fileno(other), fd), fd);
    ck_assert(!mp_copy_is_open(&file));
    pid = mp_copy_make(write_in_copy, &fd, &file, &held);
    ck_assert_int_gt(pid, 0);
    mp_copy_wait(pid);
    mp_copy_closed(&file);
    ck_assert_int_eq(fstat(fd, &status), 0);    /* it is still open, and nothing was written to it */
    ck_assert_int_eq(status.st_size, 0);
    fclose(other);
}
/* SPDX-License-Identifier: MIT */
