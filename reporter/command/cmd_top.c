/* mprof top: shows a running process live. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "options.h"
#include "reporter/base/term.h"
#include "reporter/run/data_file.h"
#include "reporter/screen/session.h"
#include "view_options.h"

enum { OPT_BY = 512, OPT_SORT, OPT_REVERSE, OPT_WITHIN, OPT_MAX };      /* different from the keys of mp_view_argp */

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "How it looks:", 1},
    {"delay", 'd', "SECONDS", 0, "Time between two looks (1; at least 0.1)", 1},
    {"iterations", 'n', "N", 0, "End after N looks", 1},
    {"batch", 'b', NULL, 0, "Print the looks as text, for scripts and logs", 1},
    {"max", OPT_MAX, "N|all", 0, "With -b: at most N lines a look (20)", 1},
    {NULL, 0, NULL, 0, "What it shows first (keys change it):", 2},
    {"by", OPT_BY, "WHAT", 0, "function, site, type, thread or tree", 2},
    {"within", OPT_WITHIN, NULL, 0, "Of functions: with what they call", 2},
    {"sort", OPT_SORT, "KEY", 0, "Sort by live, blocks, allocs, bytes (of these what is new) or name", 2},
    {"reverse", OPT_REVERSE, NULL, 0, "The least first", 2},
    {0},
};

struct input {
    struct mp_view_input view;
    struct mp_controls controls;
    const char *target;
    unsigned looks, most;
    bool batch;
};

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;
    struct mp_lines_options *how = &input->controls.how;
    unsigned word;
    error_t error;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->view;
        return 0;
    case 'b':
        input->batch = true;
        return 0;
    case 'd':
        if (!mp_controls_interval(arg, &input->controls.interval))
            return mp_options_wrong("not a number of seconds from 0.1 to 86400");
        return 0;
    case 'n':
        return mp_options_count(arg, 1, 1000000000, &input->looks);
    case OPT_MAX:
        return mp_options_rows(arg, &input->most);
    case OPT_BY:
        error = mp_options_word(arg, mp_bys, MP_BYS, &word);
        how->by = (enum mp_by)word;
        return error;
    case OPT_SORT:
        error = mp_options_word(arg, mp_line_sorts, MP_LINE_SORTS, &word);
        how->sort = (enum mp_line_sort)word;
        return error;
    case OPT_WITHIN:
        how->within = true;
        return 0;
    case OPT_REVERSE:
        how->reverse = true;
        return 0;
    case ARGP_KEY_ARG:
        return mp_options_file(&input->target, arg, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&mp_view_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    options, parse, "[PID|FILE]",
    "Show live who holds memory and who allocates it, in the process PID or the one that writes FILE "
    "(" MP_DEFAULT_FILE ").\vThe process was started by mprof run, or with libmprof.so preloaded.  It "
    "is only read, and does not notice.  In it, h shows what keys do, and q quits.",
    children, NULL, NULL};

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
    const struct mp_look_options how = {.view = input->view.view, .filters = &input->view.filters,
                                        .executable = input->view.executable};
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
    int status = mp_options_parse(&parser, "top", argc, argv, 0, &input, error);

    if (status < 0)
        status = mp_exit_status(show(&input, error), error);
    mp_controls_end(&input.controls);
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_cmd_top = {
    "top", "show live who holds memory and who allocates it", &parser, run};
