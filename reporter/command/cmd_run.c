/* mprof run: starts a program with the monitor, waits for it, and seals its data files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "command.h"
#include "options.h"
#include "reporter/base/text.h"
#include "reporter/load/load.h"
#include "reporter/output/report.h"
#include "reporter/profile/ending.h"
#include "reporter/run/data_file.h"
#include "reporter/run/harvest.h"
#include "reporter/run/launch.h"
#include "reporter/run/preload.h"
#include "reporter/run/program.h"
#include "runtime/heap_every.h"
#include "runtime/signal_name.h"

enum {
    OPT_DEPTH = 256, OPT_FOLD, OPT_SAMPLE, OPT_NO_CALL_GRAPH, OPT_UNWINDER, OPT_REPORT, OPT_STOPPED,
    OPT_SIGNAL, OPT_ONLY, OPT_TIMELINE, OPT_CHECK, OPT_LIFETIMES, OPT_LEAKS, OPT_HELD,
    OPT_SENTINEL, OPT_RECORD, OPT_HEAP_SIGNAL, OPT_HEAP_EVERY, OPT_HEAP_STRINGS, OPT_NO_ARGUMENTS
};

#define CHAINS 5u               /* number of chains that --check shows for a limit */

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
     "Data file (" MP_DEFAULT_FILE "); %p: process id, %e: name of the program", 0},
    {"follow", 'f', NULL, 0, "Profile programs that it starts, too: FILE.PID each", 0},
    {"only", OPT_ONLY, "NAME,...", 0, "Record only programs of such names (with --follow)", 0},
    {"depth", OPT_DEPTH, "N", 0, "Keep the last N callers of each chain only", 0},
    {"fold-recursion", OPT_FOLD, NULL, 0, "Leave rounds of recursion out of the chains", 0},
    {"sample", OPT_SAMPLE, "BYTES", OPTION_ARG_OPTIONAL,
     "Record one allocation for each BYTES (512K) allocated, at random; estimate the rest", 0},
    {"lifetimes", OPT_LIFETIMES, NULL, 0, "Record how long blocks live, in bytes allocated meanwhile", 0},
    {"sentinel", OPT_SENTINEL, NULL, 0, "Notice at free which blocks were written beyond their end", 0},
    {"record", OPT_RECORD, NULL, 0, "Log all allocations and frees in ECL's heap, for mprof replay: FILE.log", 0},
    {"no-call-graph", OPT_NO_CALL_GRAPH, NULL, 0, "Keep the last five callers, as mprof- did", 0},
    {"unwinder", OPT_UNWINDER, "HOW", 0, "rules, libunwind or fp (frame pointers)", 0},
    {"stopped", OPT_STOPPED, NULL, 0, "Record nothing before mprof start, or mprof_restart()", 0},
    {"signal", OPT_SIGNAL, "NAME", 0, "On signal NAME (USR2), write FILE.snapshot.1, .2 ...", 0},
    {"heap-signal", OPT_HEAP_SIGNAL, "NAME", 0,
     "On signal NAME, write FILE.1.heap, .2.heap ...: what is in the heap", 0},
    {"heap-every", OPT_HEAP_EVERY, "gc|SECONDS", 0,
     "The same in full collections, in each or one in SECONDS at most; of C, each SECONDS", 0},
    {"heap-strings", OPT_HEAP_STRINGS, NULL, 0,
     "Snapshots of ECL's heap contain the beginning of each string, which may be secret", 0},
    {"no-arguments", OPT_NO_ARGUMENTS, NULL, 0, "Do not store the arguments of programs, only their names", 0},
    {"timeline", OPT_TIMELINE, "SIZE", 0,
     "Bytes of the data file that time takes at most (256K); off: nobody observes", 0},
    {"leaks", OPT_LEAKS, NULL, 0, "At exit, find what leads to each block, for mprof leaks", 0},
    {"held", OPT_HELD, NULL, 0, "At exit, ask glibc's malloc how much memory it holds, and how much of it is free", 0},
    {"report", OPT_REPORT, NULL, 0, "Print the report at the end", 0},
    {"check", OPT_CHECK, NULL, 0, "Check limits at the end; exit with 1 if something is over", 0},
    {0},
};

struct input {
    struct mp_launch launch;
    const char *output;
    uint64_t timeline;     /* maximum size of the time line, bytes; 0 if off */
    bool timeline_said;         /* the size was given, so it does not grow with the number of cells */
    uint64_t heap_every;        /* ns between heap snapshots, see heap_every.h; 0 if not requested */
    bool report, check;
    struct mp_limit_input limits;
    struct mp_checks_output results;
};

/* Maximum length of the names that the monitor can store. */
#define MOST_ONLY 1023

static error_t
set_only(struct input *input, const char *names)
{
    size_t length = strlen(names);

    if (length == 0 || length > MOST_ONLY || strchr(names, '/') || names[0] == ',' ||
        names[length - 1] == ',' || strstr(names, ",,"))
        return mp_options_wrong("names of programs, without folders, with commas between them");
    input->launch.only = names;
    return 0;
}

#define MOST_TIMELINE (64ul << 20)

static error_t
set_unwinder(struct input *input, const char *name)
{
    static const char *const unwinders[] = {"rules", "libunwind", "fp"};
    unsigned index;

    input->launch.unwinder = name;
    return mp_options_word(name, unwinders, 3, &index);
}

static error_t
set_timeline(struct input *input, const char *text)
{
    input->timeline = 0;
    input->timeline_said = true;
    if (strcmp(text, "off") == 0 || mp_options_bytes(text, MOST_TIMELINE, &input->timeline) == 0)
        return 0;
    return mp_options_wrong("off, or bytes, up to 64M");
}

static error_t
set_signal(int *signal, const char *name)
{
    *signal = mp_signal_number(name);
    return *signal ? 0 : mp_options_wrong("no signal that a program can be sent for this; USR1, USR2, RTMIN+3 ... are");
}

static error_t
set_heap_every(struct input *input, const char *text)
{
    if (!mp_heap_every(text, &input->heap_every))
        return mp_options_wrong("gc, or a number of seconds from 0.01 on");
    input->launch.heap_every = text;
    return 0;
}

static error_t
check_options(const struct input *input)
{
    const bool any = mp_limit_input_any(&input->limits);

    if (input->launch.leaks && (input->launch.sample || input->launch.stopped))
        return mp_options_refuse("--leaks: only of a program of which every block is recorded, from its start on");
    if (input->launch.heap_every && input->timeline == 0)
        return mp_options_refuse("--heap-every: not with --timeline=off: who observes asks for these snapshots");
    if (input->launch.signal && input->launch.signal == input->launch.heap_signal)
        return mp_options_refuse("--signal and --heap-signal are to be two");
    if (input->launch.only && !input->launch.follow)
        return mp_options_refuse("--only=%s: of --follow only", input->launch.only);
    if (input->launch.lifetimes && input->launch.sample > 0)
        return mp_options_refuse("--lifetimes: not with --sample: blocks that are not sampled leave no trace");
    if (input->launch.sentinel && input->launch.sample > 0)
        return mp_options_refuse("--sentinel: not with --sample: only blocks that are recorded are looked at");
    if (input->check && !any)
        return mp_options_refuse("--check: no limit is given, as --max-kept=4K");
    return input->check || !(input->limits.given || mp_checks_output_any(&input->results))
               ? 0 : mp_options_refuse("limits are checked with --check only");
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->limits;
        state->child_inputs[1] = &input->results;
        return 0;
    case 'o':
        input->output = arg;
        return 0;
    case 'f':
        input->launch.follow = true;
        return 0;
    case OPT_DEPTH:
        return mp_options_count(arg, 1, 1000000, &input->launch.depth);
    case OPT_ONLY:
        return set_only(input, arg);
    case OPT_FOLD:
        input->launch.fold = true;
        return 0;
    case OPT_SAMPLE:
        return mp_options_sample(arg, &input->launch.sample);
    case OPT_LIFETIMES:
        input->launch.lifetimes = true;
        return 0;
    case OPT_SENTINEL:
        input->launch.sentinel = true;
        return 0;
    case OPT_HELD:
        input->launch.held = true;
        return 0;
    case OPT_RECORD:
        input->launch.record = true;
        return 0;
    case OPT_NO_CALL_GRAPH:
        input->launch.no_call_graph = true;
        return 0;
    case OPT_UNWINDER:
        return set_unwinder(input, arg);
    case OPT_STOPPED:
        input->launch.stopped = true;
        return 0;
    case OPT_SIGNAL:
        return set_signal(&input->launch.signal, arg);
    case OPT_HEAP_SIGNAL:
        return set_signal(&input->launch.heap_signal, arg);
    case OPT_HEAP_EVERY:
        return set_heap_every(input, arg);
    case OPT_HEAP_STRINGS:
        input->launch.heap_strings = true;
        return 0;
    case OPT_NO_ARGUMENTS:
        input->launch.no_arguments = true;
        return 0;
    case OPT_TIMELINE:
        return set_timeline(input, arg);
    case OPT_LEAKS:
        input->launch.leaks = true;
        return 0;
    case OPT_REPORT:
        input->report = true;
        return 0;
    case OPT_CHECK:
        input->check = true;
        return 0;
    case ARGP_KEY_ARG:
        input->launch.argv = &state->argv[state->next - 1];
        state->next = state->argc;      /* the rest are the program's arguments */
        return 0;
    case ARGP_KEY_END:
        return check_options(input);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&mp_limit_argp, 0, NULL, 0}, {&mp_checks_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    options, parse, "PROGRAM [ARGUMENT...]",
    "Run PROGRAM and record each of its memory allocations.\v"
    "The exit status is PROGRAM's; 128+N if signal N killed it; 126 if it cannot be run or "
    "profiled, 127 if there is none.  Where PROGRAM's is 0 it is 1 if nothing could be recorded or the report could "
    "not be written.  With --check it is then 1 if something is over its limit, and 2 if that cannot be told.",
    children, NULL, NULL};

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
    struct mp_checks checks;
    char *baseline_of;          /* name of the baseline's program; NULL if there is no baseline */
    struct mp_error error;      /* error of the first check that failed */
    bool failed;
};

/* Reads the name of the baseline's program. On failure returns false and fills *ERROR. */
static bool
begin_check(struct checking *checking, struct mp_error *error)
{
    const struct input *input = checking->input;
    struct mp_profile *baseline;

    checking->checks = mp_checks(&input->results);
    if (!input->check || !input->limits.baseline)
        return true;
    baseline = mp_load(input->limits.baseline, NULL, error);
    if (baseline)
        checking->baseline_of =
            mp_arena_strdup(checking->checks.arena, mp_text_basename(baseline->meta.program));
    mp_profile_free(baseline);
    return baseline != NULL;
}

/* Checks the limits of a process. Without --follow, only the first one is checked. Skips a process that still runs,
 * because what it keeps is not known yet. With --follow, the baseline applies to processes of its own program only. */
static void
check_process(void *data, const struct mp_profile *profile, const char *file)
{
    const struct mp_view_input names = MP_VIEW_INPUT_DEFAULT;
    struct checking *checking = data;
    const struct input *input = checking->input;
    struct mp_limit_input limits;
    struct mp_error error;

    if (checking->failed || (checking->checks.n > 0 && !input->launch.follow))
        return;
    if (profile->meta.ending == MP_END_RUNNING) {
        fprintf(stderr, "mprof: %s is of a process that still runs, and not checked\n", file);
        return;
    }
    mp_limit_input_init(&limits);
    mp_limit_input_add(&limits, &input->limits);
    if (input->launch.follow && limits.baseline &&
        strcmp(checking->baseline_of, mp_text_basename(profile->meta.program)) != 0)
        limits.baseline = NULL;
    checking->failed = !mp_checks_add(&checking->checks, profile, file, &limits, &names, CHAINS, &error);
    if (checking->failed)
        checking->error = error;
    mp_limit_input_free(&limits);
}

/* Prints the results of the checks. Returns STATUS, or if that is 0, the exit status of the verdict. */
static int
end_check(struct checking *checking, int status, struct mp_error *error)
{
    bool ok = !checking->failed;

    if (!ok)
        *error = checking->error;
    ok = ok && mp_checks_show(&checking->checks, stderr, error);
    if (status == 0)
        status = mp_exit_verdict(ok, ok ? mp_checks_status(&checking->checks) : 0, error);
    return status;
}

/* ---------------------------------------------------------------- the run */

/* Runs the program and seals its data files. Returns the exit status of the command. */
static int
run_and_harvest(struct input *input, struct checking *checking, struct mp_error *error)
{
    const struct mp_report_options options_of_report = MP_REPORT_DEFAULT;
    struct mp_launched launched;
    struct mp_observer observer = {.template = input->launch.template, .size = input->timeline,
                                   .grows = !input->timeline_said,
                                   .heap_every = input->heap_every};
    struct mp_harvest harvest = {input->launch.template, input->launch.argv[0], &launched,
                                 input->launch.follow, input->launch.only, &observer,
                                 input->check ? check_process : NULL, checking, input->launch.leaks,
                                 input->launch.heap_every, input->launch.record};
    struct mp_profile *profile;
    int status;
    bool ok;

    input->launch.observer = &observer;
    if (!mp_launch_run(&input->launch, &launched, &status, error))
        return status;
    status = launched.killed ? 128 + launched.status : launched.status;
    profile = mp_harvest(&harvest, error);
    ok = profile && (!input->report || mp_report_show(profile, &options_of_report, error));
    if (ok && input->check)
        status = end_check(checking, status, error);
    else if (status == 0)
        status = input->check ? mp_exit_verdict(ok, 0, error) : mp_exit_status(ok, error);
    mp_profile_free(profile);
    mp_observer_free(&observer);
    return status;
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

/* Checks everything that could prevent recording the program PATH, then runs it. Returns the exit status. */
static int
run_program(struct input *input, char *path, struct mp_error *error)
{
    char *library = mp_preload_find(error), *template = NULL;
    int status = MP_EXIT_CANNOT_RUN;

    if (library && mp_preload_check(getenv("LD_PRELOAD"), error) &&
        mp_program_check(path, error)) {
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

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.output = MP_DEFAULT_FILE, .timeline = MP_TIMELINE_SIZE};
    char *path = NULL;
    int status;

    mp_limit_input_init(&input.limits);
    status = mp_options_parse(&parser, "run", argc, argv, ARGP_IN_ORDER, &input, error);
    if (status < 0 && !input.launch.argv) {
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "no program to run; see mprof run --help");
        status = MP_EXIT_USAGE;
    }
    if (status < 0)
        path = mp_program_find(input.launch.argv[0], &status, error);
    if (path)
        status = run_program(&input, path, error);
    free(path);
    mp_limit_input_free(&input.limits);
    return status;
}

const struct mp_command mp_cmd_run = {
    "run", "run a program and record its allocations", &parser, run};
