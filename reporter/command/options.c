#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "reporter/base/format_number.h"
#include "reporter/base/progress.h"
#include "reporter/base/term.h"
#include "reporter/profile/sort.h"
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

/* The error of mp_options_refuse(), because argp only returns an error number. */
static struct mp_error refused;

error_t
mp_options_refuse(const char *format, ...)
{
    va_list args;

    refused.code = MP_ERR_USAGE;
    va_start(args, format);
    vsnprintf(refused.text, sizeof refused.text, format, args);
    va_end(args);
    return EINVAL;
}

error_t
mp_options_file(const char **file, const char *arg, const struct argp_state *state)
{
    if (state->arg_num > 0)
        return mp_options_refuse("'%s': one data file only", arg);
    *file = arg;
    return 0;
}

/* Option that is being parsed, and its value, for mp_options_wrong(). */
static const char *current_option, *current_value;

error_t
mp_options_wrong(const char *format, ...)
{
    char text[sizeof refused.text];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mp_options_refuse("--%s=%s: %s", current_option, current_value, text);
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

error_t
mp_options_count(const char *text, unsigned low, unsigned high, unsigned *number)
{
    unsigned long found;

    if (!mp_options_number(text, low, high, &found))
        return mp_options_wrong("not a number from %u to %u", low, high);
    *number = (unsigned)found;
    return 0;
}

/* Parses TEXT, a number from 1 to HIGH, or "all", which gives ALL. */
static error_t
number_or_all(const char *text, unsigned long high, unsigned all, unsigned *number)
{
    unsigned long n = all;

    if (strcmp(text, "all") != 0 && !mp_options_number(text, 1, high, &n))
        return mp_options_wrong("neither a number from 1 to %lu nor all", high);
    *number = (unsigned)n;
    return 0;
}

error_t
mp_options_rows(const char *text, unsigned *most)
{
    return number_or_all(text, 1000000000, UINT_MAX, most);
}

error_t
mp_options_chain(const char *text, unsigned *functions)
{
    return number_or_all(text, 1000000, 0, functions);
}

error_t
mp_options_bytes(const char *text, uint64_t high, uint64_t *bytes)
{
    uint64_t found;

    if (!mp_number_parse(text, true, &found) || found < 1 || found > high)
        return mp_options_wrong("not a number of bytes from 1 to %" PRIu64 "M, as 512K", high >> 20);
    *bytes = found;
    return 0;
}

error_t
mp_options_word(const char *text, const char *const words[], unsigned n, unsigned *index)
{
    char list[256] = "";
    size_t length = 0;

    for (*index = 0; *index < n; ++*index)
        if (strcmp(words[*index], text) == 0)
            return 0;
    for (unsigned i = 0; i < n && length < sizeof list; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", words[i],
                                   i + 2 < n ? ", " : i + 1 < n ? " or " : "");
    return mp_options_wrong("%s", list);
}

error_t
mp_options_cost(const char *text, enum mp_sort *cost)
{
    return mp_sort_named(text, cost) ? 0 : mp_options_wrong("bytes, allocs, kept, peak or temporary");
}

error_t
mp_options_label(char *text, const char *what, struct mp_label *labels, uint32_t *n)
{
    char *equals = strchr(text, '=');

    if (!equals || equals == text)
        return mp_options_wrong("%s=VALUE is wanted", what);
    if (*n == MP_LABELS_MOST)
        return mp_options_refuse("--label: more than %u of them", MP_LABELS_MOST);
    *equals = '\0';
    for (uint32_t i = 0; i < *n; i++)
        if (strcmp(labels[i].name, text) == 0)
            return mp_options_refuse("--label=%s: given twice", text);
    labels[(*n)++] = (struct mp_label){text, equals + 1};
    return 0;
}

error_t
mp_options_sample(const char *text, uint64_t *period)
{
    if (text)
        return mp_options_bytes(text, MP_MAX_SAMPLE, period);
    *period = MP_USUAL_SAMPLE;
    return 0;
}

/* Maximum number of parsers of a command, of children of each, and of options of all. */
enum { MOST_PARSERS = 8, MOST_CHILDREN = 3, MOST_OPTIONS = 128 };

struct shell {
    void *input;
    bool help, version;
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
        return ECANCELED;       /* ends parsing. Setting state->next would not, because getopt would continue within
                                   "-hv" */
    case 'V':
        shell->version = true;
        return ECANCELED;
    case 'q':
        mp_quiet_want();
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---------------------------------------------------------------- values given twice */

/* A parser of the command, or of its options' groups, behind a guard that sees each option before the parser. */
struct guarded {
    const struct argp *parser;
    void *input;                /* the parser's own input; the guard's is this structure */
    struct argp guard;
    struct argp_child children[MOST_CHILDREN + 1];
    struct guarded *guards[MOST_CHILDREN + 1];  /* guards of the children, ending with NULL */
    bool given[MOST_OPTIONS];   /* which options were given, by their indexes in the parser's table */
    bool repeated;              /* options may be given several times */
};

/* Makes KEY the current option. Refuses it if it takes one value and has one already. */
static error_t
begin_option(struct guarded *guarded, int key, const char *value)
{
    const struct argp_option *options = guarded->parser->options;

    for (unsigned i = 0; options && (options[i].name || options[i].key || options[i].doc) && i < MOST_OPTIONS; i++) {
        if (!options[i].name || options[i].key != key)
            continue;
        current_option = options[i].name;
        current_value = value ? value : "";
        if (options[i].arg && guarded->given[i] && !guarded->repeated && !(options[i].flags & MP_OPTION_MANY))
            return mp_options_wrong("given twice");
        guarded->given[i] = true;
        return 0;
    }
    return 0;
}

static error_t
guard(int key, char *value, struct argp_state *state)
{
    struct guarded *guarded = state->input;
    error_t wrong = begin_option(guarded, key, value);

    if (wrong)
        return wrong;
    state->input = guarded->input;
    wrong = guarded->parser->parser(key, value, state);
    for (unsigned i = 0; key == ARGP_KEY_INIT && guarded->guards[i]; i++) {
        guarded->guards[i]->input = state->child_inputs[i];
        state->child_inputs[i] = guarded->guards[i];
    }
    return wrong;
}

/* Returns the guard of PARSER and its children, which is one of the unused structures at *NEXT. */
static struct guarded *
guard_parser(const struct argp *parser, bool repeated, struct guarded **next)
{
    struct guarded *guarded = (*next)++;

    *guarded = (struct guarded){.parser = parser, .guard = *parser, .repeated = repeated};
    guarded->guard.parser = guard;
    guarded->guard.children = guarded->children;
    for (unsigned i = 0; parser->children && parser->children[i].argp; i++) {
        guarded->guards[i] = guard_parser(parser->children[i].argp, repeated, next);
        guarded->children[i] = parser->children[i];
        guarded->children[i].argp = &guarded->guards[i]->guard;
    }
    return guarded;
}

/* Parses without output and stores the first line of getopt's message in SAID. getopt prints two lines about an error
 * to stderr, so stderr is replaced meanwhile, which glibc allows. */
static error_t
parse_quietly(const struct argp *parser, int argc, char **argv, unsigned flags,
              struct shell *shell, char said[256])
{
    FILE *terminal = stderr, *caught = fmemopen(said, 256, "w");
    struct guarded guards[MOST_PARSERS], *next = guards;
    struct guarded *guarded = guard_parser(parser, flags & MP_OPTIONS_REPEATED, &next);
    error_t result;

    if (caught)
        stderr = caught;
    guarded->input = shell;
    flags &= ~(unsigned)MP_OPTIONS_REPEATED;
    result = argp_parse(&guarded->guard, argc, argv, flags | ARGP_NO_EXIT | ARGP_NO_HELP, NULL, guarded);
    stderr = terminal;
    if (caught)
        fclose(caught);
    said[255] = '\0';
    said[strcspn(said, "\n")] = '\0';
    return result;
}

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

static void
add_options(struct mp_nearest *nearest, const struct argp *parser)
{
    for (const struct argp_option *o = parser->options; o && (o->name || o->key || o->doc); o++)
        if (o->name && !(o->flags & OPTION_HIDDEN))
            mp_nearest_add(nearest, o->name);
    for (const struct argp_child *child = parser->children; child && child->argp; child++)
        add_options(nearest, child->argp);
}

/* Writes a suggestion to TEXT if getopt's message SAID is about an unknown option. Otherwise TEXT becomes "". */
static void
suggest(const struct argp *parser, const char *said, char text[static 64])
{
    const char *begin = strstr(said, "unrecognized option '--");
    struct mp_nearest nearest = {0};
    char word[64];

    text[0] = '\0';
    if (!begin)
        return;
    snprintf(word, sizeof word, "%s", begin + strlen("unrecognized option '--"));
    word[strcspn(word, "='")] = '\0';
    nearest.word = word;
    add_options(&nearest, parser);
    if (nearest.found)
        snprintf(text, 64, "did you mean --%.40s?", nearest.found);
}

static int
usage_error(const struct argp *parser, const char *name, const char *said, struct mp_error *error)
{
    const char *prefix = "mprof: ", *text = refused.text[0] ? refused.text : said;
    char meant[64];

    suggest(parser, text, meant);
    if (strncmp(text, prefix, strlen(prefix)) == 0)
        text += strlen(prefix);
    if (meant[0])
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s; %s", text, meant);
    else
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s; see mprof %s --help", text, name);
    return MP_EXIT_USAGE;
}

enum { HELP_COLUMN = 29, HELP_WIDTH = 79 };

/* Options of a parser and its children in the order of their groups, and within a group in the order of their tables.
 * argp would sort each group by name, so no help text could refer to the previous option. */
struct listed {
    struct {
        const struct argp_option *option;
        const struct argp *of;
        int group;
    } rows[MOST_OPTIONS];
    unsigned n;
};

/* Adds the options of PARSER and its children to LISTED. As in argp, negative groups are last. */
static void
list_options(struct listed *listed, const struct argp *parser)
{
    int group = 0;

    for (const struct argp_option *o = parser->options; o && (o->name || o->key || o->doc); o++) {
        unsigned at = listed->n;

        group = o->group ? o->group : group;
        if (o->flags & OPTION_HIDDEN || at == MOST_OPTIONS)
            continue;
        for (; at > 0 && (unsigned)listed->rows[at - 1].group > (unsigned)group; at--)
            listed->rows[at] = listed->rows[at - 1];
        listed->rows[at].option = o;
        listed->rows[at].of = parser;
        listed->rows[at].group = group;
        listed->n++;
    }
    for (const struct argp_child *child = parser->children; child && child->argp; child++)
        list_options(listed, child->argp);
}

/* Prints TEXT between HELP_COLUMN and HELP_WIDTH. COLUMN is the current column. */
static void
print_wrapped(const char *text, unsigned column)
{
    if (column + 2 > HELP_COLUMN)
        column = HELP_WIDTH;
    else
        column += (unsigned)printf("%*s", (int)(HELP_COLUMN - column), "");
    while (*text) {
        unsigned length = (unsigned)strcspn(text, " ");
        bool begins = column == HELP_COLUMN;

        if (!begins && column + 1 + length > HELP_WIDTH) {
            printf("\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
            begins = true;
        }
        column += (unsigned)printf("%s%.*s", begins ? "" : " ", (int)length, text);
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void
print_option(const struct argp_option *o, const struct argp *of)
{
    char *text = of->help_filter ? of->help_filter(o->key, o->doc, NULL) : (char *)o->doc;
    bool optional = o->flags & OPTION_ARG_OPTIONAL;
    unsigned column;

    if (!o->name) {
        printf(" %s\n", text ? text : "");
    } else {
        column = (unsigned)(isgraph(o->key) ? printf("  -%c, ", o->key) : printf("      "));
        column += (unsigned)printf("--%s", o->name);
        if (o->arg)
            column += (unsigned)printf(optional ? "[=%s]" : "=%s", o->arg);
        print_wrapped(text ? text : "", column);
    }
    if (text != o->doc)
        free(text);
}

/* Prints the help. PARSER has the common options, and the command's parser is its child. */
static void
print_help(const struct argp *parser, char *title)
{
    const char *doc = parser->children->argp->doc;
    struct listed listed = {.n = 0};

    argp_help(parser, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC, title);
    list_options(&listed, parser);
    for (unsigned i = 0; i < listed.n; i++) {
        if (i == 0 || listed.rows[i].group != listed.rows[i - 1].group)
            putchar('\n');
        print_option(listed.rows[i].option, listed.rows[i].of);
    }
    if (doc && strchr(doc, '\v'))       /* part of the text that is printed after the options */
        putchar('\n');
    argp_help(parser, stdout, ARGP_HELP_POST_DOC, title);
}

int
mp_options_parse(const struct argp *parser, const char *name, int argc, char **argv,
                 unsigned flags, void *input, struct mp_error *error)
{
    static const struct argp_option options[] = {
        {"help", 'h', NULL, 0, "Print this and stop", -1},
        {"version", 'V', NULL, 0, "Print the version and stop", -1},
        {"quiet", 'q', NULL, 0, "Say nothing but results and errors", -1},
        {0}};
    const struct argp_child children[] = {{parser, 0, NULL, 0}, {0}};
    const struct argp whole = {options, parse_help, NULL, NULL, children, NULL, NULL};
    struct shell shell = {.input = input};
    char said[256] = "", title[64], self[] = "mprof";
    error_t result;

    refused.text[0] = '\0';
    argv[0] = self;
    result = parse_quietly(&whole, argc, argv, flags, &shell, said);
    if (shell.help) {
        snprintf(title, sizeof title, "mprof %s", name);
        print_help(&whole, title);
        return 0;
    }
    if (shell.version) {
        puts(PACKAGE_STRING);
        return 0;
    }
    if (result == 0)
        return -1;
    return usage_error(&whole, name, said[0] || refused.text[0] ? said : strerror(result), error);
}
