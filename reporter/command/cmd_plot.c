/* SPDX-License-Identifier: MIT */
/*
 * mprof plot: draws live memory over time, or writes columns for gnuplot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "option_table.h"
#include "output_file.h"
#include "reporter/base/term.h"
#include "reporter/draw/plot.h"
#include "reporter/file/data_file.h"
#include "reporter/heap/heap_files.h"
#include "reporter/heap/heap_plot.h"
#include "reporter/table/said_part.h"
#include "reporter/view/moment_names.h"
#include "view_options.h"

struct input {
    struct mp_view_input view;
    char **files;               /* arguments, ending with NULL */
    const char *file, *output, *data_file, *json_file, *from, *to;
    uint32_t n_files;           /* number of arguments; `file` is the first one, or the default */
    bool data, json, chosen, heaps;     /* --data, --json, --by, --heaps were given */
    enum mp_plot_by by;
};

/* Returns whether to write the picture or the chart. It is written if it was requested or nothing else was. */
static bool
is_drawn(const struct input *input)
{
    return input->output || !(input->data || input->json);
}

/* Refuses more than one output to standard output. */
static bool
check(void *to)
{
    struct input *input = to;
    const int several = (input->data && mp_output_is_standard(input->data_file)) +
                        (input->json && mp_output_is_standard(input->json_file)) +
                        (is_drawn(input) && mp_output_is_standard(input->output));

    while (input->files[input->n_files])
        input->n_files++;
    input->file = input->n_files > 0 ? input->files[0] : MP_DEFAULT_FILE;
    return several <= 1 ||
           mp_options_refuse("only one output can go to standard output; use --data=FILE, --json=FILE or -o FILE");
}

static const struct mp_option options[] = {
    {"output", 'o', "FILE", "Write the picture to FILE. Without this, a terminal gets a chart of 15 rows",
     MP_TEXT(struct input, output)},
    {"data", 0, "FILE", "Write columns for gnuplot to FILE or standard output", MP_TEXT(struct input, data_file),
     .also = MP_FIELD(bool, struct input, data), .optional = true},
    {"json", 0, "FILE", "Write JSON to FILE or standard output; see mprof-json(5)", MP_TEXT(struct input, json_file),
     .also = MP_FIELD(bool, struct input, json), .optional = true},
    {"by", 0, "WHAT", "Draw one area for each type, module, function, file or thread (default: type if there are "
     "Lisp objects, else function); in heaps type (the default), package, function, site or file",
     MP_WORD(struct input, by, mp_plot_names, MP_PLOTS), .also = MP_FIELD(bool, struct input, chosen)},
    {"heaps", 0, NULL, "Draw the contents of the heap snapshots FILE.1.heap, FILE.2.heap ...",
     MP_FLAG(struct input, heaps)},
    {"from", 0, "WHEN", "Begin at 1.5s, 200ms, start (the default), peak, end, or a checkpoint's NAME, NAME#2 or #3",
     MP_TEXT(struct input, from)},
    {"to", 0, "WHEN", "End at 1.5s, 200ms, start, peak, end (the default), or a checkpoint's NAME, NAME#2 or #3",
     MP_TEXT(struct input, to)},
    {0},
};

/* ---------------------------------------------------------------- the plot */

/* Parses TEXT, the name of a point in time of TIMELINE or a time, and stores it in *TIME, ns. Names have priority.
 * Returns false and fills *ERROR if it is neither. */
static bool
find_time(const struct mp_timeline *timeline, const char *option, const char *text, uint64_t *time,
          struct mp_error *error)
{
    static const enum mp_moment_kind once[] = {MP_MOMENT_START, MP_MOMENT_PEAK, MP_MOMENT_END};
    uint32_t found = mp_moment_named(timeline, text);

    for (size_t i = 0; found == MP_NO_ID && i < sizeof once / sizeof *once; i++)
        if (strcmp(text, mp_moment_names[once[i]]) == 0)
            found = mp_timeline_find(timeline, once[i]);
    if (found != MP_NO_ID)
        *time = timeline->moments[found].time;
    return found != MP_NO_ID || mp_moment_time(text, time) ||
           mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                   "--%s=%s: neither a time, start, peak or end, nor a checkpoint of this recording",
                   option, text);
}

static bool
find_range(const struct input *input, const struct mp_timeline *timeline,
           struct mp_plot_options *range, struct mp_error *error)
{
    const uint64_t last = timeline->moments[timeline->n_moments - 1].time;

    range->from = 0;
    range->to = last;
    if ((input->from && !find_time(timeline, "from", input->from, &range->from, error)) ||
        (input->to && !find_time(timeline, "to", input->to, &range->to, error)))
        return false;
    if (range->to > last)
        range->to = last;
    return range->from < range->to ||
           mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "there is no time between --from and --to");
}

/* Returns the default parts of a plot: types for objects, but functions for C blocks, of which only the sizes are
 * known. */
static enum mp_plot_by
usual_parts(const struct mp_profile *view)
{
    for (uint32_t i = 0; i < view->n_cells; i++)
        if (mp_is_lisp(&view->cells[i]))
            return MP_PLOT_TYPE;
    return MP_PLOT_FUNCTION;
}

/* Begins the output to PATH, which must not be one of the inputs. On failure returns NULL and fills *ERROR. */
static FILE *
begin_output(const struct input *input, struct mp_output_file *output, const char *path, struct mp_error *error)
{
    return mp_output_begin(output, path, input->n_files > 0 ? (const char *const *)input->files
                                                      : (const char *const[]){input->file, NULL}, error);
}

static bool
write_data(const struct input *input, const struct mp_plot *plot, struct mp_error *error)
{
    struct mp_output_file output;
    FILE *out = begin_output(input, &output, input->data_file, error);

    if (!out)
        return false;
    mp_plot_data(plot, out);
    return mp_output_end(&output, true, error);
}

static bool
write_json(const struct input *input, const struct mp_viewed *viewed, const struct mp_plot *plot,
           struct mp_error *error)
{
    const struct mp_json_subject subject = mp_viewed_subject(&input->view, viewed, "plot", input->file);
    struct mp_output_file output;
    FILE *out = begin_output(input, &output, input->json_file, error);

    return out && mp_output_end(&output, mp_plot_json(plot, &subject, out, error), error);
}

static bool
write_picture(const struct input *input, const struct mp_plot *plot, struct mp_error *error)
{
    char *part = mp_part_text(input->view.view.focus, &input->view.filters);
    struct mp_output_file output;
    FILE *out = begin_output(input, &output, input->output, error);

    if (out)
        mp_plot_svg(plot, part, out);
    free(part);
    return out && mp_output_end(&output, true, error);
}

/* Writes the picture, or prints a chart if the output is a terminal. */
static bool
draw(const struct input *input, const struct mp_plot *plot, struct mp_error *error)
{
    if (input->output || !isatty(STDOUT_FILENO))
        return write_picture(input, plot, error);
    return mp_plot_text(plot, mp_term_width(), mp_term_utf8(), stdout) ||
           mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "the terminal is too narrow for a chart; use -o FILE.svg");
}

static bool
is_of_heaps(enum mp_plot_by by)
{
    return by == MP_PLOT_PACKAGE || by == MP_PLOT_SITE;
}

static bool
plot_view(const struct input *input, const struct mp_viewed *viewed, struct mp_error *error)
{
    const struct mp_profile *view = viewed->view;
    const struct mp_view_options *wanted = &input->view.view;
    struct mp_plot_options range = {
        .by = input->chosen ? input->by : usual_parts(view),
        .part = input->view.filters.n > 0 || wanted->focus || wanted->lisp_only};
    struct mp_plot *plot;
    bool ok;

    if (is_of_heaps(range.by))
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "--by=%s requires --heaps", mp_plot_names[range.by]);
    if (!view->timeline)
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s has no time line: %s", input->file,
                       mp_timeline_absence(viewed->profile));
    if (!find_range(input, view->timeline, &range, error))
        return false;
    plot = mp_plot_new(view, &range);
    ok = (!input->data || write_data(input, plot, error)) &&
         (!input->json || write_json(input, viewed, plot, error)) &&
         (!is_drawn(input) || draw(input, plot, error));
    mp_plot_free(plot);
    return ok;
}

static bool
plot_recording(const struct input *input, struct mp_error *error)
{
    struct mp_viewed viewed;
    bool ok;

    if (input->n_files > 1)
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "'%s': one file too many", input->files[1]);
    ok = mp_view_input_open(&input->view, input->file, &viewed, error);
    if (ok) {
        ok = plot_view(input, &viewed, error);
        mp_viewed_close(&viewed);
    }
    return ok;
}

/* ------------------------------------------------------------------ heaps */

static bool
heap_by(enum mp_plot_by by, enum mp_heap_by *of_heap, struct mp_error *error)
{
    switch (by) {
    case MP_PLOT_TYPE: *of_heap = MP_HEAP_BY_TYPE; return true;
    case MP_PLOT_PACKAGE: *of_heap = MP_HEAP_BY_PACKAGE; return true;
    case MP_PLOT_FUNCTION: *of_heap = MP_HEAP_BY_FUNCTION; return true;
    case MP_PLOT_SITE: *of_heap = MP_HEAP_BY_SITE; return true;
    case MP_PLOT_FILE: *of_heap = MP_HEAP_BY_FILE; return true;
    default:
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "--by=%s: the areas of heaps are type, package, function, "
                       "site or file", mp_plot_names[by]);
    }
}

static bool
write_series(const struct input *input, const struct mp_heap_series *series, enum mp_plot_by by,
             struct mp_error *error)
{
    struct mp_output_file output;
    FILE *out = begin_output(input, &output, input->json_file, error);

    return out && mp_output_end(&output, mp_heap_series_json(series, mp_plot_names[by], out, error), error);
}

/* Draws SERIES. RECORDING is the data file; if it is NULL, the snapshots themselves name it. */
static bool
plot_series(const struct input *input, const struct mp_heap_series *series, enum mp_plot_by by,
            const char *recording, struct mp_error *error)
{
    struct mp_profile *profile = mp_heap_plot_profile(series, recording);
    struct mp_plot_options range = {.by = by};
    struct mp_plot *plot = NULL;
    bool ok = find_range(input, profile->timeline, &range, error);

    if (ok) {
        plot = mp_heap_plot_new(series, profile, &range);
        ok = plot->n_moments > 1 ||
             mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "there are no two snapshots between --from and --to");
    }
    ok = ok && (!input->data || write_data(input, plot, error)) &&
         (!input->json || write_series(input, series, by, error)) &&
         (!is_drawn(input) || draw(input, plot, error));
    mp_plot_free(plot);
    mp_profile_free(profile);
    return ok;
}

static bool
plot_snapshots(const struct input *input, const char *const *files, uint32_t n, const char *recording,
               struct mp_error *error)
{
    const enum mp_plot_by by = input->chosen ? input->by : MP_PLOT_TYPE;
    struct mp_heap_series *series;
    enum mp_heap_by of_heap = MP_HEAP_BY_TYPE;
    bool ok;

    if (input->view.filters.n > 0 || input->view.view.focus)
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                       "heap snapshots cannot be combined with --focus or filters such as --function");
    if (input->json && (input->from || input->to))
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "--json of heap snapshots contains all of them and cannot be "
                       "combined with --from or --to");
    if (!heap_by(by, &of_heap, error))
        return false;
    series = mp_heap_series_load(files, n, of_heap, error);
    ok = series && plot_series(input, series, by, recording, error);
    mp_heap_series_free(series);
    return ok;
}

/* Plots the snapshots beside the data file. */
static bool
plot_beside(const struct input *input, struct mp_error *error)
{
    uint32_t n;
    char **files = mp_heap_series_files(input->file, &n);
    bool ok = files ? plot_snapshots(input, (const char *const *)files, n, input->file, error)
                    : mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "there are no heap snapshots %s.1.heap ...",
                              input->file);

    mp_heap_files_free(files, n);
    return ok;
}

static bool
plot(const struct input *input, struct mp_error *error)
{
    uint32_t snapshots = 0;

    for (uint32_t i = 0; i < input->n_files; i++)
        snapshots += mp_heap_is_snapshot(input->files[i]);
    if (snapshots == 0)
        return input->heaps && input->n_files < 2 ? plot_beside(input, error) : plot_recording(input, error);
    for (uint32_t i = 0; i < input->n_files; i++)
        if (!mp_heap_is_snapshot(input->files[i]))
            return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s is not a heap snapshot, but others are",
                           input->files[i]);
    return plot_snapshots(input, (const char *const *)input->files, input->n_files, NULL, error);
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    char *none[] = {NULL};
    struct input input = {.view = MP_VIEW_INPUT_DEFAULT, .files = none};
    int status = mp_options_parse(&mp_cmd_plot, argc, argv, &input, error);

    if (status < 0)
        status = mp_exit_status(plot(&input, error), error);
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_cmd_plot = {
    "plot", "draw live memory over time", run,
    .options = options, .groups = {MP_VIEW_GROUPS(struct input, view)},
    .argument = {.value = "[FILE|PID]\nSNAPSHOT SNAPSHOT...", MP_FILES(struct input, files)}, .check = check,
    .doc = "Draw the live memory of the recording in FILE (" MP_DEFAULT_FILE ") over time as an SVG without scripts "
           "for any browser, or write it as columns for gnuplot.  Given heap snapshots of one process, draw the "
           "contents of the heap.",
};
