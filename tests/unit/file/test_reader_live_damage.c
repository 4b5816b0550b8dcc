#include "tests/unit/tap.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "reporter/file/reader.h"
#include "tests/unit/folder.h"
#include "tests/unit/profile_checks.h"
#include "tests/unit/reader_live_fixture.h"

FIXTURE(set_up, NULL)
TIMEOUT(120)

TEST(a_run_begins_at_a_context_before_it)
{
    uint32_t f = lb_frame(&b, 0, 0x1100);

    lb_context(&b, 0, f);
    lb_context(&b, 5, f);
    lb_context(&b, 0, f);
    must_fail(MP_ERR_DAMAGED, "a context's parent stands behind it");
    ck_assert_uint_eq(error.offset, place(MP_EXT_CONTEXTS, 3 - 1));
    b.contexts[3 - 1] = MP_CONTEXT_RUN | 6;
    must_fail(MP_ERR_DAMAGED, "a context's parent stands behind it");
    b.contexts[3 - 1] = MP_CONTEXT_RUN | 3;     /* a header is no context */
    must_fail(MP_ERR_DAMAGED, "a context's parent is not there");
    b.contexts[3 - 1] = MP_CONTEXT_RUN | 1;
    must_fail(MP_ERR_DAMAGED, "a context's parent is not there");
    b.contexts[3 - 1] = 0;                      /* a frame behind an empty slot has no caller */
    must_fail(MP_ERR_DAMAGED, "a context's parent is not there");
    ck_assert_uint_eq(error.offset, place(MP_EXT_CONTEXTS, 4 - 1));
}

TEST(a_run_does_not_go_on_behind_a_gap)
{
    uint32_t f = lb_frame(&b, 0, 0x1100), context = lb_context(&b, 0, f);
    size_t size;
    uint8_t *file;
    struct mp_live_header *header;

    lb_context(&b, context, f);
    b.split = 2;
    file = lb_finish(&b, &size);
    header = (void *)file;
    for (uint32_t i = 0; i < header->n_extents; i++)
        if (header->extents[i].kind == MP_EXT_CONTEXTS && header->extents[i].first > 1)
            header->extents[i].first++;
    ck_assert_ptr_null(mp_read_bytes(file, size, "x.data", &error));
    ck_assert_msg(strstr(error.text, "a context's parent is not there") != NULL, "%s", error.text);
    free(file);
}

static void
build_block(void)
{
    lb_cell(&b, add_context(), 16, 3, 2);
}

static void
build_resized(void)
{
    const uint32_t context = add_context();

    lb_cell(&b, context, 16, 3, 0);
    b.resized[b.count[MP_EXT_RESIZED]++] = (struct mp_live_resized){.context = context, .reallocs = 3};
}

static void
build_lifetimes(void)
{
    const uint32_t context = add_context();

    lb_cell(&b, context, 16, 3, 2);
    b.header.lifetimes = 1;
    b.lifetimes[b.count[MP_EXT_LIFETIMES]++] = (struct mp_live_lifetimes){
        .context = context, .blocks = {[2] = 1, [14] = 1}, .bytes = {[0] = 16, [2] = 16}};
}

/* Files without damage, and what damages them. */
static const struct {
    void (*build)(void);
    struct damage damage;
} damages[] = {
    {build_block, DAMAGE_AT(cells[0].context, 99, "a cell's context", MP_EXT_CELLS, 0)},
    {build_block, DAMAGE(contexts[0], MP_CONTEXT_RUN | 99, "a context's parent")},
    {build_block, DAMAGE(contexts[1], 99, "a context's frame")},
    {build_block, DAMAGE(contexts[1], 7, "unknown mark")},
    {build_block, DAMAGE(frames[0].flags, 0, "empty frame")},
    {build_block, DAMAGE(frames[0].module, 99, "a frame's module")},
    {build_block, DAMAGE(header.program, 99, "string")},
    {build_resized, DAMAGE_AT(resized[0].kind, MP_KIND_MEDIUM, "blocks of realloc that are not counted",
                              MP_EXT_RESIZED, 0)},
    {build_resized, DAMAGE(resized[0].reallocs, 4, "more is made by realloc")},
    {build_lifetimes, DAMAGE_AT(lifetimes[0].kind, MP_KIND_MEDIUM, "lifetimes of blocks that are not counted",
                                MP_EXT_LIFETIMES, 0)},
    {build_lifetimes, DAMAGE(lifetimes[0].blocks[14], 2, "more blocks have lifetimes than were freed")},
    {build_lifetimes, DAMAGE(lifetimes[0].blocks[14], UINT64_MAX, "more blocks have lifetimes than were freed")},
    {build_lifetimes, DAMAGE(lifetimes[0].bytes[0], 17, "more blocks have lifetimes than were freed")},
    {build_lifetimes, DAMAGE(header.sample_period, 1000, "lifetimes of samples")},
};

TEST_EACH(damage_is_named, damages)
{
    damages[_i].build();
    must_read();
    must_be_damage(damages[_i].build, &damages[_i].damage);
    if (damages[_i].damage.at == offsetof(struct live_builder, header.program))
        ck_assert_uint_eq(error.offset, offsetof(struct mp_live_header, program));
}

TEST(a_missing_mixed_record_is_named)
{
    lb_objects(&b, add_context(), MP_KIND_SMALL, 1, 16, 0, 0);
    b.count[MP_EXT_MIXED] = 0;
    must_fail(MP_ERR_DAMAGED, "mixed cell");
    ck_assert_uint_eq(error.offset, place(MP_EXT_CELLS, 0) + offsetof(struct mp_live_cell, size));
}

/* The bytes beyond the requested ones are more than all allocated bytes. */
TEST(slack_beyond_the_bytes_is_damage)
{
    struct mp_live_cell *cell = lb_cell(&b, add_context(), 16, 1, 0);

    lb_kind(&b, LB_CONS, LB_CONS, "CONS", 'c');
    cell->kind = LB_CONS;
    cell->slack = 17;
    must_fail(MP_ERR_DAMAGED, "beyond all bounds");
}

TEST(extents_that_cannot_be_are_refused)
{
    size_t size;
    uint8_t *file;
    struct mp_live_header *header;

    lb_widgets(&b);
    file = lb_finish(&b, &size);
    header = (void *)file;
#define REFUSED(change)                                                      \
    do {                                                                     \
        memcpy(file, &b.header, sizeof b.header);                            \
        change;                                                              \
        ck_assert_ptr_null(mp_read_bytes(file, size, "x.data", &error));     \
        ck_assert_uint_ge(error.offset, 0);                                  \
    } while (0)
    REFUSED(header->extents[0].offset = size);
    ck_assert_int_eq(error.code, MP_ERR_TRUNCATED);
    REFUSED(header->extents[0].offset = UINT64_MAX & ~(uint64_t)4095);
    REFUSED(header->extents[0].offset = 0);
    REFUSED(header->extents[0].offset++);
    REFUSED(header->extents[0].count = UINT32_MAX);
    REFUSED(header->extents[0].first = UINT32_MAX);
    REFUSED(header->extents[1].record_size++);
    REFUSED(header->extents[1].kind = 99);
    REFUSED(header->n_extents = MP_MAX_EXTENTS + 1);
    REFUSED(header->extents[header->n_extents++] = header->extents[1]);
#undef REFUSED
    free(file);
}

TEST(truncation_at_every_byte_is_an_error)
{
    size_t size;
    uint8_t *file;

    lb_widgets(&b);
    file = lb_finish(&b, &size);
    /* The last extent is the recorder, which ends at the file's end. */
    for (size_t cut = 0; cut < size; cut += cut > MP_HEADER_SIZE + 100 ? 7 : 1) {
        uint8_t *copy = malloc(cut + 1);

        memcpy(copy, file, cut);
        if (mp_read_bytes(copy, cut, "x.data", &error))
            ck_abort_msg("read after %zu bytes", cut);
        free(copy);
    }
    free(file);
}

/* Bytes of the file that are not padding. */
static bool
matters(size_t at)
{
    if (at < 256 + 64)
        return true;
    for (uint32_t i = 0; i < b.header.n_extents; i++) {
        const struct mp_live_extent *extent = &b.header.extents[i];
        size_t slot = offsetof(struct mp_live_header, extents) + i * sizeof *extent;

        if ((at >= slot && at < slot + sizeof *extent) ||
            (at >= extent->offset &&
             at < extent->offset + (uint64_t)extent->count * extent->record_size))
            return extent->kind != MP_EXT_RECORDERS || at < extent->offset + 4096;
    }
    return false;
}

TEST(no_flipped_byte_crashes)
{
    static const uint8_t flips[] = {0x01, 0x80, 0xff};
    unsigned read = 0, refused = 0;
    size_t size;
    uint8_t *file;

    lb_widgets(&b);
    file = lb_finish(&b, &size);
    for (size_t i = 0; i < size * sizeof flips; i++) {
        size_t at = i / sizeof flips;
        struct mp_profile *profile;

        if (!matters(at))
            continue;
        file[at] ^= flips[i % sizeof flips];
        profile = mp_read_bytes(file, size, "x.data", &error);
        if (profile) {
            assert_valid(profile);
            read++;
        } else {
            refused++;
        }
        mp_profile_free(profile);
        file[at] ^= flips[i % sizeof flips];
    }
    ck_assert_uint_gt(read, 100);
    ck_assert_uint_gt(refused, 100);
    free(file);
}

/* ---------------------------------------------------------------- a file that moves */

static struct {
    struct mp_live_cell *ours, *theirs; /* cells of two recorders, of each a uniform and a mixed one */
    struct mp_live_mixed *mixed;
    struct mp_live_recorder *recorder;
    volatile bool stop;
} mover;

/* One recorder allocates block after block, and another recorder frees each of them. Uniform and mixed cells count the
 * blocks in turn. */
static void *
move(void *unused)
{
    struct mp_live_cell *ours = mover.ours, *theirs = mover.theirs;
    struct mp_live_mixed *mixed = mover.mixed;

    (void)unused;
    while (!mover.stop) {
        __atomic_store_n(&ours[0].allocs, ours[0].allocs + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&theirs[0].frees, ours[0].allocs, __ATOMIC_RELEASE);
        __atomic_store_n(&ours[1].allocs, ours[1].allocs + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&mixed[0].bytes, mixed[0].bytes + 16, __ATOMIC_RELEASE);
        __atomic_store_n(&mover.recorder[0].bins[16].allocs, ours[1].allocs, __ATOMIC_RELEASE);
        __atomic_store_n(&theirs[1].frees, ours[1].allocs, __ATOMIC_RELEASE);
        __atomic_store_n(&mixed[1].freed, mixed[0].bytes, __ATOMIC_RELEASE);
        __atomic_store_n(&mover.recorder[1].bins[16].frees, ours[1].allocs, __ATOMIC_RELEASE);
    }
    return NULL;
}

TEST(a_file_that_moves_is_read_without_contradiction)
{
    const char *path = in_folder("mprof.data");
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    pthread_t thread;
    size_t size;
    uint8_t *file, *map;
    uint32_t context = add_context();

    for (int i = 0; i < 2; i++) {
        lb_cell(&b, context, 16, 0, 0);
        lb_objects(&b, context, MP_KIND_MEDIUM, 0, 0, 0, 0);
        lb_recorder(&b);
    }
    b.split = 2;                /* the cells of the two recorders are in two extents, so they are copied one by one */
    run_as(getpid());
    file = lb_finish(&b, &size);
    ck_assert_int_eq(write(fd, file, size), (ssize_t)size);
    map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    mover.ours = (void *)(map + place(MP_EXT_CELLS, 0));
    mover.theirs = (void *)(map + place(MP_EXT_CELLS, 2));
    mover.mixed = (void *)(map + place(MP_EXT_MIXED, 0));
    mover.recorder = (void *)(map + place(MP_EXT_RECORDERS, 0));
    mover.stop = false;
    pthread_create(&thread, NULL, move, NULL);
    for (int i = 0; i < 2000; i++) {
        struct mp_profile *profile = mp_read(path, &error);

        ck_assert_msg(profile != NULL, "%s", error.text);
        assert_valid(profile);
        ck_assert_int_eq(profile->meta.ending, MP_END_RUNNING);
        mp_profile_free(profile);
    }
    mover.stop = true;
    pthread_join(thread, NULL);
    munmap(map, size);
    close(fd);
    free(file);
}

/* ---------------------------------------------------------------- a file that changes at a given time */

/* New bytes of a file, which replace the old ones as soon as the reader has read the bytes at `after`. */
static struct {
    const uint8_t *bytes;
    size_t size;
    uint64_t after;
} change;

/* Replaces the function of libc in this program. */
ssize_t
pread(int fd, void *to, size_t size, off_t at)
{
    const ssize_t got = syscall(SYS_pread64, fd, to, size, at);

    if (change.bytes && (uint64_t)at == change.after) {
        int out = open(in_folder("mprof.data"), O_WRONLY);

        ck_assert_int_eq(write(out, change.bytes, change.size), (ssize_t)change.size);
        close(out);
        change.bytes = NULL;
    }
    return got;
}

/* Two recorders share a sampled block. The copy of cells has its free, but not its allocation, so cells are copied
 * again. Meanwhile, after the copy of contexts, another context and its cell were created. */
TEST(a_context_that_is_created_during_reading_is_left_out)
{
    struct mp_profile *profile;
    uint8_t *before, *after;
    uint32_t known, later;
    size_t size;
    int fd;

    known = add_context();
    later = add_context();
    lb_cell(&b, known, 16, 1, 0);
    lb_cell(&b, known, 16, 0, 1);
    lb_cell(&b, later, 16, 1, 0);
    lb_recorder(&b)->bins[16] = (struct mp_live_bin){.allocs = 2, .frees = 1};
    b.header.sample_period = 100;
    run_as(getpid());
    after = lb_finish(&b, &size);
    b.cells[0].allocs = 0;
    b.cells[2].context = b.contexts[2] = b.contexts[3] = 0;
    before = lb_finish(&b, &size);
    fd = open(in_folder("mprof.data"), O_WRONLY | O_CREAT | O_EXCL, 0600);
    ck_assert_int_eq(write(fd, before, size), (ssize_t)size);
    close(fd);
    change.after = place(MP_EXT_CONTEXTS, 0);
    change.size = size;
    change.bytes = after;
    profile = mp_read(in_folder("mprof.data"), &error);
    ck_assert_msg(profile != NULL, "%s", error.text);
    ck_assert_ptr_null(change.bytes);
    ck_assert_uint_eq(profile->n_samples, 1);
    ck_assert_uint_eq(profile->samples[0].context, 1);
    assert_valid(profile);
    mp_profile_free(profile);
    free(before);
    free(after);
}
/* SPDX-License-Identifier: MIT */
