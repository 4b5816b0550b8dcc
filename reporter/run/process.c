#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data_file.h"
#include "reporter/base/arena.h"
#include "reporter/base/text.h"
#include "reporter/read/writer.h"

/* ---------------------------------------------------------- the live file */

struct mapping {
    unsigned long start, end;
    unsigned major, minor;
    unsigned long inode;
    const char *path;           /* "" if there is none */
};

/* Parses LINE of /proc/PID/maps. Returns false if it cannot be the header of a live file, which is mapped shared and
 * writable from the beginning of the file. MAPPING points into LINE. */
static bool
parse_mapping(char *line, struct mapping *mapping)
{
    unsigned long offset;
    char permissions[5];
    int path = 0;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &mapping->start, &mapping->end, permissions,
               &offset, &mapping->major, &mapping->minor, &mapping->inode, &path) != 7)
        return false;
    mapping->path = line + path;
    return permissions[1] == 'w' && permissions[3] == 's' && offset == 0 && mapping->inode != 0 &&
           mapping->end - mapping->start >= MP_HEADER_SIZE && mapping->path[0] == '/';
}

/* Copies the header of the live file FD. Returns false if the file is too short. */
static bool
read_header(int fd, struct mp_live_header *header)
{
    if (pread(fd, header, sizeof *header, 0) != (ssize_t)sizeof *header)
        return false;
    header->control.file[sizeof header->control.file - 1] = '\0';
    return true;
}

/* Returns whether HEADER belongs to the process that started at START_TICKS and the process still handles requests in
 * it. */
static bool
is_listened_to(const struct mp_live_header *header, uint64_t start_ticks)
{
    return memcmp(header->magic, MP_LIVE_MAGIC, sizeof header->magic) == 0 &&
           header->version == MP_LIVE_VERSION &&
           header->byte_order == MP_BYTE_ORDER &&
           header->start_ticks == start_ticks && header->control.listens == 1;
}

/* Moves FILE to PROCESS if it is the file of MAPPING and its recording is newer than that of the file that PROCESS
 * already has. Otherwise closes FILE, sets errno to ENOENT and returns false. */
static bool
take(struct mp_file_at *file, const struct mapping *mapping, uint64_t start_ticks, struct mp_process *process)
{
    struct mp_live_header *header = mp_need(aligned_alloc(_Alignof(struct mp_live_header), sizeof *header));
    struct mp_shared shared = {NULL, 0};

    if (file->inode == mapping->inode && read_header(file->fd, header) && is_listened_to(header, start_ticks) &&
        (!process->header || process->header->start_monotonic < header->start_monotonic) &&
        mp_shared_open(&shared, file->fd, 0, MP_HEADER_SIZE)) {
        mp_process_close(process);
        process->file = *file;
        process->header = header;
        process->shared = shared;
        return true;
    }
    free(header);
    mp_file_at_close(file);
    errno = ENOENT;
    return false;
}

/* Opens the path of MAPPING in the root directory of this process. */
static bool
try_path(const struct mapping *mapping, uint64_t start_ticks, struct mp_process *process)
{
    struct mp_file_at file;

    return mp_file_at_open(AT_FDCWD, mapping->path, mapping->path, O_RDWR, &file) &&
           take(&file, mapping, start_ticks, process);
}

/* Returns the path of MAPPING in the root directory of its process. ROOT is that directory in /proc. The kernel puts
 * that directory before the path if our own root directory does not contain the file. For example, both are in one
 * chroot, and the process has mounts of its own. */
static const char *
path_in_root(const struct mapping *mapping, const char *root)
{
    char beginning[4096];
    ssize_t n = readlink(root, beginning, sizeof beginning);

    if (n > 1 && n < (ssize_t)sizeof beginning && strncmp(mapping->path, beginning, (size_t)n) == 0 &&
        mapping->path[n] == '/')
        return mapping->path + n;
    return mapping->path;
}

/* Opens the path of MAPPING in the root directory of its process, which may see other file systems. */
static bool
try_root(const struct mapping *mapping, uint64_t start_ticks, struct mp_process *process)
{
    char root[64], named[4096 + 64];
    const char *path;
    struct mp_file_at file;
    bool done;
    int fd;

    snprintf(root, sizeof root, "/proc/%" PRIu32 "/root", process->pid);
    path = path_in_root(mapping, root);
    snprintf(named, sizeof named, "%s%s", root, path);
    fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    done = fd >= 0 && mp_file_at_open(fd, path + 1, named, O_RDWR, &file) && take(&file, mapping, start_ticks, process);
    if (fd >= 0)
        close(fd);
    return done;
}

/* Opens the mapped file itself, even if it no longer has a name. Only root may do this. */
static bool
try_mapped(const struct mapping *mapping, uint64_t start_ticks, struct mp_process *process)
{
    char path[64];
    struct stat status;
    struct mp_file_at file = {.folder = -1};

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/map_files/%lx-%lx", process->pid, mapping->start, mapping->end);
    file.fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file.fd < 0)
        return false;
    file.path = mp_need(strdup(path));
    file.name = mp_text_basename(file.path);
    if (fstat(file.fd, &status) == 0 && S_ISREG(status.st_mode)) {
        file.device = status.st_dev;
        file.inode = status.st_ino;
        file.owner = status.st_uid;
    }
    return take(&file, mapping, start_ticks, process);
}

/* Opens the file of MAPPING by the first way that works. Sets *PROBLEM to EACCES if permissions prevented it. */
static void
try_mapping(const struct mapping *mapping, uint64_t start_ticks, struct mp_process *process, int *problem)
{
    if (try_path(mapping, start_ticks, process))
        return;
    if (errno == EACCES)
        *problem = errno;
    if (!try_root(mapping, start_ticks, process))
        try_mapped(mapping, start_ticks, process);
}

static bool
not_found(uint32_t pid, int problem, struct mp_error *error)
{
    if (problem == ENOENT)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "there is no process %" PRIu32, pid);
    if ((problem == EACCES || problem == EPERM) && geteuid() == 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "process %" PRIu32 " may not be looked into, even by this root: %s", pid,
                       strerror(problem));
    if (problem == EACCES || problem == EPERM)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "process %" PRIu32 " is another user's: only that user and root may do this",
                       pid);
    if (problem != 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "process %" PRIu32 ": %s", pid,
                       strerror(problem));
    return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                   "process %" PRIu32 " is not recorded: it was not started by mprof run, nor with "
                   "libmprof.so preloaded", pid);
}

uint32_t
mp_process_id(const char *text)
{
    size_t length = strlen(text);

    return length > 0 && length < 10 && strspn(text, "0123456789") == length
               ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

uint32_t
mp_process_meant(const char *argument)
{
    uint32_t pid = mp_process_id(argument);
    char path[64];

    snprintf(path, sizeof path, "/proc/%" PRIu32, pid);
    return pid != 0 && (access(path, F_OK) == 0 || access(argument, F_OK) != 0) ? pid : 0;
}

bool
mp_process_open(uint32_t pid, struct mp_process *process, struct mp_error *error)
{
    uint64_t start_ticks = mp_process_start_ticks(pid);
    char *line = NULL, path[64];
    struct mapping mapping;
    size_t room = 0;
    int problem = 0;
    FILE *maps;

    *process = (struct mp_process){.pid = pid, .file = {.folder = -1, .fd = -1}};
    if (start_ticks == 0)
        return not_found(pid, ENOENT, error);
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/maps", pid);
    maps = fopen(path, "re");
    if (!maps)
        return not_found(pid, errno, error);
    while (getline(&line, &room, maps) > 0)
        if (parse_mapping(line, &mapping))
            try_mapping(&mapping, start_ticks, process, &problem);
    if (ferror(maps))
        problem = errno;
    free(line);
    fclose(maps);
    return process->header ? true : not_found(pid, problem, error);
}

void
mp_process_close(struct mp_process *process)
{
    mp_shared_close(&process->shared);
    mp_file_at_close(&process->file);
    free(process->header);
    process->header = NULL;
}

int
mp_process_reopen(const struct mp_process *process)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", process->file.fd);
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

char *
mp_process_output(const struct mp_process *process, const char *output, struct mp_error *error)
{
    static const char deleted[] = " (deleted)";
    char link[64], program[PATH_MAX], *template, *path, *end;
    ssize_t length;

    snprintf(link, sizeof link, "/proc/%" PRIu32 "/exe", process->pid);
    length = readlink(link, program, sizeof program - 1);
    if (length < 0) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", link, strerror(errno));
        return NULL;
    }
    program[length] = '\0';
    end = program + length - (sizeof deleted - 1);
    if (end > program && strcmp(end, deleted) == 0)
        *end = '\0';
    template = mp_data_file_template(output, error);
    path = template ? mp_data_file_expand(template, process->pid, program, error) : NULL;
    free(template);
    return path;
}

bool
mp_process_refresh(struct mp_process *process, struct mp_error *error)
{
    return read_header(process->file.fd, process->header) || mp_process_is_short(process, error);
}

bool
mp_process_is_short(const struct mp_process *process, struct mp_error *error)
{
    return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 ": its data file %s was cut short",
                   process->pid, process->file.path);
}
