#include "tests/unit/tap.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reporter/file/reader.h"
#include "tests/unit/profile_checks.h"
#include "tests/unit/reader_live_fixture.h"

/* ---------------------------------------------------------------- the whole */

FIXTURE(set_up, NULL)

TEST(the_papers_example)
{
    struct mp_profile *profile;
    struct mp_totals totals;

    lb_widgets(&b);
    profile = must_read();
    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.all.allocs, 10000);
    ck_assert_uint_eq(totals.all.bytes, 2040000);
    ck_assert_uint_eq(totals.all.frees, 4981);
    ck_assert_uint_eq(totals.all.kept, 1023876);
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
}

TEST(a_file_without_records_is_a_profile)
{
    struct mp_profile *profile = must_read();

    ck_assert_uint_eq(profile->n_contexts, 1);
    ck_assert_uint_eq(profile->n_cells, 0);
}

TEST(other_files_are_no_data_files)
{
    static const struct {
        const void *bytes;
        size_t size;
        enum mp_error_code code;
    } files[] = {{"\x7f" "ELF....", 9, MP_ERR_NOT_MPROF}, {"\x7f" "ELF....", 3, MP_ERR_NOT_MPROF},
                 {NULL, 0, MP_ERR_EMPTY}};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ck_assert_ptr_null(mp_read_bytes(files[i].bytes, files[i].size, "x", &error));
        ck_assert_int_eq(error.code, files[i].code);
    }
    ck_assert_ptr_null(mp_read("/nowhere/mprof.data", &error));
    ck_assert_int_eq(error.code, MP_ERR_SYSTEM);
    ck_assert_ptr_null(mp_read("/dev/null", &error));
    ck_assert_int_eq(error.code, MP_ERR_NOT_MPROF);
}

TEST(another_byte_order_or_version_is_said)
{
    b.header.byte_order = 0x04030201;
    must_fail(MP_ERR_MACHINE, "x.data");
    b.header.byte_order = MP_BYTE_ORDER;
    b.header.version = 99;
    must_fail(MP_ERR_VERSION, "version 99");
}

/* ---------------------------------------------------------------- how it ended */

static struct mp_meta
meta_of(void)
{
    return must_read()->meta;
}

TEST(a_process_that_is_there_runs)
{
    struct mp_meta meta;

    run_as(getpid());
    b.header.start_monotonic = 1;
    b.header.end_monotonic = 0;
    meta = meta_of();
    ck_assert_int_eq(meta.ending, MP_END_RUNNING);
    ck_assert_uint_gt(meta.duration, 0);
    b.header.start_ticks++;     /* the pid belongs to another process now */
    meta = meta_of();
    ck_assert_int_eq(meta.ending, MP_END_KILLED);
    ck_assert_uint_eq(meta.duration, 0);
}

/* A thread created the parent of contexts after the reader had copied the parent's slot. */
TEST(contexts_made_meanwhile_are_left_out)
{
    uint32_t frame = lb_frame(&b, 0, 0x1100), known = lb_context(&b, 0, frame);
    uint32_t missed = lb_context(&b, known, frame), child = lb_context(&b, missed, frame);
    struct mp_profile *profile;

    lb_context(&b, child, frame);
    lb_cell(&b, known, 16, 1, 0);
    lb_context(&b, missed, frame);      /* begins a run */
    b.contexts[missed - 1] = 0;
    run_as(getpid());
    profile = must_read();
    ck_assert_uint_eq(profile->n_contexts, 2);
    ck_assert_uint_eq(profile->n_cells, 1);
    b.header.start_ticks++;             /* if no process writes the file any more, it is damaged */
    must_fail(MP_ERR_DAMAGED, "a context's parent is not there");
}

TEST(a_zombie_does_not_run)
{
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    ck_assert_int_eq(waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
    run_as(child);
    ck_assert_int_eq(meta_of().ending, MP_END_KILLED);
    waitpid(child, NULL, 0);
}

TEST(the_run_is_carried_through)
{
    b.header.run_id[0] = 1;
    b.header.run_id[1] = UINT64_MAX;
    ck_assert_uint_eq(meta_of().run_id[0], 1);
    ck_assert_uint_eq(meta_of().run_id[1], UINT64_MAX);
}

TEST(endings_are_carried_through)
{
    static const struct {
        enum mp_live_state state;
        enum mp_ending ending;
    } endings[] = {{MP_STATE_EXITED, MP_END_EXITED}, {MP_STATE_EXEC, MP_END_EXEC}, {MP_STATE_STOPPED, MP_END_STOPPED},
                   {MP_STATE_FULL, MP_END_FULL}};

    b.header.exit_status = 3;
    b.header.stop_errno = ENOSPC;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        b.header.state = endings[i].state;
        ck_assert_int_eq(meta_of().ending, endings[i].ending);
    }
    ck_assert_uint_eq(meta_of().stop_errno, ENOSPC);
    b.header.state = MP_STATE_EXITED;
    ck_assert_int_eq(meta_of().status, 3);
}
/* SPDX-License-Identifier: MIT */
