/*
 * input.h -- where a reader's bytes come from: an open file, which may still grow, or memory.
 *
 * Everything is copied out by pread(): a file that is cut while it is read gives an error, where
 * a mapping would give SIGBUS.
 */
#ifndef MP_INPUT_H
#define MP_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/error.h"

struct mp_input {
    const char *name;           /* for messages; the caller's */
    const uint8_t *bytes;       /* memory (the caller's), or NULL */
    int fd;                     /* or a regular file */
    uint64_t size;              /* bytes, as of the last mp_input_measure() */
};

bool mp_input_open(struct mp_input *input, const char *path, struct mp_error *error);
void mp_input_close(struct mp_input *input);

/* Find the present size. */
bool mp_input_measure(struct mp_input *input, struct mp_error *error);

/* Copy exactly SIZE bytes at OFFSET to TO. */
bool mp_input_read(const struct mp_input *input, uint64_t offset, void *to, size_t size,
                    struct mp_error *error);

#endif
