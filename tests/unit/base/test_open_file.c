/* Only regular files are opened, with /proc and without it, and only directories that belong to the user. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reporter/base/open_file.h"
#include "tests/unit/folder.h"
#include "tests/unit/tap.h"

static void
set_up(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    make_text("file", "text");
    ck_assert_int_eq(mkdir(in_folder("in"), 0755), 0);
    ck_assert_int_eq(symlink("file", in_folder("link")), 0);
    ck_assert_int_eq(symlink("nothing", in_folder("dangling")), 0);
    ck_assert_int_eq(mkfifo(in_folder("fifo"), 0600), 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", in_folder("socket"));
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

/* Returns 0 or the error number of opening NAME. */
static int
opens(const char *name, int flags)
{
    const int fd = mp_open_at(AT_FDCWD, in_folder(name), flags);

    if (fd >= 0)
        close(fd);
    return fd >= 0 ? 0 : errno;
}

/* Returns whether regular files are opened and others are not. A link must be followed if FOLLOWS is true. */
static bool
all_hold(bool follows)
{
    return opens("file", O_RDONLY) == 0 && opens("file", O_RDWR) == 0 &&
           opens("link", O_RDONLY) == (follows ? 0 : ELOOP) && opens("link", O_RDONLY | O_NOFOLLOW) == ELOOP &&
           opens("fifo", O_RDONLY) == MP_NOT_REGULAR && opens("fifo", O_RDWR) == MP_NOT_REGULAR &&
           opens("socket", O_RDONLY) == MP_NOT_REGULAR && opens("in", O_RDONLY) == MP_NOT_REGULAR &&
           opens("dangling", O_RDONLY) == ENOENT && opens("nothing", O_RDONLY) == ENOENT &&
           mp_open("/dev/null") < 0 && errno == MP_NOT_REGULAR;
}

static int
creates(const char *name)
{
    const int fd = mp_create_at(AT_FDCWD, in_folder(name));

    if (fd >= 0)
        close(fd);
    return fd >= 0 ? 0 : errno;
}

/* Returns 0 or the error number of opening the directory NAME, which is created if MAKE is true. */
static int
enters(const char *name, bool make)
{
    const int fd = mp_open_own_folder(in_folder(name), strlen(folder()), make);

    if (fd >= 0)
        close(fd);
    return fd >= 0 ? 0 : errno;
}

FIXTURE(set_up, NULL)

TEST(only_regular_files_are_opened)
{
    ck_assert(all_hold(true));
}

TEST(without_proc_links_are_not_followed)
{
    int status;
    const pid_t pid = fork();

    if (pid == 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || mount("none", "/proc", "tmpfs", 0, NULL) != 0)
            _exit(2);
        _exit(all_hold(false) ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        puts("# not tested without /proc: there are no other mount namespaces");
    else
        ck_assert_int_eq(WEXITSTATUS(status), 0);
}

TEST(nothing_is_created_where_something_is)
{
    ck_assert_int_eq(creates("file"), EEXIST);
    ck_assert_int_eq(creates("link"), EEXIST);
    ck_assert_int_eq(creates("dangling"), EEXIST);
    ck_assert_int_eq(creates("fifo"), EEXIST);
    ck_assert_int_eq(creates("in"), EEXIST);
    ck_assert_int_eq(creates("new"), 0);
    ck_assert_int_eq(access(in_folder("nothing"), F_OK), -1);
}

TEST(made_up_directories_are_the_users)
{
    ck_assert_int_eq(enters("a/b", false), ENOENT);
    ck_assert_int_eq(enters("a/b", true), 0);
    ck_assert_int_eq(enters("a/b", false), 0);
    ck_assert_int_eq(enters("file/b", true), ENOTDIR);
    ck_assert_int_eq(symlink("../in", in_folder("a/to")), 0);
    ck_assert_int_eq(enters("a/to/c", true), 0);
    ck_assert_int_eq(chmod(in_folder("a"), 0777), 0);
    ck_assert_int_eq(enters("a", false), EPERM);
    ck_assert_int_ne(enters("a/to/c", true), 0);
    ck_assert_int_eq(enters("a/b", true), 0);
}
/* SPDX-License-Identifier: MIT */
