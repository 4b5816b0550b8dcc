/* SPDX-License-Identifier: MIT */
/*
 * input.h -- the source of a reader's bytes, either an open file, which may still grow, or a part of it, or memory.
 *
 * Bytes are copied by pread(). If the file is truncated during reading, the read fails with an error, whereas
 * access to a mapping would raise SIGBUS.
 */
#ifndef MP_INPUT_H
#define MP_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/error.h"

struct mp_input {
    const char *name;           /* for messages; owned by the caller */
    const uint8_t *bytes;       /* the bytes in memory, owned by the caller, or NULL if `fd` is used */
    int fd;                     /* descriptor of a regular file */
    uint64_t start;             /* offset of the first byte in that file */
    uint64_t size;              /* in bytes, as of the last mp_input_measure() */
};

bool mp_input_open(struct mp_input *input, const char *path, struct mp_error *error);
void mp_input_close(struct mp_input *input);

/* Sets the input's size to the present one of the file. Returns false and sets *ERROR if that fails. */
bool mp_input_measure(struct mp_input *input, struct mp_error *error);

/* Copies exactly SIZE bytes at OFFSET to TO. Returns false and sets *ERROR if there are fewer bytes or reading
 * fails. */
bool mp_input_read(const struct mp_input *input, uint64_t offset, void *to, size_t size,
                    struct mp_error *error);

#endif
