/* SPDX-License-Identifier: MIT */
/*
 * mprof html: writes a profile as a page in one file.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "option_table.h"
#include "output_file.h"
#include "reporter/base/open_file.h"
#include "reporter/base/progress.h"
#include "reporter/base/text.h"
#include "reporter/file/data_file.h"
#include "reporter/heap/heap_files.h"
#include "reporter/html/html.h"
#include "reporter/symbols/symbol_package.h"
#include "view_options.h"

struct input {
    const char *file, *output;
    bool open, heaps, no_source;
    struct mp_source_input source;
    struct mp_view_input view;
};

/* Refuses --heaps with a part of a recording, because a snapshot contains a whole heap, and --source with
 * --no-source. */
static bool
check(void *to)
{
    const struct input *input = to;
    const struct mp_view_options *view = &input->view.view;
    const bool part = input->view.filters.n > 0 || view->focus || view->window.at || view->window.from ||
                      view->window.to;

    if (input->no_source && input->source.given)
        return mp_options_refuse("--source cannot be combined with --no-source");
    return !input->heaps || !part ||
           mp_options_refuse("--heaps cannot be combined with options that select a part of the recording");
}

static const struct mp_option options[] = {
    {"output", 'o', "FILE", "Write to FILE, - is standard output (default: the data file's name with .html)",
     MP_TEXT(struct input, output)},
    {"open", 0, NULL, "Show the page in the browser", MP_FLAG(struct input, open)},
    {MP_SOURCE(struct input, source, "Include whole source files below the current directory and"), .optional = true},
    {"no-source", 0, NULL, "Do not include lines of source files below the current directory",
     MP_FLAG(struct input, no_source)},
    {"heaps", 0, NULL, "Include the heap snapshots FILE.1.heap, FILE.2.heap ...", MP_FLAG(struct input, heaps)},
    {0},
};

/* Returns the default name of the page, for example "perl.html" for "perl.data". The caller frees it. */
static char *
page_name(const char *file)
{
    static const char ending[] = ".data";
    size_t length = strlen(file);
    char *name;

    if (length > strlen(ending) && strcmp(file + length - strlen(ending), ending) == 0)
        length -= strlen(ending);
    return asprintf(&name, "%.*s.html", (int)length, file) < 0 ? mp_need(NULL) : name;
}

/* Loads the snapshots beside the data file FILE, whose profile is PROFILE. Returns NULL and fills *ERROR if there are
 * no snapshots or they are of another process. */
static struct mp_heap_series *
load_heaps(const struct mp_profile *profile, const char *file, struct mp_error *error)
{
    uint32_t n;
    char **files = mp_heap_series_files(file, &n);
    struct mp_heap_series *series = NULL;

    if (files)
        series = mp_heap_series_load((const char *const *)files, n, MP_HEAP_BY_EACH, error);
    else
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "there are no heap snapshots %s.1.heap ...", file);
    mp_heap_files_free(files, n);
    if (series && !mp_heap_series_is_of(series, profile)) {
        mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "%s is a snapshot of another process than %s",
                series->taken[0].file, file);
        mp_heap_series_free(series);
        series = NULL;
    }
    return series;
}

/* Prints how many source files the page has, how many it lacks, and why. If the user did not ask for whole
 * files, prints only how many files have lines in the page, because everyone who gets the page can read these. */
static void
say_sources(const struct mp_html_sources *sources)
{
    const uint32_t in = mp_html_sources_count(sources);
    uint32_t left = 0;

    if (!sources->whole && in == 0)
        return;
    fprintf(stderr, "mprof: html: %s%" PRIu32 " source file%s embedded", sources->whole ? "" : "lines of ", in,
            mp_plural(in));
    if (sources->n[MP_SOURCE_CHANGED] > 0)
        fprintf(stderr, ", %" PRIu32 " of them changed since the recording began", sources->n[MP_SOURCE_CHANGED]);
    for (int i = MP_SOURCE_OUTSIDE; sources->whole && i < MP_SOURCE_PROBLEMS; i++)
        left += sources->n[i];
    if (left > 0)
        fprintf(stderr, "; %" PRIu32 " left out", left);
    for (int i = MP_SOURCE_OUTSIDE, n = 0; left > 0 && i < MP_SOURCE_PROBLEMS; i++)
        if (sources->n[i] > 0)
            fprintf(stderr, "%s%" PRIu32 " %s", n++ == 0 ? ": " : ", ", sources->n[i], mp_source_problem_words[i]);
    fputc('\n', stderr);
}

static bool
write_html(struct mp_profile *profile, const struct input *input, const struct mp_heap_series *heaps, FILE *out,
           struct mp_error *error)
{
    struct mp_html_sources sources = {.allowed = input->source.paths, .whole = input->source.given};
    struct mp_html_options how = {
        .view = input->view.view,
        .filters = input->view.filters.n > 0 ? &input->view.filters : NULL,
        .sources = input->no_source ? NULL : &sources,
        .heaps = heaps,
        .file = strcmp(input->file, MP_DEFAULT_FILE) == 0 ? NULL : input->file};

    mp_symbol_packages(profile);
    how.lineless = mp_symbol_lines(profile);
    if (!mp_html_write(profile, &how, out, error))
        return false;
    if (how.sources && !mp_quiet())
        say_sources(&sources);
    return true;
}

static bool
open_page(const char *name, struct mp_error *error)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        execlp("xdg-open", "xdg-open", name, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid > 0 && status == 0)
        return true;
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                   "%s was written, but xdg-open could not show it", name);
}

static bool
write_and_show(struct mp_profile *profile, const struct input *input, int folder, struct mp_error *error)
{
    char *name = input->output ? mp_need(strdup(input->output)) : page_name(input->file);
    const char *const inputs[] = {input->file, NULL};
    struct mp_output_file output;
    FILE *out = input->output ? mp_output_begin(&output, name, inputs, error)
                              : mp_output_begin_in(&output, folder, name, inputs, error);
    struct mp_heap_series *heaps = out && input->heaps ? load_heaps(profile, input->file, error) : NULL;
    bool ok = out && (heaps || !input->heaps) && write_html(profile, input, heaps, out, error);

    mp_heap_series_free(heaps);
    ok = out && mp_output_end(&output, ok, error);
    if (ok && !input->output && !mp_quiet())
        mp_text_printf(stderr, "mprof: %s\n", name);
    ok = ok && (!input->open || !output.path || open_page(name, error));
    free(name);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.file = MP_DEFAULT_FILE, .view = MP_VIEW_INPUT_DEFAULT};
    struct mp_profile *profile = NULL;
    int status = mp_options_parse(&mp_cmd_html, argc, argv, &input, error), folder;

    if (status >= 0)
        return status;
    /* without -o, the page goes to the directory that the recording is read from, even if its path changes */
    folder = input.output ? AT_FDCWD : mp_open_folder_of(AT_FDCWD, input.file);
    if (folder != -1)
        profile = mp_view_input_load_in(&input.view, folder, input.file, error);
    else
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot open %s: %s", input.file, strerror(errno));
    status = mp_exit_status(profile && write_and_show(profile, &input, folder, error), error);
    if (folder >= 0)
        close(folder);
    mp_profile_free(profile);
    mp_view_input_free(&input.view);
    mp_source_input_free(&input.source);
    return status;
}

const struct mp_command mp_cmd_html = {
    "html", "write a page for the browser: flame graph, tables, time line", run,
    .options = options, .groups = {MP_VIEW_GROUPS(struct input, view), MP_WINDOW_GROUP(struct input, view)},
    .argument = {.value = "[FILE|PID]", MP_FILE(struct input, file)}, .check = check,
    .doc = "Write the recording in FILE (" MP_DEFAULT_FILE ") as a page for the browser, with a flame graph, functions "
           "with their callers and callees, types, and a time line.  The page is one file and needs no network.",
};
