/*
 * asked.c -- tests whether the next allocation of a process will find a request in its live file.
 *
 *     asked FILE...
 *
 * Ends with status 0 if one of the files contains a request, and all its recorders are marked if it is being
 * recorded. Files that are not live files contain no request.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "program.h"
#include "runtime/format.h"

static bool
are_marked(const char *file, const struct mp_live_extent *extent)
{
    const struct mp_live_recorder *recorders = (const void *)(file + extent->offset);

    for (uint32_t i = 0; i < extent->count; i++)
        if (!(__atomic_load_n(&recorders[i].pending_work, __ATOMIC_SEQ_CST) & MP_PENDING_REQUEST))
            return false;
    return true;
}

static bool
stands(const char *file)
{
    const struct mp_live_header *header = (const void *)file;

    if (memcmp(header->magic, MP_LIVE_MAGIC, sizeof header->magic) != 0 ||
        __atomic_load_n(&header->control.request, __ATOMIC_SEQ_CST) == MP_REQUEST_NONE)
        return false;
    if (header->state != MP_STATE_RUNNING)
        return true;
    for (uint32_t i = 0; i < header->n_extents; i++)
        if (header->extents[i].kind == MP_EXT_RECORDERS && !are_marked(file, &header->extents[i]))
            return false;
    return true;
}

static bool
stands_in(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool result = false;
    struct stat status;
    void *file;

    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size < (off_t)MP_HEADER_SIZE)
        return false;
    file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (file != MAP_FAILED)
        result = stands(file);
    return result;
}

int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (stands_in(argv[i]))
            return 0;
    return 1;
}
/* SPDX-License-Identifier: MIT */
