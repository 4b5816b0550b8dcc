/* SPDX-License-Identifier: MIT */
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/error.h"
#include "reporter/base/open_file.h"
#include "reporter/file/archive.h"
#include "reporter/file/seal.h"

#define MOST_NAMES 100u         /* FILE.children, FILE.children.2, ... */

/* Returns whether names from TEMPLATE contain the process id or the program. */
static bool
distinguishes(const char *template)
{
    for (; *template; template++)
        if (*template == '%' && template[1] && strchr("pe", *++template))
            return true;
    return false;
}

void
mp_children_begin(struct mp_children *children, const uint64_t run_id[2], const char *template, const char *first)
{
    if (children->path || distinguishes(template))
        return;
    memcpy(children->run_id, run_id, sizeof children->run_id);
    if (asprintf(&children->path, "%s.children", first) < 0)
        children->path = NULL;          /* the recordings keep their files */
}

/* Locks FILE. Returns false if another run has locked it. Also returns true if the file system has no locks. */
static bool
lock(const struct mp_file_at *file)
{
    return flock(file->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* What may be at the path where the archive is to be. */
enum there {
    NOTHING,
    OTHER,                      /* a file that must not be removed, or an archive that another run uses */
    EARLIER,                    /* an archive of a run that has ended */
    OURS                        /* an archive of this run, whose worker was killed (reporter/run/launch.c) */
};

/* Returns what FILE is, and sets *SIZE to the number of bytes of its complete recordings. */
static enum there
judge(const struct mp_children *children, const struct mp_file_at *file, uint64_t *size)
{
    struct mp_input input = {.name = file->path, .fd = file->fd};
    struct mp_profile *first = NULL;
    struct mp_archive archive;
    struct mp_error ignored;
    enum there there = OTHER;

    if (file->owner != geteuid() || !lock(file) || !mp_input_measure(&input, &ignored) ||
        !mp_archive_open(&archive, &input, &ignored))
        return OTHER;
    *size = archive.n > 0 ? archive.ends[archive.n - 1] : 0;
    if (input.size == 0 || archive.n > 0 || archive.cut)
        there = EARLIER;
    if (archive.n > 0)
        first = mp_archive_read(&archive, 0, &ignored);
    if (first && memcmp(first->meta.run_id, children->run_id, sizeof first->meta.run_id) == 0)
        there = OURS;
    mp_profile_free(first);
    mp_archive_close(&archive);
    return there;
}

/* Opens FILE, which is open for reading only, for writing, too. Returns false if its name leads to another file. */
static bool
open_to_write(struct mp_file_at *file)
{
    const int fd = mp_open_at(file->folder, file->name, O_RDWR | O_NOFOLLOW);
    struct stat status;
    const bool is_same = fd >= 0 && fstat(fd, &status) == 0 && status.st_dev == file->device &&
                         status.st_ino == file->inode;

    close(is_same ? file->fd : fd);
    if (is_same)
        file->fd = fd;
    return is_same && lock(file);
}

/* Looks at what is at PATH. Removes an archive of an earlier run, and opens one of this run as CHILDREN's file. */
static enum there
look(struct mp_children *children, const char *path)
{
    struct mp_file_at file;
    enum there there;

    if (!mp_file_at_find(path, &file))
        return errno == ENOENT ? NOTHING : OTHER;
    there = judge(children, &file, &children->size);
    if (there == OURS && (!open_to_write(&file) || ftruncate(file.fd, (off_t)children->size) != 0))
        there = OTHER;
    if (there == OURS) {
        children->file = file;
        return OURS;
    }
    children->size = 0;
    if (there == EARLIER)
        there = mp_file_at_remove(&file) ? NOTHING : OTHER;
    mp_file_at_close(&file);
    return there;
}

/* Creates the file PATH and locks it. Until the file is locked, another run may take it for an archive of an earlier
 * run and remove it; then fails with EEXIST. */
static bool
create(const char *path, struct mp_file_at *file)
{
    if (!mp_file_at_create(path, file))
        return false;
    if (lock(file) && mp_file_at_stands(file))
        return true;
    mp_file_at_close(file);
    errno = EEXIST;
    return false;
}

/* Opens PATH as CHILDREN's file. Sets errno to EEXIST if the name is taken. */
static bool
take_name(struct mp_children *children, const char *path)
{
    enum there there;

    if (create(path, &children->file))
        return true;
    if (errno != EEXIST)
        return false;
    there = look(children, path);
    if (there == OURS || (there == NOTHING && create(path, &children->file)))
        return true;
    errno = EEXIST;
    return false;
}

/* Opens the file of CHILDREN. If another run uses the name, chooses another one. */
static bool
open_file(struct mp_children *children, struct mp_error *error)
{
    char *path = mp_need(strdup(children->path));
    bool done = take_name(children, path);

    for (unsigned i = 2; !done && errno == EEXIST && i < MOST_NAMES; i++) {
        free(path);
        if (asprintf(&path, "%s.%u", children->path, i) < 0)
            mp_no_memory();
        done = take_name(children, path);
    }
    if (!done)
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot create %s: %s", path, strerror(errno));
    free(children->path);
    children->path = path;
    return done;
}

bool
mp_children_add(struct mp_children *children, const struct mp_profile *profile, uint64_t *size,
                struct mp_error *error)
{
    return (children->file.path || open_file(children, error)) &&
           mp_seal_append(profile, &children->file, &children->size, size, error);
}

void
mp_children_end(struct mp_children *children)
{
    if (children->path && !children->file.path)
        look(children, children->path);
    if (children->file.path && children->size == 0)
        mp_file_at_remove(&children->file);     /* there was no space */
    mp_file_at_close(&children->file);
    free(children->path);
    children->path = NULL;
    children->size = 0;
}
