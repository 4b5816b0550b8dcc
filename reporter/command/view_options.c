#include "view_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input_files.h"
#include "options.h"
#include "reporter/load/load.h"

enum {
    OPT_FOCUS = 256, OPT_FULL_NAMES, OPT_SKIP, OPT_NO_SKIP, OPT_ALL_FRAMES, OPT_LISP, OPT_FRAMES,
    OPT_EXECUTABLE, OPT_BY_PROCESS,
    OPT_FILTER                  /* first of the keys for the filters */
};

/* Groups of the options, after a command's own. */
enum { GROUP_PART = 20, GROUP_NAMES };

static const struct argp_option part_options[] = {
    {NULL, 0, NULL, 0, "What is shown (REGEX: extended, of a part of the name; all must hold):",
     GROUP_PART},
    {"function", OPT_FILTER + MP_FILTER_FUNCTION, "REGEX", MP_OPTION_MANY, "Chains with such a function", GROUP_PART},
    {"root", OPT_FILTER + MP_FILTER_ROOT, "REGEX", MP_OPTION_MANY, "The same, from this function inwards",
     GROUP_PART},
    {"module", OPT_FILTER + MP_FILTER_MODULE, "REGEX", MP_OPTION_MANY,
     "What functions of such a program or library allocate themselves", GROUP_PART},
    {"file", OPT_FILTER + MP_FILTER_FILE, "REGEX", MP_OPTION_MANY, "What lines of such a source file allocate",
     GROUP_PART},
    {"thread", OPT_FILTER + MP_FILTER_THREAD, "REGEX", MP_OPTION_MANY,
     "Threads of such a name, or with such a first function", GROUP_PART},
    {"size", OPT_FILTER + MP_FILTER_SIZE, "N|N-M|N-|-M", MP_OPTION_MANY, "Blocks of so many bytes", GROUP_PART},
    {"process", OPT_FILTER + MP_FILTER_PROCESS, "REGEX", MP_OPTION_MANY,
     "Of a merged file: processes called so, NAME[PID], or with such a data file", GROUP_PART},
    {"program", OPT_FILTER + MP_FILTER_PROGRAM, "REGEX", MP_OPTION_MANY, "The same: processes of such a program",
     GROUP_PART},
    {"host", OPT_FILTER + MP_FILTER_HOST, "REGEX", MP_OPTION_MANY, "The same: processes on such a host", GROUP_PART},
    {"by-process", OPT_BY_PROCESS, NULL, 0,
     "The same: chains begin with the process, program or host that the file tells apart", GROUP_PART},
    {"focus", OPT_FOCUS, "NAME", 0, "Only what was allocated through the function NAME", GROUP_PART},
    {"lisp", OPT_LISP, NULL, 0, "Objects of Lisp only, by type and Lisp function", GROUP_PART},
    {0},
};

static const struct argp_option names_options[] = {
    {NULL, 0, NULL, 0, "Functions and their names:", GROUP_NAMES},
    {"frames", OPT_FRAMES, "WHICH", 0, "Functions shown: lisp, c or all", GROUP_NAMES},
    {"all-frames", OPT_ALL_FRAMES, NULL, 0, "Show what starts main and threads, too", GROUP_NAMES},
    {"full-names", OPT_FULL_NAMES, NULL, 0, "Show all arguments of templates, and parameters",
     GROUP_NAMES},
    {"skip", OPT_SKIP, "REGEX", MP_OPTION_MANY, "Count what such functions allocate for their callers",
     GROUP_NAMES},
    {"no-skip", OPT_NO_SKIP, NULL, 0, "Show allocation wrappers: xmalloc, operator new ...",
     GROUP_NAMES},
    {"executable", OPT_EXECUTABLE, "FILE", 0, "Take the program's symbols from FILE", GROUP_NAMES},
    {0},
};

static error_t
set_frames(struct mp_view_input *input, const char *which)
{
    input->view.frames = mp_frames_called(which);
    if (input->view.frames == MP_FRAMES_DEFAULT)
        return mp_options_wrong("lisp, c or all");
    return 0;
}

static error_t
add_skipped(struct mp_view_input *input, const char *pattern)
{
    struct mp_skip *skip = &input->view.skip;
    struct mp_error error;

    if (!mp_skip_is_pattern(pattern, &error))
        return mp_options_refuse("%s", error.text);
    input->skipped = mp_need(reallocarray(input->skipped, skip->n + 1, sizeof *input->skipped));
    input->skipped[skip->n++] = pattern;
    skip->patterns = input->skipped;
    return 0;
}

static error_t
add_filter(struct mp_view_input *input, enum mp_filter_by by, const char *text)
{
    struct mp_error error;

    if (!mp_filters_add(&input->filters, by, text, &error))
        return mp_options_refuse("%s", error.text);
    return 0;
}

static error_t
parse_part(int key, char *arg, struct argp_state *state)
{
    struct mp_view_input *input = state->input;

    if (key >= OPT_FILTER && key < OPT_FILTER + MP_FILTERS)
        return add_filter(input, (enum mp_filter_by)(key - OPT_FILTER), arg);
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = input;
        return 0;
    case OPT_FOCUS:
        input->view.focus = arg;
        return 0;
    case OPT_LISP:
        input->view.lisp_only = true;
        return 0;
    case OPT_BY_PROCESS:
        input->view.processes.group = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t
parse_names(int key, char *arg, struct argp_state *state)
{
    struct mp_view_input *input = state->input;

    switch (key) {
    case OPT_FRAMES:
        return set_frames(input, arg);
    case OPT_ALL_FRAMES:
        input->view.all_frames = true;
        return 0;
    case OPT_FULL_NAMES:
        input->view.short_names = false;
        return 0;
    case OPT_SKIP:
        return add_skipped(input, arg);
    case OPT_NO_SKIP:
        input->view.skip.wrappers = false;
        return 0;
    case OPT_EXECUTABLE:
        input->executable = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp mp_names_argp = {.options = names_options, .parser = parse_names};

static const struct argp_child names[] = {{&mp_names_argp, 0, NULL, 0}, {0}};

const struct argp mp_view_argp = {
    .options = part_options, .parser = parse_part, .children = names};

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
