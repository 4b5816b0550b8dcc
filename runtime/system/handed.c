/* SPDX-License-Identifier: MIT */
#include "handed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "gate.h"
#include "options.h"
#include "runner.h"
#include "sys.h"

#define REMEMBERED 128u

/* The last files that were handed over. */
static struct {
    struct {
        uint64_t device;
        struct mp_code_file file;       /* its inode number is 0 if the place is unused */
    } list[REMEMBERED];
    unsigned next;              /* place to use next */
} handed MP_LARGE;

bool
mp_same_inode(uint64_t a, uint64_t b)
{
    return (a ^ b) << 16 == 0;
}

static bool
is_handed(uint64_t device, const struct mp_code_file *file)
{
    for (unsigned i = 0; i < REMEMBERED; i++)
        if (handed.list[i].device == device && memcmp(&handed.list[i].file, file, sizeof *file) == 0)
            return true;
    return false;
}

/* Returns whether mprof run may keep FD open. An open file keeps its mount busy, so only files on the mounts that mprof
 * run names are kept open. */
static bool
may_be_held(int fd)
{
    const uint32_t mount = mp_sys_mount(fd);
    bool may = false;

    for (unsigned i = 0; i < MP_CODE_MOUNTS && mount != UINT32_MAX; i++)
        may |= mp_options.code_mounts[i] == mount;
    return may;
}

/* Hands over FD, the file FILE on DEVICE. */
static void
hand_over(int fd, uint64_t device, const struct mp_code_file *file)
{
    if (is_handed(device, file) || !may_be_held(fd) || !mp_runner_tell(MP_RUNNER_CODE, 0, 0, "", fd))
        return;
    handed.list[handed.next].device = device;
    handed.list[handed.next].file = *file;
    handed.next = (handed.next + 1) % REMEMBERED;
}

long
mp_hand_over(const char *path, struct mp_code_file *file)
{
    MP_LOCK_HELD();
    const long fd = mp_sys_open(path, O_PATH, 0);
    struct stat status;
    long result;

    if (fd < 0)
        return fd;
    result = mp_sys_fstat((int)fd, &status);
    if (result == 0 && !S_ISREG(status.st_mode))
        result = -ENODEV;
    if (result == 0) {
        *file = (struct mp_code_file){ status.st_ino, (uint64_t)status.st_size,
                                       (uint64_t)status.st_mtim.tv_sec * 1000000000u +
                                           (uint64_t)status.st_mtim.tv_nsec };
        hand_over((int)fd, status.st_dev, file);
    }
    mp_sys_close((int)fd);
    return result;
}

bool
mp_handed_over(uint64_t inode, struct mp_code_file *file)
{
    MP_LOCK_HELD();
    for (unsigned i = 0; i < REMEMBERED; i++)
        if (handed.list[i].file.inode != 0 && mp_same_inode(handed.list[i].file.inode, inode)) {
            *file = handed.list[i].file;
            return true;
        }
    return false;
}
