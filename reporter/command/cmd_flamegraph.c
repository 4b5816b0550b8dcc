/*
 * mprof flamegraph: the chains as a picture, an SVG.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "options.h"
#include "reporter/base/write_output.h"
#include "reporter/output/flame_svg.h"
#include "reporter/output/part.h"
#include "reporter/profile/sort.h"
#include "reporter/run/data_file.h"
#include "view_options.h"

#define WIDTH 1200u             /* pixels: what a page has room for, on paper as well */

enum { OPT_COST = 256, OPT_REVERSE };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the picture to FILE, not to standard output", 1},
    {"cost", OPT_COST, "KEY", 0,
     "What makes boxes wide: bytes (the default), allocs, kept, peak or temporary", 1},
    {"reverse", OPT_REVERSE, NULL, 0, "From the functions that allocate to their callers", 1},
    {0},
};

struct input {
    struct mp_view_input view;
    struct mp_flame_options flame;
    const char *file, *output;
};

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->view;
        return 0;
    case 'o':
        input->output = arg;
        return 0;
    case OPT_COST:
        return mp_sort_named(arg, &input->flame.cost)
                   ? 0 : mp_options_refuse("--cost=%s: bytes, allocs, kept, peak or temporary", arg);
    case OPT_REVERSE:
        input->flame.reverse = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            return mp_options_refuse("%s: one data file only", arg);
        input->file = arg;
        return 0;
    case ARGP_KEY_END:
        return input->output || !isatty(STDOUT_FILENO)
                   ? 0 : mp_options_refuse("the picture is no text for a terminal: -o FILE.svg");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&mp_view_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    .options = options, .parser = parse, .args_doc = "[FILE]", .children = children,
    .doc = "Draw the chains that are recorded in FILE (" MP_DEFAULT_FILE ") as a flame graph: an SVG "
           "for any browser, without script.  Each function is a box, as wide as what was allocated "
           "there and in what it called, which stands below it.",
};

/* ---------------------------------------------------------------- writing */

static void
draw(const struct input *input, const struct mp_profile *profile, const struct mp_profile *view,
     FILE *out)
{
    const struct mp_tree_options kept = {.all_frames = input->view.view.all_frames};
    struct mp_tree *tree = mp_tree_build(view, &kept);
    size_t size;
    char *part;
    FILE *words = mp_need(open_memstream(&part, &size));

    mp_part_print(input->view.view.focus, &input->view.filters, words);
    fclose(words);
    mp_flame_svg(profile, tree, &input->flame, mp_need(part), out);
    free(part);
    mp_tree_free(tree);
}

/* The picture is made whole before the file is. */
static bool
draw_to_file(const struct input *input, const struct mp_profile *profile,
             const struct mp_profile *view, struct mp_error *error)
{
    size_t size;
    char *bytes;
    FILE *memory = mp_need(open_memstream(&bytes, &size));
    bool ok;

    draw(input, profile, view, memory);
    if (fclose(memory) != 0)
        mp_no_memory();
    ok = mp_write_output(input->output, bytes, size);
    free(bytes);
    return ok || mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", input->output,
                         strerror(errno));
}

static bool
show(const struct input *input, struct mp_error *error)
{
    struct mp_profile *profile = mp_view_input_load(&input->view, input->file, error);
    struct mp_profile *view =
        profile ? mp_view_input_view(&input->view, profile, NULL, error) : NULL;
    bool ok = view != NULL;

    if (ok && input->output)
        ok = draw_to_file(input, profile, view, error);
    else if (ok)
        draw(input, profile, view, stdout);
    mp_profile_free(view);
    mp_profile_free(profile);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.view = MP_VIEW_INPUT_DEFAULT, .flame.width = WIDTH,
                          .file = MP_DEFAULT_FILE};
    int status = mp_options_parse(&parser, "flamegraph", argc, argv, 0, &input, error);

    if (status < 0)
        status = show(&input, error) ? 0 : MP_EXIT_ERROR;
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_cmd_flamegraph = {
    "flamegraph", "draw the chains as an SVG", &parser, run};
