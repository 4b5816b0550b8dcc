/* SPDX-License-Identifier: MIT */
#include "claim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "runtime/decimal.h"
#include "runtime/format.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/runner.h"
#include "runtime/system/sys.h"
#include "runtime/writer.h"

#define ATTEMPTS 8              /* attempts to create a name that several processes use at once */

/* ------------------------------------------------------------------ processes */

static uint64_t
ticks_in(const char *path)
{
    char text[1024];
    long fd = mp_sys_open(path, O_RDONLY, 0), n;

    if (fd < 0)
        return 0;
    n = mp_sys_read((int)fd, text, sizeof text - 1);
    mp_sys_close((int)fd);
    text[n > 0 ? n : 0] = '\0';
    return mp_writer_start_ticks(text);
}

uint64_t
mp_claim_start_ticks(void)
{
    return ticks_in("/proc/self/stat");
}

/* Reads the target of the symbolic link PATH into TEXT. TEXT becomes "" if the link cannot be read. */
static void
read_link(const char *path, char *text, size_t size)
{
    long n = mp_sys_readlink(path, text, size - 1);

    text[n > 0 ? n : 0] = '\0';
}

uint64_t
mp_claim_namespace(void)
{
    char link[64];

    read_link(MP_PID_NAMESPACE, link, sizeof link);
    return mp_writer_namespace(link);
}

static uint64_t
start_ticks_of(uint32_t pid)
{
    char path[32] = "/proc/", digits[MP_DECIMAL_SIZE];
    const char *number = mp_decimal(pid, digits);
    size_t n = strlen(number);

    memcpy(path + 6, number, n);
    memcpy(path + 6 + n, "/stat", 6);
    return ticks_in(path);
}

/* Returns the view of processes that /proc gives. /proc may show another pid namespace than that of this process. */
static struct mp_writer_view
look_around(void)
{
    char self[32];

    read_link("/proc/self", self, sizeof self);
    return (struct mp_writer_view){
        .namespace = mp_writer_number(self) == (uint64_t)mp_sys_getpid() ? mp_claim_namespace() : 0,
        .start_ticks = start_ticks_of};
}

/* ------------------------------------------------------------------ the file that is there */

/* Returns whether any process has FD's file open for writing or mapped writable. Returns true if that cannot be
 * found out. */
static bool
is_open_somewhere(int fd)
{
    mp_sys_fcntl(fd, F_SETSIG, SIGURG);         /* signal that is sent if the lease is broken; the default, SIGIO,
                                                   would kill the process */
    if (mp_sys_fcntl(fd, F_SETLEASE, F_RDLCK) < 0)
        return true;
    mp_sys_fcntl(fd, F_SETLEASE, F_UNLCK);
    return false;
}

/* The header of an existing file. Static because the stack may be small. Guarded by the lock. */
static MP_LARGE struct mp_live_header header;

/* Number of bytes at the beginning of the header that include the magic and the identity of the process. */
#define BEGINNING offsetof(struct mp_live_header, unwinder)

static bool
is_own(void)
{
    return header.pid == (uint32_t)mp_sys_getpid() && header.start_ticks == mp_claim_start_ticks();
}

bool
mp_claim_is_own(const char *path)
{
    MP_LOCK_HELD();
    const long fd = mp_sys_open_regular(path, O_RDONLY | O_NOFOLLOW);
    bool is = fd >= 0 && mp_sys_pread((int)fd, &header, BEGINNING, 0) == (long)BEGINNING &&
              memcmp(header.magic, MP_LIVE_MAGIC, 8) == 0 && is_own();

    is = is && mp_sys_pread((int)fd, header.run_id, sizeof header.run_id, offsetof(struct mp_live_header, run_id)) ==
                   (long)sizeof header.run_id &&
         memcmp(header.run_id, mp_options.run_id, sizeof header.run_id) == 0;
    if (fd >= 0)
        mp_sys_close((int)fd);
    return is;
}

/* Decides whether FD's file may be removed. Returns 0 if so, and -EBUSY or -EEXIST otherwise. */
static long
judge(int fd)
{
    const struct mp_writer_view view = look_around();
    long n = mp_sys_pread(fd, &header, sizeof header, 0);
    enum mp_writer writer;

    if (n == 0 || (n >= 8 && memcmp(header.magic, MP_SEALED_MAGIC, 8) == 0))
        return 0;
    if (n < 8 || memcmp(header.magic, MP_LIVE_MAGIC, 8) != 0)
        return -EEXIST;
    if (n < (long)sizeof header)
        return 0;
    if (is_own())
        return 0;
    if (memcmp(header.run_id, mp_options.run_id, sizeof header.run_id) != 0 &&
        mp_writer_is_waited_for(&header, &view))
        return -EBUSY;
    if (mp_writer_has_left(&header))
        return 0;
    writer = mp_writer_by_number(&header, &view);
    if (writer == MP_WRITER_UNSEEN)
        return is_open_somewhere(fd) ? -EBUSY : 0;
    return writer == MP_WRITER_RUNS ? -EBUSY : 0;
}

/* ------------------------------------------------------------------ locks */

/* Locks FD. Returns false if another process has locked it. Also returns true if the file system has no locks. */
static bool
lock(int fd)
{
    long result;

    do
        result = mp_sys_flock(fd, LOCK_EX | LOCK_NB);
    while (result == -EINTR);
    return result != -EWOULDBLOCK;
}

/* Returns whether FD's file is the one at PATH. */
static bool
has_name(int fd, const char *path)
{
    struct stat by_name;
    struct mp_file_id id;

    return mp_sys_stat(path, AT_SYMLINK_NOFOLLOW, &by_name) == 0 && mp_sys_file_id(fd, &id) &&
           by_name.st_dev == id.device && by_name.st_ino == id.inode;
}

/* Removes the file at PATH if that is allowed. Returns 0 if the file is gone or another one has taken its place,
 * and -errno otherwise. */
static long
remove_old(const char *path)
{
    long fd = mp_sys_open_regular(path, O_RDONLY | O_NOFOLLOW), result = 0;

    if (fd < 0)
        return fd == -ENOENT ? 0 : -EEXIST;
    if (!lock((int)fd))
        result = -EBUSY;
    else if (has_name((int)fd, path))
        result = judge((int)fd);
    else
        result = -EAGAIN;
    if (result == 0)
        result = mp_sys_unlink(path);
    mp_sys_close((int)fd);
    return result == -EAGAIN ? 0 : result;
}

/* A spare file that could not be renamed yet because the name was taken. Its path is "" if there is none. Static
 * because the stack may be small. Guarded by the lock. */
static struct {
    char path[MP_PATH_SIZE];
    uint64_t inode;
} spare MP_LARGE;

/* Returns whether the spare file is at its path. Compares inode and size, because after chroot() another file may have
 * this path. */
static bool
has_spare(void)
{
    struct stat status;

    return (spare.path[0] || mp_runner_spare(spare.path, &spare.inode)) &&
           mp_sys_stat(spare.path, AT_SYMLINK_NOFOLLOW, &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_ino == spare.inode && status.st_size == MP_LIVE_FIRST_SIZE;
}

/* Renames a spare file to PATH, opens and locks it. Returns its descriptor, -EEXIST if PATH exists, or another -errno
 * if there is no usable spare file. */
static long
claim_spare(const char *path)
{
    const bool there = has_spare();
    const long result = there ? mp_sys_rename_new(spare.path, path) : -ENOENT;
    struct mp_file_id id;
    long fd;

    if (result == -EEXIST)
        return result;
    spare.path[0] = '\0';
    if (result < 0)
        return result;
    fd = mp_sys_open_regular(path, O_RDWR | O_NOFOLLOW);
    if (fd < 0 || (mp_sys_file_id((int)fd, &id) && id.inode == spare.inode && lock((int)fd) && has_name((int)fd, path)))
        return fd;
    mp_sys_close((int)fd);
    return -ENOENT;
}

long
mp_claim(const char *path, bool replace)
{
    MP_LOCK_HELD();
    const long given = replace ? -ENOENT : claim_spare(path);

    if (given >= 0 || given == -EEXIST)
        return given;
    for (int i = 0; i < ATTEMPTS; i++) {
        long fd = mp_sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600), result;

        if (fd >= 0 && lock((int)fd) && has_name((int)fd, path))
            return fd;
        if (fd >= 0) {                  /* another process removed this file as an old empty one before it was locked */
            mp_sys_close((int)fd);
            continue;
        }
        if (fd != -EEXIST || !replace)
            return fd;
        result = remove_old(path);
        if (result < 0)
            return result;
    }
    return -EBUSY;
}

void
mp_claim_settled(int fd)
{
    mp_sys_flock(fd, LOCK_UN);
}
