#include "diag.h"

#include <stdbool.h>
#include <string.h>

#include "sys.h"

MP_TLS int mp_diag_quiet;

/* Control characters, C1 of UTF-8 too: names of files are in it, and this goes to a terminal. */
static bool
is_control(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;

    return byte[0] < 0x20 || byte[0] == 0x7f || (byte[0] == 0xc2 && byte[1] >= 0x80 && byte[1] < 0xa0);
}

static size_t
append(char *line, size_t used, size_t size, const char *text)
{
    size_t length = strlen(text);

    if (length > size - used)
        length = size - used;
    for (size_t i = 0; i < length; i++)
        line[used + i] = is_control(text + i) ? '?' : text[i];
    return used + length;
}

void
mp_diag(const char *what, int error, const char *consequence)
{
    char line[1024];
    const size_t room = sizeof line - 1;
    size_t used = append(line, 0, room, "mprof: ");
    const char *reason = error ? strerrordesc_np(error) : NULL;

    if (mp_diag_quiet)
        return;
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
    mp_sys_write(2, line, used);
}
