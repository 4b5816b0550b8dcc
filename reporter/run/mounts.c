/* SPDX-License-Identifier: MIT */
#include "mounts.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

uint32_t
mp_mounts_of(int fd, const char *path)
{
    struct statx status;

    return statx(fd, path, AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_MNT_ID, &status) == 0 &&
                   (status.stx_mask & STATX_MNT_ID) != 0
               ? (uint32_t)status.stx_mnt_id : UINT32_MAX;
}

void
mp_mounts_find(const char *path, uint32_t mounts[MP_CODE_MOUNTS])
{
    const char *const places[MP_CODE_MOUNTS - 1] = {"/", ".", "/tmp", path};
    const int unnamed = memfd_create("mprof", MFD_CLOEXEC);

    for (unsigned i = 0; i < MP_CODE_MOUNTS - 1; i++)
        mounts[i] = mp_mounts_of(AT_FDCWD, places[i]);
    mounts[MP_CODE_MOUNTS - 1] = unnamed < 0 ? UINT32_MAX : mp_mounts_of(unnamed, "");
    if (unnamed >= 0)
        close(unnamed);
}
