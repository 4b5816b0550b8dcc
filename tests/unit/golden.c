#include "tap.h"

#include "golden.h"

#include <stdlib.h>
#include <string.h>

#include "folder.h"

FILE *
golden_stream(char **text)
{
    static size_t size;
    FILE *stream = open_memstream(text, &size);

    ck_assert_ptr_nonnull(stream);
    return stream;
}

char *
golden_close(FILE *stream, char **text)
{
    ck_assert_int_eq(fclose(stream), 0);
    return tap_keep(*text, free);
}

static FILE *
open_golden(const char *name, const char *mode)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "tests/golden/%s", name);
    file = fopen(source_path(path), mode);
    ck_assert_msg(file != NULL, "cannot open %s", path);
    return file;
}

void
golden_check(const char *text, const char *name)
{
    char golden[65536];
    FILE *file;
    size_t size;

    if (getenv("MPROF_UPDATE_GOLDEN")) {
        file = open_golden(name, "w");
        fputs(text, file);
        ck_assert_int_eq(fclose(file), 0);
        return;
    }
    file = open_golden(name, "r");
    size = fread(golden, 1, sizeof golden - 1, file);
    fclose(file);
    golden[size] = '\0';
    ck_assert_msg(strcmp(text, golden) == 0, "not as in tests/golden/%s:\n%s", name, text);
}

void
must_have(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in:\n%s", part, text);
}

void
must_lack(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) == NULL, "'%s' is in:\n%s", part, text);
}
/* SPDX-License-Identifier: MIT */
