#include "command.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"
#include "reporter/run/data_file.h"

static const struct mp_command *const commands[] = {
    &mp_cmd_run,
    &mp_cmd_report,
    &mp_cmd_totals,
    &mp_cmd_dump,
    &mp_cmd_snapshot,
    &mp_cmd_stop,
    &mp_cmd_start,
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static const char usage[] = "usage: mprof run [OPTION...] PROGRAM [ARGUMENT...]\n"
                            "       mprof report [OPTION...] [FILE]\n"
                            "       mprof --lisp report [OPTION...] [FILE]\n"
                            "       mprof [OPTION...] [PROGRAM [FILE]]\n";

/* ----------------------------------------------------------------- parsing */

/* What a parser function refused; argp hands on an error number only. */
static struct mp_error refused;

error_t
mp_command_refuse(const char *format, ...)
{
    va_list args;

    refused.code = MP_ERR_USAGE;
    va_start(args, format);
    vsnprintf(refused.text, sizeof refused.text, format, args);
    va_end(args);
    return EINVAL;
}

bool
mp_command_number(const char *text, unsigned long low, unsigned long high, unsigned long *number)
{
    char *end;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *number = strtoul(text, &end, 10);
    return errno == 0 && *end == '\0' && *number >= low && *number <= high;
}

struct shell {
    void *input;
    bool help;
};

static error_t
parse_help(int key, char *arg, struct argp_state *state)
{
    struct shell *shell = state->input;

    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = shell->input;
        return 0;
    case 'h':
        shell->help = true;
        return ECANCELED;       /* state->next is getopt's: "-hv" would go on behind the last */
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* getopt writes what it does not understand to stderr, at length and on two lines; catch it (glibc
 * allows stderr to be set) and keep the first line. */
static error_t
parse_quietly(const struct argp *parser, int argc, char **argv, unsigned flags,
              struct shell *shell, char said[256])
{
    FILE *terminal = stderr, *caught = fmemopen(said, 256, "w");
    error_t result;

    if (caught)
        stderr = caught;
    result = argp_parse(parser, argc, argv, flags | ARGP_NO_EXIT | ARGP_NO_HELP, NULL, shell);
    stderr = terminal;
    if (caught)
        fclose(caught);
    said[255] = '\0';
    said[strcspn(said, "\n")] = '\0';
    return result;
}

static int
usage_error(const char *name, const char *said, struct mp_error *error)
{
    const char *prefix = "mprof: ", *text = refused.text[0] ? refused.text : said;

    if (strncmp(text, prefix, strlen(prefix)) == 0)
        text += strlen(prefix);
    mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s; see mprof %s --help", text, name);
    return MP_EXIT_USAGE;
}

int
mp_command_parse(const struct argp *parser, const char *name, int argc, char **argv,
                 unsigned flags, void *input, struct mp_error *error)
{
    static const struct argp_option options[] = {
        {"help", 'h', NULL, 0, "Print this and stop", -1}, {0}};
    const struct argp_child children[] = {{parser, 0, NULL, 0}, {0}};
    const struct argp whole = {options, parse_help, NULL, NULL, children, NULL, NULL};
    struct shell shell = {input, false};
    char said[256] = "", title[64], self[] = "mprof";
    error_t result;

    refused.text[0] = '\0';
    argv[0] = self;
    result = parse_quietly(&whole, argc, argv, flags, &shell, said);
    if (shell.help) {
        snprintf(title, sizeof title, "mprof %s", name);
        setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
        argp_help(&whole, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG, title);
        return 0;
    }
    if (result == 0)
        return -1;
    return usage_error(name, said[0] || refused.text[0] ? said : strerror(result), error);
}

/* -------------------------------------------------------------------- help */

static int
print_help(void)
{
    fputs(usage, stdout);
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

/* How many characters must be put in, left out or replaced to make A of B, which is short. */
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
            unsigned replaced = corner + (*a != b[j - 1]), other = row[j] < row[j - 1] ? row[j] : row[j - 1];

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

    strcpy(text, "see mprof --help");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        unsigned n = distance(word, commands[i]->name);

        if (n >= least)
            continue;
        least = n;
        snprintf(text, sizeof text, "did you mean %s?", commands[i]->name);
    }
    return text;
}

/* The manual page, on a terminal and where there is one. */
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
        fprintf(stderr, "mprof: no command, and no %s here\n%s", MP_DEFAULT_FILE, usage);
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
