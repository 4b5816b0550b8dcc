/* SPDX-License-Identifier: MIT */
/*
 * error.h -- errors, filled in where they occur and printed once, in main.
 *
 * reporter/base/ owns what has nothing to do with profiles: memory, errors, texts, numbers, files, terminals, bytes in
 * and out. It uses nothing else of the reporter. All other directories call it.
 *
 * A function that can fail takes a struct mp_error * as its last argument. It calls mp_fail() and returns false
 * or NULL. The caller owns the struct, which contains the text.
 */
#ifndef MP_ERROR_H
#define MP_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/* Error codes, and their texts for the user. */
#define MP_ERRORS(X)                                                  \
    X(NONE,       "no error")                                         \
    X(SYSTEM,     "system call failed")                               \
    X(NOT_MPROF,  "not an mprof data file")                           \
    X(VERSION,    "written by another version of mprof")              \
    X(TRUNCATED,  "file ends too early")                              \
    X(DAMAGED,    "damaged file")                                     \
    X(MACHINE,    "written on a machine of another kind")             \
    X(EMPTY,      "nothing was recorded")                             \
    X(MEMORY,     "out of memory")                                    \
    X(USAGE,      "usage")                                            \
    X(PROGRAM,    "program cannot be profiled")                       \
    X(SANITIZED,  "program with a sanitizer")                         \
    X(FUNCTION,   "no such function")                                 \
    X(NOTHING,    "nothing of it was allocated")                      \
    X(MOMENT,     "no such moment")                                   \
    X(LINES,      "no source lines are known")                        \
    X(FORMAT,     "the format has no place for it")                   \
    X(FOREIGN,    "not a profile of memory")                          \
    X(UNKNOWN,    "not known")                                        \
    X(DATA,       "the files do not allow it")

enum mp_error_code {
#define X(code, text) MP_ERR_##code,
    MP_ERRORS(X)
#undef X
};

#define MP_NO_OFFSET UINT64_MAX

struct mp_error {
    enum mp_error_code code;
    uint64_t offset;            /* offset in the file, or MP_NO_OFFSET */
    char text[512];             /* one line without "mprof: " and newline */
};

/* Fills *ERROR and returns false, so that callers can write `return mp_fail(...)`. */
bool mp_fail(struct mp_error *error, enum mp_error_code code, uint64_t offset,
             const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Returns the text of CODE in the table above. */
const char *mp_error_string(enum mp_error_code code);

/* Prints "mprof: TEXT: CODE'S TEXT, at byte OFFSET" to stderr. Omits the code's text if it adds nothing, and an
 * unknown offset. */
void mp_error_print(const struct mp_error *error);

#endif
