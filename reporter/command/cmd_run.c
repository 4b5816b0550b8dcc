/* SPDX-License-Identifier: MIT */
/* mprof run: starts a program with the monitor, waits for it, and seals its data files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks.h"
#include "command.h"
#include "option_table.h"
#include "reporter/base/text.h"
#include "reporter/file/data_file.h"
#include "reporter/profile/ending.h"
#include "reporter/run/container.h"
#include "reporter/run/harvest.h"
#include "reporter/run/launch.h"
#include "reporter/run/preload.h"
#include "reporter/run/preloadable.h"
#include "reporter/symbols/symbol_package.h"
#include "reporter/table/report.h"
#include "reporter/unite/several.h"
#include "runtime/format.h"
#include "runtime/heap_every.h"
#include "runtime/signal_name.h"

#define MOST_ONLY 1023          /* maximum length of the names that the monitor can store */
#define MOST_TIMELINE (64ul << 20)
#define CHAINS 5u               /* number of chains that --check shows for a limit */

struct input {
    struct mp_launch launch;
    const char *output;
    uint64_t timeline;     /* maximum size of the time line, bytes; 0 if off */
    bool timeline_said;         /* the size was given, so it does not grow with the number of cells */
    uint64_t heap_every;        /* ns between heap snapshots, see heap_every.h; 0 if not requested */
    bool report, check;
    struct mp_label labels[MP_LABELS_MOST];
    uint32_t n_labels;
    struct mp_limit_input limits;
    struct mp_checks_output results;
};

static bool
parse_only(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;
    size_t length = strlen(text);

    (void)option;
    input->launch.only = text;
    return (length > 0 && length <= MOST_ONLY && !strchr(text, '/') && text[0] != ',' && text[length - 1] != ',' &&
            !strstr(text, ",,")) ||
           mp_options_wrong("expected names of programs without directories, separated by commas");
}

static bool
parse_unwinder(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;
    unsigned index;

    input->launch.unwinder = text;
    return mp_options_word(option, text, strlen(text), &index);
}

static bool
parse_timeline(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    input->timeline = 0;
    return strcmp(text, "off") == 0 || mp_parse_bytes(option, text, &input->timeline) ||
           mp_options_wrong("neither off nor a number of bytes up to 64M");
}

static bool
parse_signal(const struct mp_option *option, char *text, void *to)
{
    int *signal = to;

    (void)option;
    *signal = mp_signal_number(text);
    return *signal || mp_options_wrong("not a signal for this purpose; use USR1, USR2, RTMIN+3 ...");
}

static bool
parse_heap_every(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    input->launch.heap_every = text;
    return mp_heap_every(text, &input->heap_every) ||
           mp_options_wrong("neither gc nor a number of seconds from 0.01 on");
}

static bool
check(void *to)
{
    const struct input *input = to;
    const bool any = mp_limit_input_any(&input->limits);

    if (input->launch.leaks && (input->launch.sample || input->launch.stopped))
        return mp_options_refuse("--leaks cannot be combined with --sample or --stopped, because all blocks must be "
                                 "recorded");
    if (input->launch.heap_every && input->timeline == 0)
        return mp_options_refuse("--heap-every cannot be combined with --timeline=off, because the observer requests "
                                 "the snapshots");
    if (input->launch.signal && input->launch.signal == input->launch.heap_signal)
        return mp_options_refuse("--signal and --heap-signal must be different signals");
    if (input->launch.only && !input->launch.follow)
        return mp_options_refuse("--only=%s requires --follow", input->launch.only);
    if (input->launch.lifetimes && input->launch.sample > 0)
        return mp_options_refuse("--lifetimes cannot be combined with --sample, because most frees are not recorded");
    if (input->launch.record && input->launch.sample > 0)
        return mp_options_refuse("--record cannot be combined with --sample, because the log has every object");
    if (input->launch.sentinel && input->launch.sample > 0)
        return mp_options_refuse("--sentinel cannot be combined with --sample, because most blocks are not recorded");
    if (input->check && !any)
        return mp_options_refuse("--check: no limit is given, such as --max-kept=4K");
    if (!input->check && (mp_options_given(mp_limit_options) || mp_options_given(mp_checks_options)))
        return mp_options_refuse("limits and their results require --check");
    return input->launch.argv || mp_options_refuse("no program to run");
}

static bool
parse_label(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    return mp_options_label(text, "KEY", input->labels, &input->n_labels);
}

static const char *const unwinders[] = {"rules", "libunwind", "fp"};
static const char *const signals[] = {"USR1", "USR2", "HUP", "WINCH", "URG"};   /* the usual ones, for completion */

static const struct mp_option options[] = {
    {"output", 'o', "FILE",
     "Record into FILE (default " MP_DEFAULT_FILE "), where %p is the process id and %e the program's name",
     MP_NEW_DATA_FILE(struct input, output)},
    {"follow", 'f', NULL, "Also profile programs that PROGRAM starts, in FILE.children",
     MP_FLAG(struct input, launch.follow)},
    {"only", 0, "NAME,...", "With --follow, record only programs with one of these names", parse_only},
    {"depth", 0, "N", "Keep only the last N callers (1 to 1000000) of each chain; the default is all",
     MP_COUNT(struct input, launch.depth, 1, 1000000)},
    {"fold-recursion", 0, NULL, "Leave repeated rounds of recursion out of the chains",
     MP_FLAG(struct input, launch.fold)},
    {MP_SAMPLE(struct input, launch.sample)},
    {"lifetimes", 0, NULL, "Record how long blocks live, measured in bytes allocated meanwhile",
     MP_FLAG(struct input, launch.lifetimes)},
    {"sentinel", 0, NULL, "Detect at free which blocks were written beyond their end",
     MP_FLAG(struct input, launch.sentinel)},
    {"record", 0, NULL, "Log all allocations and frees in ECL's heap to FILE.log, for mprof replay",
     MP_FLAG(struct input, launch.record)},
    {"no-call-graph", 0, NULL, "Keep only the last five callers of each chain",
     MP_FLAG(struct input, launch.no_call_graph)},
    {"unwinder", 0, "HOW", "Find call chains by rules (the default on x86-64), libunwind (the default elsewhere) or fp "
     "(frame pointers)", parse_unwinder, MP_WORDS(unwinders, 3)},
    {"stopped", 0, NULL, "Record nothing before mprof start or mprof_restart()",
     MP_FLAG(struct input, launch.stopped)},
    {"signal", 0, "NAME", "Write a snapshot FILE.snapshot.1, .2 ... on each signal NAME, for example USR2",
     MP_STORED(parse_signal, int, struct input, launch.signal), MP_WORDS(signals, 5)},
    {"heap-signal", 0, "NAME", "Write a heap snapshot FILE.1.heap, .2.heap ... on each signal NAME",
     MP_STORED(parse_signal, int, struct input, launch.heap_signal), MP_WORDS(signals, 5)},
    {"heap-every", 0, "gc|SECONDS", "Write a heap snapshot in each full collection of ECL (gc), or at most one every "
     "SECONDS (from 0.01); for C, write one every SECONDS", parse_heap_every},
    {"heap-strings", 0, NULL, "Store the beginning of each string, which may be secret, in snapshots of ECL's heap",
     MP_FLAG(struct input, launch.heap_strings)},
    {"no-arguments", 0, NULL, "Do not store the arguments of programs, only their paths",
     MP_FLAG(struct input, launch.no_arguments)},
    {"timeline", 0, "SIZE", "Limit the time line to SIZE bytes in the data file (up to 64M; default 256K, or more for "
     "large recordings); with off, do not observe the program",
     parse_timeline, .high = MOST_TIMELINE, .also = MP_FIELD(bool, struct input, timeline_said)},
    {"leaks", 0, NULL, "At exit, find which blocks are lost, for mprof leaks", MP_FLAG(struct input, launch.leaks)},
    {"label", 0, "KEY=VALUE",
     "Store a fact about the run, such as build=1234 or dc=eu, in the recording; may be given several times",
     parse_label, .many = true},
    {"held", 0, NULL, "At exit, ask glibc's malloc how much memory it holds and how much of it is free",
     MP_FLAG(struct input, launch.held)},
    {"report", 0, NULL, "Print the report at the end", MP_FLAG(struct input, report)},
    {"check", 0, NULL, "Check the limits below at the end; exit with status 1 if one is exceeded",
     MP_FLAG(struct input, check)},
    {0},
};

/* Checks that the data file can be written, before the program runs. The pid is not known yet, so 0 is used. */
static bool
check_output(const char *template, const char *program, struct mp_error *error)
{
    char *path = mp_data_file_expand(template, 0, program, error);
    bool ok = path && mp_data_file_check(path, true, error);

    free(path);
    return ok;
}

/* ---------------------------------------------------------------- limits */

/* Processes of a run and the results of their checks. */
struct checking {
    const struct input *input;
    const char *file;           /* data file of the first process; NULL before that is known */
    struct mp_checks checks;
    char *baseline_of;          /* name of the first baseline's program; NULL if there is no baseline */
    struct mp_error error;      /* error of the first check that failed */
    bool failed;
};

/* Reads the name of the first baseline's program. On failure returns false and fills *ERROR. */
static bool
begin_check(struct checking *checking, struct mp_error *error)
{
    const struct input *input = checking->input;
    struct mp_profile *baseline;

    checking->checks = mp_checks(&input->results);
    if (!input->check || input->limits.n_baselines == 0)
        return true;
    baseline = mp_several_load(input->limits.baselines[0], error);
    if (baseline)
        checking->baseline_of =
            mp_arena_strdup(checking->checks.arena, mp_text_basename(baseline->meta.program));
    mp_profile_free(baseline);
    return baseline != NULL;
}

/* Checks the limits of a process. Without --follow, only the first one is checked. Skips a process that still runs,
 * because what it keeps is not known yet. With --follow, baselines apply to processes of the first baseline's program
 * only. */
static void
check_process(struct checking *checking, const struct mp_profile *profile, const char *file)
{
    const struct mp_view_input names = MP_VIEW_INPUT_COMPARED;
    const struct input *input = checking->input;
    struct mp_limit_input limits;
    struct mp_error error;

    if (checking->failed || (checking->checks.n > 0 && !input->launch.follow))
        return;
    if (profile->meta.ending == MP_END_RUNNING) {
        mp_text_printf(stderr, "mprof: %s is not checked, because its process is still running\n", file);
        return;
    }
    mp_limit_input_init(&limits);
    mp_limit_input_add(&limits, &input->limits);
    if (input->launch.follow && limits.n_baselines > 0 &&
        strcmp(checking->baseline_of, mp_text_basename(profile->meta.program)) != 0)
        limits.n_baselines = 0;
    checking->failed = !mp_checks_add(&checking->checks, profile, file, &limits, &names, CHAINS, &error);
    if (checking->failed)
        checking->error = error;
    mp_limit_input_free(&limits);
}

/* Takes the data file of a process that has ended. DATA is the struct checking. */
static void
take_process(void *data, const struct mp_profile *profile, const char *file)
{
    struct checking *checking = data;

    if (!checking->file)
        checking->file = mp_arena_strdup(checking->checks.arena, file);
    if (checking->input->check)
        check_process(checking, profile, file);
}

/* Prints the report of PROFILE, the first process, as mprof report does. */
static bool
show_report(struct mp_profile *profile, const char *file, struct mp_error *error)
{
    struct mp_report_options report = MP_REPORT_DEFAULT;

    report.file = strcmp(file, MP_DEFAULT_FILE) != 0 ? file : NULL;
    mp_symbol_packages(profile);
    report.lineless = mp_symbol_lines(profile);
    return mp_report_show(profile, &report, error);
}

/* Prints the results of the checks. Returns the exit status of the verdict. */
static int
end_check(struct checking *checking, struct mp_error *error)
{
    bool ok = !checking->failed;

    if (!ok)
        *error = checking->error;
    ok = ok && mp_checks_show(&checking->checks, stderr, error);
    return mp_exit_verdict(ok, ok ? mp_checks_status(&checking->checks) : 0, error);
}

/* ---------------------------------------------------------------- the run */

/* Seals the data files of the run LAUNCHED and prints the requested results. DATA is the struct checking. Returns the
 * exit status that the command has if the program's is 0. */
static int
harvest(void *data, const struct mp_launched *launched)
{
    struct checking *checking = data;
    const struct input *input = checking->input;
    const struct mp_launch *launch = &input->launch;
    const struct mp_harvest harvest = {launch->template, launch->argv[0], launched, launch->follow, launch->only,
                                       launch->observer, take_process, checking, launch->leaks,
                                       launch->heap_every, launch->record, &launch->listener->unrecorded,
                                       &launch->listener->sealed, launch->early ? &launch->listener->children : NULL};
    struct mp_error error = {.code = MP_ERR_NONE, .offset = MP_NO_OFFSET};
    struct mp_profile *profile = mp_harvest(&harvest, &error);
    const bool ok = profile && (!input->report || show_report(profile, checking->file, &error));
    int status = 0;

    if (input->check)
        status = ok ? end_check(checking, &error) : mp_exit_verdict(false, 0, &error);
    if (error.code != MP_ERR_NONE)
        mp_error_print(&error);
    mp_profile_free(profile);
    return status;
}

/* Returns the exit status after the program has returned 0. STATUS is that of harvest(), or -1 if it failed. */
static int
status_of(const struct input *input, int status)
{
    if (status >= 0)
        return status;
    return input->check ? MP_EXIT_USAGE : 0;
}

/* Runs the program and seals its data files. Returns the exit status of the command. */
static int
run_and_harvest(struct input *input, struct checking *checking, struct mp_error *error)
{
    struct mp_observer observer = {.template = input->launch.template, .size = input->timeline,
                                   .grows = !input->timeline_said, .heap_every = input->heap_every};
    struct mp_listener listener;
    struct mp_launched launched;
    int status;

    input->launch.listener = &listener;
    input->launch.observer = &observer;
    /* Files are sealed early unless a check or the search for leaks needs the whole profile, or a log is recorded,
     * which belongs to a single data file. */
    input->launch.early = !input->check && !input->launch.leaks && !input->launch.record;
    input->launch.work = harvest;
    input->launch.data = checking;
    if (!mp_launch_run(&input->launch, &launched, &status, error))
        return status;
    if (launched.killed)
        return 128 + launched.status;
    return launched.status != 0 ? launched.status : status_of(input, status);
}

/* Prepares the checks, runs the program and seals its data files. Returns the exit status. */
static int
run_checked(struct input *input, struct mp_error *error)
{
    struct checking checking = {.input = input};
    int status = begin_check(&checking, error) ? run_and_harvest(input, &checking, error) : MP_EXIT_USAGE;

    mp_checks_free(&checking.checks);
    return status;
}

/* If the program PATH was built with a sanitizer, prints the reason in *ERROR why it cannot be profiled, and replaces
 * mprof by the program. Does not do so if a check or a report needs the recording. Returns the exit status if the
 * program was not run. */
static int
run_unprofiled(const struct input *input, const char *path, struct mp_error *error)
{
    if (error->code == MP_ERR_SANITIZED && !input->check && !input->report) {
        mp_error_print(error);
        execv(path, input->launch.argv);
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
    }
    return MP_EXIT_CANNOT_RUN;
}

/* Checks everything that could prevent recording the program PATH, then runs it. Returns the exit status. */
static int
run_program(struct input *input, char *path, struct mp_error *error)
{
    char *library = mp_preload_find(error), *template = NULL;
    int status = MP_EXIT_CANNOT_RUN;

    if (library && mp_preload_check(getenv("LD_PRELOAD"), error) && !mp_program_check(path, error)) {
        status = run_unprofiled(input, path, error);
    } else if (error->code == MP_ERR_NONE) {
        template = mp_data_file_template(input->output, error);
        if (template && check_output(template, path, error)) {
            input->launch.path = path;
            input->launch.library = library;
            input->launch.template = template;
            status = run_checked(input, error);
        } else {
            status = mp_exit_status(false, error);
        }
    }
    free(template);
    free(library);
    return status;
}

/* Adds the label `container` if mprof runs in a container and the user has not set the label. Removes the label if the
 * user has set it to "". Returns whether the labels have changed. The text is in ARENA. */
static bool
settle_container(struct input *input, struct mp_arena *arena)
{
    struct mp_label *list = input->labels;
    char id[MP_CONTAINER_ID];

    for (uint32_t i = 0; i < input->n_labels; i++) {
        if (strcmp(list[i].name, "container") != 0)
            continue;
        if (list[i].value[0])
            return false;
        memmove(&list[i], &list[i + 1], (--input->n_labels - i) * sizeof *list);
        return true;
    }
    if (input->n_labels == MP_LABELS_MOST || !mp_container_id(id))
        return false;
    list[input->n_labels++] = (struct mp_label){"container", mp_arena_strdup(arena, id)};
    return true;
}

/* Sets the labels of the run: those of --label, and those of the environment that --label does not replace. The text is
 * in ARENA. */
static bool
set_labels(struct input *input, struct mp_arena *arena, struct mp_error *error)
{
    const char *inherited = getenv("MPROF_LABELS");
    const bool any = input->n_labels > 0;

    input->n_labels = mp_labels_list(inherited ? inherited : "", input->labels, input->n_labels, arena);
    if (!settle_container(input, arena) && !any)
        return true;
    input->launch.labels = mp_labels_text(input->labels, input->n_labels, arena);
    return strlen(input->launch.labels) < MP_LABELS_SIZE ||
           mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "--label: all labels together are longer than %u bytes",
                   MP_LABELS_SIZE - 1);
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.output = MP_DEFAULT_FILE, .timeline = MP_TIMELINE_SIZE};
    struct mp_arena *arena = mp_arena_new();
    char *path = NULL;
    int status;

    mp_limit_input_init(&input.limits);
    status = mp_options_parse(&mp_cmd_run, argc, argv, &input, error);
    if (status < 0 && !set_labels(&input, arena, error))
        status = 2;
    if (status < 0)
        path = mp_program_find(input.launch.argv[0], &status, error);
    if (path)
        status = run_program(&input, path, error);
    free(path);
    mp_limit_input_free(&input.limits);
    mp_arena_free(arena);
    return status;
}

const struct mp_command mp_cmd_run = {
    "run", "run a program and record its allocations", run,
    .options = options,
    .groups = {{mp_limit_options, offsetof(struct input, limits)},
               {mp_checks_options, offsetof(struct input, results)}},
    .argument = {.value = "PROGRAM [ARGUMENT...]", MP_COMMAND_LINE(struct input, launch.argv)}, .check = check,
    .doc = "Run PROGRAM and record each of its memory allocations.",
    .notes = "The exit status is that of PROGRAM, 128+N if signal N killed it, 126 if it cannot be run or profiled, "
             "or 127 if it is not found, whether or not something could be recorded.  With --check, if PROGRAM exits "
             "with 0, it is 1 (or that of --error-exitcode) if a limit is exceeded, and 2 if the limits cannot be "
             "checked.",
};
