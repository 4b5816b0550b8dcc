/* SPDX-License-Identifier: MIT */
#include "harvest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/error.h"
#include "reporter/base/open_file.h"
#include "reporter/base/progress.h"
#include "reporter/base/text.h"
#include "reporter/base/write_file.h"
#include "reporter/file/data_file.h"
#include "reporter/file/live_writer.h"
#include "reporter/file/reader.h"
#include "reporter/file/seal.h"
#include "reporter/findings/findings.h"
#include "reporter/heap/heap_seal.h"
#include "reporter/process/heap_request.h"
#include "reporter/profile/ending.h"
#include "reporter/profile/missing.h"
#include "reporter/profile/profile.h"
#include "reporter/replay/log_seal.h"
#include "reporter/symbols/load.h"
#include "reporter/symbols/symbols.h"
#include "reporter/table/summary.h"
#include "reporter/unite/several.h"
#include "reporter/verdict/leaks_output.h"
#include "mounts.h"
#include "run_files.h"
#include "runtime/format.h"

/* ---------------------------------------------------------------- why there is no data */

/* Explains why a run left no data file that can be read. */

#define SECOND UINT64_C(1000000000)     /* ns */

static void
fail(struct mp_error *error, const char *path, const char *what)
{
    mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s %s", path, what);
}

/* Returns whether the file with STATUS has changed since the program was started. */
static bool
has_changed(const struct stat *status, const struct mp_launched *launched)
{
    struct timespec now;
    uint64_t changed;

    clock_gettime(CLOCK_REALTIME, &now);
    changed = (uint64_t)status->st_ctim.tv_sec * SECOND + (uint64_t)status->st_ctim.tv_nsec;
    return changed + launched->duration >= (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* Returns whether the program overwrote the header of the data file at PATH. */
static bool
is_beheaded(const char *path)
{
    struct mp_error ignored;
    struct mp_profile *profile = mp_read(path, &ignored);
    bool damaged = profile && profile->meta.damaged;

    mp_profile_free(profile);
    return damaged;
}

/* Tries to create a live file beside PATH and removes it again. Returns 0 or the error number. */
static int
try_to_make(const char *path)
{
    struct mp_file_at made;
    char *beside = NULL;
    int problem;

    if (asprintf(&beside, "%s.%ld.try", path, (long)getpid()) < 0)
        return 0;
    if (mp_file_at_create(beside, &made)) {
        problem = posix_fallocate(made.fd, 0, MP_HEADER_SIZE);
        mp_file_at_remove(&made);
        mp_file_at_close(&made);
    } else {
        problem = errno;
    }
    free(beside);
    return problem;
}

static void
say_why(const struct mp_harvest *harvest, const char *path, struct mp_error *error)
{
    const bool seen = harvest->observer && harvest->observer->n > 0;
    struct stat status;
    const bool there = lstat(path, &status) == 0;
    int problem;

    if (there && is_beheaded(path)) {
        mp_fail(error, MP_ERR_DAMAGED, MP_NO_OFFSET,
                "the program overwrote the header of %s; mprof report shows what can be read there", path);
    } else if (there && (seen || has_changed(&status, harvest->launched))) {
        fail(error, path, "was truncated, overwritten or replaced while the program ran; its recording is lost");
    } else if (seen) {
        fail(error, path, "was removed while the program ran; its recording is lost");
    } else if ((problem = try_to_make(path)) == ENOENT) {
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                "the directory of %s was removed while the program ran; its recording is lost", path);
    } else if (problem != 0) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s: there is no recording", path, strerror(problem));
    } else {
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                "the program left no data file: it ended before libmprof.so was loaded, was started without "
                "LD_PRELOAD, or its file was renamed or removed");
    }
}

/* Fills *ERROR with the reason why the program of HARVEST has no recording. */
static void
no_file(const struct mp_harvest *harvest, struct mp_error *error)
{
    char *path = mp_data_file_expand(harvest->template, (uint32_t)harvest->launched->pid, harvest->name, error);

    if (path)
        say_why(harvest, mp_data_file_short(path), error);
    free(path);
}

/* ---------------------------------------------------------------- lost blocks */

/* Prints what mprof run --leaks found in the processes that it recorded. */

/* The text about lost blocks in the other processes of the run, printed after that about the first process. Must be
 * zeroed at first. */
struct mp_other_leaks {
    struct mp_text_stream text; /* not open until there is a first process */
    uint32_t nothing;           /* number of processes without lost blocks */
    struct unknown {
        char *why;
        uint32_t n;
    } *unknown;                 /* numbers of processes whose lost blocks are unknown, by reason */
    uint32_t n_unknown;
};

/* Finds the lost blocks of PROFILE, whose data file is PATH. Stores the path of the snapshot used in *SNAPSHOT, which
 * the caller frees. Returns NULL if the lost blocks are unknown. Then *ERROR has the reason, or is unchanged if there
 * is no snapshot. */
static struct mp_leaks *
find(const char *path, const struct mp_profile *profile, char **snapshot, struct mp_error *error)
{
    *snapshot = mp_scan_newest_noted(path, &profile->meta);
    return *snapshot ? mp_leaks_find(*snapshot, NULL, profile, error) : NULL;
}

/* Prints the commands that show more. SHOWN is the data file, and SHOWN with SUFFIX is its snapshot. The suffix is
 * needed because earlier recordings may have left snapshots, too. */
static void
print_commands(const char *shown, const char *suffix, FILE *out)
{
    fputs("mprof leaks ", out);
    mp_text_shell(out, shown);
    fputs("\nmprof heap ", out);
    mp_text_shell(out, shown);
    fprintf(out, "%s\n", suffix);
}

/* Prints the lost blocks of the program that was started. PATH is its sealed file, and SHOWN is the name of that file
 * in messages. With --quiet, prints only why lost blocks are unknown. */
static void
harvest_leaks(const char *path, const char *shown, const struct mp_profile *profile)
{
    struct mp_error error = {.text = ""};
    char *snapshot, why[MP_LEAKS_ABSENCE_SIZE];
    struct mp_leaks *leaks = find(path, profile, &snapshot, &error);

    if (!leaks && error.text[0]) {
        mp_error_print(&error);
    } else if (!leaks) {
        fprintf(stderr, "mprof: what is lost is not known: %s\n", mp_leaks_absence(&profile->meta, why));
    } else if (!mp_quiet()) {
        mp_leaks_say(leaks, stderr);
        print_commands(shown, snapshot + strlen(path), stderr);
    }
    mp_leaks_free(leaks);
    free(snapshot);
}

/* Counts a process whose lost blocks are unknown because of WHY. */
static void
count_unknown(struct mp_other_leaks *others, const char *why)
{
    uint32_t i = 0;

    while (i < others->n_unknown && strcmp(others->unknown[i].why, why) != 0)
        i++;
    if (i == others->n_unknown) {
        others->unknown = mp_need(reallocarray(others->unknown, i + 1, sizeof *others->unknown));
        others->unknown[others->n_unknown++] = (struct unknown){.why = mp_need(strdup(why))};
    }
    others->unknown[i].n++;
}

static void
other_leaks_add(struct mp_other_leaks *others, const char *path, const char *shown,
                const struct mp_profile *profile)
{
    struct mp_error error = {.text = ""};
    char *snapshot, why[MP_LEAKS_ABSENCE_SIZE];
    struct mp_leaks *leaks = find(path, profile, &snapshot, &error);

    if (!others->text.out)
        mp_text_open(&others->text);
    if (!leaks) {
        count_unknown(others, error.text[0] ? error.text : mp_leaks_absence(&profile->meta, why));
    } else if (leaks->sums[MP_LEAK_DEFINITE].blocks + leaks->sums[MP_LEAK_POSSIBLE].blocks == 0) {
        others->nothing++;
    } else {
        fprintf(others->text.out, "mprof: process %" PRIu32 ", ", profile->meta.pid);
        mp_text_print(others->text.out, mp_text_basename(profile->meta.program));
        fputs(":\n", others->text.out);
        mp_leaks_say(leaks, others->text.out);
        print_commands(shown, snapshot + strlen(path), others->text.out);
    }
    mp_leaks_free(leaks);
    free(snapshot);
}

/* Prints a line about N other processes to stderr. WHY may be "". */
static void
say_count(uint32_t n, const char *what, const char *why)
{
    if (n > 0)
        fprintf(stderr, "mprof: %s %" PRIu32 " more process%s%s%s\n", what, n, n == 1 ? "" : "es", *why ? ": " : "",
                why);
}

/* Prints the text and the counts to stderr. With --quiet, prints only the counts of processes whose lost blocks are
 * unknown. Then frees everything. */
static void
other_leaks_say(struct mp_other_leaks *others)
{
    char *text;

    if (!others->text.out)
        return;
    text = mp_text_close(&others->text);
    if (!mp_quiet()) {
        fputs(text, stderr);
        say_count(others->nothing, "nothing is lost of", "");
    }
    for (uint32_t i = 0; i < others->n_unknown; i++) {
        say_count(others->unknown[i].n, "what is lost is not known of", others->unknown[i].why);
        free(others->unknown[i].why);
    }
    free(others->unknown);
    free(text);
    *others = (struct mp_other_leaks){.nothing = 0};
}

/* ---------------------------------------------------------------- sealing */

static uint64_t
file_size(const struct mp_file_at *file)
{
    struct stat info;

    return fstat(file->fd, &info) == 0 ? (uint64_t)info.st_size : 0;
}

/* Prints what happened to the name of FILE. */
static void
say_fate(const struct mp_run_file *file)
{
    static const char *const texts[] = {
        [MP_FILE_RENAMED] = "renamed while it ran, to", [MP_FILE_REMOVED] = "removed while it ran, and written again:",
        [MP_FILE_REPLACED] = "replaced while it ran, and written again:"};

    if (file->fate == MP_FILE_STANDS)
        return;
    fprintf(stderr, "mprof: the data file of process %" PRIu32 " was %s ", file->pid, texts[file->fate]);
    mp_text_print(stderr, mp_data_file_short(file->path));
    putc('\n', stderr);
}

/* Prints what happened to the name of FILE, and opens FILE. Fails if its path now leads to another file. */
static bool
open_file(const struct mp_run_file *file, struct mp_file_at *opened, struct mp_error *error)
{
    if (file->fate == MP_FILE_LOST)
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s is a copy that was made while process %" PRIu32 " ran; "
                       "its recording is lost", mp_data_file_short(file->path), file->pid);
    say_fate(file);
    return mp_run_file_open(file, opened) ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot open %s: %s", file->path, mp_open_problem(errno));
}

/* Limits of the time line in a recording that was not observed. */
static const struct mp_observer usual = {.size = MP_TIMELINE_SIZE, .grows = true};

/* Reduces the time line of PROFILE to the maximum size of OBSERVER. The program's own checkpoints and collections are
 * kept even without an observer. */
static void
fit_time(struct mp_profile *profile, const struct mp_observer *observer)
{
    mp_seal_fit_time(profile, mp_observer_room(observer && observer->size > 0 ? observer : &usual, profile->n_cells));
}

/* Reads the profile of FILE from OPENED, with the observations of its recording. Reduces its time line to the maximum
 * size. */
static struct mp_profile *
read_file(const struct mp_harvest *harvest, const struct mp_run_file *file, const struct mp_file_at *opened,
          struct mp_error *error)
{
    const struct mp_observer *observer = harvest->observer;
    const struct mp_observed *observed = observer ? mp_observer_of(observer, file->start) : NULL;
    struct mp_profile *profile = mp_read_open(opened->fd, file->path, observed, error);

    if (profile)
        fit_time(profile, observer);
    return profile;
}

/* Writes the log of the live FILE, if it has one. Errors are printed. */
static void
seal_log(const struct mp_file_at *file)
{
    struct mp_error error;

    if (!mp_log_seal(file, &error))
        mp_error_print(&error);
}

/* Writes the snapshot of the end that is in the live FILE beside FILE. Errors are printed. */
static void
take_scan(struct mp_profile *profile, const struct mp_file_at *file)
{
    struct mp_meta *meta = &profile->meta;
    struct mp_writing writing;
    struct mp_file_at made;
    struct mp_error error;
    struct stat status;
    unsigned number = 1;
    bool done;

    if (meta->scan_size == 0)
        return;
    if (!mp_data_file_beside(file, ".", &number, ".heap", &made, &error)) {
        mp_error_print(&error);
        return;
    }
    done = mp_writing_begin_into(&writing, made.fd);
    if (done) {
        if (fstat(file->fd, &status) == 0)
            mp_writing_own(&writing, &status);
        mp_writing_copy(&writing, file->fd, meta->scan_offset, meta->scan_size);
        done = mp_writing_end(&writing, true);
    }
    if (done && meta->snapshots < number) {
        meta->snapshots = number;
    } else if (!done) {
        mp_fail(&error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot write %s: %s", made.path, strerror(errno));
        mp_error_print(&error);
        mp_file_at_remove(&made);
    }
    mp_file_at_close(&made);
}

static void
tell(const struct mp_harvest *harvest, const struct mp_profile *profile, const char *file)
{
    if (harvest->each)
        harvest->each(harvest->data, profile, file);
}

/* Returns TEXT, chosen by the user or a program, without control characters. */
static const char *
clean(struct mp_arena *arena, const char *text)
{
    return mp_text_clean(arena, text, strlen(text));
}

/* Returns the file name that the user requested, or NULL if FILE has this name. FILE has another name if another
 * process was recording in a file with the requested name. */
static const char *
taken_name(struct mp_arena *arena, const struct mp_run_file *file)
{
    const char *name = mp_data_file_short(file->path), *end = file->path + file->asked;

    return *end ? mp_arena_printf(arena, "%.*s", (int)(end - name), name) : NULL;
}

#define MOST_ARGUMENTS 60       /* maximum length of the arguments in a line, bytes */

/* Returns the arguments of the program quoted for the shell, cut after MOST_ARGUMENTS bytes. Returns NULL if it has
 * no arguments. */
static const char *
arguments_text(const struct mp_meta *meta, struct mp_arena *arena)
{
    struct mp_text_stream arguments;
    const char *shown = NULL;
    char *text;
    size_t size, cut = MOST_ARGUMENTS;
    FILE *stream = mp_text_open(&arguments);

    for (uint32_t i = 1; i < meta->n_arguments && ftell(stream) <= MOST_ARGUMENTS; i++) {
        fputs(i > 1 ? " " : "", stream);
        mp_text_shell(stream, meta->arguments[i]);
    }
    text = mp_text_close(&arguments);
    size = arguments.size;
    while (cut > 0 && size > MOST_ARGUMENTS && ((unsigned char)text[cut] & 0xc0) == 0x80)
        cut--;                  /* cut between characters */
    if (size > MOST_ARGUMENTS)
        shown = mp_arena_printf(arena, "%.*s...", (int)cut, text);
    else if (size > 0)
        shown = mp_arena_printf(arena, "%s%s", text, meta->arguments_cut ? " ..." : "");
    free(text);
    return shown;
}

/* Describes PROFILE, whose data file is PATH, in OTHER, except for the size of the file. Texts are in ARENA. */
static void
describe(const struct mp_profile *profile, const char *path, struct mp_arena *arena, struct mp_other *other)
{
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    *other = (struct mp_other){
        .program = mp_arena_strdup(arena, mp_text_basename(profile->meta.program)),
        .arguments = arguments_text(&profile->meta, arena),
        .file = clean(arena, mp_data_file_short(path)),
        .allocs = totals.allocs,
        .bytes = totals.bytes,
        .programs_started = profile->meta.programs_started,
        .running = profile->meta.ending == MP_END_RUNNING,
        .lisp = totals.lisp.allocs > 0,
        .pid = profile->meta.pid,
        .not_seen = mp_missing_calls(&profile->meta) > 0,
        .dropped = profile->meta.missing[MP_MISS_DROPPED],
        .why = mp_missing_why(&profile->meta, arena)};
}

/* Replaces FILE by the sealed PROFILE if CHILDREN is NULL. Otherwise adds the sealed PROFILE to CHILDREN, and FILE is
 * needed no more. Describes in OTHER, with texts in ARENA, where the sealed recording is. */
static bool
put(struct mp_children *children, const struct mp_profile *profile, const struct mp_file_at *file,
    struct mp_arena *arena, struct mp_other *other, struct mp_error *error)
{
    if (!children)
        return mp_seal_at(profile, file, &other->size, error);
    if (!mp_children_add(children, profile, &other->size, error))
        return false;
    other->file = clean(arena, mp_data_file_short(children->path));
    other->part = mp_arena_printf(arena, "%s[%" PRIu32 "]", other->program, other->pid);
    return true;
}

/* Finds the names of PROFILE, writes its log and snapshots to files of their own, and then does what put() does. On
 * failure prints messages and leaves FILE unsealed; mprof report can read it, too. */
static void
seal(struct mp_children *children, struct mp_profile *profile, const struct mp_file_at *file, struct mp_arena *arena,
     struct mp_other *other)
{
    struct mp_error error;
    const bool named = mp_load_names(profile, &error);

    seal_log(file);
    take_scan(profile, file);
    mp_heap_seal_all(file, profile->meta.snapshots);    /* before put(), because the snapshots refer to data that
                                                           only the live file has */
    if (named && put(children, profile, file, arena, other, &error)) {
        if (children)
            mp_file_at_remove(file);
        return;
    }
    mp_error_print(&error);
    fputs("mprof: ", stderr);
    mp_text_print(stderr, file->path);
    fputs(" is left unsealed; mprof report reads it\n", stderr);
    other->size = file_size(file);
}

/* ---------------------------------------------------------------- while the program runs */

static bool
is_on_mounts(const char *path, const uint32_t mounts[static MP_CODE_MOUNTS])
{
    const uint32_t mount = mp_mounts_of(AT_FDCWD, path);
    bool is = false;

    for (unsigned i = 0; i < MP_CODE_MOUNTS && mount != UINT32_MAX; i++)
        is |= mounts[i] == mount;
    return is;
}

/* Returns whether the files from which the names of PROFILE are read can be opened without keeping busy a mount that
 * the program may want to unmount. */
static bool
may_name(const struct mp_profile *profile, const uint32_t mounts[static MP_CODE_MOUNTS])
{
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const struct mp_module *module = &profile->modules[i];

        if (!is_on_mounts(module->file ? module->file : module->path, mounts))
            return false;
    }
    return true;
}

/* Returns whether FILE is a recording of the run that no process can change any more, and has no snapshot, which would
 * be written to another file. A forked child counts in its parent's file, too, and overlayfs does not reveal whether a
 * child has the file mapped, so a process on overlayfs must not have forked. Stores the start of the recording in
 * *START. */
static bool
is_complete(const struct mp_listener *listener, const struct mp_file_at *file, uint64_t *start)
{
    struct mp_live_header *header = mp_need(aligned_alloc(_Alignof(struct mp_live_header), sizeof *header));
    struct statfs system;
    bool is;

    is = pread(file->fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
         memcmp(header->magic, MP_LIVE_MAGIC, sizeof header->magic) == 0 &&
         memcmp(header->run_id, listener->run_id, sizeof header->run_id) == 0 && header->inode == file->inode &&
         header->state != MP_STATE_SNAPSHOT && header->control.followed == 0 && header->unwanted == 0 &&
         header->scan_size == 0 && header->snapshots == 0 && file->owner == geteuid() &&
         mp_run_file_may_have(file->path, listener->template, header->pid) && fstatfs(file->fd, &system) == 0 &&
         (system.f_type != OVERLAYFS_SUPER_MAGIC || header->processes_forked == 0) &&
         !mp_writer_may_write(file->fd);
    *start = header->start_monotonic;
    free(header);
    return is;
}

/* Seals FILE, which no process writes any more, and fills EARLY. Returns false if FILE was not sealed; then
 * mp_harvest() seals it after the end of the program. */
static bool
seal_early(struct mp_listener *listener, const struct mp_file_at *file, struct mp_arena *arena,
           struct mp_early *early)
{
    const struct mp_symbol_options names = {.cache = true};
    struct mp_error error;
    struct mp_profile *profile = mp_read_open(file->fd, file->path, NULL, &error);
    bool done;

    if (!profile)
        return false;
    fit_time(profile, listener->observer);
    describe(profile, file->path, arena, &early->other);
    early->unrecorded = (struct mp_unrecorded_list){0};
    mp_unrecorded_add(&early->unrecorded, &profile->meta.unrecorded, arena);
    done = !early->other.running && may_name(profile, listener->mounts) && mp_symbolise(profile, &names, &error) &&
           mp_log_seal(file, &error) &&
           put(listener->children.path ? &listener->children : NULL, profile, file, arena, &early->other, &error);
    if (done && early->other.part && !mp_spares_keep(&listener->spares, file, listener->run_id, listener->ours))
        mp_file_at_remove(file);
    mp_profile_free(profile);
    return done;
}

bool
mp_harvest_early(struct mp_listener *listener, const char *path, const struct stat *status,
                 struct mp_arena *arena, struct mp_early *early)
{
    struct mp_file_at file;
    bool done;

    if (!mp_file_at_find(path, &file))
        return false;
    done = file.device == status->st_dev && file.inode == status->st_ino &&
           is_complete(listener, &file, &early->start) && seal_early(listener, &file, arena, early);
    mp_file_at_close(&file);
    return done;
}

/* ---------------------------------------------------------------- sealing at the end */

/* Data for sealing all recordings but the first at the end. */
struct sealing {
    const struct mp_harvest *harvest;
    const struct mp_run_file *first;
    struct mp_arena *arena;     /* has the texts of SUMMARY */
    struct mp_summary *summary;
    struct mp_other_leaks *lost;
};

/* Returns the archive to which the recording PROFILE of FILE, which is OPENED, is added, or NULL if the recording keeps
 * its file. It keeps its file if its process made several recordings, if the file has another name than the monitor's
 * usual FILE.PID, or if snapshots belong to it. */
static struct mp_children *
collector(const struct sealing *sealing, const struct mp_run_file *file, const struct mp_file_at *opened,
          const struct mp_profile *profile)
{
    struct mp_children *children = sealing->harvest->children;
    const bool again = file->followed || (file->pid == sealing->first->pid && file->ticks == sealing->first->ticks &&
                                          !file->executed);

    if (!children || !children->path || again || file->fate != MP_FILE_STANDS || file->path[file->asked] != '.' ||
        opened->owner != geteuid() || profile->meta.snapshots > 0 || profile->meta.scan_size > 0)
        return NULL;
    return children;
}

/* Does the work of seal_other() for FILE, which is OPENED. */
static bool
seal_opened(const struct sealing *sealing, const struct mp_run_file *file, const struct mp_file_at *opened,
            uint64_t least, struct mp_other *other)
{
    const struct mp_harvest *harvest = sealing->harvest;
    const char *path = file->path;
    struct mp_error error;
    struct mp_profile *profile = read_file(harvest, file, opened, &error);

    if (!profile) {
        mp_error_print(&error);
        return false;
    }
    mp_unrecorded_add(&sealing->summary->unrecorded, &profile->meta.unrecorded, sealing->arena);
    if (profile->meta.unwanted && mp_file_at_remove(opened)) {
        mp_profile_free(profile);
        return false;
    }
    describe(profile, path, sealing->arena, other);
    if (least > 0 && other->bytes <= least && mp_file_at_remove(opened)) {
        mp_profile_free(profile);
        return true;
    }
    if (other->running)
        other->size = file_size(opened);
    else
        seal(collector(sealing, file, opened, profile), profile, opened, sealing->arena, other);
    tell(harvest, profile, other->file);
    if (harvest->leaks)
        other_leaks_add(sealing->lost, path, mp_data_file_short(path), profile);
    mp_profile_free(profile);
    return true;
}

/* Seals the data file FILE, unless its process still runs, and describes its contents in OTHER. If LEAST is not 0 and
 * the process did not allocate more bytes than that, removes the file; then OTHER has size 0. Returns false if FILE
 * cannot be read. Also returns false after removing the file of a process that was not to be recorded and could not
 * remove it itself behind a seccomp filter. */
static bool
seal_other(const struct sealing *sealing, const struct mp_run_file *file, uint64_t least, struct mp_other *other)
{
    struct mp_file_at opened;
    struct mp_error error;
    bool done;

    if (!open_file(file, &opened, &error)) {
        mp_error_print(&error);
        return false;
    }
    done = seal_opened(sealing, file, &opened, least, other);
    mp_file_at_close(&opened);
    return done;
}

/* Returns whether FILE and LATER record the same process, and the process executed the program of LATER afterwards. */
static bool
is_before(const struct mp_run_file *file, const struct mp_run_file *later)
{
    return file->executed && file->fate != MP_FILE_LOST && file->pid == later->pid && file->ticks == later->ticks &&
           file->start < later->start;
}

/* Returns the file of the program that the user wanted to profile: the first file of process PID after its last exec.
 * If no file has this pid, because the program has another one in a pid namespace of its own, the process with the
 * first file of all counts. Returns NULL if there are no recordings. */
static const struct mp_run_file *
first_file(const struct mp_run_files *found, pid_t pid)
{
    const struct mp_run_file *first = NULL;
    bool by_pid = false;

    for (uint32_t i = 0; i < found->n; i++) {
        const struct mp_run_file *file = &found->files[i];
        bool has_pid = file->pid == (uint32_t)pid;

        if (file->fate == MP_FILE_LOST)
            continue;
        if (!first || has_pid > by_pid || (has_pid == by_pid && file->start < first->start)) {
            first = file;
            by_pid = has_pid;
        }
    }
    for (uint32_t i = 0; i < found->n; i++)     /* in the order of their start */
        if (found->files[i].fate != MP_FILE_LOST && is_before(first, &found->files[i]))
            first = &found->files[i];
    return first;
}

/* Adds the recording OTHER, whose file was removed, to the line of SUMMARY about programs that the process was before
 * exec. */
static void
leave_out(struct mp_summary *summary, const struct mp_other *other, struct mp_arena *arena)
{
    const char *before = summary->before, *known = before ? strstr(before, other->program) : NULL;

    if (!before)
        summary->before = other->program;
    else if (!known)
        summary->before = mp_arena_printf(arena, "%s, %s", before, other->program);
    summary->before_allocs = mp_plus(summary->before_allocs, other->allocs);
    summary->before_bytes = mp_plus(summary->before_bytes, other->bytes);
    summary->before_started += other->programs_started;
}

#define STARTER 1000000u        /* bytes; a program, such as bash, that allocates no more only executes another one */

/* Adds to SUMMARY those files that were sealed before the end, from number *NEXT on, whose recordings began before
 * START. */
static void
add_early(const struct mp_harvest *harvest, uint64_t start, uint32_t *next, struct mp_arena *arena,
          struct mp_summary *summary)
{
    for (; *next < harvest->early->n && harvest->early->list[*next].start < start; ++*next) {
        summary->others[summary->n_others++] = harvest->early->list[*next].other;
        mp_unrecorded_add(&summary->unrecorded, &harvest->early->list[*next].unrecorded, arena);
    }
}

/* Seals all files in FOUND but the first, which recorded BYTES. Adds them, and those that were sealed before the end of
 * the program, to the summary, in the order of their start. Without --follow, removes the recordings of programs that
 * the first process was before exec, unless such a program allocated more than BYTES and than STARTER. */
static void
seal_others(const struct sealing *sealing, const struct mp_run_files *found, uint64_t bytes)
{
    const struct mp_harvest *harvest = sealing->harvest;
    struct mp_summary *summary = sealing->summary;
    uint32_t next = 0;

    summary->others = mp_arena_alloc(sealing->arena, (found->n + harvest->early->n) * sizeof *summary->others);
    for (uint32_t i = 0; i < found->n; i++) {
        const struct mp_run_file *file = &found->files[i];
        const uint64_t least = !harvest->follow && is_before(file, sealing->first)
                                   ? (bytes > STARTER ? bytes : STARTER) : 0;
        struct mp_other *other;

        add_early(harvest, file->start, &next, sealing->arena, summary);
        other = &summary->others[summary->n_others];
        if (file == sealing->first || !seal_other(sealing, file, least, other))
            continue;
        if (other->size > 0)
            summary->n_others++;
        else
            leave_out(summary, other, sealing->arena);
    }
    add_early(harvest, UINT64_MAX, &next, sealing->arena, summary);
}

#define MOST_CONTEXTS 100000u   /* findings about a profile with no more contexts take no noticeable time */

/* Returns the first sentence of the first finding about PROFILE, in ARENA, or NULL if there is none. If PROFILE has so
 * many contexts that finding it would take long, returns the sentence about recursion, if any. */
static const char *
first_finding(const struct mp_profile *profile, struct mp_arena *arena)
{
    const struct mp_view_options view = MP_VIEW_DEFAULT;
    const struct mp_findings_options one = {.most = 1};
    struct mp_findings *findings;
    struct mp_error error;
    const char *sentence = NULL;

    if (!profile->symbolised)
        return NULL;
    if (profile->n_contexts > MOST_CONTEXTS)
        return mp_finding_of_recursion(profile, arena);
    findings = mp_findings_of(profile, &view, NULL, &one, &error);
    if (findings && findings->n > 0)
        sentence = mp_finding_sentence(&findings->list[0], arena);
    mp_findings_free(findings);
    return sentence;
}

/* Returns the first sentence of the first finding about the recording OTHER, as first_finding() does. */
static const char *
finding_of(const struct mp_other *other, struct mp_arena *arena)
{
    struct mp_filters filters = {.n = 0};
    struct mp_error error;
    struct mp_profile *profile = NULL;
    const char *sentence = NULL;

    if (!other->part || mp_filters_add(&filters, MP_FILTER_PROCESS, other->part, &error))
        profile = mp_several_read(other->file, &filters, &error);
    if (profile && mp_load_names(profile, &error))
        sentence = first_finding(profile, arena);
    mp_profile_free(profile);
    mp_filters_free(&filters);
    return sentence;
}

/* Returns a copy of the recording in SUMMARY that has the most bytes of those by ended processes other than PID.
 * Returns NULL if no such recording has more than BYTES, those of the first recording. */
static const struct mp_other *
largest(const struct mp_summary *summary, uint32_t pid, uint64_t bytes, struct mp_arena *arena)
{
    const struct mp_other *most = NULL;
    struct mp_other *copy;

    for (uint32_t i = 0; i < summary->n_others; i++)
        if (!summary->others[i].running && summary->others[i].pid != pid &&
            summary->others[i].bytes > (most ? most->bytes : bytes))
            most = &summary->others[i];
    if (!most)
        return NULL;
    copy = mp_arena_alloc(arena, sizeof *copy);
    *copy = *most;
    return copy;
}

/* Returns whether the process of FIRST became its program by exec. */
static bool
was_executed(const struct mp_run_files *found, const struct mp_run_file *first)
{
    for (uint32_t i = 0; i < found->n; i++)
        if (is_before(&found->files[i], first))
            return true;
    return false;
}

/* Describes how the first recorded process ended, with --only. If this is the process that mprof run started (SAME),
 * END describes its end, and otherwise PROFILE does. */
static void
describe_chosen(struct mp_summary *summary, struct mp_profile *profile, const struct mp_meta *end,
                bool same, char ending[static MP_ENDING_SIZE])
{
    if (same) {
        mp_ending_complete(&profile->meta, end);
        return;
    }
    summary->ended = mp_ending_text(&profile->meta, ending);
    summary->duration = profile->meta.duration;
}

/* Prints why there are no snapshots of the heap, although one was requested every EVERY. */
static void
say_no_snapshot(const char *every, const struct mp_meta *meta)
{
    const bool collections = strcmp(every, "gc") == 0;
    const char *why = collections ? "the program has no garbage collector; give seconds"
                                  : "the program ended before one was due, or allocated nothing from then on";

    if (meta->language[0])
        why = collections ? "there was no full collection" : "there was no full collection after that time";
    else if (meta->sample_period > 0)
        return;                 /* the observer has printed the reason */
    fprintf(stderr, "mprof: --heap-every=%s: no snapshot was made: %s\n", every, why);
}

/* Adds the processes in MORE, whose texts may have control characters, to the unrecorded processes in PROFILE. */
static void
add_unrecorded(struct mp_profile *profile, const struct mp_unrecorded_list *more)
{
    for (uint32_t i = 0; i < more->n; i++) {
        const struct mp_unrecorded one = {clean(profile->arena, more->list[i].program),
                                          clean(profile->arena, more->list[i].why), more->list[i].n};

        mp_unrecorded_add(&profile->meta.unrecorded, &(struct mp_unrecorded_list){&one, 1}, profile->arena);
    }
}

static struct mp_profile *
harvest_found(const struct mp_harvest *harvest, const struct mp_run_files *found,
              struct mp_error *error)
{
    const struct mp_run_file *first = first_file(found, harvest->launched->pid);
    const struct mp_launched *launched = harvest->launched;
    const struct mp_meta end = {.ending = launched->killed ? MP_END_SIGNAL : MP_END_EXITED,
                                .status = launched->status, .duration = launched->duration};
    char ending[MP_ENDING_SIZE];
    struct mp_summary summary = {.follow = harvest->follow, .ended = mp_ending_text(&end, ending),
                                 .duration = launched->duration};
    struct mp_other_leaks lost = {.nothing = 0};
    struct mp_other own = {.size = 0};
    struct mp_profile *profile;
    struct mp_file_at opened;
    struct mp_totals totals;

    if (found->problem != 0) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "not all data files of the run were found: %s",
                strerror(found->problem));
        if (!first)
            return NULL;
        mp_error_print(error);
        error->code = MP_ERR_NONE;
    }
    if (!first && harvest->only) {
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "nothing was recorded: no program called %s "
                "allocated anything", harvest->only);
        return NULL;
    }
    if (!first) {
        no_file(harvest, error);
        return NULL;
    }
    if (!open_file(first, &opened, error))
        return NULL;
    profile = read_file(harvest, first, &opened, error);
    if (!profile) {
        mp_file_at_close(&opened);
        return NULL;
    }
    if (harvest->only)
        describe_chosen(&summary, profile, &end, first->pid == (uint32_t)launched->pid, ending);
    else
        mp_ending_complete(&profile->meta, &end);
    summary.name = harvest->only ? NULL : clean(profile->arena, harvest->name);
    summary.became = clean(profile->arena, harvest->launched->last_name);
    summary.file = mp_data_file_short(first->path);
    summary.taken = harvest->only ? NULL : taken_name(profile->arena, first);
    add_unrecorded(profile, harvest->unrecorded);
    seal(NULL, profile, &opened, profile->arena, &own);
    summary.size = own.size;
    mp_file_at_close(&opened);
    summary.unrecorded = profile->meta.unrecorded;
    tell(harvest, profile, summary.file);
    mp_profile_totals(profile, &totals);
    if (harvest->children)
        mp_children_begin(harvest->children, launched->run_id, harvest->template, first->path);
    seal_others(&(struct sealing){harvest, first, profile->arena, &summary, &lost}, found, totals.bytes);
    if (was_executed(found, first))
        summary.name = summary.taken = NULL;
    if (!mp_quiet()) {
        summary.most = largest(&summary, first->pid, totals.bytes, profile->arena);
        summary.finding = summary.most ? finding_of(summary.most, profile->arena)
                                       : first_finding(profile, profile->arena);
        mp_summary_print(profile, &summary, stderr);
    }
    if (harvest->heap_every && profile->meta.snapshots == 0)
        say_no_snapshot(harvest->heap_every, &profile->meta);
    if (harvest->record && !profile->meta.language[0])
        fputs("mprof: --record: the program has no heap of ECL, so nothing was logged\n", stderr);
    if (harvest->leaks) {
        harvest_leaks(first->path, summary.file, profile);
        other_leaks_say(&lost);
    }
    return profile;
}

struct mp_profile *
mp_harvest(const struct mp_harvest *harvest, struct mp_error *error)
{
    const struct mp_observer *observer = harvest->observer;
    struct mp_profile *profile;
    struct mp_run_files found;
    struct mp_error unused;

    mp_run_files_find(harvest->template, harvest->launched->run_id, observer ? observer->files : NULL,
                      observer ? observer->n : 0, &found);
    mp_symbols_keep_files(true);
    mp_symbols_limit(0);        /* time that was spent on other processes does not count */
    profile = harvest_found(harvest, &found, error);
    mp_symbols_keep_files(false);
    if (harvest->children)
        mp_children_end(harvest->children);
    mp_run_files_free(&found);
    if (!mp_symbols_check(&unused))
        mp_error_print(&unused);
    return profile;
}

/* ---------------------------------------------------------------- recordings without mprof run */

static bool
is_live(int fd)
{
    char magic[sizeof MP_LIVE_MAGIC - 1];

    return pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
           memcmp(magic, MP_LIVE_MAGIC, sizeof magic) == 0;
}

bool
mp_harvest_open(const char *path, struct mp_file_at *file, struct mp_error *error)
{
    uint32_t pid;

    if (!mp_file_at_find(path, file))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot open %s: %s", path, mp_open_problem(errno));
    if (!is_live(file->fd))
        mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s is no live data file", path);
    else if (file->owner != geteuid())
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s belongs to another user", path);
    else if ((pid = mp_writer_in_the_way(file->fd)) != 0)
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: process %" PRIu32 " has it in use", path, pid);
    else
        return true;
    mp_file_at_close(file);
    return false;
}

bool
mp_harvest_seal(struct mp_profile *profile, const struct mp_file_at *file, uint64_t *size, struct mp_error *error)
{
    mp_seal_fit_time(profile, mp_observer_room(&usual, profile->n_cells));
    take_scan(profile, file);
    mp_heap_seal_all(file, profile->meta.snapshots);
    seal_log(file);
    return mp_seal_at(profile, file, size, error);
}
