#include "snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "runtime/decimal.h"
#include "runtime/system/sys.h"
#include "snapshot_copy.h"

#define MAX_NUMBER 10000u

long
mp_snapshot_create(const char *path)
{
    long fd = mp_sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);

    if (fd >= 0)
        mp_copy_opened((int)fd);
    return fd;
}

long
mp_snapshot_create_next(char *path, size_t size, uint32_t *number, uint32_t *used)
{
    const size_t length = strlen(path);
    char digits[MP_DECIMAL_SIZE];
    long fd = -EEXIST;

    if (length + sizeof digits + sizeof "..heap" > size)
        return -ENAMETOOLONG;
    while (fd == -EEXIST) {
        *used = __atomic_add_fetch(number, 1, __ATOMIC_RELAXED);
        if (*used > MAX_NUMBER)
            break;
        path[length] = '.';
        strcpy(path + length + 1, mp_decimal(*used, digits));
        strcat(path + length, ".heap");
        fd = mp_snapshot_create(path);
    }
    return fd;
}
