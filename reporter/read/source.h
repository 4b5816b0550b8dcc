/*
 * source.h -- where a reader's bytes come from: an open file, which may still grow, or memory.
 *
 * Everything is copied out by pread(): a file that is cut while it is read gives an error, where
 * a mapping would give SIGBUS.
 */
#ifndef MP_SOURCE_H
#define MP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/error.h"

struct mp_source {
    const char *name;           /* for messages; the caller's */
    const uint8_t *bytes;       /* memory (the caller's), or NULL */
    int fd;                     /* or a regular file */
    uint64_t size;              /* bytes, as of the last mp_source_measure() */
};

bool mp_source_open(struct mp_source *source, const char *path, struct mp_error *error);
void mp_source_close(struct mp_source *source);

/* Find the present size. */
bool mp_source_measure(struct mp_source *source, struct mp_error *error);

/* Copy exactly SIZE bytes at OFFSET to TO. */
bool mp_source_read(const struct mp_source *source, uint64_t offset, void *to, size_t size,
                    struct mp_error *error);

#endif
