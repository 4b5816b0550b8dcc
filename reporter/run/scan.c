#include "scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "reporter/base/arena.h"

/* The number of NAME, "data.7.heap", of the data file called BASE; 0: it is none. */
static unsigned long
number_of(const char *name, const char *base)
{
    const size_t length = strlen(base);
    unsigned long number;
    char *end;

    if (strncmp(name, base, length) != 0 || name[length] != '.' || name[length + 1] < '1' || name[length + 1] > '9')
        return 0;
    number = strtoul(name + length + 1, &end, 10);
    return strcmp(end, ".heap") == 0 ? number : 0;
}

char *
mp_scan_newest(const char *data_file)
{
    const char *slash = strrchr(data_file, '/'), *base = slash ? slash + 1 : data_file;
    char *folder = slash ? mp_need(strndup(data_file, (size_t)(slash - data_file) + 1)) : mp_need(strdup("."));
    DIR *directory = opendir(folder);
    struct dirent *entry;
    unsigned long newest = 0;
    char *path = NULL;

    free(folder);
    while (directory && (entry = readdir(directory))) {
        unsigned long number = number_of(entry->d_name, base);

        newest = number > newest ? number : newest;
    }
    if (directory)
        closedir(directory);
    if (newest > 0 && asprintf(&path, "%s.%lu.heap", data_file, newest) < 0)
        mp_no_memory();
    return path;
}

/* Wait until nobody writes PATH any more. */
static bool
wait_for(const char *path, uint32_t pid, struct mp_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), result;

    if (fd < 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s, which process %" PRIu32 " wrote: %s", path, pid,
                       strerror(errno));
    do
        result = flock(fd, LOCK_SH);
    while (result != 0 && errno == EINTR);
    close(fd);
    return access(path, R_OK) == 0 ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "process %" PRIu32 " could not write what leads to its blocks",
                   pid);
}

char *
mp_scan_ask(struct mp_process *process, uint64_t timeout, struct mp_error *error)
{
    const struct mp_wanted wanted = {.request = MP_REQUEST_LEAKS, .file = ""};
    enum mp_request before;
    enum mp_answer answer;
    char *path;

    if (!mp_process_ask(process, &wanted, timeout, &answer, error))
        return NULL;
    if (answer == MP_ANSWER_LATER && !mp_process_withdraw(process, &before, error))
        return NULL;
    if (answer != MP_ANSWER_DONE) {
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, answer == MP_ANSWER_LATER
                ? "process %" PRIu32 " allocates nothing now, so it cannot be asked; see --wait"
                : "process %" PRIu32 " has ended meanwhile", process->pid);
        return NULL;
    }
    path = mp_need(strndup(process->header->control.file, sizeof process->header->control.file - 1));
    if (wait_for(path, process->pid, error))
        return path;
    free(path);
    return NULL;
}
