#include "tap.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/data_file.h"
#include "reporter/preload.h"
#include "runtime/format.h"

static char folder[] = "/tmp/mprof-launch-XXXXXX";
static struct mp_error error;

static const char *
in_folder(const char *name)
{
    static char paths[4][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return path;
}

/* A file with these bytes, that may be run. */
static const char *
make_file(const char *name, const void *bytes, size_t size)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "w");

    ck_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    ck_assert_int_eq(chmod(path, 0755), 0);
    return path;
}

static const char *
make_text(const char *name, const char *text)
{
    return make_file(name, text, strlen(text));
}

/* ------------------------------------------------------------- the library */

static void
assert_relative(const char *from, const char *to, const char *expected)
{
    char *path = mp_preload_relative(from, to);

    ck_assert_str_eq(path, expected);
    free(path);
}

START_TEST(way_from_bindir_to_libdir)
{
    assert_relative("/usr/bin", "/usr/lib", "../lib");
    assert_relative("/usr/bin", "/usr/lib/x86_64-linux-gnu", "../lib/x86_64-linux-gnu");
    assert_relative("/usr/libexec", "/usr/lib", "../lib");
    assert_relative("/opt/x/bin", "/var/lib", "../../../var/lib");
    assert_relative("/usr/lib", "/usr/lib", "");
    assert_relative("/usr", "/usr/lib", "lib");
}
END_TEST

START_TEST(library_comes_before_others)
{
    char *text = mp_preload_join("/l/libmprof.so", "/x.so");

    ck_assert_str_eq(text, "/l/libmprof.so:/x.so");
    free(text);
    text = mp_preload_join("/l/libmprof.so", NULL);
    ck_assert_str_eq(text, "/l/libmprof.so");
    free(text);
}
END_TEST

START_TEST(library_is_not_listed_twice)
{
    char *text = mp_preload_join("/l/libmprof.so", "/x.so:/l/libmprof.so");

    ck_assert_str_eq(text, "/x.so:/l/libmprof.so");
    free(text);
}
END_TEST

START_TEST(a_library_that_is_asked_for_must_be_there)
{
    setenv("MPROF_LIBRARY", "/no/such/lib.so", 1);
    ck_assert_ptr_null(mp_preload_find(&error));
    ck_assert_ptr_nonnull(strstr(error.text, "/no/such/lib.so"));
}
END_TEST

/* -------------------------------------------------------------- data files */

START_TEST(templates_are_absolute)
{
    char *text;

    ck_assert_int_eq(chdir("/tmp"), 0);
    text = mp_data_file_template("x%p", &error);
    ck_assert_str_eq(text, "/tmp/x%p");
    free(text);
    text = mp_data_file_template("/a/%e.%%", &error);
    ck_assert_str_eq(text, "/a/%e.%%");
    free(text);
}
END_TEST

START_TEST(percent_in_working_directory_is_kept)
{
    const char *path = in_folder("50%p");
    char *text, *expanded;

    ck_assert_int_eq(mkdir(path, 0755), 0);
    ck_assert_int_eq(chdir(path), 0);
    text = mp_data_file_template("f", &error);
    expanded = mp_data_file_expand(text, 7, "x");
    ck_assert_str_eq(expanded + strlen(expanded) - 6, "50%p/f");
    free(expanded);
    free(text);
}
END_TEST

START_TEST(unknown_percents_are_refused)
{
    ck_assert_ptr_null(mp_data_file_template("a%z", &error));
    ck_assert_int_eq(error.code, MP_ERR_USAGE);
    ck_assert_ptr_null(mp_data_file_template("a%", &error));
    ck_assert_ptr_null(mp_data_file_template("", &error));
}
END_TEST

START_TEST(templates_expand)
{
    char *text = mp_data_file_expand("/d/%e.%p.%%", 42, "/usr/bin/prog");

    ck_assert_str_eq(text, "/d/prog.42.%");
    free(text);
}
END_TEST

START_TEST(only_data_files_are_overwritten)
{
    ck_assert(!mp_data_file_check(make_text("notes.txt", "my notes of today"), &error));
    ck_assert_ptr_nonnull(strstr(error.text, "exists and is not an mprof data file"));
    ck_assert(mp_data_file_check(make_text("old.data", MP_SEALED_MAGIC "..."), &error));
    ck_assert(mp_data_file_check(make_text("live.data", MP_LIVE_MAGIC "..."), &error));
    ck_assert(mp_data_file_check(make_text("empty", ""), &error));
    ck_assert(mp_data_file_check(in_folder("new"), &error));
    ck_assert(!mp_data_file_check(folder, &error));
    ck_assert(!mp_data_file_check(in_folder("none/x"), &error));
}
END_TEST

static void
make_live(const char *name, uint32_t pid, uint64_t start)
{
    struct mp_live_header header = {.pid = pid, .start_realtime = start};

    memcpy(header.magic, MP_LIVE_MAGIC, sizeof header.magic);
    make_file(name, &header, sizeof header);
}

START_TEST(files_of_this_run_are_found)
{
    struct mp_data_files found;

    make_live("r.data", 10, 1000);
    make_live("r.data.11", 11, 1001);
    make_live("r.data.9", 9, 500);              /* of an earlier run */
    make_live("r.database", 12, 1002);          /* another name */
    make_text("r.data.12", MP_SEALED_MAGIC "............................................");
    mp_data_files_find(in_folder("r.data"), 1000, &found);
    ck_assert_uint_eq(found.n, 2);
    ck_assert(found.files[0].first && found.files[0].pid == 10);
    ck_assert(!found.files[1].first && found.files[1].pid == 11);
    mp_data_files_free(&found);
}
END_TEST

START_TEST(files_of_templates_are_found)
{
    struct mp_data_files found;

    make_live("t-prog-33", 33, 1000);
    make_live("t-prog-x", 34, 1000);
    mp_data_files_find(in_folder("t-%e-%p"), 1000, &found);
    ck_assert_uint_eq(found.n, 1);
    ck_assert_uint_eq(found.files[0].pid, 33);
    mp_data_files_free(&found);
}
END_TEST

static TCase *
case_files(void)
{
    TCase *tests = tcase_create("files");

    tcase_add_test(tests, way_from_bindir_to_libdir);
    tcase_add_test(tests, library_comes_before_others);
    tcase_add_test(tests, library_is_not_listed_twice);
    tcase_add_test(tests, a_library_that_is_asked_for_must_be_there);
    tcase_add_test(tests, templates_are_absolute);
    tcase_add_test(tests, percent_in_working_directory_is_kept);
    tcase_add_test(tests, unknown_percents_are_refused);
    tcase_add_test(tests, templates_expand);
    tcase_add_test(tests, only_data_files_are_overwritten);
    tcase_add_test(tests, files_of_this_run_are_found);
    tcase_add_test(tests, files_of_templates_are_found);
    return tests;
}

int
main(void)
{
    Suite *suite = suite_create("data_file");
    char command[64];
    int failed;

    if (!mkdtemp(folder))
        return 1;
    suite_add_tcase(suite, case_files());
    failed = tap_run(suite);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
