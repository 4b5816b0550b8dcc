#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
mp_source_open(struct mp_source *source, const char *path, struct mp_error *error)
{
    struct stat status;

    /* O_NONBLOCK: a FIFO is refused below, not waited for. */
    *source = (struct mp_source){.name = path};
    source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (source->fd < 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot open %s: %s", path,
                       strerror(errno));
    if (fstat(source->fd, &status) == 0 && !S_ISREG(status.st_mode)) {
        mp_source_close(source);
        return mp_fail(error, MP_ERR_NOT_MPROF, MP_NO_OFFSET, "%s is not a regular file", path);
    }
    if (mp_source_measure(source, error))
        return true;
    mp_source_close(source);
    return false;
}

void
mp_source_close(struct mp_source *source)
{
    if (!source->bytes && source->fd >= 0)
        close(source->fd);
    source->fd = -1;
}

bool
mp_source_measure(struct mp_source *source, struct mp_error *error)
{
    struct stat status;

    if (source->bytes)
        return true;
    if (fstat(source->fd, &status) != 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot read %s: %s", source->name,
                       strerror(errno));
    source->size = (uint64_t)status.st_size;
    return true;
}

bool
mp_source_read(const struct mp_source *source, uint64_t offset, void *to, size_t size,
               struct mp_error *error)
{
    uint8_t *at = to;

    if (offset > source->size || size > source->size - offset)
        return mp_fail(error, MP_ERR_TRUNCATED, source->size, "%s", source->name);
    if (source->bytes) {
        if (size > 0)
            memcpy(to, source->bytes + offset, size);
        return true;
    }
    while (size > 0) {
        ssize_t got = pread(source->fd, at, size, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return mp_fail(error, MP_ERR_SYSTEM, offset, "cannot read %s: %s", source->name,
                           strerror(errno));
        if (got == 0)
            return mp_fail(error, MP_ERR_TRUNCATED, offset, "%s", source->name);
        at += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}
