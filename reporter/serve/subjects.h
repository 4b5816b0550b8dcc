/*
 * subjects.h -- what is served: processes that record, and data files; and by which ids clients ask for them.
 *
 * The list is made anew now and then, as processes come and go.
 */
#ifndef MP_SUBJECTS_H
#define MP_SUBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "reporter/base/arena.h"
#include "reporter/base/error.h"
#include "reporter/base/map.h"

struct mp_subject {
    const char *id;             /* the process id, or the last part of the file's name; unique, by ~2, ~3
                                   behind it */
    uint32_t pid;               /* 0: a data file */
    const char *path;           /* of the data file, or, of a process, of its program */
    dev_t device;               /* and inode of the data file: one of several names is one subject */
    ino_t inode;
    bool in_folder;             /* found in a folder that is served: it must not become a link */
};

struct mp_subjects {
    const char *const *wanted;  /* process ids, files and folders; none: all processes of this user that record */
    unsigned n_wanted;
    struct mp_subject *list;    uint32_t n, capacity;
    struct mp_map ids, files;   /* of the list; data files by device and inode */
    uint64_t made;              /* when, ns of the monotonic clock */
    struct mp_arena *arena;     /* of the list */
};

/* False and *ERROR: one of those wanted is neither a process that records nor a data file or folder. */
bool mp_subjects_check(const struct mp_subjects *subjects, struct mp_error *error);

/* Make the list, unless it was made within this second.  Subjects found before are gone then. */
void mp_subjects_refresh(struct mp_subjects *subjects);
void mp_subjects_free(struct mp_subjects *subjects);

/* The one called ID; "": the only one.  NULL: there is none, or several. */
const struct mp_subject *mp_subjects_find(const struct mp_subjects *subjects, const char *id);

/* The data file of SUBJECT, where it is now, which the caller frees.  NULL and *ERROR: it is not recorded any
 * more. */
char *mp_subject_file(const struct mp_subject *subject, struct mp_error *error);

#endif
