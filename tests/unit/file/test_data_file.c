#include "tests/unit/tap.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/file/data_file.h"
#include "reporter/file/live_writer.h"
#include "reporter/process/snapshot.h"
#include "reporter/run/installed.h"
#include "reporter/run/preload.h"
#include "reporter/run/run_files.h"
#include "runtime/format.h"
#include "tests/unit/folder.h"
#include "tests/unit/live_builder.h"

static struct mp_error error;

/* ------------------------------------------------------------- the library */

TEST(way_from_bindir_to_libdir)
{
    static const char *const ways[][3] = {
        {"/usr/bin", "/usr/lib", "../lib"}, {"/usr/bin", "/usr/lib/x86_64-linux-gnu", "../lib/x86_64-linux-gnu"},
        {"/usr/libexec", "/usr/lib", "../lib"}, {"/opt/x/bin", "/var/lib", "../../../var/lib"},
        {"/usr/lib", "/usr/lib", ""}, {"/usr", "/usr/lib", "lib"}};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        ck_assert_str_eq(tap_keep(mp_installed_way(ways[i][0], ways[i][1]), free), ways[i][2]);
}

TEST(the_library_comes_before_others_and_once)
{
    static const char *const lists[][2] = {
        {"/x.so", "/l/libmprof.so:/x.so"}, {NULL, "/l/libmprof.so"},
        {"/x.so:/l/libmprof.so", "/x.so:/l/libmprof.so"}};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        ck_assert_str_eq(tap_keep(mp_preload_join("/l/libmprof.so", lists[i][0]), free), lists[i][1]);
}

TEST(a_library_that_is_asked_for_must_be_there)
{
    setenv("MPROF_LIBRARY", "/no/such/lib.so", 1);
    ck_assert_ptr_null(mp_preload_find(&error));
    ck_assert_ptr_nonnull(strstr(error.text, "/no/such/lib.so"));
}

/* -------------------------------------------------------------- data files */

TEST(templates_are_absolute)
{
    ck_assert_int_eq(chdir("/tmp"), 0);
    ck_assert_str_eq(tap_keep(mp_data_file_template("x%p", &error), free), "/tmp/x%p");
    ck_assert_str_eq(tap_keep(mp_data_file_template("/a/%e.%%", &error), free), "/a/%e.%%");
}

TEST(percent_in_working_directory_is_kept)
{
    const char *path = in_folder("50%p");
    char *text, *expanded;

    ck_assert_int_eq(mkdir(path, 0755), 0);
    ck_assert_int_eq(chdir(path), 0);
    text = mp_data_file_template("f", &error);
    expanded = mp_data_file_expand(text, 7, "x", &error);
    ck_assert_str_eq(expanded + strlen(expanded) - 6, "50%p/f");
    free(expanded);
    free(text);
}

TEST(unknown_percents_are_refused)
{
    ck_assert_ptr_null(mp_data_file_template("a%z", &error));
    ck_assert_int_eq(error.code, MP_ERR_USAGE);
    ck_assert_ptr_null(mp_data_file_template("a%", &error));
    ck_assert_ptr_null(mp_data_file_template("", &error));
}

TEST(templates_expand)
{
    ck_assert_str_eq(tap_keep(mp_data_file_expand("/d/%e.%p.%%", 42, "/usr/bin/prog", &error), free), "/d/prog.42.%");
    ck_assert_str_eq(tap_keep(mp_data_file_expand("/%x%", UINT32_MAX, "prog", &error), free), "/x%");
}

TEST(names_that_are_too_long_are_refused)
{
    char template[PATH_MAX], *text;

    memset(template, 'x', sizeof template);
    memcpy(template + sizeof template - 3, "%p", 3);
    text = mp_data_file_expand(template, 42, "prog", &error);
    ck_assert_uint_eq(strlen(text), PATH_MAX - 1);
    ck_assert_str_eq(text + PATH_MAX - 4, "x42");
    free(text);
    ck_assert_ptr_null(mp_data_file_expand(template, 420, "prog", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "name is too long"));
}

TEST(only_data_files_are_overwritten)
{
    ck_assert(!mp_data_file_check(make_text("notes.txt", "my notes of today"), false, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "exists and is not an mprof data file"));
    ck_assert(mp_data_file_check(make_text("old.data", MP_SEALED_MAGIC "..."), false, &error));
    ck_assert(mp_data_file_check(make_text("live.data", MP_LIVE_MAGIC "..."), false, &error));
    ck_assert(mp_data_file_check(make_text("empty", ""), false, &error));
    ck_assert(mp_data_file_check(in_folder("new"), false, &error));
    ck_assert(!mp_data_file_check(folder(), false, &error));
    ck_assert(!mp_data_file_check(in_folder("none/x"), false, &error));
}

static const uint64_t this_run[2] = {1, 2};

static struct mp_live_header
live_header(uint32_t pid)
{
    struct mp_live_header header = {.pid = pid, .state = MP_STATE_RUNNING};

    memcpy(header.magic, MP_LIVE_MAGIC, sizeof header.magic);
    return header;
}

/* Makes a live file. If INODE is not 0, it is the inode in the header, so that the file is a copy of another live
 * file. */
static void
make_live_of(const char *name, uint32_t pid, uint64_t start, uint64_t run, uint64_t inode)
{
    struct mp_live_header header = live_header(pid);

    header.start_monotonic = start;
    header.run_id[0] = 1;
    header.run_id[1] = run;
    header.inode = inode;
    make_file(name, &header, sizeof header);
}

static void
make_live(const char *name, uint32_t pid, uint64_t start, uint64_t run)
{
    make_live_of(name, pid, start, run, 0);
}

/* Makes a live file of this process, or of an earlier one with its pid. */
static const char *
make_own(uint64_t start_ticks, uint64_t namespace, enum mp_live_state state)
{
    struct mp_live_header header = live_header((uint32_t)getpid());

    header.start_ticks = start_ticks;
    header.pid_namespace = namespace;
    header.state = state;
    return make_file("own.data", &header, sizeof header);
}

TEST(files_of_running_processes_are_not_overwritten)
{
    uint64_t ticks = mp_process_start_ticks((uint32_t)getpid());
    struct mp_live_header waiting = live_header(1);
    const char *path;

    ck_assert_uint_gt(ticks, 0);
    path = make_own(ticks, 0, MP_STATE_RUNNING);
    ck_assert(mp_writer_is_away(path, &error));         /* the process itself may use it */
    ck_assert(!mp_data_file_check(path, false, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "has it in use; choose another"));
    ck_assert(mp_data_file_check(path, true, &error));
    ck_assert(!mp_data_file_check(make_own(ticks, 0, MP_STATE_STOPPED), false, &error));
    ck_assert(mp_data_file_check(make_own(ticks, 0, MP_STATE_EXEC), false, &error));
    ck_assert(mp_data_file_check(make_own(ticks + 1, 0, MP_STATE_RUNNING), false, &error));
    waiting.pid = (uint32_t)getppid();
    waiting.state = MP_STATE_RUNNING;
    waiting.start_ticks = mp_process_start_ticks(waiting.pid);
    path = make_file("other.data", &waiting, sizeof waiting);
    ck_assert(!mp_writer_is_away(path, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "has it in use"));
    waiting.run_pid = (uint32_t)getpid();       /* the process has ended, but mprof run has not */
    waiting.run_start_ticks = ticks;
    waiting.start_ticks = 1;
    path = make_file("waiting.data", &waiting, sizeof waiting);
    ck_assert(!mp_data_file_check(path, false, &error));
}

/* The pid of a process in another namespace says nothing, so its file is in use if anybody has it open or mapped. */
TEST(processes_of_other_namespaces_are_known_by_their_file)
{
    const char *path = make_own(1, 1, MP_STATE_RUNNING);
    int fd = open(path, O_RDWR);
    void *mapped;

    ck_assert(fd >= 0);
    ck_assert(!mp_data_file_check(path, false, &error));
    mapped = mmap(NULL, MP_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ck_assert(mapped != MAP_FAILED);
    close(fd);
    ck_assert(!mp_data_file_check(path, false, &error));
    munmap(mapped, MP_HEADER_SIZE);
    ck_assert(mp_data_file_check(path, false, &error));
}

TEST(a_file_that_is_being_made_is_not_overwritten)
{
    const char *path = make_text("young.data", "");
    int fd = open(path, O_RDWR);

    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    ck_assert(!mp_data_file_check(path, false, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "another process begins to record there"));
    close(fd);
    ck_assert(mp_data_file_check(path, false, &error));
}

/* Returns the files found for TEMPLATE, by pid, each as "PID:NAME|ADDITION ", with "=" before the name of a renamed
 * file and "!" before that of a copy. */
static const char *
names_found(const char *template)
{
    static char text[PATH_MAX];
    struct mp_run_files found;
    size_t used = 0;

    text[0] = '\0';
    mp_run_files_find(in_folder(template), this_run, NULL, 0, &found);
    for (uint32_t pid = 0; pid < 100; pid++)
        for (uint32_t i = 0; i < found.n; i++)
            if (found.files[i].pid == pid)
                used += (size_t)snprintf(text + used, sizeof text - used, "%u:%s%.*s|%s ", pid,
                                         found.files[i].fate == MP_FILE_RENAMED ? "="
                                         : found.files[i].fate == MP_FILE_LOST  ? "!" : "",
                                         (int)(found.files[i].asked - strlen(folder()) - 1),
                                         found.files[i].path + strlen(folder()) + 1,
                                         found.files[i].path + found.files[i].asked);
    mp_run_files_free(&found);
    return text;
}

TEST(files_of_this_run_are_found)
{
    make_live("r.data", 10, 1000, 2);
    make_live("r.data.11", 11, 1001, 2);
    make_live("r.data.13.2", 13, 1001, 2);
    make_live("r.data.9", 9, 1002, 3);          /* of another run */
    make_live("r.data.14.old", 14, 1003, 2);
    make_live("x.data.15", 15, 1003, 2);        /* another name */
    make_live_of("r.data.1", 10, 1000, 2, 1);
    make_live_of("r.data.11.old", 11, 1001, 2, 1);
    make_live_of("r.database", 12, 1002, 2, 1);       /* there is no original */
    make_text("r.data.12", MP_SEALED_MAGIC "............................................");
    ck_assert_str_eq(names_found("r.data"),
                     "10:r.data| 11:r.data|.11 12:!r.database| 13:r.data|.13.2 14:=r.data.14.old| ");
}

TEST(files_of_templates_are_found)
{
    make_live("t-prog-33", 33, 1000, 2);
    make_live("t-prog-x", 34, 1000, 2);
    make_live("t--35.35", 35, 1000, 2);
    make_live("t-a-1-36", 36, 1000, 2);
    make_live("t-a-37-38", 37, 1000, 2);
    make_live("t-.*-39%", 39, 1000, 2);
    ck_assert_str_eq(names_found("t-%e-%p"), "33:t-prog-33| 35:t--35|.35 36:t-a-1-36| 37:=t-a-37-38| 39:=t-.*-39%| ");
    ck_assert_str_eq(names_found("t-.*-%p%%"), "39:t-.*-39%| ");
}

TEST(files_in_folders_of_templates_are_found)
{
    static const char *const folders[] = {"dir-a", "dir-a/40", "dir-b", "dir-b/41", "dir-b/42"};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        ck_assert_int_eq(mkdir(in_folder(folders[i]), 0755), 0);
    make_live("dir-a/40/x.data", 40, 1000, 2);
    make_live("dir-b/41/x.data.41", 41, 1000, 2);
    make_live("dir-b/42/x.data", 43, 1000, 2);
    ck_assert_str_eq(names_found("dir-%e/%p/x.data"),
                     "40:dir-a/40/x.data| 41:dir-b/41/x.data|.41 43:=dir-b/42/x.data| ");
    ck_assert_str_eq(names_found("dir-%e//%p/x.data"), "40:dir-a//40/x.data| 41:dir-b//41/x.data|.41 "
                                                       "43:=dir-b//42/x.data| ");
    ck_assert_str_eq(names_found("dir-b/41/x.data"), "41:dir-b/41/x.data|.41 ");
    ck_assert_str_eq(names_found("dir-c/%p"), "");
}

TEST(snapshots_are_none_of_the_run_s_files)
{
    struct mp_live_header header = live_header(50);

    header.run_id[0] = 1;
    header.run_id[1] = 2;
    make_file("s-50", &header, sizeof header);
    header.state = MP_STATE_SNAPSHOT;
    make_file("s-50.snapshot.1", &header, sizeof header);
    ck_assert_str_eq(names_found("s-%e"), "50:s-50| ");
}

TEST(later_recordings_are_found_wherever_they_are)
{
    struct mp_live_header header = live_header(60);

    make_live("f.data.second", 60, 1001, 2);
    header.run_id[0] = 1;
    header.run_id[1] = 2;
    header.control.followed = 1;
    strcpy(header.control.file, in_folder("f.data.second"));
    make_file("f.data", &header, sizeof header);
    ck_assert_str_eq(names_found("f.data"), "60:f.data| 60:f.data.second| ");
    make_live("elsewhere", 60, 1002, 2);
    strcpy(header.control.file, in_folder("elsewhere"));
    make_file("f.data", &header, sizeof header);
    ck_assert_str_eq(names_found("f.data"), "60:f.data| 60:=f.data.second| 60:elsewhere| ");
    ck_assert_int_eq(unlink(in_folder("f.data.second")), 0);
    memset(header.control.file, '/', sizeof header.control.file);
    make_file("f.data", &header, sizeof header);
    ck_assert_str_eq(names_found("f.data"), "60:f.data| ");
}

/* ---------------------------------------------------------------- snapshots */

/* Makes the live file NAME with ALLOCS allocations. */
static void
make_recording(const char *name, uint32_t allocs)
{
    struct live_builder builder;
    size_t size;
    uint8_t *bytes;

    lb_init(&builder);
    lb_recorder(&builder);
    lb_cell(&builder, lb_context(&builder, 0, lb_frame(&builder, 0, 0x1000)), 8, allocs, 0);
    bytes = lb_finish(&builder, &size);
    make_file(name, bytes, size);
    free(bytes);
}

TEST(a_snapshot_has_what_is_in_the_open_file_whatever_took_its_name)
{
    struct mp_snapshot snapshot;
    struct mp_file_at live;

    make_recording("open.data", 3);
    make_recording("other.data", 4);
    ck_assert(mp_file_at_find(in_folder("open.data"), &live));
    ck_assert_int_eq(rename(in_folder("other.data"), in_folder("open.data")), 0);
    ck_assert_msg(mp_snapshot(&live, in_folder("copy"), &snapshot, &error), "%s", error.text);
    ck_assert_uint_eq(snapshot.allocs, 3);
    free(snapshot.path);
    mp_file_at_close(&live);
}
/* SPDX-License-Identifier: MIT */
