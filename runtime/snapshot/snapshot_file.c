#include "snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "runtime/decimal.h"
#include "runtime/system/sys.h"

#define MAX_NUMBER 10000u
#define ADDED      (sizeof "..heap" + MP_DECIMAL_SIZE)

long
mp_snapshot_create(const char *path, struct mp_copy_file *file)
{
    long fd = mp_sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);

    if (fd < 0)
        return fd;
    mp_copy_opened((int)fd, file);
    return 0;
}

/* PATH.NUMBER.heap, of PATH with LENGTH bytes, for which there is room. */
static void
add_number(char *path, size_t length, uint32_t number)
{
    char digits[MP_DECIMAL_SIZE];

    path[length] = '.';
    strcpy(path + length + 1, mp_decimal(number, digits));
    strcat(path + length, ".heap");
}

long
mp_snapshot_create_next(char *path, size_t size, uint32_t *number, uint32_t *used, struct mp_copy_file *file)
{
    const size_t length = strlen(path);
    long result = -EEXIST;

    if (length + ADDED > size)
        return -ENAMETOOLONG;
    while (result == -EEXIST) {
        *used = __atomic_add_fetch(number, 1, __ATOMIC_RELAXED);
        if (*used > MAX_NUMBER)
            break;
        add_number(path, length, *used);
        result = mp_snapshot_create(path, file);
    }
    return result;
}

void
mp_snapshot_link(const char *path, uint32_t number, const char *file)
{
    const size_t length = strlen(path);
    char *link = mp_sys_map(length + ADDED);    /* the stack may be small */
    long result = -EEXIST;

    if (!link)
        return;
    memcpy(link, path, length);
    for (; result == -EEXIST && number <= MAX_NUMBER; number++) {
        add_number(link, length, number);
        result = mp_sys_symlink(file, link);
    }
    mp_sys_unmap(link, length + ADDED);
}
