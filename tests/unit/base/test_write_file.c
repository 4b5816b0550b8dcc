#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/write_file.h"
#include "tests/unit/folder.h"

static int fd;                  /* the test's directory */

static void
setup(void)
{
    fd = open(folder(), O_RDONLY | O_DIRECTORY);
    ck_assert_int_ge(fd, 0);
}

static void
teardown(void)
{
    close(fd);
}

static void
ck_content(const char *name, const char *expected)
{
    char text[64] = "";
    int file = openat(fd, name, O_RDONLY);
    struct stat status;

    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(fstat(file, &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0600);
    ck_assert_int_ge(read(file, text, sizeof text - 1), 0);
    ck_assert_str_eq(text, expected);
    close(file);
}

/* Checks that the directory contains EXPECTED files. */
static void
ck_files(int expected)
{
    char command[128];

    snprintf(command, sizeof command, "test $(ls -A %s | wc -l) -eq %d", folder(), expected);
    ck_assert_int_eq(system(command), 0);
}

FIXTURE(setup, teardown)

TEST(a_file_is_written_and_replaced)
{
    umask(0777);
    ck_assert(mp_write_file(fd, "name", 0600, "old text", 8));
    umask(022);
    ck_content("name", "old text");
    ck_assert(mp_write_file(AT_FDCWD, in_folder("name"), 0600, "new", 3));
    ck_content("name", "new");
    ck_assert(mp_write_file(fd, "empty", 0600, NULL, 0));
    ck_content("empty", "");
    ck_files(2);
}

TEST(what_was_left_over_is_no_obstacle)
{
    char name[64];
    int left;

    snprintf(name, sizeof name, "name" MP_WRITE_SUFFIX "%ld", (long)getpid());
    left = openat(fd, name, O_WRONLY | O_CREAT, 0400);
    ck_assert_int_eq(write(left, "half of it", 10), 10);
    close(left);
    ck_assert(mp_write_file(fd, "name", 0600, "whole", 5));
    ck_content("name", "whole");
    ck_files(1);
}

TEST(failure_leaves_what_was_there)
{
    ck_assert(mp_write_file(fd, "name", 0600, "old", 3));
    ck_assert_int_eq(mkdirat(fd, "taken", 0700), 0);
    ck_assert(!mp_write_file(fd, "taken", 0600, "new", 3));
    ck_assert_int_eq(errno, EISDIR);
    ck_assert(!mp_write_file(fd, "nowhere/name", 0600, "new", 3));
    ck_assert_int_eq(errno, ENOENT);
    ck_content("name", "old");
    ck_files(2);
}

TEST(a_file_that_is_too_large_does_not_end_us)
{
    struct rlimit before, limit;
    bool set, small, large, written;
    int problem;

    ck_assert(mp_write_file(fd, "name", 0600, "old", 3));
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){ .rlim_cur = 4, .rlim_max = before.rlim_max };
    /* no check is made under the limit, because a check that fails writes to a file */
    set = setrlimit(RLIMIT_FSIZE, &limit) == 0;
    small = mp_may_write(4);
    large = mp_may_write(5);
    errno = 0;
    written = mp_write_file(fd, "name", 0600, "newer", 5);
    problem = errno;
    setrlimit(RLIMIT_FSIZE, &before);
    ck_assert(set);
    ck_assert(small && !large);
    ck_assert(!written);
    ck_assert_int_eq(problem, EFBIG);
    ck_content("name", "old");
    ck_files(1);
}
/* SPDX-License-Identifier: MIT */
