/* SPDX-License-Identifier: MIT */
#include "write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "arena.h"
#include "open_file.h"
#include "text.h"

bool
mp_may_write(uint64_t size)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || size <= limit.rlim_cur)
        return true;
    errno = EFBIG;
    return false;
}

/* Creates the temporary file. Removes a file of that name, which is left from a killed process. */
static int
create(const struct mp_writing *writing)
{
    const int fd = mp_create_at(writing->folder, writing->beside);

    if (fd >= 0 || errno != EEXIST || unlinkat(writing->folder, writing->beside, 0) != 0)
        return fd;
    return mp_create_at(writing->folder, writing->beside);
}

static void
forget(struct mp_writing *writing)
{
    if (writing->folder >= 0)
        close(writing->folder);
    free(writing->name);
    free(writing->beside);
}

/* Opens the stream on FD, which is -1 if the file could not be opened. */
static bool
begin(struct mp_writing *writing, int fd)
{
    int problem;

    writing->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (writing->file)
        return true;
    problem = errno;
    if (fd >= 0)
        close(fd);
    forget(writing);
    errno = problem;
    return false;
}

bool
mp_writing_begin(struct mp_writing *writing, int folder, const char *path)
{
    *writing = (struct mp_writing){.folder = mp_open_folder_of(folder, path)};
    if (writing->folder < 0)
        return false;
    writing->name = mp_need(strdup(mp_text_basename(path)));
    if (asprintf(&writing->beside, "%s" MP_WRITE_SUFFIX "%d", writing->name, (int)getpid()) < 0)
        mp_no_memory();
    return begin(writing, create(writing));
}

bool
mp_writing_begin_into(struct mp_writing *writing, int fd)
{
    *writing = (struct mp_writing){.folder = -1};
    return begin(writing, fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

void
mp_writing_own(struct mp_writing *writing, const struct stat *like)
{
    if (geteuid() == 0 && like->st_uid != 0 && fchown(fileno(writing->file), like->st_uid, like->st_gid) != 0)
        writing->problem = errno;
}

void
mp_writing_put(struct mp_writing *writing, const void *bytes, size_t size)
{
    if (writing->problem == 0 && !mp_may_write(writing->size + size))
        writing->problem = errno;
    if (writing->problem == 0 && size > 0 && fwrite(bytes, 1, size, writing->file) != size)
        writing->problem = errno != 0 ? errno : EIO;
    writing->size += size;
}

void
mp_writing_copy(struct mp_writing *writing, int from, uint64_t offset, uint64_t size)
{
    static char piece[1 << 16];

    while (size > 0 && writing->problem == 0) {
        const ssize_t n = pread(from, piece, size < sizeof piece ? (size_t)size : sizeof piece, (off_t)offset);

        if (n <= 0)
            writing->problem = n < 0 ? errno : EIO;
        else
            mp_writing_put(writing, piece, (size_t)n);
        offset += n > 0 ? (uint64_t)n : 0;
        size -= n > 0 ? (uint64_t)n : 0;
    }
}

static void
store_u32(uint8_t bytes[4], uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

void
mp_writing_block(struct mp_writing *writing, size_t size, const void *stored, size_t n)
{
    uint8_t head[8], sum[4];

    store_u32(head, (uint32_t)size);
    store_u32(head + 4, (uint32_t)n);
    store_u32(sum, (uint32_t)crc32_z(crc32_z(0, head, sizeof head), stored, n));
    mp_writing_put(writing, head, sizeof head);
    mp_writing_put(writing, stored, n);
    mp_writing_put(writing, sum, sizeof sum);
}

bool
mp_writing_end(struct mp_writing *writing, bool ok)
{
    bool done;

    if (fclose(writing->file) != 0 && writing->problem == 0)
        writing->problem = errno;
    if (ok && writing->beside && writing->problem == 0 &&
        renameat(writing->folder, writing->beside, writing->folder, writing->name) != 0)
        writing->problem = errno;
    done = ok && writing->problem == 0;
    if (!done && writing->beside)
        unlinkat(writing->folder, writing->beside, 0);
    forget(writing);
    errno = writing->problem;
    return done;
}

/* Sets the mode by descriptor, because after the rename another user may already have replaced PATH by a link. */
bool
mp_write_file(int folder, const char *path, mode_t mode, const void *bytes, size_t size)
{
    struct mp_writing writing;

    if (!mp_may_write(size) || !mp_writing_begin(&writing, folder, path))
        return false;
    mp_writing_put(&writing, bytes, size);
    if (writing.problem == 0 && fchmod(fileno(writing.file), mode) != 0)
        writing.problem = errno;
    return mp_writing_end(&writing, true);
}
