/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/open_file.h"

bool
mp_input_open(struct mp_input *input, const char *path, struct mp_error *error)
{
    *input = (struct mp_input){.name = path, .fd = mp_open(path)};
    if (input->fd < 0 && errno == MP_NOT_REGULAR)
        return mp_fail(error, MP_ERR_NOT_MPROF, MP_NO_OFFSET, "%s is not a regular file", path);
    if (input->fd < 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot open %s: %s", path,
                       strerror(errno));
    if (mp_input_measure(input, error))
        return true;
    mp_input_close(input);
    return false;
}

void
mp_input_close(struct mp_input *input)
{
    if (!input->bytes && input->fd >= 0)
        close(input->fd);
    input->fd = -1;
}

bool
mp_input_measure(struct mp_input *input, struct mp_error *error)
{
    struct stat status;

    if (input->bytes)
        return true;
    if (fstat(input->fd, &status) != 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot read %s: %s", input->name,
                       strerror(errno));
    input->size = (uint64_t)status.st_size;
    return true;
}

bool
mp_input_read(const struct mp_input *input, uint64_t offset, void *to, size_t size,
              struct mp_error *error)
{
    uint8_t *at = to;

    if (offset > input->size || size > input->size - offset)
        return mp_fail(error, MP_ERR_TRUNCATED, input->size, "%s", input->name);
    if (input->bytes) {
        if (size > 0)
            memcpy(to, input->bytes + offset, size);
        return true;
    }
    while (size > 0) {
        ssize_t got = pread(input->fd, at, size, (off_t)(input->start + offset));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return mp_fail(error, MP_ERR_SYSTEM, offset, "cannot read %s: %s", input->name,
                           strerror(errno));
        if (got == 0)
            return mp_fail(error, MP_ERR_TRUNCATED, offset, "%s", input->name);
        at += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}
