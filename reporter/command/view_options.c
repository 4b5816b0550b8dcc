#include "view_options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input_files.h"
#include "reporter/base/format_number.h"
#include "reporter/load/load.h"

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
    {.help = "What is shown (REGEX: extended, of a part of the name; all must hold):"},
    {"function", 0, "REGEX", "Chains with such a function", FILTER(MP_FILTER_FUNCTION)},
    {"root", 0, "REGEX", "The same, from this function inwards", FILTER(MP_FILTER_ROOT)},
    {"module", 0, "REGEX", "What functions of such a program or library allocate themselves", FILTER(MP_FILTER_MODULE)},
    {"file", 0, "REGEX", "What lines of such a source file allocate", FILTER(MP_FILTER_FILE)},
    {"thread", 0, "REGEX", "Threads of such a name, or with such a first function", FILTER(MP_FILTER_THREAD)},
    {"size", 0, "N|N-M|N-|-M", "Blocks of so many bytes", FILTER(MP_FILTER_SIZE)},
    {"process", 0, "REGEX", "Of a merged file: processes called so, NAME[PID], or with such a data file",
     FILTER(MP_FILTER_PROCESS)},
    {"program", 0, "REGEX", "The same: processes of such a program", FILTER(MP_FILTER_PROGRAM)},
    {"host", 0, "REGEX", "The same: processes on such a host", FILTER(MP_FILTER_HOST)},
    {"by-process", 0, NULL, "The same: chains begin with the process, program or host that the file tells apart",
     MP_FLAG(struct mp_view_input, view.processes.group)},
    {"focus", 0, "NAME", "Only what was allocated through the function NAME",
     MP_TEXT(struct mp_view_input, view.focus)},
    {"lisp", 0, NULL, "Objects of Lisp only, by type and Lisp function",
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

const char *const mp_frames_words[3] = {"lisp", "c", "all"};

const struct mp_option mp_names_options[] = {
    {.help = "Functions and their names:"},
    {"frames", 0, "WHICH", "Functions shown: lisp, c or all", MP_FRAMES(struct mp_view_input, view.frames)},
    {"all-frames", 0, NULL, "Show what starts main and threads, too",
     MP_FLAG(struct mp_view_input, view.all_frames)},
    {"full-names", 0, NULL, "Show all arguments of templates, and parameters",
     MP_NO_FLAG(struct mp_view_input, view.short_names)},
    {"skip", 0, "REGEX", "Count what such functions allocate for their callers", parse_skip, .many = true},
    {"no-skip", 0, NULL, "Show allocation wrappers: xmalloc, operator new ...",
     MP_NO_FLAG(struct mp_view_input, view.skip.wrappers)},
    {"executable", 0, "FILE", "Take the program's symbols from FILE", MP_TEXT(struct mp_view_input, executable)},
    {0},
};

/* ---------------------------------------------------------------- time */

static bool
parse_mark(const struct mp_option *option, char *text, void *to)
{
    struct mp_window_ends *ends = to;

    *(const char **)((char *)to + option->low) = text;
    return !ends->at || !(ends->from || ends->to) ||
           mp_options_refuse("--at=%s is one moment: not with --from or --to", ends->at);
}

#define MARK(end) parse_mark, .low = offsetof(struct mp_window_ends, end)

const struct mp_option mp_window_options[] = {
    {.help = "Which time (a checkpoint's NAME, NAME#2, #3, start, peak, end, or seconds as 1.5s):"},
    {"at", 0, "MARK", "What was alive at that moment", MARK(at), MP_WORDS(((const char *const[]){"peak"}), 1)},
    {"from", 0, "MARK", "What happened from then on", MARK(from)},
    {"to", 0, "MARK", "What happened until then", MARK(to)},
    {0},
};

bool
mp_window_refuse_sort(const struct mp_window_ends *ends, enum mp_sort sort)
{
    if (!mp_window_is_wanted(ends))
        return true;
    if (sort == MP_SORT_TEMPORARY && ends->at)
        return mp_options_refuse("--at=%s: what is temporary is not alive at a moment", ends->at);
    return sort != MP_SORT_PEAK || ends->at ||
           mp_options_refuse("--from, --to: what was alive at the peak is not known of a part");
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
        return mp_options_wrong("neither bytes, as 100K, nor a share from 0.1%% to 100%%");
    print->least = bytes;
    return true;
}

bool
mp_parse_folder(const struct mp_option *option, char *text, void *to)
{
    struct mp_source_input *input = to;

    (void)option;
    if (!*text)
        return mp_options_refuse("--source-path=: no directory");
    input->folders = mp_need(reallocarray(input->folders, input->paths.n + 1, sizeof *input->folders));
    input->folders[input->paths.n++] = text;
    input->paths.folders = input->folders;
    return true;
}

/* ---------------------------------------------------------------- the view */

void
mp_view_input_free(struct mp_view_input *input)
{
    mp_filters_free(&input->filters);
    free(input->skipped);
}

struct mp_profile *
mp_view_input_load(const struct mp_view_input *input, const char *path, struct mp_error *error)
{
    struct mp_profile *profile;

    if (input->executable && access(input->executable, R_OK) != 0) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", input->executable, strerror(errno));
        return NULL;
    }
    profile = mp_input_profile(path, error);
    if (profile && !mp_load_names(profile, input->executable, error)) {
        mp_profile_free(profile);
        return NULL;
    }
    return profile;
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
        .frames = mp_frames_shown(&input->view), .sort = MP_SORT_BYTES};
}

void
mp_viewed_close(struct mp_viewed *viewed)
{
    mp_profile_free(viewed->view);
    mp_profile_free(viewed->profile);
}
