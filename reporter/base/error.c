/* SPDX-License-Identifier: MIT */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

bool
mp_fail(struct mp_error *error, enum mp_error_code code, uint64_t offset, const char *format, ...)
{
    va_list args;

    error->code = code;
    error->offset = offset;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return false;
}

const char *
mp_error_string(enum mp_error_code code)
{
    static const char *const texts[] = {
#define X(name, text) text,
        MP_ERRORS(X)
#undef X
    };

    if ((size_t)code >= sizeof texts / sizeof *texts)
        return "unknown error";
    return texts[code];
}

void
mp_error_print(const struct mp_error *error)
{
    bool kind = error->code != MP_ERR_SYSTEM && error->code != MP_ERR_USAGE &&
                error->code != MP_ERR_PROGRAM && error->code != MP_ERR_SANITIZED && error->code != MP_ERR_DATA;

    fputs("mprof: ", stderr);
    mp_text_print(stderr, error->text);     /* may contain file names and arguments */
    if (kind)
        fprintf(stderr, ": %s", mp_error_string(error->code));
    if (error->offset != MP_NO_OFFSET)
        fprintf(stderr, ", at byte %llu", (unsigned long long)error->offset);
    fputc('\n', stderr);
}
