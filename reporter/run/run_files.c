#include "run_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/open_file.h"
#include "reporter/base/search.h"
#include "runtime/format.h"
#include "runtime/template.h"

/* ------------------------------------------------------------------ names */

/* Returns the part of TEXT after the number PID, or after any number if PID is 0. Returns NULL if TEXT does not begin
 * with it. */
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

/* Matches PATH against TEMPLATE, expanded for process PID (0 means any) and any program. Returns the part of PATH
 * after the match, which may be "" or a suffix that the monitor adds. Returns NULL if PATH does not match. */
static const char *
behind_name(const char *path, const char *template, uint32_t pid)
{
    const char *end;

    for (; *template; template++, path++) {
        bool special = *template == '%' && template[1];

        template += special;
        if (special && *template == 'e') {
            for (; !(end = behind_name(path, template + 1, pid)); path++)
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
    return is_addition(path, pid) ? path : NULL;
}

/* ------------------------------------------------------------------ files */

/* Arguments and result of mp_run_files_find(). */
struct search {
    const char *template;
    const uint64_t *run_id;
    struct mp_run_files *found;
};

/* Notes errno if it is the reason why a file of the run may not be found. Files and folders of others, which may come
 * and go, are no such reason. */
static void
note_problem(struct mp_run_files *found)
{
    static const int of_others[] = {0, ENOENT, ENOTDIR, EACCES, EPERM, ELOOP, ENXIO};

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

static bool
is_listed(const struct mp_run_files *found, const struct mp_file_at *file)
{
    for (uint32_t i = 0; i < found->n; i++)
        if (found->files[i].device == file->device && found->files[i].inode == file->inode)
            return true;
    return false;
}

/* Adds the file PATH with HEADER and STATUS if it belongs to the run and is not a snapshot. ASKED is the length of
 * the name from the template in PATH. */
static void
add_file(const struct search *search, const char *path, size_t asked,
         const struct mp_live_header *header, const struct stat *status)
{
    struct mp_run_files *found = search->found;

    if (header->state == MP_STATE_SNAPSHOT || header->run_id[0] != search->run_id[0] ||
        header->run_id[1] != search->run_id[1])
        return;
    found->files = mp_need(reallocarray(found->files, found->n + 1, sizeof *found->files));
    found->files[found->n++] = (struct mp_run_file){
        .path = mp_need(strdup(path)), .device = status->st_dev, .inode = status->st_ino, .owner = status->st_uid,
        .asked = asked, .pid = header->pid, .start = header->start_monotonic,
        .followed = header->control.followed == 1};
}

/* Adds PATH if it belongs to the run and its name matches the template. */
static void
try_file(const struct search *search, const char *path)
{
    struct mp_live_header header;
    struct stat status;
    const char *end;
    int fd;

    if (!behind_name(path, search->template, 0))
        return;
    fd = mp_open_at(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);
    if (!read_header(fd, &header, &status))
        note_problem(search->found);
    else if ((end = behind_name(path, search->template, header.pid)) != NULL)
        add_file(search, path, (size_t)(end - path), &header, &status);
    if (fd >= 0)
        close(fd);
}

/* Searches FOLDER recursively for files that match REST, the remaining part of the template, which begins with a
 * slash. */
static void
walk(const struct search *search, const char *folder, const char *rest)
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
            walk(search, path, more);
        else
            try_file(search, path);
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

/* Adds the recording that the process began after the one in FILE. FILE's header contains the path of that recording,
 * which may be in any directory. The header may be forged, so the next file must have the same owner. */
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
    if (next.owner == owner && !is_listed(search->found, &next) && read_header(next.fd, &header, &status))
        add_file(search, path, strlen(path), &header, &status);
    mp_file_at_close(&next);
}

bool
mp_run_file_may_have(const char *path, const char *template, uint32_t pid)
{
    return behind_name(path, template, pid) != NULL;
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
mp_run_files_find(const char *template, const uint64_t run_id[2], struct mp_run_files *found)
{
    const struct search search = {template, run_id, found};
    const size_t n = folder_length(template);
    char folder[PATH_MAX], *beginning = mp_need(strndup(template, n));

    *found = (struct mp_run_files){0};
    if (mp_template_expand(beginning, 0, "", folder, sizeof folder) == 0)
        walk(&search, folder, template + n);
    free(beginning);
    for (uint32_t i = 0; i < found->n; i++)
        if (found->files[i].followed)
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
