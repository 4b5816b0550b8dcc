/* SPDX-License-Identifier: MIT */
#include "run_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/open_file.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/base/write_file.h"
#include "reporter/file/data_file.h"
#include "runtime/format.h"
#include "runtime/template.h"
#include "spares.h"

/* ------------------------------------------------------------------ names */

/* Returns the part of TEXT behind the number PID, or behind any number if PID is 0. Returns NULL if TEXT does not begin
 * with that number. */
static const char *
skip_number(const char *text, uint32_t pid)
{
    char digits[MP_DECIMAL_SIZE];
    const char *number = mp_decimal(pid, digits);
    size_t n = pid ? strlen(number) : strspn(text, "0123456789");

    return n > 0 && (pid == 0 || strncmp(text, number, n) == 0) ? text + n : NULL;
}

/* Returns whether TEXT is empty or a suffix .PID, .PID.N or .N that the monitor adds to a taken name. */
static bool
is_addition(const char *text, uint32_t pid)
{
    if (*text == '.')
        text = skip_number(text + 1, pid);
    if (text && *text == '.')
        text = skip_number(text + 1, 0);
    return text && *text == '\0';
}

/* Matches the beginning of PATH against TEMPLATE, expanded for process PID (0 means any) and any program. Returns the
 * part of PATH after the match. If EXACT, this must be "" or a suffix that the monitor adds. Returns NULL if PATH does
 * not match. */
static const char *
behind_name(const char *path, const char *template, uint32_t pid, bool exact)
{
    const char *end;

    for (; *template; template++, path++) {
        bool special = *template == '%' && template[1];

        template += special;
        if (special && *template == 'e') {
            for (; !(end = behind_name(path, template + 1, pid, exact)); path++)
                if (*path == '\0' || *path == '/')
                    return NULL;
            return end;
        }
        if (special && *template == 'p') {
            path = skip_number(path, pid);
            if (!path)
                return NULL;
            path--;
        } else if (*path != *template) {
            return NULL;
        }
    }
    return !exact || is_addition(path, pid) ? path : NULL;
}

/* ------------------------------------------------------------------ files */

/* Arguments and result of mp_run_files_find(). */
struct search {
    const char *rest;           /* the template without the constant folder at its beginning */
    const uint64_t *run_id;
    enum mp_run_file_fate fate; /* of files with the name from the template */
    struct mp_run_files *found;
};

/* Notes errno as the reason why a file of the run may not be found. Does nothing if errno may be due to files and
 * folders of other programs and users, which need not be readable and may disappear meanwhile. */
static void
note_problem(struct mp_run_files *found)
{
    static const int of_others[] = {0, ENOENT, ENOTDIR, EACCES, EPERM, ELOOP, ENXIO, MP_NOT_REGULAR};

    for (size_t i = 0; i < sizeof of_others / sizeof *of_others; i++)
        if (errno == of_others[i])
            return;
    if (found->problem == 0)
        found->problem = errno;
}

/* Reads the header and status of the live file FD, which may be -1. Returns false if it is not a live file, and sets
 * errno, to 0 if there was no error. */
static bool
read_header(int fd, struct mp_live_header *header, struct stat *status)
{
    if (fd < 0 || fstat(fd, status) != 0)
        return false;
    errno = 0;
    return S_ISREG(status->st_mode) && pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
           memcmp(header->magic, MP_LIVE_MAGIC, sizeof header->magic) == 0;
}

struct mp_run_file *
mp_run_files_listed(const struct mp_run_files *found, dev_t device, ino_t inode)
{
    for (uint32_t i = 0; i < found->n; i++)
        if (found->files[i].device == device && found->files[i].inode == inode)
            return &found->files[i];
    return NULL;
}

/* Returns whether FD, with HEADER and STATUS, is a copy of the file that the monitor made: its inode number differs
 * from the one in HEADER. On FUSE the number may change when no process has the file open, so it does not count
 * there. */
static bool
is_copy(int fd, const struct mp_live_header *header, const struct stat *status)
{
    struct statfs place;

    return header->inode != 0 && header->inode != status->st_ino && fstatfs(fd, &place) == 0 &&
           place.f_type != FUSE_SUPER_MAGIC;
}

/* Adds the file PATH with HEADER and STATUS if it belongs to the run and is not a snapshot. ASKED is the length of
 * the name from the template in PATH. Of two links to one file, keeps the one that was not renamed. Returns the entry,
 * or NULL. */
static struct mp_run_file *
add_file(const struct search *search, const char *path, size_t asked, enum mp_run_file_fate fate,
         const struct mp_live_header *header, const struct stat *status)
{
    struct mp_run_files *found = search->found;
    struct mp_run_file *file = mp_run_files_listed(found, status->st_dev, status->st_ino);

    if (header->state == MP_STATE_SNAPSHOT || header->run_id[0] != search->run_id[0] ||
        header->run_id[1] != search->run_id[1] || (file && file->fate <= fate))
        return NULL;
    if (!file) {
        found->files = mp_need(reallocarray(found->files, found->n + 1, sizeof *found->files));
        file = &found->files[found->n++];
        file->path = NULL;
    }
    free(file->path);
    *file = (struct mp_run_file){
        .path = mp_need(strdup(path)), .device = status->st_dev, .inode = status->st_ino, .owner = status->st_uid,
        .asked = asked, .pid = header->pid, .ticks = header->start_ticks, .start = header->start_monotonic,
        .executed = header->state == MP_STATE_EXEC, .followed = header->control.followed == 1, .fate = fate};
    return file;
}

/* Adds PATH if it belongs to the run and its name matches the template behind its first BASE bytes. */
static void
try_file(const struct search *search, const char *path, size_t base)
{
    enum mp_run_file_fate fate = search->fate;
    struct mp_live_header header;
    struct stat status;
    const char *end;
    int fd;

    if (!behind_name(path + base, search->rest, 0, false))
        return;
    fd = mp_open_at(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);
    if (!read_header(fd, &header, &status)) {
        note_problem(search->found);
        mp_spares_drop(path, search->run_id);
    } else {
        end = behind_name(path + base, search->rest, header.pid, true);
        if (!end)
            fate = MP_FILE_RENAMED;
        if (is_copy(fd, &header, &status))
            fate = MP_FILE_LOST;
        add_file(search, path, end ? (size_t)(end - path) : strlen(path), fate, &header, &status);
    }
    if (fd >= 0)
        close(fd);
}

/* Searches FOLDER recursively for files that match REST, the remaining part of the template, which begins with a
 * slash. The first BASE bytes of FOLDER are its constant part. */
static void
walk(const struct search *search, const char *folder, size_t base, const char *rest)
{
    const int slashes = (int)strspn(rest, "/");
    const char *name = rest + slashes, *more = strchr(name, '/');
    DIR *stream = opendir(*folder ? folder : "/");
    struct dirent *entry;
    char *path;

    while (stream && (errno = 0, entry = readdir(stream))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strncmp(entry->d_name, name, strcspn(name, "%/")) != 0)
            continue;
        if (asprintf(&path, "%s%.*s%s", folder, slashes, rest, entry->d_name) < 0)
            mp_no_memory();
        if (more)
            walk(search, path, base, more);
        else
            try_file(search, path, base);
        free(path);
    }
    note_problem(search->found);
    if (stream)
        closedir(stream);
}

/* Returns the length of the constant folder at the beginning of the absolute TEMPLATE. It ends before the first name
 * that contains %p or %e, or before the last name. This folder need not be readable. */
static size_t
folder_length(const char *template)
{
    size_t slash = 0;

    for (size_t i = 0; template[i]; i++) {
        if (template[i] == '/')
            slash = i;
        else if (template[i] == '%' && template[i + 1] && strchr("pe", template[++i]))
            break;
    }
    return slash;
}

/* Adds the recording that the process began after the one in FILE. FILE's header contains the path of this next
 * recording, which may be in any directory. The header may be forged, so the next file must have the owner of FILE. */
static void
follow(const struct search *search, const struct mp_run_file *file)
{
    const uid_t owner = file->owner;
    char path[sizeof ((struct mp_live_control *)NULL)->file + 1] = "";
    struct mp_live_header header;
    struct mp_file_at opened, next;
    struct stat status;

    if (!mp_run_file_open(file, &opened)) {
        note_problem(search->found);
        return;
    }
    if (read_header(opened.fd, &header, &status))
        memcpy(path, header.control.file, sizeof header.control.file);
    mp_file_at_close(&opened);
    if (*path != '/' || !mp_file_at_find(path, &next))
        return;
    if (next.owner == owner && read_header(next.fd, &header, &status) && !is_copy(next.fd, &header, &status))
        add_file(search, path, strlen(path), MP_FILE_STANDS, &header, &status);
    mp_file_at_close(&next);
}

/* ------------------------------------------------------------------ files without their name */

/* Returns whether HEADER belongs to the recording of FILE. */
static bool
is_same(const struct mp_run_file *file, const struct mp_live_header *header)
{
    return header->pid == file->pid && header->start_monotonic == file->start;
}

/* Returns whether FILE may be written to NAME in FOLDER again: no file has this name, or an empty file or a copy of
 * FILE has it. */
static bool
is_free(const struct search *search, const struct mp_run_file *file, int folder, const char *name)
{
    static struct mp_live_header header;        /* static because it is large */
    const int fd = mp_open_at(folder, name, O_RDONLY | O_NOFOLLOW);
    struct stat status;
    bool result;

    if (fd < 0)
        return errno == ENOENT;
    result = fstat(fd, &status) == 0 &&
             (status.st_size == 0 || (read_header(fd, &header, &status) && is_same(file, &header) &&
                                      memcmp(header.run_id, search->run_id, sizeof header.run_id) == 0));
    close(fd);
    return result;
}

/* Writes the file FD, which no directory contains, to NAME in FOLDER. Returns false and sets errno on failure. */
static bool
write_again(int fd, int folder, const char *name)
{
    struct mp_writing writing;
    struct stat status;

    if (fstat(fd, &status) != 0 || !mp_writing_begin(&writing, folder, name))
        return false;
    mp_writing_own(&writing, &status);
    mp_writing_copy(&writing, fd, 0, (uint64_t)status.st_size);
    return mp_writing_end(&writing, true);
}

/* Gives FILE, which is OPEN, a name in its directory again. Returns false and sets errno on failure. */
static bool
restore(const struct search *search, struct mp_run_file *file, const struct mp_file_at *open)
{
    struct mp_file_at place = *open, made = *open;
    struct mp_error ignored;
    unsigned number = file->pid;
    char folder[PATH_MAX];
    bool done;

    if (faccessat(open->folder, open->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        file->fate = MP_FILE_REPLACED;
    mp_open_path(open->folder, folder);
    free(file->path);
    if (asprintf(&file->path, "%s/%s", folder, mp_text_basename(open->path)) < 0)
        mp_no_memory();
    place.path = file->path;
    done = (is_free(search, file, open->folder, open->name) ||
            mp_data_file_beside(&place, ".", &number, "", &made, &ignored)) &&
           write_again(open->fd, made.folder, made.name);
    if (!done)
        return false;
    if (made.path != open->path) {
        free(file->path);
        file->path = mp_need(strdup(made.path));
        mp_file_at_close(&made);
    }
    file->asked = strlen(file->path);
    done = mp_file_at_find(file->path, &made);
    file->device = made.device;
    file->inode = made.inode;
    if (done)
        mp_file_at_close(&made);
    return done;
}

/* Adds the file OPEN if it was not found yet, and other files of the run in the directory to which it was moved. If no
 * directory contains OPEN, writes it again, except for a recording that has been stopped: somebody may have sealed its
 * file and removed it. */
static void
add_open(const struct search *search, const struct mp_file_at *open)
{
    struct mp_live_header header;
    struct stat status, by_name;
    struct mp_run_file *file;
    char path[PATH_MAX];

    if (!read_header(open->fd, &header, &status) || mp_run_files_listed(search->found, status.st_dev, status.st_ino))
        return;
    mp_open_path(open->fd, path);
    if (lstat(path, &by_name) == 0 && by_name.st_dev == status.st_dev && by_name.st_ino == status.st_ino) {
        const struct search there = {search->rest, search->run_id, MP_FILE_RENAMED, search->found};
        const size_t base = (size_t)(mp_text_basename(path) - path) - 1;

        add_file(search, path, strlen(path), MP_FILE_RENAMED, &header, &status);
        path[base] = '\0';
        if (!strchr(search->rest + 1, '/'))
            walk(&there, path, base, search->rest);
    } else if (header.state != MP_STATE_STOPPED && open->folder >= 0) {
        file = add_file(search, open->path, strlen(open->path), MP_FILE_REMOVED, &header, &status);
        if (file && !restore(search, file, open)) {
            note_problem(search->found);
            free(file->path);
            search->found->n--;
        }
    }
}

/* Removes stale copies of recordings from FOUND if FOUND has the recording itself, too. */
static void
drop_copies(struct mp_run_files *found)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < found->n; i++) {
        struct mp_run_file *file = &found->files[i];
        bool whole = false;

        for (uint32_t k = 0; k < found->n && file->fate == MP_FILE_LOST && !whole; k++)
            whole = found->files[k].fate != MP_FILE_LOST && found->files[k].pid == file->pid &&
                    found->files[k].start == file->start;
        if (whole)
            free(file->path);
        else
            found->files[n++] = *file;
    }
    found->n = n;
}

bool
mp_run_file_may_have(const char *path, const char *template, uint32_t pid)
{
    return behind_name(path, template, pid, true) != NULL;
}

bool
mp_run_file_open(const struct mp_run_file *file, struct mp_file_at *opened)
{
    if (!mp_file_at_find(file->path, opened))
        return false;
    if (opened->device == file->device && opened->inode == file->inode)
        return true;
    mp_file_at_close(opened);
    errno = ENOENT;
    return false;
}

static int
compare_files(const void *a, const void *b)
{
    const struct mp_run_file *x = a, *y = b;

    return x->start != y->start ? mp_order(x->start, y->start) : mp_order(x->pid, y->pid);
}

void
mp_run_files_find(const char *template, const uint64_t run_id[2], const struct mp_file_at open[], uint32_t n,
                  struct mp_run_files *found)
{
    const size_t constant = folder_length(template);
    const struct search search = {template + constant, run_id, MP_FILE_STANDS, found};
    char folder[PATH_MAX], *beginning = mp_need(strndup(template, constant));

    *found = (struct mp_run_files){0};
    if (mp_template_expand(beginning, 0, "", folder, sizeof folder) == 0)
        walk(&search, folder, strlen(folder), search.rest);
    free(beginning);
    for (uint32_t i = 0; i < n; i++)
        add_open(&search, &open[i]);
    drop_copies(found);
    for (uint32_t i = 0; i < found->n; i++)
        if (found->files[i].followed && found->files[i].fate != MP_FILE_LOST)
            follow(&search, &found->files[i]);
    if (found->n > 0)
        qsort(found->files, found->n, sizeof *found->files, compare_files);
}

void
mp_run_files_free(struct mp_run_files *found)
{
    for (uint32_t i = 0; i < found->n; i++)
        free(found->files[i].path);
    free(found->files);
    *found = (struct mp_run_files){0};
}
