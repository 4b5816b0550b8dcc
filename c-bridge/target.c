/* SPDX-License-Identifier: MIT */
#include "target.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/system/elf_file.h"
#include "runtime/system/sys.h"

#define MAX_SCRIPTS 5           /* the kernel's limit of scripts whose interpreters are scripts */

#define HIGH_NUMBER 500         /* lowest number of a descriptor that stays open; programs do not expect descriptors
                                   as high as this */

/* Returns the interpreter in TEXT, the beginning of a script. Changes TEXT. */
static char *
interpreter_of(char *text)
{
    char *name = text + 2 + strspn(text + 2, " \t");

    name[strcspn(name, " \t\n")] = '\0';
    return name;
}

/* Opens PATH, but no device and no FIFO, which exec refuses without opening it. Returns the descriptor or -1. */
static int
open_program(const char *path)
{
    const long fd = mp_sys_open_regular(path, O_RDONLY);

    return fd < 0 ? -1 : (int)fd;
}

/* If FD is a script, closes it and sets it to the script's interpreter, opened, or to -1. Returns whether it is one. */
static bool
follow_script(int *fd)
{
    char text[257];
    ssize_t n = *fd < 0 ? 0 : pread(*fd, text, sizeof text - 1, 0);

    if (n < 2 || text[0] != '#' || text[1] != '!')
        return false;
    text[n] = '\0';
    close(*fd);
    *fd = open_program(interpreter_of(text));
    return true;
}

static bool
elf_takes_us(int fd)
{
    struct mp_elf_file file;

    return !mp_elf_file_read(fd, &file) ||
           (file.is_of_our_class && file.is_for_our_machine && !file.first_library[0] &&
            !file.contains_sanitizer && !strstr(file.linker, "ld-musl"));
}

static bool
elf_loads_us(int fd)
{
    struct mp_elf_file file;
    struct stat status;

    return !mp_elf_file_read(fd, &file) ||
           (file.linker[0] && mp_sys_fstat(fd, &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) == 0);
}

/* Returns what IS returns for the file of PROGRAM, or of its interpreter if it is a script. Returns true if there is no
 * file. */
static bool
ask(int program, bool (*is)(int fd))
{
    const int error = errno;
    int fd = program < 0 ? -1 : fcntl(program, F_DUPFD_CLOEXEC, 0);
    bool result = true;

    for (int i = 0; i < MAX_SCRIPTS && follow_script(&fd); i++)
        continue;
    if (fd >= 0) {
        result = is(fd);
        close(fd);
    }
    errno = error;
    return result;
}

bool
mp_target_takes_us(int program)
{
    return ask(program, elf_takes_us);
}

bool
mp_target_loads_us(int program)
{
    return ask(program, elf_loads_us);
}

int
mp_target_copy(int fd)
{
    const int error = errno, high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_NUMBER);

    errno = error;
    return high;
}

/* Moves the descriptor to a high number, because it may stay open while other threads open theirs. */
int
mp_target_open(const char *path)
{
    const int error = errno, fd = open_program(path), high = fd < 0 ? -1 : mp_target_copy(fd);

    if (high >= 0)
        close(fd);
    errno = error;
    return high >= 0 ? high : fd;
}

/* Writes "FOLDER/FILE" to TO. FOLDER has LENGTH bytes. Returns TO. */
static const char *
join(char *to, const char *folder, size_t length, const char *file)
{
    memcpy(to, folder, length);
    to[length] = '/';
    strcpy(to + length + (length > 0), file);
    return to;
}

int
mp_target_find(const char *file)
{
    const int error = errno;
    const char *search = getenv("PATH");
    int result = -1;
    char *path;

    if (strchr(file, '/') || !*file)
        return mp_target_open(file);
    if (!search)
        search = "/bin:/usr/bin";
    path = alloca(strlen(search) + strlen(file) + 2);
    while (search) {
        const char *end = strchrnul(search, ':');

        if (access(join(path, search, (size_t)(end - search), file), X_OK) == 0) {
            result = mp_target_open(path);
            break;
        }
        search = *end ? end + 1 : NULL;
    }
    errno = error;
    return result;
}
