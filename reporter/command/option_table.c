/* SPDX-License-Identifier: MIT */
#include "option_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "reporter/base/format_number.h"
#include "reporter/base/progress.h"
#include "reporter/base/term.h"
#include "reporter/symbols/symbols.h"
#include "reporter/view/sort.h"
#include "runtime/format.h"

int
mp_exit_status(bool ok, const struct mp_error *error)
{
    return ok ? 0 : error->code == MP_ERR_USAGE ? MP_EXIT_USAGE : MP_EXIT_ERROR;
}

int
mp_exit_verdict(bool ok, int verdict, struct mp_error *error)
{
    struct mp_pager none = {0};

    return ok && mp_pager_finish(&none, error) ? verdict : MP_EXIT_USAGE;
}

enum { MOST_OPTIONS = 128 };    /* maximum number of options and headings of a command */

/* The command whose options are parsed. */
static struct {
    struct row {
        const struct mp_option *option;
        char *input;            /* structure in which the option's value is stored */
        bool first;             /* the first option of a table */
        bool given;
    } rows[MOST_OPTIONS];
    unsigned n;
    const struct mp_option *option;     /* current option and its value, for mp_options_wrong() */
    const char *value;
    char **arguments;           /* the arguments found so far */
    unsigned n_arguments;
    bool ended;                 /* the rest of the command line is not for this command */
    enum { NO_ANSWER, ANSWER_HELP, ANSWER_VERSION, ANSWER_OPTIONS } answer;     /* what to print instead */
    char refused[sizeof ((struct mp_error *)NULL)->text];
} parsing;

/* ---------------------------------------------------------------- errors */

bool
mp_options_refuse(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(parsing.refused, sizeof parsing.refused, format, args);
    va_end(args);
    return false;
}

bool
mp_options_wrong(const char *format, ...)
{
    char text[sizeof parsing.refused];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mp_options_refuse("--%s=%s: %s", parsing.option->name, parsing.value, text);
}

/* ---------------------------------------------------------------- kinds of values */

bool
mp_parse_flag(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    (void)text;
    *(bool *)to = true;
    return true;
}

bool
mp_parse_no_flag(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    (void)text;
    *(bool *)to = false;
    return true;
}

bool
mp_parse_choice(const struct mp_option *option, char *text, void *to)
{
    (void)text;
    *(unsigned *)to = (unsigned)option->low;
    return true;
}

bool
mp_parse_text(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    *(const char **)to = text;
    return true;
}

bool
mp_options_number(const char *text, unsigned long low, unsigned long high, unsigned long *number)
{
    uint64_t found;

    if (!mp_number_parse(text, false, &found) || found < low || found > high)
        return false;
    *number = found;
    return true;
}

bool
mp_parse_count(const struct mp_option *option, char *text, void *to)
{
    unsigned long found;

    if (!mp_options_number(text, option->low, option->high, &found))
        return mp_options_wrong("not a number from %" PRIu64 " to %" PRIu64, option->low, option->high);
    *(unsigned *)to = (unsigned)found;
    return true;
}

bool
mp_parse_all(const struct mp_option *option, char *text, void *to)
{
    unsigned long n = option->low;

    if (strcmp(text, "all") != 0 && !mp_options_number(text, 1, option->high, &n))
        return mp_options_wrong("neither a number from 1 to %" PRIu64 " nor all", option->high);
    *(unsigned *)to = (unsigned)n;
    return true;
}

bool
mp_parse_bytes(const struct mp_option *option, char *text, void *to)
{
    uint64_t found;

    if (!mp_number_parse(text, true, &found) || found < 1 || found > option->high)
        return mp_options_wrong("not a number of bytes from 1 to %" PRIu64 "M, such as 512K", option->high >> 20);
    *(uint64_t *)to = found;
    return true;
}

bool
mp_parse_sample(const struct mp_option *option, char *text, void *to)
{
    const struct mp_option bytes = {.name = option->name, .high = MP_MAX_SAMPLE};

    if (text)
        return mp_parse_bytes(&bytes, text, to);
    *(uint64_t *)to = MP_USUAL_SAMPLE;
    return true;
}

/* Returns the word I that OPTION takes, or NULL if there are fewer. */
static const char *
word_of(const struct mp_option *option, unsigned i)
{
    return option->word ? option->word(i) : i < option->n_words ? option->words[i] : NULL;
}

bool
mp_options_word(const struct mp_option *option, const char *text, size_t length, unsigned *index)
{
    char list[256] = "";
    size_t n = 0;
    const char *word;

    for (*index = 0; (word = word_of(option, *index)); ++*index) {
        if (strlen(word) == length && strncmp(word, text, length) == 0)
            return true;
        if (n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
                                  *index == 0 ? "" : word_of(option, *index + 1) ? ", " : " or ", word);
    }
    return mp_options_wrong("%s", list);
}

bool
mp_parse_word(const struct mp_option *option, char *text, void *to)
{
    unsigned index;

    if (!mp_options_word(option, text, strlen(text), &index))
        return false;
    *(unsigned *)to = index + (unsigned)option->low;
    return true;
}

bool
mp_parse_words(const struct mp_option *option, char *text, void *to)
{
    unsigned set = 0, index;

    for (const char *word = text;; word++) {
        const size_t length = strcspn(word, ",");

        if (!mp_options_word(option, word, length, &index))
            return false;
        set |= index == option->high ? (1u << index) - 1 : 1u << index;
        word += length;
        if (*word == '\0')
            break;
    }
    *(unsigned *)to = set;
    return true;
}

bool
mp_parse_cost(const struct mp_option *option, char *text, void *to)
{
    unsigned index;

    return mp_sort_named(text, to) || mp_options_word(option, text, strlen(text), &index);
}

const char *
mp_cost_word(unsigned i)
{
    return i < MP_SORTS ? mp_sorts[i].key : NULL;
}

const char *const mp_color_words[3] = {[MP_COLOR_AUTO] = "auto", [MP_COLOR_ALWAYS] = "always",
                                       [MP_COLOR_NEVER] = "never"};

bool
mp_parse_new_data_file(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    *(const char **)to = text;
    return strcmp(text, "-") != 0 || mp_options_wrong("a data file cannot be written to standard output");
}

bool
mp_parse_file(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    *(const char **)to = text;
    return parsing.n_arguments == 0 || mp_options_refuse("'%s': one file too many", text);
}

bool
mp_parse_files(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    (void)text;
    *(char ***)to = parsing.arguments;
    return true;
}

bool
mp_parse_command_line(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    (void)text;
    *(char ***)to = parsing.arguments;
    parsing.ended = true;
    return true;
}

bool
mp_options_label(char *text, const char *what, struct mp_label *labels, uint32_t *n)
{
    char *equals = strchr(text, '=');

    if (!equals || equals == text)
        return mp_options_wrong("expected %s=VALUE", what);
    if (*n == MP_LABELS_MOST)
        return mp_options_refuse("--label: more than %u labels", MP_LABELS_MOST);
    *equals = '\0';
    for (uint32_t i = 0; i < *n; i++)
        if (strcmp(labels[i].name, text) == 0)
            return mp_options_refuse("--label=%s: given twice", text);
    labels[(*n)++] = (struct mp_label){text, equals + 1};
    return true;
}

/* ---------------------------------------------------------------- common options */

static bool
parse_answer(const struct mp_option *option, char *text, void *to)
{
    (void)text;
    (void)to;
    parsing.answer = (unsigned)option->low;
    parsing.ended = true;
    return true;
}

static bool
parse_quiet(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    (void)text;
    (void)to;
    mp_quiet_want();
    return true;
}

static bool
parse_symbol_limit(const struct mp_option *option, char *text, void *to)
{
    unsigned long percent;

    (void)to;
    if (!mp_options_number(text, option->low, option->high, &percent))
        return mp_options_wrong("expected a number from %lu to %lu", (unsigned long)option->low,
                                (unsigned long)option->high);
    mp_symbols_limit((uint32_t)percent);
    return true;
}

static bool
parse_executable(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    (void)to;
    mp_symbols_add_file(text);
    return true;
}

static bool
parse_symbols(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    (void)to;
    mp_symbols_add_folder(text);
    return true;
}

static const struct mp_option common_options[] = {
    {"help", 'h', NULL, "Print this help and exit", parse_answer, .low = ANSWER_HELP},
    {"version", 'V', NULL, "Print the version and exit", parse_answer, .low = ANSWER_VERSION},
    {"quiet", 'q', NULL, "Print only results and errors", parse_quiet},
    {"executable", 0, "FILE", "Read the names of the program or library with the same build-id from FILE",
     parse_executable, .many = true},
    {"symbols", 0, "DIR", "Look for files with names below DIR, too, by build-id", parse_symbols, .many = true},
    {"symbol-limit", 0, "PERCENT", "Spend PERCENT of the usual time and memory on symbols (100)", parse_symbol_limit,
     .low = 1, .high = MP_SYMBOLS_MOST_LIMIT},
    {"list-options", 0, NULL, "Print these options for the completion of shells", parse_answer, .low = ANSWER_OPTIONS,
     .hidden = true},
    {0},
};

/* Returns whether an option with OPTION's name is listed already. */
static bool
is_listed(const struct mp_option *option)
{
    for (unsigned i = 0; option->name && i < parsing.n; i++)
        if (parsing.rows[i].option->name && strcmp(parsing.rows[i].option->name, option->name) == 0)
            return true;
    return false;
}

/* Lists OPTIONS. An option of a command replaces a common one of the same name. */
static void
list_table(const struct mp_option *options, void *input)
{
    for (const struct mp_option *o = options; o && (o->name || o->help) && parsing.n < MOST_OPTIONS; o++)
        if (!is_listed(o))
            parsing.rows[parsing.n++] = (struct row){.option = o, .input = input, .first = o == options};
}

/* Lists all options of COMMAND, whose values are stored in INPUT. */
static void
list_options(const struct mp_command *command, void *input)
{
    memset(&parsing, 0, sizeof parsing);
    list_table(command->options, input);
    for (size_t i = 0; i < sizeof command->groups / sizeof *command->groups; i++)
        list_table(command->groups[i].options, (char *)input + command->groups[i].offset);
    if (!command->of_file)
        list_table(common_options, input);
}

bool
mp_options_given(const struct mp_option *table)
{
    bool inside = false;

    for (unsigned i = 0; i < parsing.n; i++) {
        if (parsing.rows[i].first)
            inside = parsing.rows[i].option == table;
        if (inside && parsing.rows[i].given)
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- suggestions */

enum { MOST_COMPARED = 31 };

/* Returns how many insertions, deletions, replacements and exchanges of neighbours change B into A (optimal string
 * alignment distance). Only the first MOST_COMPARED characters count. */
static unsigned
distance(const char *a, const char *b)
{
    unsigned rows[3][MOST_COMPARED + 1];
    unsigned na = (unsigned)strnlen(a, MOST_COMPARED), nb = (unsigned)strnlen(b, MOST_COMPARED);

    for (unsigned j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= na; i++) {
        const unsigned *before = rows[(i - 1) % 3], *two_before = rows[(i + 1) % 3];
        unsigned *row = rows[i % 3];

        row[0] = i;
        for (unsigned j = 1; j <= nb; j++) {
            unsigned least = before[j - 1] + (a[i - 1] != b[j - 1]);

            if (before[j] + 1 < least)
                least = before[j] + 1;
            if (row[j - 1] + 1 < least)
                least = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two_before[j - 2] + 1 < least)
                least = two_before[j - 2] + 1;
            row[j] = least;
        }
    }
    return rows[na % 3][nb];
}

/* Accepts at most two differences, or one in words of at most three characters. */
void
mp_nearest_add(struct mp_nearest *nearest, const char *name)
{
    unsigned n = distance(nearest->word, name), most = strlen(nearest->word) > 3 ? 2 : 1;

    if (n > most || (nearest->found && n >= nearest->distance))
        return;
    nearest->found = name;
    nearest->distance = n;
}

/* Refuses WORD, "--NAME" or "--NAME=VALUE", because no option is called NAME. Suggests one with a similar name. */
static bool
refuse_unknown(const char *word)
{
    struct mp_nearest nearest = {0};
    char name[64];

    snprintf(name, sizeof name, "%s", word + 2);
    name[strcspn(name, "=")] = '\0';
    nearest.word = name;
    for (unsigned i = 0; i < parsing.n; i++)
        if (parsing.rows[i].option->name && !parsing.rows[i].option->hidden)
            mp_nearest_add(&nearest, parsing.rows[i].option->name);
    return nearest.found ? mp_options_refuse("unrecognized option '%s'; did you mean --%s?", word, nearest.found)
                         : mp_options_refuse("unrecognized option '%s'", word);
}

/* ---------------------------------------------------------------- parsing */

/* Stores the VALUE of the option in ROW, or NULL if it has none. */
static bool
take(const struct mp_command *command, struct row *row, char *value)
{
    const struct mp_option *option = row->option;

    parsing.option = option;
    parsing.value = value ? value : "";
    if (option->value && row->given && !option->many && !command->of_file)
        return mp_options_wrong("given twice");
    row->given = true;
    if (option->also)
        *(bool *)(row->input + option->also) = true;
    return option->parse(option, value, row->input + option->offset);
}

/* Finds the option called WORD, which has LENGTH characters and may be the beginning of one name only. Refuses WORD if
 * there is none or it is ambiguous, and returns NULL. */
static struct row *
find_long(const char *word, size_t length)
{
    struct row *found = NULL;
    char names[sizeof parsing.refused / 2] = "";
    size_t n = 0;

    for (unsigned i = 0; i < parsing.n; i++) {
        const struct mp_option *option = parsing.rows[i].option;

        if (!option->name || strncmp(option->name, word + 2, length) != 0)
            continue;
        if (option->name[length] == '\0')
            return &parsing.rows[i];
        if (option->hidden)
            continue;
        found = &parsing.rows[i];
        if (n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, " '--%s'", option->name);
    }
    if (!found)
        refuse_unknown(word);
    else if (strchr(names + 1, ' '))
        mp_options_refuse("option '%.*s' is ambiguous; possibilities:%s", (int)length + 2, word, names);
    else
        return found;
    return NULL;
}

/* Parses "--NAME" or "--NAME=VALUE" in *WORD. If the value is the next word, advances *WORD to it. */
static bool
take_long(const struct mp_command *command, char ***word)
{
    char *text = **word, *equals = strchr(text, '=');
    struct row *row = find_long(text, equals ? (size_t)(equals - text) - 2 : strlen(text) - 2);
    char *value = equals ? equals + 1 : NULL;

    if (!row)
        return false;
    if (value && !row->option->value)
        return mp_options_refuse("option '--%s' doesn't allow an argument", row->option->name);
    if (!value && row->option->value && !row->option->optional && !(value = *++*word))
        return mp_options_refuse("option '--%s' requires an argument", row->option->name);
    return take(command, row, value);
}

/* Parses the letters in *WORD. If a value is the next word, advances *WORD to it. */
static bool
take_letters(const struct mp_command *command, char ***word)
{
    for (char *letter = **word + 1; *letter && !parsing.ended; letter++) {
        struct row *row = NULL;
        char *value = NULL;

        for (unsigned i = 0; i < parsing.n && !row; i++)
            if (parsing.rows[i].option->letter == *letter)
                row = &parsing.rows[i];
        if (!row)
            return mp_options_refuse("invalid option -- '%c'", *letter);
        if (!row->option->value) {
            if (!take(command, row, NULL))
                return false;
            continue;
        }
        value = letter[1] ? letter + 1 : *++*word;
        return value ? take(command, row, value)
                     : mp_options_refuse("option requires an argument -- '%c'", *letter);
    }
    return true;
}

/* Parses the command line into INPUT. Moves the arguments to the beginning of ARGV and ends them with NULL, unless the
 * rest of ARGV is the command line of another program. */
static bool
parse(const struct mp_command *command, char **argv, void *input)
{
    const struct mp_option *argument = &command->argument;
    bool only_arguments = false;
    char **word;

    for (word = argv + 1; *word && !parsing.ended; word += *word != NULL) {
        if (!only_arguments && strcmp(*word, "--") == 0) {
            only_arguments = true;
        } else if (!only_arguments && strncmp(*word, "--", 2) == 0) {
            if (!take_long(command, &word))
                return false;
        } else if (!only_arguments && **word == '-' && (*word)[1]) {
            if (!take_letters(command, &word))
                return false;
        } else if (!argument->parse) {
            return mp_options_refuse("'%s': unexpected argument", *word);
        } else {
            parsing.arguments = argument->parse == mp_parse_command_line ? word : argv + 1;
            if (!argument->parse(argument, *word, (char *)input + argument->offset))
                return false;
            if (!parsing.ended)
                parsing.arguments[parsing.n_arguments++] = *word;
        }
    }
    if (parsing.arguments && !parsing.ended)
        parsing.arguments[parsing.n_arguments] = NULL;
    return parsing.answer || !command->check || command->check(input);
}

/* ---------------------------------------------------------------- help */

enum { HELP_COLUMN = 29, HELP_WIDTH = 79 };

/* Prints TEXT in lines from INDENT to HELP_WIDTH. COLUMN is the current column. */
static void
print_wrapped(const char *text, unsigned column, unsigned indent)
{
    const unsigned begin = column;

    while (*text) {
        unsigned blanks = (unsigned)strspn(text, " "), length = (unsigned)strcspn(text + blanks, " \n");

        if (column > begin && column + blanks + length > HELP_WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
            blanks = 0;
            text += strspn(text, " ");
        }
        column += (unsigned)printf("%.*s", (int)(blanks + length), text);
        text += blanks + length;
    }
    putchar('\n');
}

static void
print_option(const struct mp_option *option)
{
    char text[1024];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", option->help), length = n;
    unsigned column;
    const char *word;

    if (!option->name) {
        printf(*option->help ? " %s\n" : "%s", option->help);
        return;
    }
    for (unsigned i = 0; text[length - 1] == ':' && (word = word_of(option, i)) && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, i == 0 ? " %s" : ", %s", word);
    column = (unsigned)(option->letter ? printf("  -%c, ", option->letter) : printf("      "));
    column += (unsigned)printf("--%s", option->name);
    if (option->value)
        column += (unsigned)printf(option->optional ? "[=%s]" : "=%s", option->value);
    if (column + 2 > HELP_COLUMN)
        column = (unsigned)printf("\n") - 1;
    printf("%*s", (int)(HELP_COLUMN - column), "");
    print_wrapped(text, HELP_COLUMN, HELP_COLUMN);
}

void
mp_options_usage(const struct mp_command *command, const char *first, const char *next, FILE *out)
{
    const char *form = command->argument.value, *begin = first;

    do {
        const size_t length = strcspn(form, "\n");

        fprintf(out, "%s mprof %s [OPTION...] %.*s\n", begin, command->name, (int)length, form);
        form += length;
        begin = next;
    } while (*form++);
}

static void
print_help(const struct mp_command *command)
{
    mp_options_usage(command, "Usage:", "  or: ", stdout);
    if (command->doc)
        print_wrapped(command->doc, 0, 0);
    for (unsigned i = 0; i < parsing.n; i++) {
        const struct mp_option *option = parsing.rows[i].option;

        if (parsing.rows[i].first || !option->name)
            putchar('\n');
        if (!option->hidden)
            print_option(option);
    }
    if (command->notes) {
        putchar('\n');
        print_wrapped(command->notes, 0, 0);
    }
}

/* Prints a line for each option, for the completion of shells: name, letter, how the value follows ("=", "[=" if it may
 * be left out, or nothing), the words that the value may be, and the help, with tabs between them. In place of words,
 * FILE or DIR is printed for the name of a file or directory. A list of words is marked by a comma after the words. */
static void
print_for_shells(void)
{
    for (unsigned i = 0; i < parsing.n; i++) {
        const struct mp_option *option = parsing.rows[i].option;
        const char *value = option->value ? option->value : "", *word;
        const char letter[] = {option->letter, '\0'};

        if (!option->name || option->hidden)
            continue;
        printf("--%s\t%s%s\t%s\t", option->name, option->letter ? "-" : "", letter,
               !option->value ? "" : option->optional ? "[=" : "=");
        for (unsigned k = 0; (word = word_of(option, k)); k++)
            printf(k == 0 ? "%s" : " %s", word);
        if (strcmp(value, "FILE") == 0 || strcmp(value, "OUT") == 0)
            printf("FILE");
        else if (strcmp(value, "DIR") == 0)
            printf("DIR");
        else if (strcmp(value, "LIST") == 0 || strchr(value, ','))
            printf(",");
        printf("\t%s\n", option->help);
    }
}

int
mp_options_parse(const struct mp_command *command, int argc, char **argv, void *input, struct mp_error *error)
{
    (void)argc;
    list_options(command, input);
    if (!parse(command, argv, input)) {
        if (strstr(parsing.refused, "; did you mean"))
            mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s", parsing.refused);
        else
            mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s; see mprof %s --help", parsing.refused, command->name);
        return MP_EXIT_USAGE;
    }
    if (parsing.answer == ANSWER_HELP)
        print_help(command);
    else if (parsing.answer == ANSWER_VERSION)
        puts(PACKAGE_STRING);
    else if (parsing.answer == ANSWER_OPTIONS)
        print_for_shells();
    return parsing.answer ? 0 : -1;
}
