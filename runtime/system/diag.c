#include "diag.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

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

/* Returns whether the byte at AT, in a text that begins at START, is a control character or part of a C1 control
 * character of UTF-8, which has two bytes. Names of files in messages may contain them, and messages go to a
 * terminal. */
static bool
is_control(const char *start, const char *at)
{
    unsigned char before = at > start ? (unsigned char)at[-1] : 0, byte = (unsigned char)*at;
    unsigned char after = byte ? (unsigned char)at[1] : 0;

    return byte < 0x20 || byte == 0x7f || (before == 0xc2 && byte >= 0x80 && byte < 0xa0) ||
           (byte == 0xc2 && after >= 0x80 && after < 0xa0);
}

static size_t
append(char *line, size_t used, size_t size, const char *text)
{
    size_t length = strlen(text);

    if (length > size - used)
        length = size - used;
    for (size_t i = 0; i < length; i++)
        line[used + i] = is_control(text, text + i) ? '?' : text[i];
    return used + length;
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
