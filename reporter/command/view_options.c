/* SPDX-License-Identifier: MIT */
#include "view_options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input_files.h"
#include "reporter/base/format_number.h"
#include "reporter/base/open_file.h"
#include "reporter/base/text.h"
#include "reporter/file/reader.h"
#include "reporter/process/process.h"
#include "reporter/symbols/load.h"
#include "reporter/symbols/symbols.h"
#include "reporter/unite/several.h"

/* ---------------------------------------------------------------- the part that is shown */

static bool
parse_filter(const struct mp_option *option, char *text, void *to)
{
    struct mp_view_input *input = to;
    struct mp_error error;

    return mp_filters_add(&input->filters, (enum mp_filter_by)option->low, text, &error) ||
           mp_options_refuse("%s", error.text);
}

#define FILTER(by) parse_filter, .low = by, .many = true

const struct mp_option mp_part_options[] = {
    {.help = "Filters (REGEX: extended, matches a part of the name; all filters must match):"},
    {"function", 0, "REGEX", "Show only chains that contain a matching function", FILTER(MP_FILTER_FUNCTION)},
    {"root", 0, "REGEX", "Show only chains that contain a matching function, beginning with it",
     FILTER(MP_FILTER_ROOT)},
    {"module", 0, "REGEX", "Show only what functions of a matching program or library allocate themselves",
     FILTER(MP_FILTER_MODULE)},
    {"file", 0, "REGEX", "Show only what lines of a matching source file allocate themselves",
     FILTER(MP_FILTER_FILE)},
    {"thread", 0, "REGEX", "Show only threads whose name, or first function if unnamed, matches",
     FILTER(MP_FILTER_THREAD)},
    {"size", 0, "N|N-M|N-|-M", "Show only blocks of N bytes, N to M bytes, at least N or at most M",
     FILTER(MP_FILTER_SIZE)},
    {"process", 0, "REGEX", "In a file with several processes, show only those whose NAME[PID] or data file matches",
     FILTER(MP_FILTER_PROCESS)},
    {"program", 0, "REGEX", "Show only processes of a matching program", FILTER(MP_FILTER_PROGRAM)},
    {"host", 0, "REGEX", "Show only processes on a matching host", FILTER(MP_FILTER_HOST)},
    {"by-process", 0, NULL, "Begin each chain with its process, program or host",
     MP_FLAG(struct mp_view_input, view.processes.group)},
    {"focus", 0, "NAME", "Show only what was allocated while the function NAME ran",
     MP_TEXT(struct mp_view_input, view.focus)},
    {"lisp", 0, NULL, "Show only Lisp objects, by type and Lisp function",
     MP_FLAG(struct mp_view_input, view.lisp_only)},
    {0},
};

/* ---------------------------------------------------------------- functions and names */

static bool
parse_skip(const struct mp_option *option, char *text, void *to)
{
    struct mp_view_input *input = to;
    struct mp_skip *skip = &input->view.skip;
    struct mp_error error;

    (void)option;
    if (!mp_skip_is_pattern(text, &error))
        return mp_options_refuse("%s", error.text);
    input->skipped = mp_need(reallocarray(input->skipped, skip->n + 1, sizeof *input->skipped));
    input->skipped[skip->n++] = text;
    skip->patterns = input->skipped;
    return true;
}

const struct mp_option mp_names_options[] = {
    {.help = "Functions and their names:"},
    {"frames", 0, "WHICH",
     "Show Lisp functions and C outside the Lisp runtime (lisp, the default for Lisp objects alone), all functions by "
     "C name (c), or all by Lisp name, else C name (all, the default otherwise)",
     MP_FRAMES(struct mp_view_input, view.frames)},
    {"all-frames", 0, NULL, "Also show the functions that start main and threads",
     MP_FLAG(struct mp_view_input, view.all_frames)},
    {"full-names", 0, NULL, "Show names with all template arguments and parameters",
     MP_NO_FLAG(struct mp_view_input, view.short_names)},
    {"skip", 0, "REGEX", "Charge what matching functions allocate to their callers", parse_skip, .many = true},
    {"no-skip", 0, NULL, "Show allocation wrappers such as xmalloc and operator new",
     MP_NO_FLAG(struct mp_view_input, view.skip.wrappers)},
    {0},
};

/* ---------------------------------------------------------------- time */

static bool
parse_mark(const struct mp_option *option, char *text, void *to)
{
    struct mp_window_ends *ends = to;

    *(const char **)((char *)to + option->low) = text;
    return !ends->at || !(ends->from || ends->to) ||
           mp_options_refuse("--at=%s cannot be combined with --from or --to", ends->at);
}

#define MARK(end) parse_mark, .low = offsetof(struct mp_window_ends, end)

const struct mp_option mp_window_options[] = {
    {.help = "Time (MARK: a checkpoint's NAME or NAME#2, #3, start, peak, end, 1.5s, 20ms):"},
    {"at", 0, "MARK", "Show what was live at MARK", MARK(at), MP_WORDS(((const char *const[]){"peak"}), 1)},
    {"from", 0, "MARK", "Show what happened from MARK on", MARK(from)},
    {"to", 0, "MARK", "Show what happened until MARK", MARK(to)},
    {0},
};

bool
mp_window_refuse_sort(const struct mp_window_ends *ends, enum mp_sort sort)
{
    if (!mp_window_is_wanted(ends))
        return true;
    if (sort == MP_SORT_TEMPORARY && ends->at)
        return mp_options_refuse("--at=%s: temporary allocations are unknown at a point in time", ends->at);
    return sort != MP_SORT_PEAK || ends->at ||
           mp_options_refuse("--from, --to: memory live at the peak is unknown for a part of the time");
}

/* ---------------------------------------------------------------- single options */

bool
mp_parse_callers(const struct mp_option *option, char *text, void *to)
{
    struct mp_print_options *print = to;

    if (!mp_parse_all(option, text, &print->chain))
        return false;
    print->sites = print->callers = print->chain;
    return true;
}

/* Accepts a share in steps of 0.1 %, or bytes. */
bool
mp_parse_least(const struct mp_option *option, char *text, void *to)
{
    struct mp_print_options *print = to;
    uint64_t bytes;
    double percent;
    char *end;

    (void)option;
    percent = strtod(text, &end);
    if (end > text && strcmp(end, "%") == 0 && percent >= 0.1 && percent <= 100) {
        print->permille = (unsigned)(percent * 10 + 0.5);
        print->least = 0;
        return true;
    }
    if (!mp_number_parse(text, true, &bytes) || bytes < 1 || bytes > LONG_MAX)
        return mp_options_wrong("neither bytes, such as 100K, nor a share from 0.1%% to 100%%");
    print->least = bytes;
    return true;
}

/* Accepts a directory, or no value. */
bool
mp_parse_source(const struct mp_option *option, char *text, void *to)
{
    struct mp_source_input *input = to;
    char *name, *folder;

    (void)option;
    input->given = true;
    if (!text)
        return true;
    if (!*text)
        return mp_options_refuse("--source=: no directory");
    if (asprintf(&name, "%s/.", text) < 0)
        mp_no_memory();
    folder = realpath(name, NULL);
    free(name);
    if (!folder)
        return mp_options_refuse("--source=%s: %s", text, strerror(errno));
    input->folders = mp_need(reallocarray(input->folders, input->paths.n + 1, sizeof *input->folders));
    input->folders[input->paths.n++] = folder;
    input->paths.folders = (const char *const *)input->folders;
    return true;
}

void
mp_source_input_free(struct mp_source_input *input)
{
    for (size_t i = 0; i < input->paths.n; i++)
        free(input->folders[i]);
    free(input->folders);
}

/* ---------------------------------------------------------------- the view */

void
mp_view_input_free(struct mp_view_input *input)
{
    mp_filters_free(&input->filters);
    free(input->skipped);
}

/* Reads the data file whose name is the last component of PATH in the directory FOLDER, for mp_input_profile(). */
static struct mp_profile *
read_in(int folder, const char *path, const struct mp_filters *filters, struct mp_error *error)
{
    const int fd = mp_open_at(folder, mp_text_basename(path), O_RDONLY);
    struct mp_profile *profile;

    if (fd < 0) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot open %s: %s", path, mp_open_problem(errno));
        return NULL;
    }
    profile = mp_several_read_open(fd, path, filters, error);
    close(fd);
    return profile;
}

struct mp_profile *
mp_view_input_load_in(const struct mp_view_input *input, int folder, const char *path, struct mp_error *error)
{
    struct mp_profile *profile;

    if (!mp_symbols_readable(error))
        return NULL;
    profile = folder == AT_FDCWD || mp_process_meant(path) != 0 ? mp_input_profile(path, &input->filters, error)
                                                                 : read_in(folder, path, &input->filters, error);
    if (profile && !(mp_load_names(profile, error) && (input->several || mp_symbols_check(error)))) {
        mp_profile_free(profile);
        return NULL;
    }
    return profile;
}

struct mp_profile *
mp_view_input_load(const struct mp_view_input *input, const char *path, struct mp_error *error)
{
    return mp_view_input_load_in(input, AT_FDCWD, path, error);
}

bool
mp_view_input_open(const struct mp_view_input *input, const char *path, struct mp_viewed *viewed,
                   struct mp_error *error)
{
    *viewed = (struct mp_viewed){.profile = mp_view_input_load(input, path, error)};
    viewed->view = viewed->profile ? mp_filtered_view(viewed->profile, &input->view, &input->filters,
                                                      &viewed->undecided, error) : NULL;
    if (viewed->view)
        return true;
    mp_profile_free(viewed->profile);
    return false;
}

struct mp_json_subject
mp_viewed_subject(const struct mp_view_input *input, const struct mp_viewed *viewed, const char *command,
                  const char *path)
{
    return (struct mp_json_subject){
        .command = command, .path = path,
        .part = {.profile = viewed->profile, .view = viewed->view, .focus = input->view.focus,
                 .filters = &input->filters, .undecided = viewed->undecided,
                 .lisp = input->view.lisp_only},
        .frames = mp_frames_shown(&input->view, viewed->profile), .sort = MP_SORT_BYTES};
}

void
mp_viewed_close(struct mp_viewed *viewed)
{
    mp_profile_free(viewed->view);
    mp_profile_free(viewed->profile);
}
