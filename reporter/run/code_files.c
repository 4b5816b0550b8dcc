#include "code_files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/symbols/symbols.h"

int
mp_code_files_listen(const uint64_t run_id[2])
{
    struct sockaddr_un address;
    const socklen_t size = mp_code_socket(run_id, &address);
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Returns the id of the mount of PATH, or of the open file FD if PATH is "". */
static uint32_t
mount_of(int fd, const char *path)
{
    struct statx status;

    return statx(fd, path, AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_MNT_ID, &status) == 0 &&
                   (status.stx_mask & STATX_MNT_ID) != 0
               ? (uint32_t)status.stx_mnt_id : UINT32_MAX;
}

void
mp_code_files_mounts(const char *path, uint32_t mounts[MP_CODE_MOUNTS])
{
    const char *const places[MP_CODE_MOUNTS - 1] = {"/", ".", "/tmp", path};
    const int unnamed = memfd_create("mprof", MFD_CLOEXEC);

    for (unsigned i = 0; i < MP_CODE_MOUNTS - 1; i++)
        mounts[i] = mount_of(AT_FDCWD, places[i]);
    mounts[MP_CODE_MOUNTS - 1] = unnamed < 0 ? UINT32_MAX : mount_of(unnamed, "");
    if (unnamed >= 0)
        close(unnamed);
}

/* Receives a message from SOCKET. Sets *FD to the descriptor in it, or to -1 if it has none. Returns false if there is
 * no message. */
static bool
receive(int socket, uint64_t *secret, int *fd)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof *fd)];
    } control;
    struct iovec content = {secret, sizeof *secret};
    struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control};
    const struct cmsghdr *header;

    *secret = 0;
    *fd = -1;
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) < 0)
        return false;
    header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof *fd))
        memcpy(fd, CMSG_DATA(header), sizeof *fd);
    return true;
}

void
mp_code_files_receive(int socket, const uint64_t run_id[2])
{
    uint64_t secret;
    int fd;

    while (socket >= 0 && receive(socket, &secret, &fd)) {
        if (fd >= 0 && secret == run_id[1])
            mp_symbols_hold(fd);
        if (fd >= 0)
            close(fd);
    }
}
