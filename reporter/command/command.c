/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"
#include "option_table.h"
#include "reporter/base/progress.h"
#include "reporter/file/data_file.h"
#include "reporter/symbols/symbols.h"
#include "topics.h"

static const struct mp_command *const commands[] = {
    &mp_cmd_run,
    &mp_cmd_report,
    &mp_cmd_findings,
    &mp_cmd_check,
    &mp_cmd_diff,
    &mp_cmd_html,
    &mp_cmd_annotate,
    &mp_cmd_flamegraph,
    &mp_cmd_leaks,
    &mp_cmd_merge,
    &mp_cmd_seal,
    &mp_cmd_totals,
    &mp_cmd_plot,
    &mp_cmd_export,
    &mp_cmd_replay,
    &mp_cmd_heap,
    &mp_cmd_top,
    &mp_cmd_snapshot,
    &mp_cmd_checkpoint,
    &mp_cmd_watch,
    &mp_cmd_serve,
    &mp_cmd_stop,
    &mp_cmd_start,
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* -------------------------------------------------------------------- help */

static void
print_usage(FILE *out)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        mp_options_usage(commands[i], i == 0 ? "usage:" : "      ", "      ", out);
    fputs("       mprof [OPTION...] COMMAND ...\n"
          "       mprof [OPTION...] [PROGRAM [FILE]]\n", out);
}

static int
print_help(void)
{
    print_usage(stdout);
    fputs("\nAn exact memory allocation profiler: every allocation, with its whole call chain.\n\n"
          "Commands:\n", stdout);
    for (size_t i = 0; i < N_COMMANDS; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf("  %-10s %s\n", "help", "explain a command or a topic, for example mprof help run");
    fputs("\nTopics:\n", stdout);
    for (const struct mp_topic *topic = mp_topics; topic->name; topic++)
        printf("  %-10s %s\n", topic->name, topic->title);
    fputs("\nmprof COMMAND --help lists the options of a command.\n"
          "The last form of the usage is the legacy form of 1988.  It reads symbols from PROGRAM, FILE\n"
          "defaults to " MP_DEFAULT_FILE ", and its options are -verbose, -normal, -terse, -leaktable,\n"
          "-noleaktable and -offsets.\n", stdout);
    return 0;
}

static int
print_topic(const struct mp_topic *topic)
{
    for (const char *const *line = topic->lines; *line; line++)
        puts(*line);
    return 0;
}

static const struct mp_topic *
find_topic(const char *name)
{
    for (const struct mp_topic *topic = mp_topics; topic->name; topic++)
        if (strcmp(topic->name, name) == 0)
            return topic;
    return NULL;
}

static const struct mp_command *
find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* Returns whether NAME is a program in $PATH. */
static bool
is_program(const char *name)
{
    const char *path = getenv("PATH");
    char *copy = path && name[0] && !strchr(name, '/') ? strdup(path) : NULL, *rest, file[4096];
    bool found = false;

    if (!copy)
        return false;
    for (char *folder = strtok_r(copy, ":", &rest); folder && !found; folder = strtok_r(NULL, ":", &rest))
        found = (size_t)snprintf(file, sizeof file, "%s/%s", folder, name) < sizeof file && access(file, X_OK) == 0;
    free(copy);
    return found;
}

/* Returns a suggestion for WORD, which is not a command: a command or topic with a similar name, or how to profile a
 * program of that name. */
static const char *
hint(const char *word)
{
    static char text[128];
    struct mp_nearest nearest = {.word = word};

    for (size_t i = 0; i < N_COMMANDS; i++)
        mp_nearest_add(&nearest, commands[i]->name);
    for (const struct mp_topic *topic = mp_topics; topic->name; topic++)
        mp_nearest_add(&nearest, topic->name);
    if (nearest.found)
        snprintf(text, sizeof text, "did you mean %s?", nearest.found);
    else if (strlen(word) < sizeof text / 2 && is_program(word))
        snprintf(text, sizeof text, "to profile it: mprof run %s", word);
    else
        snprintf(text, sizeof text, "see mprof --help");
    return text;
}

/* Shows the manual page of the command NAME by man(1). Returns false if standard output is not a terminal or man
 * fails. */
static bool
show_page(const char *name)
{
    char page[64];
    int status = -1;
    pid_t pid;

    if (!isatty(STDOUT_FILENO))
        return false;
    snprintf(page, sizeof page, "mprof-%s", name);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        execlp("man", "man", page, (char *)NULL);
        _exit(1);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return pid > 0 && status == 0;
}

static int
help(const char *name, struct mp_error *error)
{
    const struct mp_command *command;
    char option[] = "--help", *argv[] = {NULL, option, NULL};

    if (!name || strcmp(name, "help") == 0)
        return print_help();
    command = find_command(name);
    if (!command && find_topic(name))
        return print_topic(find_topic(name));
    if (!command) {
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "'%s' is neither a command nor a topic; %s", name, hint(name));
        return MP_EXIT_USAGE;
    }
    argv[0] = (char *)command->name;
    return show_page(name) ? 0 : command->run(2, argv, error);
}

/* ---------------------------------------------------------------- dispatch */

static bool
is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* Handles the legacy form: only options, or the program's file, or no argument if there is a data file. */
static int
dispatch_1988(int argc, char **argv, struct mp_error *error)
{
    if (argc == 1 && access(MP_DEFAULT_FILE, F_OK) != 0) {
        fprintf(stderr, "mprof: no command is given, and this directory has no %s\n", MP_DEFAULT_FILE);
        print_usage(stderr);
        return MP_EXIT_USAGE;
    }
    if (argc > 1 && argv[1][0] != '-' && access(argv[1], F_OK) != 0) {
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                "'%s' is neither a command nor a file; %s", argv[1], hint(argv[1]));
        return MP_EXIT_USAGE;
    }
    return mp_report_1988(argc, argv, error);
}

static bool
is_option(const char *word)
{
    return word[0] == '-' && word[1] && strcmp(word, "--") != 0;
}

/* Returns whether the value of the option WORD may be the next word, as in "-o FILE". No option of 1988 has a value. */
static bool
may_lack_value(const char *word)
{
    return strncmp(word, "--", 2) == 0 ? !strchr(word, '=') : strlen(word) == 2;
}

/* Moves the options that precede the command behind its name, because the command parses them. */
static void
options_after_command(int argc, char **argv)
{
    static char lisp[] = "--lisp";
    int at = 1;

    while (at < argc && is_option(argv[at]))
        at++;
    if (at > 1 && at + 1 < argc && !find_command(argv[at]) && strcmp(argv[at], "help") != 0 &&
        may_lack_value(argv[at - 1]))
        at++;
    if (at == 1 || at >= argc || !find_command(argv[at]))
        return;
    for (; at > 1; at--) {
        char *command = argv[at];

        argv[at] = strcmp(argv[at - 1], "-lisp") == 0 ? lisp : argv[at - 1];
        argv[at - 1] = command;
    }
}

/* Runs COMMAND and returns its exit status. A file of --executable that no recording needed is an error. */
static int
run(const struct mp_command *command, int argc, char **argv, struct mp_error *error)
{
    const int status = command->run(argc, argv, error);

    return status == 0 && !mp_symbols_check(error) ? mp_exit_status(false, error) : status;
}

int
mp_command_main(int argc, char **argv, struct mp_error *error)
{
    const struct mp_command *command;

    options_after_command(argc, argv);
    command = argc > 1 ? find_command(argv[1]) : NULL;
    if (command)
        return run(command, argc - 1, argv + 1, error);
    for (; argc > 1 && is_one_of(argv[1], "-q", "--quiet"); argc--, argv++) {
        argv[1] = argv[0];
        mp_quiet_want();
    }
    if (argc > 1 && is_one_of(argv[1], "--help", "-h"))
        return print_help();
    if (argc > 1 && strcmp(argv[1], "help") == 0)
        return help(argc > 2 ? argv[2] : NULL, error);
    if (argc > 1 && is_one_of(argv[1], "--version", "-V")) {
        puts(PACKAGE_STRING);
        return 0;
    }
    return dispatch_1988(argc, argv, error);
}
