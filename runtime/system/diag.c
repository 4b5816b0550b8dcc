/* SPDX-License-Identifier: MIT */
#include "diag.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "runtime/utf8.h"
#include "sandbox.h"
#include "sys.h"

MP_TLS int mp_diag_quiet;

static struct mp_file_id stderr_file;
static bool has_stderr;

void
mp_diag_open(void)
{
    has_stderr = mp_sys_file_id(STDERR_FILENO, &stderr_file);
}

/* Returns the length of the character at TEXT, LEFT bytes before the end, or 0 if it is a control character, C1 in two
 * bytes included, or invalid UTF-8. Names of files in messages may contain them, and messages go to a terminal. */
static size_t
printable(const char *text, size_t left)
{
    const uint8_t byte = (uint8_t)text[0];

    return byte < 0x20 || byte == 0x7f || (byte == 0xc2 && (uint8_t)text[1] < 0xa0) ? 0 : mp_utf8_length(text, left);
}

/* Appends TEXT as far as it fits, with '?' in place of each byte that is not printable. */
static size_t
append(char *line, size_t used, size_t size, const char *text)
{
    const char *end = text + strlen(text);

    for (size_t step; text < end; text += step ? step : 1) {
        step = printable(text, (size_t)(end - text));
        if ((step ? step : 1) > size - used)
            break;
        memcpy(line + used, step ? text : "?", step ? step : 1);
        used += step ? step : 1;
    }
    return used;
}

void
mp_diag(const char *what, int error, const char *consequence)
{
    mp_diag_why(what, error, NULL, consequence);
}

void
mp_diag_why(const char *what, int error, const char *reason, const char *consequence)
{
    char line[1024];
    const size_t room = sizeof line - 1;
    size_t used = append(line, 0, room, "mprof: ");

    if (mp_diag_quiet || !mp_sandbox_enter())
        return;
    if (!reason && error)
        reason = strerrordesc_np(error);
    used = append(line, used, room, what);
    if (reason) {
        used = append(line, used, room, ": ");
        used = append(line, used, room, reason);
    }
    if (consequence) {
        used = append(line, used, room, ": ");
        used = append(line, used, room, consequence);
    }
    line[used++] = '\n';
    if (has_stderr && mp_sys_is_file(STDERR_FILENO, &stderr_file))
        mp_sys_write(STDERR_FILENO, line, used);
    mp_sandbox_leave();
}
