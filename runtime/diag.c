#include "diag.h"

#include <string.h>

#include "sys.h"

MP_TLS int mp_diag_quiet;

static size_t
append(char *line, size_t used, size_t size, const char *text)
{
    size_t length = strlen(text);

    if (length > size - used)
        length = size - used;
    memcpy(line + used, text, length);
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
