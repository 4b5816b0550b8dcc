/* SPDX-License-Identifier: MIT */
/* mprof top: shows a running process live. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "option_table.h"
#include "reporter/base/term.h"
#include "reporter/file/data_file.h"
#include "reporter/screen/screen_session.h"
#include "view_options.h"

struct input {
    struct mp_view_input view;
    struct mp_controls controls;
    const char *target;
    unsigned looks, most;
    bool batch;
};

static bool
parse_delay(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    return mp_controls_interval(text, &input->controls.interval) ||
           mp_options_wrong("not a number of seconds from 0.1 to 86400");
}

static const struct mp_option options[] = {
    {.help = "Polls:"},
    {"delay", 'd', "SECONDS", "Wait SECONDS (at least 0.1, default 1) between two polls", parse_delay},
    {"iterations", 'n', "N", "End after N polls", MP_COUNT(struct input, looks, 1, 1000000000)},
    {"batch", 'b', NULL, "Print the result of each poll as text, for scripts and logs", MP_FLAG(struct input, batch)},
    {"max", 0, "N|all", "With -b, print at most N lines for each poll (default 20)", MP_ROWS(struct input, most)},
    {.help = "Initial view (keys change it):"},
    {"by", 0, "WHAT", "Show one line for each function (the default), site, type or thread, or the tree of callers",
     MP_WORD(struct input, controls.how.by, mp_bys, MP_BYS)},
    {"within", 0, NULL, "Show for each function everything that was allocated while it ran",
     MP_FLAG(struct input, controls.how.within)},
    {"sort", 0, "KEY", "Sort by live bytes (live, the default), blocks, allocs or bytes since the previous poll, or "
     "name", MP_WORD(struct input, controls.how.sort, mp_line_sorts, MP_LINE_SORTS)},
    {"reverse", 0, NULL, "Show the smallest figure first", MP_FLAG(struct input, controls.how.reverse)},
    {0},
};

/* Prints samples as text. It is not an error if the reader of standard output has gone. */
static bool
print_looks(struct input *input, struct mp_looks *looks, struct mp_error *error)
{
    return mp_batch(looks, &input->controls, input->looks, input->most, stdout) || mp_term_reader_gone() ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "standard output: %s", strerror(errno));
}

static bool
show(struct input *input, struct mp_error *error)
{
    const struct mp_look_options how = {.view = input->view.view, .filters = &input->view.filters};
    struct mp_looks looks;
    bool ok;

    if (!mp_looks_begin(&looks, input->target ? input->target : MP_DEFAULT_FILE, &how, error))
        return false;
    ok = input->batch ? print_looks(input, &looks, error)
                      : mp_session(&looks, &input->controls, input->looks, error);
    mp_looks_end(&looks);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.view = MP_VIEW_INPUT_DEFAULT, .controls = MP_CONTROLS_DEFAULT, .most = 20};
    int status = mp_options_parse(&mp_cmd_top, argc, argv, &input, error);

    if (status < 0)
        status = mp_exit_status(show(&input, error), error);
    mp_controls_end(&input.controls);
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_cmd_top = {
    "top", "show live who holds memory and who allocates it", run,
    .options = options, .groups = {MP_VIEW_GROUPS(struct input, view)},
    .argument = {.value = "[PID|FILE]", MP_FILE(struct input, target)},
    .doc = "Show live who holds memory and who allocates it in process PID, or in the process that writes FILE "
           "(" MP_DEFAULT_FILE ").",
    .notes = "The process must have been started by mprof run or with libmprof.so preloaded.  It is only read and does "
             "not notice.  The key h explains the keys, and q quits.",
};
