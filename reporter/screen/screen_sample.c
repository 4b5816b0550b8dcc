/* SPDX-License-Identifier: MIT */
#include "screen_sample.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/text.h"
#include "reporter/file/reader.h"
#include "reporter/graph/bins.h"
#include "reporter/process/process.h"
#include "reporter/symbols/load.h"
#include "reporter/symbols/symbols.h"

/* ---------------------------------------------------------------- the file */

static bool
same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Switches to the file of PROCESS. */
static void
move_to(struct mp_looks *looks, const struct mp_process *process)
{
    free(looks->path);
    looks->path = mp_need(strdup(process->file.path));
    looks->pid = process->pid;
    looks->start_ticks = process->header->start_ticks;
}

/* Finds the running process that writes the current file, if it is on this machine. */
static void
find_process(struct mp_looks *looks)
{
    struct mp_process process;
    struct mp_error error;
    struct stat file;

    if (!looks->process.running || !mp_process_open(looks->pid, &process, &error))
        return;
    if (fstat(process.file.fd, &file) == 0 && same_file(&file, &looks->file))
        looks->start_ticks = process.header->start_ticks;
    mp_process_close(&process);
}

/* Switches to another recording if the process has begun one. Returns whether it did. */
static bool
follow(struct mp_looks *looks)
{
    struct mp_process process;
    struct mp_error error;
    struct stat file;
    bool other;

    if (looks->start_ticks == 0 || !mp_process_open(looks->pid, &process, &error))
        return false;
    other = process.header->start_ticks == looks->start_ticks && fstat(process.file.fd, &file) == 0 &&
            !same_file(&file, &looks->file);
    if (other)
        move_to(looks, &process);
    mp_process_close(&process);
    return other;
}

/* ---------------------------------------------------------------- its contents */

static void
describe(struct mp_looks *looks, const struct mp_profile *profile)
{
    const struct mp_meta *meta = &profile->meta;
    struct mp_picture_process *process = &looks->process;
    const char *name = mp_text_basename(meta->program);

    if (!process->program || strcmp(process->program, name) != 0)
        process->program = mp_arena_strdup(looks->arena, *name ? name : "?");
    process->pid = meta->pid;
    process->duration = meta->duration;
    process->peak = meta->peak_bytes > 0 ? (uint64_t)meta->peak_bytes : 0;
    process->estimated = meta->sample_period > 0;
    mp_ending_text(meta, process->ending);
    looks->process.running = meta->ending == MP_END_RUNNING;
}

/* Begins a new tally if the profile is of another recording. */
static void
renew(struct mp_looks *looks, const struct mp_meta *meta)
{
    if (looks->tally && looks->start_realtime == meta->start_realtime && looks->pid == meta->pid)
        return;
    looks->notice = looks->tally ? "this is another recording" : NULL;
    mp_tally_free(looks->tally);
    looks->tally = mp_tally_new();
    looks->start_realtime = meta->start_realtime;
    looks->pid = meta->pid;
}

/* Makes the view. Returns an empty view if nothing that the options select was allocated yet. On failure returns NULL
 * and fills *ERROR. */
static struct mp_profile *
view_of(const struct mp_looks *looks, const struct mp_profile *profile, struct mp_error *error)
{
    const struct mp_look_options *options = looks->options;
    struct mp_profile *view =
        mp_filtered_view(profile, &options->view, options->filters, NULL, error);

    if (!view && (error->code == MP_ERR_FUNCTION || error->code == MP_ERR_NOTHING)) {
        view = mp_profile_new();
        mp_profile_share(view, profile);
        view->n_cells = 0;
        error->code = MP_ERR_NONE;
    }
    if (view && (options->filters->n > 0 || options->view.focus))
        mp_bins_of_cells(view);
    return view;
}

static bool
count(struct mp_looks *looks, const struct mp_profile *profile, struct mp_error *error)
{
    const struct mp_look_options *options = looks->options;
    const struct mp_tally_options how = {
        .raw = mp_frames_shown(&options->view, profile) != MP_FRAMES_LISP};
    const struct mp_tree_options tree_options = {.one_cut = true,
                                                 .all_frames = options->view.all_frames};
    struct mp_profile *view = view_of(looks, profile, error);
    struct mp_tree *tree;

    if (!view)
        return false;
    tree = mp_tree_build(view, &tree_options);
    mp_tally_take(looks->tally, tree, &how, profile->meta.duration);
    mp_tree_free(tree);
    mp_profile_free(view);
    return true;
}

/* Finds the names of PROFILE. FIRST shows progress, because this may take seconds. */
static bool
find_names(struct mp_profile *profile, bool first, struct mp_error *error)
{
    const struct mp_symbol_options quiet = {.cache = true};

    return first ? mp_load_names(profile, error) && mp_symbols_check(error) : mp_symbolise(profile, &quiet, error);
}

static bool
look(struct mp_looks *looks, bool first, struct mp_error *error)
{
    struct mp_profile *profile;
    bool ok;

    if (stat(looks->path, &looks->file) != 0)
        memset(&looks->file, 0, sizeof looks->file);
    profile = mp_read(looks->path, error);
    if (!profile)
        return false;
    renew(looks, &profile->meta);
    describe(looks, profile);
    ok = find_names(profile, first, error) && count(looks, profile, error);
    mp_profile_free(profile);
    if (!looks->process.running)
        looks->tally->seconds = 0;      /* an ended recording has no current rate */
    return ok;
}

/* ---------------------------------------------------------------- samples */

static bool
find_file(struct mp_looks *looks, const char *target, struct mp_error *error)
{
    uint32_t pid = mp_process_id(target);
    struct mp_process process;

    if (pid == 0) {
        looks->path = mp_need(strdup(target));
        return true;
    }
    if (!mp_process_open(pid, &process, error))
        return false;
    move_to(looks, &process);
    mp_process_close(&process);
    return true;
}

bool
mp_looks_begin(struct mp_looks *looks, const char *target, const struct mp_look_options *options,
               struct mp_error *error)
{
    *looks = (struct mp_looks){.options = options, .arena = mp_arena_new()};
    looks->process.part = options->filters->n > 0 || options->view.focus || options->view.lisp_only;
    mp_symbols_keep_files(true);
    if (!find_file(looks, target, error) || !look(looks, true, error)) {
        mp_looks_end(looks);
        return false;
    }
    find_process(looks);
    return true;
}

/* Returns whether the file must be read again. The file of an ended recording is read only if it has changed, because
 * it was sealed or replaced. */
static bool
has_changed(const struct mp_looks *looks)
{
    struct stat file;

    return looks->process.running || (stat(looks->path, &file) == 0 &&
                              (!same_file(&file, &looks->file) ||
                               file.st_mtim.tv_sec != looks->file.st_mtim.tv_sec ||
                               file.st_mtim.tv_nsec != looks->file.st_mtim.tv_nsec ||
                               file.st_size != looks->file.st_size));
}

void
mp_looks_again(struct mp_looks *looks)
{
    struct mp_error error = {0};

    looks->notice = NULL;
    if (has_changed(looks) && !look(looks, false, &error)) {
        snprintf(looks->process.ending, sizeof looks->process.ending,
                 "its data file cannot be read any more");
        looks->process.running = false;
        looks->tally->seconds = 0;
    }
    if (!looks->process.running && follow(looks) && look(looks, false, &error))
        looks->notice = "the process began another recording";
}

void
mp_looks_end(struct mp_looks *looks)
{
    mp_tally_free(looks->tally);
    mp_arena_free(looks->arena);
    free(looks->path);
    mp_symbols_keep_files(false);
}
