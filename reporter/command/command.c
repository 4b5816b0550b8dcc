#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"
#include "options.h"
#include "reporter/run/data_file.h"

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
    &mp_cmd_totals,
    &mp_cmd_dump,
    &mp_cmd_plot,
    &mp_cmd_export,
    &mp_cmd_replay,
    &mp_cmd_heap,
    &mp_cmd_top,
    &mp_cmd_snapshot,
    &mp_cmd_checkpoint,
    &mp_cmd_watch,
    &mp_cmd_serve,
    &mp_cmd_push,
    &mp_cmd_stop,
    &mp_cmd_start,
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* -------------------------------------------------------------------- help */

/* A command's arguments may have several forms, a line each. */
static void
print_forms(FILE *out, const char *before, const struct mp_command *command)
{
    for (const char *form = command->parser->args_doc; form != NULL; before = "      ") {
        const char *end = strchr(form, '\n');
        int length = end != NULL ? (int)(end - form) : (int)strlen(form);
        fprintf(out, "%s mprof %s [OPTION...] %.*s\n", before, command->name, length, form);
        form = end != NULL ? end + 1 : NULL;
    }
}

static void
print_usage(FILE *out)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        print_forms(out, i == 0 ? "usage:" : "      ", commands[i]);
    fputs("       mprof --lisp report [OPTION...] [FILE]\n"
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
    printf("  %-10s %s\n", "help", "explain a command: mprof help run");
    fputs("\nThe last form is that of 1988: PROGRAM brings the symbols, FILE is " MP_DEFAULT_FILE
          " if not given;\nits options are -verbose -normal -terse -leaktable -noleaktable "
          "-offsets.\nmprof COMMAND --help lists the options of a command.\n", stdout);
    return 0;
}

static const struct mp_command *
find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* How many characters must be put in, left out or replaced to make A of B, of which 15 count. */
static unsigned
distance(const char *a, const char *b)
{
    unsigned row[16], n = 0;

    for (; b[n] && n < 15; n++)
        row[n] = n;
    row[n] = n;
    for (unsigned i = 1; *a; a++, i++) {
        unsigned corner = row[0];

        row[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            unsigned replaced = corner + (*a != b[j - 1]);
            unsigned other = row[j] < row[j - 1] ? row[j] : row[j - 1];

            corner = row[j];
            row[j] = replaced < other + 1 ? replaced : other + 1;
        }
    }
    return row[n];
}

/* What to say of WORD, which is no command: the one that it is like, if any. */
static const char *
hint(const char *word)
{
    static char text[64];
    unsigned least = strlen(word) > 3 ? 3 : 2;          /* one beyond the mistakes that are guessed */

    snprintf(text, sizeof text, "see mprof --help");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        unsigned n = distance(word, commands[i]->name);

        if (n >= least)
            continue;
        least = n;
        snprintf(text, sizeof text, "did you mean %s?", commands[i]->name);
    }
    return text;
}

/* Show the manual page of the command NAME by man(1).  False: this is no terminal, or there is none. */
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
    char first[] = "mprof", option[] = "--help", *argv[] = {first, option, NULL};

    if (!name)
        return print_help();
    command = find_command(name);
    if (!command) {
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "'%s' is no command; %s", name, hint(name));
        return MP_EXIT_USAGE;
    }
    return show_page(name) ? 0 : command->run(2, argv, error);
}

/* ---------------------------------------------------------------- dispatch */

static bool
is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* The 1988 form: only options, or the program's file, or nothing where there is a data file. */
static int
dispatch_1988(int argc, char **argv, struct mp_error *error)
{
    if (argc == 1 && access(MP_DEFAULT_FILE, F_OK) != 0) {
        fprintf(stderr, "mprof: no command, and no %s here\n", MP_DEFAULT_FILE);
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

/* --lisp may stand before the command that it is an option of. */
static void
lisp_after_command(int argc, char **argv)
{
    static char option[] = "--lisp";

    if (argc > 2 && is_one_of(argv[1], "--lisp", "-lisp") && find_command(argv[2])) {
        argv[1] = argv[2];
        argv[2] = option;
    }
}

int
mp_command_main(int argc, char **argv, struct mp_error *error)
{
    const struct mp_command *command;

    lisp_after_command(argc, argv);
    command = argc > 1 ? find_command(argv[1]) : NULL;
    if (command)
        return command->run(argc - 1, argv + 1, error);
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
