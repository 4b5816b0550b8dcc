/* SPDX-License-Identifier: MIT */
/*
 * mprof flamegraph: draws the chains as an SVG.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "option_table.h"
#include "output_file.h"
#include "reporter/draw/flame.h"
#include "reporter/file/data_file.h"
#include "reporter/table/said_part.h"
#include "reporter/view/sort.h"
#include "view_options.h"

#define WIDTH 1200u             /* width in pixels that fits on a page, even on paper */

struct input {
    struct mp_view_input view;
    struct mp_flame_options flame;
    const char *file, *output;
};

static bool
check(void *to)
{
    const struct input *input = to;

    if (!input->output && isatty(STDOUT_FILENO))
        return mp_options_refuse("the picture cannot be printed on a terminal; use -o FILE.svg");
    return mp_window_refuse_sort(&input->view.view.window, input->flame.cost);
}

static const struct mp_option options[] = {
    {MP_OUTPUT(struct input, output)},
    {"cost", 0, "KEY", "Draw boxes as wide as their bytes (the default), allocs, kept, peak or temporary",
     MP_COST(struct input, flame.cost)},
    {"reverse", 0, NULL, "Begin with the functions that allocate, and draw their callers below",
     MP_FLAG(struct input, flame.reverse)},
    {0},
};

/* ---------------------------------------------------------------- writing */

static void
draw(const struct input *input, const struct mp_viewed *viewed, FILE *out)
{
    const struct mp_tree_options kept = {.all_frames = input->view.view.all_frames};
    struct mp_tree *tree = mp_tree_build(viewed->view, &kept);
    char *part = mp_part_text(input->view.view.focus, &input->view.filters);

    mp_flame_svg(viewed->profile, tree, &input->flame, part, out);
    free(part);
    mp_tree_free(tree);
}

static bool
show(const struct input *input, struct mp_error *error)
{
    struct mp_output_file output;
    struct mp_viewed viewed;
    FILE *out;
    bool ok;

    if (!mp_view_input_open(&input->view, input->file, &viewed, error))
        return false;
    ok = mp_sort_check(viewed.profile, input->flame.cost, error) &&
         mp_sort_check_part(viewed.view, input->flame.cost, error);
    out = ok ? mp_output_begin(&output, input->output, (const char *const[]){input->file, NULL}, error) : NULL;
    if (out)
        draw(input, &viewed, out);
    mp_viewed_close(&viewed);
    return out && mp_output_end(&output, true, error);
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.view = MP_VIEW_INPUT_DEFAULT, .flame.width = WIDTH,
                          .file = MP_DEFAULT_FILE};
    int status = mp_options_parse(&mp_cmd_flamegraph, argc, argv, &input, error);

    if (status < 0)
        status = mp_exit_status(show(&input, error), error);
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_cmd_flamegraph = {
    "flamegraph", "draw the call chains as an SVG", run,
    .options = options, .groups = {MP_VIEW_GROUPS(struct input, view), MP_WINDOW_GROUP(struct input, view)},
    .argument = {.value = "[FILE|PID]", MP_FILE(struct input, file)}, .check = check,
    .doc = "Draw the call chains in FILE (" MP_DEFAULT_FILE ") as a flame graph, an SVG without scripts for any "
           "browser.  Each function is a box whose width shows what the function and its callees allocated.  The "
           "callees are drawn below it.",
};
