/* SPDX-License-Identifier: MIT */
#include "import.h"

#include <string.h>

#include "import_formats.h"
#include "reporter/base/buffer.h"
#include "reporter/base/compress.h"

#define PIECE ((size_t)16 << 10)        /* number of bytes decompressed at once */
#define MOST_BYTES ((size_t)1 << 30)    /* maximum size of a decompressed file */
#define MOST_RATIO 100u         /* maximum compression ratio beyond the first FREE_BYTES */
#define FREE_BYTES ((size_t)1 << 20)

static const struct {
    bool (*is)(const uint8_t *bytes, size_t size);
    struct mp_profile *(*read)(const uint8_t *bytes, size_t size, const char *name,
                               struct mp_error *error);
} formats[] = {
    {mp_is_legacy, mp_import_legacy},
    {mp_is_pprof, mp_import_pprof},
};

/* ---------------------------------------------------------------- unpacking */

/* Decompresses SIZE BYTES, which gzip compressed, to *TO. Returns false and fills *ERROR if that fails; the caller
 * frees to->bytes in either case. */
static bool
unpack(const uint8_t *bytes, size_t size, const char *name, struct mp_buffer *to, struct mp_error *error)
{
    const size_t most =
        size < (MOST_BYTES - FREE_BYTES) / MOST_RATIO ? FREE_BYTES + MOST_RATIO * size : MOST_BYTES;
    struct mp_unpacking *unpacking = mp_unpack_begin(bytes, size);
    enum mp_error_code code;
    const char *problem;
    uint8_t piece[PIECE];
    size_t got;

    while (to->size <= most && (got = mp_unpack(unpacking, piece, sizeof piece)) > 0)
        mp_buffer_bytes(to, piece, got);
    problem = to->size > most ? "too much to be a profile when it is unpacked" : mp_unpack_problem(unpacking, &code);
    if (!problem && mp_unpack_within(unpacking))
        problem = "ends within what is packed by gzip";
    mp_unpack_end(unpacking);
    return !problem || mp_fail(error, MP_ERR_DAMAGED, MP_NO_OFFSET, "%s: %s", name, problem);
}

/* ---------------------------------------------------------------- the whole */

/* Returns the subject of a profile of another known kind, recognised by its first bytes, or NULL. */
static const char *
other_subject(const uint8_t *bytes, size_t size)
{
    static const struct {
        const char *head, *subject;
    } others[] = {
        {"--- contention", "contention: how long locks were waited for"},
        {"--- Stacks:", "contention: how long locks were waited for"},
        {"--- mutex", "mutexes: how long locks were waited for"},
        {"goroutine profile:", "goroutines"},
        {"threadcreate profile:", "threads that were created"},
    };
    static const uint8_t word[] = {0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t half[] = {0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (size >= strlen(others[i].head) && memcmp(bytes, others[i].head, strlen(others[i].head)) == 0)
            return others[i].subject;
    if ((size > sizeof word && memcmp(bytes, word, sizeof word) == 0) ||
        (size > sizeof half && memcmp(bytes, half, sizeof half) == 0))
        return "CPU time";
    return NULL;
}

static struct mp_profile *
import_plain(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    const char *subject;

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].is(bytes, size))
            return formats[i].read(bytes, size, name, error);
    subject = other_subject(bytes, size);
    if (subject)
        mp_fail(error, MP_ERR_FOREIGN, MP_NO_OFFSET, "%s: a profile of %s", name, subject);
    else
        mp_fail(error, MP_ERR_NOT_MPROF, MP_NO_OFFSET, "%s", name);
    return NULL;
}

struct mp_profile *
mp_import(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    struct mp_buffer plain = {0};
    struct mp_profile *profile = NULL;

    if (mp_is_heaptrack(bytes, size))
        return mp_import_heaptrack(bytes, size, name, error);
    if (size <= 2 || bytes[0] != 0x1f || bytes[1] != 0x8b)
        return import_plain(bytes, size, name, error);
    if (unpack(bytes, size, name, &plain, error))
        profile = import_plain(plain.bytes, plain.size, name, error);
    mp_buffer_free(&plain);
    return profile;
}
