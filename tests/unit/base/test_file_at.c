/* Files by their open directories: links are not followed, and another file under the same name is not touched. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/file_at.h"
#include "tests/unit/tap.h"

static char folder[64];

static const char *
path_of(const char *name)
{
    static char paths[4][256];
    static unsigned n;
    char *path = paths[n++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void
make(const char *name)
{
    FILE *file = fopen(path_of(name), "w");

    ck_assert_ptr_nonnull(file);
    fclose(file);
}

static void
set_up(void)
{
    strcpy(folder, "/tmp/test_file_at.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(mkdir(path_of("in"), 0700), 0);
    make("in/file");
    ck_assert_int_eq(symlink("in", path_of("link")), 0);
    ck_assert_int_eq(symlink("in/file", path_of("file")), 0);
    ck_assert_int_eq(mkfifo(path_of("fifo"), 0600), 0);
}

static void
tear_down(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static bool
opens(const char *name)
{
    struct mp_file_at file;
    const char *path = path_of(name);
    bool done = mp_file_at_open(AT_FDCWD, path, path, O_RDONLY, &file);

    mp_file_at_close(&file);
    return done;
}

FIXTURE(set_up, tear_down)

TEST(links_are_not_followed)
{
    ck_assert(opens("in/file"));
    ck_assert(!opens("link/file"));
    ck_assert(!opens("file"));
    ck_assert(!opens("fifo"));
    ck_assert(!opens("in"));
    ck_assert(!opens("nothing"));
}

TEST(links_of_directories_are_followed_where_the_user_names_them)
{
    struct mp_file_at file;

    ck_assert(mp_file_at_find(path_of("link/file"), &file));
    mp_file_at_close(&file);
    ck_assert(!mp_file_at_find(path_of("file"), &file));
    ck_assert(!mp_file_at_find(path_of("fifo"), &file));
}

TEST(in_a_root)
{
    struct mp_file_at file;
    int root = open(folder, O_PATH | O_DIRECTORY);

    ck_assert(mp_file_at_open(root, "in/file", "named", O_RDONLY, &file));
    ck_assert_str_eq(file.path, "named");
    mp_file_at_close(&file);
    ck_assert(!mp_file_at_open(root, "link/file", "named", O_RDONLY, &file));
    close(root);
}

TEST(new_files_replace_nothing)
{
    struct mp_file_at file, beside;
    struct stat status;

    ck_assert(!mp_file_at_create(path_of("in/file"), &file));
    ck_assert(!mp_file_at_create(path_of("file"), &file));
    ck_assert(!mp_file_at_create(path_of("fifo"), &file));
    ck_assert(mp_file_at_create(path_of("new"), &file));
    ck_assert_int_eq(stat(path_of("new"), &status), 0);
    ck_assert_uint_eq(status.st_mode & 0777, 0600);
    ck_assert(!mp_file_at_create_in(file.folder, path_of("new"), &beside));
    ck_assert(mp_file_at_create_in(file.folder, "elsewhere/next", &beside));
    ck_assert_int_eq(stat(path_of("next"), &status), 0);
    mp_file_at_close(&beside);
    mp_file_at_close(&file);
    mp_file_at_close(&file);
}

TEST(what_took_the_name_is_left_alone)
{
    struct mp_file_at file;

    ck_assert(mp_file_at_find(path_of("in/file"), &file));
    ck_assert(mp_file_at_stands(&file));
    make("in/other");
    ck_assert_int_eq(rename(path_of("in/other"), path_of("in/file")), 0);
    ck_assert(!mp_file_at_stands(&file));
    ck_assert(!mp_file_at_remove(&file));
    ck_assert_int_eq(access(path_of("in/file"), F_OK), 0);
    mp_file_at_close(&file);

    ck_assert(mp_file_at_find(path_of("in/file"), &file));      /* the directory goes, a link takes its name */
    ck_assert_int_eq(rename(path_of("in"), path_of("away")), 0);
    ck_assert(mp_file_at_remove(&file));
    ck_assert_int_ne(access(path_of("away/file"), F_OK), 0);
    mp_file_at_close(&file);
}
