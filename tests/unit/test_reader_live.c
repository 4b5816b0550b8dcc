#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live_builder.h"
#include "profile_checks.h"
#include "reporter/reader.h"

static struct live_builder b;
static struct mp_error error;

static struct mp_profile *
read_built(void)
{
    size_t size;
    uint8_t *file = lb_finish(&b, &size);
    struct mp_profile *profile = mp_read_bytes(file, size, "x.data", &error);

    free(file);
    if (profile)
        assert_valid(profile);
    return profile;
}

static struct mp_profile *
must_read(void)
{
    struct mp_profile *profile = read_built();

    ck_assert_msg(profile != NULL, "%s", error.text);
    return profile;
}

/* Where record INDEX of KIND is in the file that was built last. */
static uint64_t
place(enum mp_extent_kind kind, uint32_t index)
{
    for (uint32_t i = 0; i < b.header.n_extents; i++) {
        const struct mp_live_extent *extent = &b.header.extents[i];

        if (extent->kind != kind)
            continue;
        if (index < extent->count)
            return extent->offset + (uint64_t)index * extent->record_size;
        index -= extent->count;
    }
    return 0;
}

static void
must_fail(enum mp_error_code code, const char *text)
{
    struct mp_profile *profile = read_built();

    ck_assert_ptr_null(profile);
    ck_assert_int_eq(error.code, code);
    ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
}

static void
set_up(void)
{
    lb_init(&b);
}

/* ---------------------------------------------------------------- the whole */

START_TEST(the_papers_example)
{
    struct mp_profile *profile;
    struct mp_totals totals;

    lb_widgets(&b);
    profile = must_read();
    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.allocs, 10000);
    ck_assert_uint_eq(totals.bytes, 2040000);
    ck_assert_uint_eq(totals.frees, 4981);
    ck_assert_uint_eq(totals.kept, 1023876);
    ck_assert_uint_eq(totals.depth_max, 4);
    ck_assert_uint_eq(profile->n_contexts, 7);
    ck_assert_uint_eq(profile->bins[204].bytes, 2040000);
    ck_assert_uint_eq(profile->bins[204].freed, 4981 * 204);
    ck_assert_str_eq(profile->meta.program, "/home/zorn/widgets");
    ck_assert_uint_eq(profile->meta.n_arguments, 2);
    ck_assert_str_eq(profile->meta.arguments[1], "10000");
    ck_assert_uint_eq(profile->meta.recorders, 1);
    ck_assert_uint_eq(profile->meta.threads, 1);
    ck_assert_uint_eq(profile->meta.duration, 2500);
    ck_assert_str_eq(profile->modules[1].name, "libc.so.6");
    ck_assert_uint_eq(profile->cells[0].size_min, 204);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_file_without_records_is_a_profile)
{
    struct mp_profile *profile = must_read();

    ck_assert_uint_eq(profile->n_contexts, 1);
    ck_assert_uint_eq(profile->n_cells, 0);
    mp_profile_free(profile);
}
END_TEST

START_TEST(other_files_are_no_data_files)
{
    static const uint8_t elf[] = "\x7f" "ELF....";

    ck_assert_ptr_null(mp_read_bytes(elf, sizeof elf, "a.out", &error));
    ck_assert_int_eq(error.code, MP_ERR_NOT_MPROF);
    ck_assert_ptr_null(mp_read_bytes(elf, 3, "a.out", &error));
    ck_assert_int_eq(error.code, MP_ERR_NOT_MPROF);
    ck_assert_ptr_null(mp_read_bytes(NULL, 0, "empty", &error));
    ck_assert_int_eq(error.code, MP_ERR_EMPTY);
    ck_assert_ptr_null(mp_read("/nowhere/mprof.data", &error));
    ck_assert_int_eq(error.code, MP_ERR_SYSTEM);
    ck_assert_ptr_null(mp_read("/dev/null", &error));
    ck_assert_int_eq(error.code, MP_ERR_NOT_MPROF);
}
END_TEST

START_TEST(another_byte_order_or_version_is_said)
{
    b.header.byte_order = 0x04030201;
    must_fail(MP_ERR_MACHINE, "x.data");
    b.header.byte_order = MP_BYTE_ORDER;
    b.header.version = 99;
    must_fail(MP_ERR_VERSION, "version 99");
}
END_TEST

START_TEST(old_live_file_is_readable)
{
    const char *srcdir = getenv("srcdir");
    struct mp_profile *old, *now;
    char path[4096];

    snprintf(path, sizeof path, "%s/tests/data/live-1.data", srcdir ? srcdir : ".");
    old = mp_read(path, &error);
    ck_assert_msg(old != NULL, "%s", error.text);
    lb_widgets(&b);
    now = must_read();
    assert_equal(old, now);
    mp_profile_free(old);
    mp_profile_free(now);
}
END_TEST

/* ---------------------------------------------------------------- merging */

START_TEST(trees_of_two_recorders_merge_by_path)
{
    uint32_t module = lb_module(&b, "/bin/p", 0x1000, 1);
    uint32_t f = lb_frame(&b, module, 0x1100), g = lb_frame(&b, module, 0x1200);
    struct mp_profile *profile;

    lb_cell(&b, lb_context(&b, lb_context(&b, 0, f), g), 16, 3, 0);
    lb_cell(&b, lb_context(&b, lb_context(&b, 0, f), g), 16, 4, 1);
    profile = must_read();
    ck_assert_uint_eq(profile->n_contexts, 3);
    ck_assert_uint_eq(profile->n_cells, 1);
    ck_assert_uint_eq(profile->cells[0].allocs, 7);
    ck_assert_uint_eq(profile->cells[0].frees, 1);
    mp_profile_free(profile);
}
END_TEST

START_TEST(children_gathered_from_several_trees_merge_too)
{
    uint32_t module = lb_module(&b, "/bin/p", 0x1000, 1), frames[4], roots[3];
    struct mp_profile *profile;

    for (uint32_t i = 0; i < 4; i++)
        frames[i] = lb_frame(&b, module, 0x1100 + i);
    for (int i = 0; i < 3; i++)
        roots[i] = lb_context(&b, 0, frames[0]);
    for (uint32_t i = 0; i < 9; i++)
        lb_cell(&b, lb_context(&b, roots[i % 3], frames[1 + i * 7 % 3]), 8, 1, 0);
    profile = must_read();
    ck_assert_uint_eq(profile->n_contexts, 5);
    ck_assert_uint_eq(profile->n_cells, 3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(profile->cells[i].allocs, 3);
        ck_assert_uint_eq(profile->contexts[2 + i].parent, 1);
    }
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_parent_may_have_the_higher_id)
{
    uint32_t module = lb_module(&b, "/bin/p", 0x1000, 1);
    uint32_t f = lb_frame(&b, module, 0x1100), g = lb_frame(&b, module, 0x1200), child;
    struct mp_profile *profile;

    child = lb_context(&b, 2, g);
    ck_assert_uint_eq(lb_context(&b, 0, f), 2);
    lb_cell(&b, child, 16, 1, 0);
    profile = must_read();
    ck_assert_uint_eq(profile->n_contexts, 3);
    ck_assert_uint_eq(profile->cells[0].context, 2);
    ck_assert_uint_eq(profile->frames[profile->contexts[2].frame].offset, 0x200);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_module_loaded_again_gives_the_same_frames)
{
    uint32_t first = lb_module(&b, "/lib/plugin.so", 0x10000, 7);
    uint32_t again = lb_module(&b, "/lib/plugin.so", 0x90000, 7);
    uint32_t other = lb_module(&b, "/lib/plugin.so", 0xd0000, 8);
    struct mp_profile *profile;

    b.modules[0].unloaded = 1;
    lb_cell(&b, lb_context(&b, 0, lb_frame(&b, first, 0x10123)), 16, 1, 0);
    lb_cell(&b, lb_context(&b, 0, lb_frame(&b, again, 0x90123)), 16, 1, 0);
    lb_cell(&b, lb_context(&b, 0, lb_frame(&b, other, 0xd0123)), 16, 1, 0);
    profile = must_read();
    ck_assert_uint_eq(profile->n_modules, 3);
    ck_assert_uint_eq(profile->n_frames, 2);
    ck_assert_uint_eq(profile->cells[0].allocs, 2);
    ck_assert(profile->modules[0].unloaded);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_signalled_frame_is_another_frame)
{
    uint32_t module = lb_module(&b, "/bin/p", 0x1000, 1), f = lb_frame(&b, module, 0x1100);
    uint32_t g = lb_frame(&b, module, 0x1100);
    struct mp_profile *profile;

    b.frames[1].flags |= MP_LIVE_FRAME_SIGNAL;
    lb_cell(&b, lb_context(&b, 0, f), 16, 1, 0);
    lb_cell(&b, lb_context(&b, 0, g), 16, 1, 0);
    profile = must_read();
    ck_assert_uint_eq(profile->n_frames, 2);
    ck_assert(!profile->frames[0].exact);
    ck_assert(profile->frames[1].exact);
    mp_profile_free(profile);
}
END_TEST

START_TEST(marks_become_frames)
{
    uint32_t cut = lb_context(&b, 0, MP_FRAME_CUT_NO_RULE);
    struct mp_profile *profile;
    struct mp_totals totals;

    lb_cell(&b, lb_context(&b, cut, lb_frame(&b, 0, 0x1100)), 16, 5, 0);
    profile = must_read();
    ck_assert_uint_eq(profile->frames[0].mark, MP_FRAME_CUT_NO_RULE);
    ck_assert_uint_eq(profile->frames[1].module, MP_NO_ID);
    ck_assert_uint_eq(profile->frames[1].offset, 0x1100);
    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.cut_allocs, 5);
    mp_profile_free(profile);
}
END_TEST

START_TEST(ids_may_begin_anywhere_and_extents_may_be_many)
{
    struct mp_profile *profile, *plain;

    lb_widgets(&b);
    plain = must_read();
    lb_init(&b);
    b.first[MP_EXT_CONTEXTS] = 1000;
    b.first[MP_EXT_CELLS] = b.first[MP_EXT_TAILS] = 77;
    b.first[MP_EXT_FRAMES] = 4000;
    b.first[MP_EXT_MODULES] = 9;
    b.first[MP_EXT_STRINGS] = 4096;
    b.split = 1;
    lb_widgets(&b);
    profile = must_read();
    plain->meta.live_file_size = profile->meta.live_file_size;
    assert_equal(profile, plain);
    mp_profile_free(profile);
    mp_profile_free(plain);
}
END_TEST

START_TEST(strings_are_escaped)
{
    struct mp_profile *profile;

    b.header.program = lb_string(&b, "/tmp/\x1b]0;evil\a\xff");
    profile = must_read();
    ck_assert_str_eq(profile->meta.program, "/tmp/\\x1b]0;evil\\x07\\xff");
    mp_profile_free(profile);
}
END_TEST

/* ---------------------------------------------------------------- counters */

START_TEST(a_block_freed_by_another_thread_is_one_sum)
{
    uint32_t context = lb_context(&b, 0, lb_frame(&b, 0, 0x1100));
    struct mp_profile *profile;

    lb_cell(&b, context, 16, 5, 0);
    lb_cell(&b, context, 16, 0, 5)->size_min = UINT32_MAX;
    profile = must_read();
    ck_assert_uint_eq(profile->n_cells, 1);
    ck_assert_uint_eq(profile->cells[0].frees, 5);
    ck_assert_uint_eq(profile->cells[0].size_min, 16);
    mp_profile_free(profile);
}
END_TEST

START_TEST(more_frees_than_allocations_are_damage)
{
    lb_cell(&b, lb_context(&b, 0, lb_frame(&b, 0, 0x1100)), 16, 4, 5);
    must_fail(MP_ERR_DAMAGED, "more is freed");
    ck_assert_uint_eq(error.offset, place(MP_EXT_CELLS, 0));
}
END_TEST

START_TEST(counters_beyond_all_bounds_are_damage)
{
    uint32_t context = lb_context(&b, 0, lb_frame(&b, 0, 0x1100));

    lb_cell(&b, context, 16, 1, 0)->bytes = INT64_MAX;
    lb_cell(&b, context, 300, 1, 0)->bytes = INT64_MAX;
    must_fail(MP_ERR_DAMAGED, "beyond all bounds");
    ck_assert_uint_eq(error.offset, place(MP_EXT_CELLS, 1));
}
END_TEST

START_TEST(bins_of_recorders_are_summed)
{
    struct mp_live_recorder *one = lb_recorder(&b), *two = lb_recorder(&b);
    struct mp_profile *profile;

    one->bins[24] = (struct mp_live_bin){.allocs = 3, .frees = 0};
    two->bins[24] = (struct mp_live_bin){.allocs = 1, .frees = 4};
    two->bins[MP_BIN_LARGE] = (struct mp_live_bin){.allocs = 2, .frees = 1};
    two->large_bytes = 5000;
    two->large_freed = 2000;
    two->threads = 3;
    profile = must_read();
    ck_assert_uint_eq(profile->bins[24].bytes, 96);
    ck_assert_uint_eq(profile->bins[24].freed, 96);
    ck_assert_uint_eq(profile->bins[MP_BIN_LARGE].bytes, 5000);
    ck_assert_uint_eq(profile->bins[MP_BIN_LARGE].freed, 2000);
    ck_assert_uint_eq(profile->meta.recorders, 2);
    ck_assert_uint_eq(profile->meta.threads, 4);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_share_of_the_peak_is_what_was_saved)
{
    uint32_t f = lb_frame(&b, 0, 0x1100), g = lb_frame(&b, 0, 0x1200);
    struct mp_profile *profile;

    b.header.epoch = 9;
    b.header.peak_bytes = 160 + 64;
    lb_cell(&b, lb_context(&b, 0, f), 16, 12, 12)->stamp = 9;
    b.tails[0] = (struct mp_live_tail){.saved_bytes = 160, .saved_blocks = 10};
    lb_cell(&b, lb_context(&b, 0, g), 16, 5, 1)->stamp = 8;
    b.tails[1] = (struct mp_live_tail){.saved_bytes = 1, .saved_blocks = 1};
    profile = must_read();
    ck_assert_int_eq(profile->cells[0].peak_bytes, 160);
    ck_assert_int_eq(profile->cells[0].peak_blocks, 10);
    ck_assert_int_eq(profile->cells[1].peak_bytes, 64);
    ck_assert_int_eq(profile->cells[1].peak_blocks, 4);
    ck_assert_int_eq(profile->meta.peak_bytes, 224);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_total_above_the_recorded_peak_is_the_peak)
{
    struct mp_profile *profile;

    b.header.epoch = 9;
    b.header.peak_bytes = 100;
    b.header.live_bytes = 90;
    lb_recorder(&b)->pending_bytes = 70;
    lb_cell(&b, lb_context(&b, 0, lb_frame(&b, 0, 0x1100)), 16, 12, 2)->stamp = 9;
    b.tails[0].saved_bytes = 48;
    profile = must_read();
    ck_assert_int_eq(profile->meta.peak_bytes, 160);
    ck_assert_int_eq(profile->meta.peak_blocks, 10);
    ck_assert_int_eq(profile->cells[0].peak_bytes, 160);
    mp_profile_free(profile);
}
END_TEST

/* ---------------------------------------------------------------- how it ended */

/* Field 22 of /proc/PID/stat. */
static uint64_t
start_ticks_of(pid_t pid)
{
    unsigned long long ticks = 0;
    char path[64], line[1024] = "", *at;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    file = fopen(path, "r");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    fclose(file);
    at = strrchr(line, ')') + 2;
    for (int field = 3; field < 22; field++)
        at = strchr(at, ' ') + 1;
    sscanf(at, "%llu", &ticks);
    return ticks;
}

static void
run_as(pid_t pid)
{
    b.header.state = MP_STATE_RUNNING;
    b.header.pid = (uint32_t)pid;
    b.header.start_ticks = start_ticks_of(pid);
}

static struct mp_meta
meta_of(void)
{
    struct mp_profile *profile = must_read();
    struct mp_meta meta = profile->meta;

    mp_profile_free(profile);
    return meta;
}

START_TEST(a_process_that_is_there_runs)
{
    struct mp_meta meta;

    run_as(getpid());
    b.header.start_monotonic = 1;
    b.header.end_monotonic = 0;
    meta = meta_of();
    ck_assert_int_eq(meta.ending, MP_END_RUNNING);
    ck_assert_uint_gt(meta.duration, 0);
    b.header.start_ticks++;     /* the pid is another process's now */
    meta = meta_of();
    ck_assert_int_eq(meta.ending, MP_END_KILLED);
    ck_assert_uint_eq(meta.duration, 0);
}
END_TEST

START_TEST(a_zombie_does_not_run)
{
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    ck_assert_int_eq(waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
    run_as(child);
    ck_assert_int_eq(meta_of().ending, MP_END_KILLED);
    waitpid(child, NULL, 0);
}
END_TEST

START_TEST(endings_are_carried_through)
{
    b.header.exit_status = 3;
    ck_assert_int_eq(meta_of().ending, MP_END_EXITED);
    ck_assert_int_eq(meta_of().status, 3);
    b.header.state = MP_STATE_EXEC;
    ck_assert_int_eq(meta_of().ending, MP_END_EXEC);
    b.header.state = MP_STATE_STOPPED;
    ck_assert_int_eq(meta_of().ending, MP_END_STOPPED);
    b.header.state = MP_STATE_FULL;
    b.header.stop_errno = ENOSPC;
    ck_assert_int_eq(meta_of().ending, MP_END_FULL);
    ck_assert_uint_eq(meta_of().stop_errno, ENOSPC);
}
END_TEST

/* ---------------------------------------------------------------- damage */

START_TEST(a_cycle_of_contexts_is_found)
{
    uint32_t f = lb_frame(&b, 0, 0x1100);

    lb_context(&b, 0, f);
    lb_context(&b, 3, f);
    lb_context(&b, 2, f);
    must_fail(MP_ERR_DAMAGED, "never reaches the root");
    ck_assert_uint_eq(error.offset, place(MP_EXT_CONTEXTS, 1) + 4);
}
END_TEST

START_TEST(references_that_lead_nowhere_are_named)
{
    uint32_t f = lb_frame(&b, 0, 0x1100), context = lb_context(&b, 0, f);

    lb_cell(&b, context, 16, 1, 0);
    b.cells[0].context = 99;
    must_fail(MP_ERR_DAMAGED, "a cell's context");
    ck_assert_uint_eq(error.offset, place(MP_EXT_CELLS, 0));
    b.cells[0].context = context;
    b.contexts[0].parent = 99;
    must_fail(MP_ERR_DAMAGED, "a context's parent");
    b.contexts[0].parent = 0;
    b.contexts[0].frame = 99;
    must_fail(MP_ERR_DAMAGED, "a context's frame");
    b.contexts[0].frame = 7;
    must_fail(MP_ERR_DAMAGED, "unknown mark");
    b.contexts[0].frame = f;
    b.frames[0].flags = 0;
    must_fail(MP_ERR_DAMAGED, "empty frame");
    b.frames[0].flags = MP_LIVE_FRAME_VALID;
    b.frames[0].module = 99;
    must_fail(MP_ERR_DAMAGED, "a frame's module");
    b.frames[0].module = 0;
    b.header.program = 99;
    must_fail(MP_ERR_DAMAGED, "string");
    ck_assert_uint_eq(error.offset, offsetof(struct mp_live_header, program));
}
END_TEST

START_TEST(a_missing_tail_is_named)
{
    lb_cell(&b, lb_context(&b, 0, lb_frame(&b, 0, 0x1100)), 16, 1, 0)->stamp = 1;
    b.count[MP_EXT_TAILS] = 0;
    must_fail(MP_ERR_DAMAGED, "tail");
}
END_TEST

START_TEST(extents_that_cannot_be_are_refused)
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
END_TEST

START_TEST(truncation_at_every_byte_is_an_error)
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
END_TEST

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

START_TEST(no_flipped_byte_crashes)
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
END_TEST

/* ---------------------------------------------------------------- a file that moves */

static struct {
    struct mp_live_cell *ours, *theirs;
    struct mp_live_recorder *recorder;
    volatile bool stop;
} mover;

/* A block after the other is allocated by one recorder and freed by another. */
static void *
move(void *unused)
{
    struct mp_live_cell *ours = mover.ours, *theirs = mover.theirs;

    (void)unused;
    while (!mover.stop) {
        __atomic_store_n(&ours->allocs, ours->allocs + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&ours->bytes, ours->bytes + 16, __ATOMIC_RELEASE);
        __atomic_store_n(&mover.recorder[0].bins[16].allocs, ours->allocs, __ATOMIC_RELEASE);
        __atomic_store_n(&theirs->frees, ours->allocs, __ATOMIC_RELEASE);
        __atomic_store_n(&theirs->freed, ours->bytes, __ATOMIC_RELEASE);
        __atomic_store_n(&mover.recorder[1].bins[16].frees, ours->allocs, __ATOMIC_RELEASE);
    }
    return NULL;
}

START_TEST(a_file_that_moves_is_read_without_contradiction)
{
    char path[] = "/tmp/test-reader-live-XXXXXX";
    int fd = mkstemp(path);
    pthread_t thread;
    size_t size;
    uint8_t *file, *map;
    uint32_t context = lb_context(&b, 0, lb_frame(&b, 0, 0x1100));

    lb_cell(&b, context, 16, 0, 0);
    lb_cell(&b, context, 16, 0, 0);
    lb_recorder(&b);
    lb_recorder(&b);
    b.split = 1;                /* the two cells are not copied at once */
    run_as(getpid());
    file = lb_finish(&b, &size);
    ck_assert_int_eq(write(fd, file, size), (ssize_t)size);
    map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    mover.ours = (void *)(map + place(MP_EXT_CELLS, 0));
    mover.theirs = (void *)(map + place(MP_EXT_CELLS, 1));
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
    unlink(path);
    free(file);
}
END_TEST

static void
add_reading(Suite *suite)
{
    TCase *tests = tcase_create("reading");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, the_papers_example);
    tcase_add_test(tests, a_file_without_records_is_a_profile);
    tcase_add_test(tests, other_files_are_no_data_files);
    tcase_add_test(tests, another_byte_order_or_version_is_said);
    tcase_add_test(tests, old_live_file_is_readable);
    tcase_add_test(tests, trees_of_two_recorders_merge_by_path);
    tcase_add_test(tests, children_gathered_from_several_trees_merge_too);
    tcase_add_test(tests, a_parent_may_have_the_higher_id);
    tcase_add_test(tests, a_module_loaded_again_gives_the_same_frames);
    tcase_add_test(tests, a_signalled_frame_is_another_frame);
    tcase_add_test(tests, marks_become_frames);
    tcase_add_test(tests, ids_may_begin_anywhere_and_extents_may_be_many);
    tcase_add_test(tests, strings_are_escaped);
    suite_add_tcase(suite, tests);
}

static void
add_counting(Suite *suite)
{
    TCase *tests = tcase_create("counting");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, a_block_freed_by_another_thread_is_one_sum);
    tcase_add_test(tests, more_frees_than_allocations_are_damage);
    tcase_add_test(tests, counters_beyond_all_bounds_are_damage);
    tcase_add_test(tests, bins_of_recorders_are_summed);
    tcase_add_test(tests, a_share_of_the_peak_is_what_was_saved);
    tcase_add_test(tests, a_total_above_the_recorded_peak_is_the_peak);
    tcase_add_test(tests, a_process_that_is_there_runs);
    tcase_add_test(tests, a_zombie_does_not_run);
    tcase_add_test(tests, endings_are_carried_through);
    suite_add_tcase(suite, tests);
}

static void
add_damage(Suite *suite)
{
    TCase *tests = tcase_create("damage");

    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, a_cycle_of_contexts_is_found);
    tcase_add_test(tests, references_that_lead_nowhere_are_named);
    tcase_add_test(tests, a_missing_tail_is_named);
    tcase_add_test(tests, extents_that_cannot_be_are_refused);
    tcase_add_test(tests, truncation_at_every_byte_is_an_error);
    tcase_add_test(tests, no_flipped_byte_crashes);
    tcase_add_test(tests, a_file_that_moves_is_read_without_contradiction);
    suite_add_tcase(suite, tests);
}

int
main(int argc, char **argv)
{
    Suite *suite = suite_create("reader_live");

    if (argc == 3 && strcmp(argv[1], "--write") == 0) {     /* how tests/data/live-1.data came */
        size_t size;
        uint8_t *bytes;
        FILE *file = fopen(argv[2], "wb");

        lb_init(&b);
        lb_widgets(&b);
        bytes = lb_finish(&b, &size);
        return !file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0;
    }
    add_reading(suite);
    add_counting(suite);
    add_damage(suite);
    return tap_run(suite);
}
