/* Files are used by their open directories: links are not followed, and a new file under the same name is not
 * touched. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/file_at.h"
#include "tests/unit/folder.h"
#include "tests/unit/tap.h"

static void
set_up(void)
{
    ck_assert_int_eq(mkdir(in_folder("in"), 0700), 0);
    make_text("in/file", "");
    ck_assert_int_eq(symlink("in", in_folder("link")), 0);
    ck_assert_int_eq(symlink("in/file", in_folder("file")), 0);
    ck_assert_int_eq(mkfifo(in_folder("fifo"), 0600), 0);
}

static bool
opens(const char *name)
{
    struct mp_file_at file;
    const char *path = in_folder(name);
    bool done = mp_file_at_open(AT_FDCWD, path, path, O_RDONLY, &file);

    mp_file_at_close(&file);
    return done;
}

FIXTURE(set_up, NULL)

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

    ck_assert(mp_file_at_find(in_folder("link/file"), &file));
    mp_file_at_close(&file);
    ck_assert(!mp_file_at_find(in_folder("file"), &file));
    ck_assert(!mp_file_at_find(in_folder("fifo"), &file));
}

TEST(in_a_root)
{
    struct mp_file_at file;
    int root = open(folder(), O_PATH | O_DIRECTORY);

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

    ck_assert(!mp_file_at_create(in_folder("in/file"), &file));
    ck_assert(!mp_file_at_create(in_folder("file"), &file));
    ck_assert(!mp_file_at_create(in_folder("fifo"), &file));
    ck_assert(mp_file_at_create(in_folder("new"), &file));
    ck_assert_int_eq(stat(in_folder("new"), &status), 0);
    ck_assert_uint_eq(status.st_mode & 0777, 0600);
    ck_assert(!mp_file_at_create_in(file.folder, in_folder("new"), &beside));
    ck_assert(mp_file_at_create_in(file.folder, "elsewhere/next", &beside));
    ck_assert_int_eq(stat(in_folder("next"), &status), 0);
    mp_file_at_close(&beside);
    mp_file_at_close(&file);
    mp_file_at_close(&file);
}

TEST(what_took_the_name_is_left_alone)
{
    struct mp_file_at file;

    ck_assert(mp_file_at_find(in_folder("in/file"), &file));
    ck_assert(mp_file_at_stands(&file));
    make_text("in/other", "");
    ck_assert_int_eq(rename(in_folder("in/other"), in_folder("in/file")), 0);
    ck_assert(!mp_file_at_stands(&file));
    ck_assert(!mp_file_at_remove(&file));
    ck_assert_int_eq(access(in_folder("in/file"), F_OK), 0);
    mp_file_at_close(&file);

    ck_assert(mp_file_at_find(in_folder("in/file"), &file));      /* the directory is renamed */
    ck_assert_int_eq(rename(in_folder("in"), in_folder("away")), 0);
    ck_assert(mp_file_at_remove(&file));
    ck_assert_int_ne(access(in_folder("away/file"), F_OK), 0);
    mp_file_at_close(&file);
}
/* SPDX-License-Identifier: MIT */
