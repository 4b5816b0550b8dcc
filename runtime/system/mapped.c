/* SPDX-License-Identifier: MIT */
#include "mapped.h"

#include <fcntl.h>
#include <string.h>

#include "options.h"
#include "runtime/compiler.h"
#include "runtime/decimal.h"
#include "sys.h"

#define LINE_SIZE (MP_PATH_SIZE + 256)

/* Returns whether the mapping in LINE contains ADDRESS. LINE has the form "start-end perms offset device inode
 * path". */
static bool
holds(const char *line, uintptr_t address)
{
    uintptr_t start = mp_take_hex(&line);

    return address >= start && *line++ == '-' && address < mp_take_hex(&line);
}

/* Reads the next line of FD into LINE and replaces its newline by NUL. The first *FILLED bytes of LINE have been
 * read already. Updates *FILLED. Returns the end of the line, or NULL at the end of the file. */
static char *
next_line(int fd, char *line, size_t *filled)
{
    char *end = memchr(line, '\n', *filled);
    long n = 1;

    while (!end && *filled < LINE_SIZE && n > 0) {
        n = mp_sys_read(fd, line + *filled, LINE_SIZE - *filled);
        if (n > 0)
            *filled += (size_t)n;
        end = memchr(line, '\n', *filled);
    }
    if (end)
        *end = '\0';
    return end;
}

/* Returns the line of the mapping that contains ADDRESS, or NULL. *END becomes the end of the line. */
static char *
find_line(uintptr_t address, char **end)
{
    static MP_LARGE char line[LINE_SIZE]; /* static because the stack may be small */
    size_t filled = 0;
    long fd = mp_sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);

    if (fd < 0)
        return NULL;
    while ((*end = next_line((int)fd, line, &filled)) && !holds(line, address)) {
        filled -= (size_t)(*end + 1 - line);
        memmove(line, *end + 1, filled);
    }
    mp_sys_close((int)fd);
    return *end ? line : NULL;
}

uintptr_t
mp_mapped_start(uintptr_t address)
{
    char *end;
    const char *line = find_line(address, &end);

    return line ? mp_take_hex(&line) : 0;
}

uint64_t
mp_mapped_inode(uintptr_t address)
{
    char *end;
    const char *at = find_line(address, &end);

    for (unsigned i = 0; at && i < 4; i++) {    /* the number follows the fourth space */
        at = strchr(at, ' ');
        at += at != NULL;
    }
    return at ? mp_take_decimal(&at) : 0;
}

bool
mp_mapped_path(uintptr_t address, char *path)
{
    char *end;
    const char *line = find_line(address, &end), *found = line ? strchr(line, '/') : NULL;

    if (!found || (size_t)(end - found) >= MP_PATH_SIZE)
        return false;
    memcpy(path, found, (size_t)(end - found) + 1);
    return true;
}
