/* SPDX-License-Identifier: MIT */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "export_formats.h"
#include "reporter/base/text.h"

#define WRITTEN(writer, ...) {__VA_ARGS__, .write = mp_export_##writer},
#define APPENDED(writer, ...) {__VA_ARGS__, .append = mp_export_##writer},
const struct mp_export_format mp_export_formats[] = {MP_EACH_FORMAT(WRITTEN, APPENDED)};
const size_t mp_n_export_formats = sizeof mp_export_formats / sizeof *mp_export_formats;

const struct mp_export_format *
mp_export_named(const char *name)
{
    for (size_t i = 0; i < mp_n_export_formats; i++)
        if (strcmp(mp_export_formats[i].name, name) == 0)
            return &mp_export_formats[i];
    return NULL;
}

bool
mp_export_bytes(const struct mp_export_format *format, const struct mp_export *export, char **bytes,
                size_t *size, struct mp_error *error)
{
    struct mp_text_stream memory;
    bool ok = format->write(export, mp_text_open(&memory), error);

    *bytes = mp_text_close(&memory);
    *size = memory.size;
    if (ok)
        return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}
