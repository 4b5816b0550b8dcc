/* SPDX-License-Identifier: MIT */
#include "subjects.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/clock.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/file/data_file.h"
#include "reporter/process/process.h"

#define FRESH UINT64_C(1000000000)      /* maximum age of a list, ns */

/* ---------------------------------------------------------------- the list */

/* Adds a subject and makes its id from NAME. FILE is the status of the data file PATH, or all 0 for a process. */
static struct mp_subject *
add(struct mp_subjects *subjects, const char *name, uint32_t pid, const char *path, const struct stat *file)
{
    const char *id = mp_arena_strdup(subjects->arena, name);

    for (unsigned i = 2; mp_map_find(&subjects->ids, id, strlen(id)) != MP_NO_ID; i++)
        id = mp_arena_printf(subjects->arena, "%s~%u", name, i);
    mp_map_add(&subjects->ids, id, strlen(id));
    subjects->list = mp_arena_grow(subjects->arena, subjects->list, subjects->n, &subjects->capacity,
                                   sizeof *subjects->list);
    subjects->list[subjects->n++] =
        (struct mp_subject){.id = id, .pid = pid, .path = mp_arena_strdup(subjects->arena, path),
                            .device = file->st_dev, .inode = file->st_ino};
    return &subjects->list[subjects->n - 1];
}

/* Adds the data file PATH unless it is already in the list under some name. */
static void
add_file(struct mp_subjects *subjects, const char *path, const struct stat *file, bool in_folder)
{
    const uint64_t key[] = {file->st_dev, file->st_ino};
    const uint32_t known = subjects->files.count;

    if (mp_map_add(&subjects->files, key, sizeof key) < known)
        return;
    add(subjects, mp_text_basename(path), 0, path, file)->in_folder = in_folder;
}

static bool
records(uint32_t pid, struct mp_error *error)
{
    struct mp_process process;

    if (!mp_process_open(pid, &process, error))
        return false;
    mp_process_close(&process);
    return true;
}

static void
add_process(struct mp_subjects *subjects, uint32_t pid)
{
    char link[64], program[PATH_MAX], id[16];
    struct mp_error error;
    ssize_t n;

    if (!records(pid, &error))
        return;
    snprintf(link, sizeof link, "/proc/%" PRIu32 "/exe", pid);
    n = readlink(link, program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    snprintf(id, sizeof id, "%" PRIu32, pid);
    add(subjects, id, pid, program, &(struct stat){.st_ino = 0});
}

static int
compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int
compare_pids(const struct dirent **a, const struct dirent **b)
{
    uint32_t left = mp_process_id((*a)->d_name), right = mp_process_id((*b)->d_name);

    return mp_order(left, right);
}

static int
is_pid(const struct dirent *entry)
{
    return mp_process_id(entry->d_name) != 0;
}

/* Adds the recorded processes of this user. Processes of other users are never served, even if mprof runs as root,
 * because any client may ask. */
static void
add_processes(struct mp_subjects *subjects)
{
    struct dirent **entries;
    int n = scandir("/proc", &entries, is_pid, compare_pids);

    for (int i = 0; i < n; i++) {
        char path[64];
        struct stat status;
        uint32_t pid = mp_process_id(entries[i]->d_name);

        snprintf(path, sizeof path, "/proc/%" PRIu32, pid);
        if (stat(path, &status) == 0 && status.st_uid == geteuid() && pid != (uint32_t)getpid())
            add_process(subjects, pid);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

/* Adds the data files in FOLDER. Does not follow links, because whoever can write to the folder could otherwise
 * select files elsewhere. */
static void
add_folder(struct mp_subjects *subjects, const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, compare_names);

    for (int i = 0; i < n; i++) {
        char *path = mp_arena_printf(subjects->arena, "%s/%s", folder, entries[i]->d_name);
        struct stat status;

        if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && mp_data_file_is(path))
            add_file(subjects, path, &status, true);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

void
mp_subjects_refresh(struct mp_subjects *subjects)
{
    struct stat status;

    if (subjects->arena && mp_now() - subjects->made < FRESH)
        return;
    mp_arena_free(subjects->arena);
    subjects->arena = mp_arena_new();
    subjects->list = NULL;
    subjects->n = subjects->capacity = 0;
    subjects->ids = subjects->files = (struct mp_map){.arena = subjects->arena};
    if (subjects->n_wanted == 0)
        add_processes(subjects);
    for (unsigned i = 0; i < subjects->n_wanted; i++) {
        const char *wanted = subjects->wanted[i];

        if (mp_process_meant(wanted) != 0)
            add_process(subjects, mp_process_meant(wanted));
        else if (stat(wanted, &status) == 0 && S_ISDIR(status.st_mode))
            add_folder(subjects, wanted);
        else if (stat(wanted, &status) == 0)
            add_file(subjects, wanted, &status, false);
    }
    subjects->made = mp_now();
}

bool
mp_subjects_check(const struct mp_subjects *subjects, struct mp_error *error)
{
    for (unsigned i = 0; i < subjects->n_wanted; i++) {
        const char *wanted = subjects->wanted[i];
        const uint32_t pid = mp_process_meant(wanted);

        if (pid != 0 && !records(pid, error))
            return false;
        if (pid == 0 && access(wanted, R_OK) != 0)
            return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", wanted, strerror(errno));
    }
    return true;
}

void
mp_subjects_free(struct mp_subjects *subjects)
{
    mp_arena_free(subjects->arena);
    subjects->arena = NULL;
}

/* ---------------------------------------------------------------- one subject */

const struct mp_subject *
mp_subjects_find(const struct mp_subjects *subjects, const char *id)
{
    const uint32_t found = mp_map_find(&subjects->ids, id, strlen(id));

    if (*id == '\0')
        return subjects->n == 1 ? &subjects->list[0] : NULL;
    return found != MP_NO_ID ? &subjects->list[found] : NULL;
}

char *
mp_subject_file(const struct mp_subject *subject, struct mp_error *error)
{
    struct mp_process process;
    struct stat status;
    char *path;

    if (subject->in_folder && (lstat(subject->path, &status) != 0 || !S_ISREG(status.st_mode))) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: no regular file any more", subject->path);
        return NULL;
    }
    if (subject->pid == 0)
        return mp_need(strdup(subject->path));
    if (!mp_process_open(subject->pid, &process, error))
        return NULL;
    path = mp_need(strdup(process.file.path));
    mp_process_close(&process);
    return path;
}
