/* SPDX-License-Identifier: MIT */
/*
 * option_table.h -- describes the options of the commands as tables, from which the parser, --help, the error
 * messages and the completion of shells come.
 *
 *     struct input {
 *         bool all;
 *         unsigned most;
 *         const char *file;
 *     };
 *     static const struct mp_option options[] = {
 *         {"all", 'a', NULL, "Show everything", MP_FLAG(struct input, all)},
 *         {"max", 0, "N|all", "At most N rows (20)", MP_ROWS(struct input, most)},
 *         {0}};
 *     const struct mp_command mp_cmd_show = {
 *         "show", "show something", run, .options = options,
 *         .argument = {.value = "[FILE]", MP_FILE(struct input, file)}};
 *
 * Each entry says where the value is stored in the command's input. A value of any other kind is stored by a function
 * of the command, which is the entry's `parse`.
 */
#ifndef MP_COMMAND_OPTIONS_H
#define MP_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reporter/base/error.h"
#include "reporter/base/label.h"
#include "reporter/profile/counts.h"

/* Exit statuses other than 0. A command with a verdict returns MP_EXIT_ERROR for a bad verdict, and MP_EXIT_USAGE if
 * it has no verdict for any reason. */
enum { MP_EXIT_ERROR = 1, MP_EXIT_USAGE = 2 };

/* Returns 0 if OK, else the exit status for *ERROR. */
int mp_exit_status(bool ok, const struct mp_error *error);

/* Returns the exit status of a command with a verdict. This is VERDICT if OK, else MP_EXIT_USAGE. Flushes standard
 * output first; if that fails, returns MP_EXIT_USAGE and fills *ERROR, because the verdict was not written. */
int mp_exit_verdict(bool ok, int verdict, struct mp_error *error);

/* An option, a heading between options, or the arguments of a command. */
struct mp_option {
    const char *name;           /* NULL in a heading */
    char letter;                /* short form, or 0 */
    const char *value;          /* what help calls the value; NULL if the option takes none */
    const char *help;           /* if it ends with a colon, help lists the words after it */
    /* Parses the value TEXT and stores it in *TO, which is the command's input plus `offset`. TEXT is NULL if there is
     * no value. Returns false after mp_options_refuse(). */
    bool (*parse)(const struct mp_option *option, char *text, void *to);
    size_t offset;
    size_t also;                /* offset of a bool that the option sets, too; 0 if there is none */
    uint64_t low, high;         /* range of a number; for a function of a command, whatever it needs */
    const char *const *words;   /* the n_words words that the value may be, or may begin with; completed by shells */
    unsigned n_words;
    const char *(*word)(unsigned i);    /* used instead of `words`; returns NULL after the last word */
    bool optional;              /* the value may be left out */
    bool many;                  /* may be given several times; two values of any other option are refused */
    bool hidden;                /* for the completion of shells; not in the help */
};

/* Returns the offset of FIELD in the structure IN. Fails to compile if its type is not TYPE. */
#define MP_FIELD(type, in, field) (offsetof(in, field) + 0 * sizeof(_Generic(&((in *)NULL)->field, type *: 0)))

/* Kinds of options: what is stored in FIELD, a member of the structure IN. */
#define MP_STORED(parser, type, in, field) .parse = parser, .offset = MP_FIELD(type, in, field)
#define MP_FLAG(in, field) MP_STORED(mp_parse_flag, bool, in, field)
#define MP_NO_FLAG(in, field) MP_STORED(mp_parse_no_flag, bool, in, field)
#define MP_CHOICE(in, field, choice) MP_STORED(mp_parse_choice, unsigned, in, field), .low = choice
#define MP_TEXT(in, field) MP_STORED(mp_parse_text, const char *, in, field)
#define MP_COUNT(in, field, least, most) MP_STORED(mp_parse_count, unsigned, in, field), .low = least, .high = most
#define MP_ROWS(in, field) MP_STORED(mp_parse_all, unsigned, in, field), .low = UINT32_MAX, .high = 1000000000
#define MP_CHAIN_LENGTHS .low = 0, .high = 1000000
#define MP_CHAIN(in, field) MP_STORED(mp_parse_all, unsigned, in, field), MP_CHAIN_LENGTHS
#define MP_BYTES(in, field, most) MP_STORED(mp_parse_bytes, uint64_t, in, field), .high = most

#define MP_WORDS(list, n) .words = list, .n_words = n
#define MP_WORD(in, field, list, n) MP_STORED(mp_parse_word, unsigned, in, field), MP_WORDS(list, n)
#define MP_SET(in, field, names, n) MP_STORED(mp_parse_words, unsigned, in, field), .word = names, .high = n
#define MP_COST(in, field) MP_STORED(mp_parse_cost, enum mp_sort, in, field), .word = mp_cost_word
#define MP_NEW_DATA_FILE(in, field) MP_STORED(mp_parse_new_data_file, const char *, in, field)

/* Options that several commands have: entries without their braces, so that a command can add members. */
#define MP_COLOR(in, field) \
    "color", 0, "WHEN", "Use colours auto (on a terminal, the default), always or never", \
    MP_WORD(in, field, mp_color_words, 3)
#define MP_JSON(page, in, field) "json", 0, NULL, "Print JSON instead of text; see " page, MP_FLAG(in, field)
#define MP_OUTPUT(in, field) "output", 'o', "FILE", "Write to FILE instead of standard output", MP_TEXT(in, field)
#define MP_SAMPLE(in, field) \
    "sample", 0, "BYTES", \
    "Record one allocation for each BYTES allocated (default 512K, maximum 64M), at random; estimate the rest", \
    MP_STORED(mp_parse_sample, uint64_t, in, field), .optional = true
#define MP_NO_PAGER(in, field) "no-pager", 0, NULL, "Do not start a pager on a terminal", MP_FLAG(in, field)
#define MP_WAIT(in, field) \
    "wait", 0, "SECONDS", "Wait at most SECONDS (default 1) for a process that is not allocating", \
    MP_COUNT(in, field, 0, 86400)

/* Kinds of arguments: one file at most; all arguments, as an array that ends with NULL; or the arguments from the
 * first one on, even if they begin with a dash. */
#define MP_FILE(in, field) MP_STORED(mp_parse_file, const char *, in, field)
#define MP_FILES(in, field) MP_STORED(mp_parse_files, char **, in, field)
#define MP_DEFAULT_FILES (char *[]){(char[]){MP_DEFAULT_FILE}, NULL}   /* arguments of MP_FILES if none are given */
#define MP_COMMAND_LINE(in, field) MP_STORED(mp_parse_command_line, char **, in, field)

bool mp_parse_flag(const struct mp_option *option, char *text, void *to);
bool mp_parse_no_flag(const struct mp_option *option, char *text, void *to);
bool mp_parse_choice(const struct mp_option *option, char *text, void *to);             /* stores `low` */
bool mp_parse_text(const struct mp_option *option, char *text, void *to);
bool mp_parse_count(const struct mp_option *option, char *text, void *to);
bool mp_parse_all(const struct mp_option *option, char *text, void *to);                /* 1 to `high`; all is `low` */
bool mp_parse_bytes(const struct mp_option *option, char *text, void *to);              /* from 1 on, with K, M or G */
bool mp_parse_sample(const struct mp_option *option, char *text, void *to);             /* --sample */
bool mp_parse_word(const struct mp_option *option, char *text, void *to);               /* the index, plus `low` */
bool mp_parse_words(const struct mp_option *option, char *text, void *to);  /* bits; the word number `high` is all */
bool mp_parse_cost(const struct mp_option *option, char *text, void *to);   /* --cost, and --sort of tables */
bool mp_parse_new_data_file(const struct mp_option *option, char *text, void *to);      /* never standard output */
bool mp_parse_file(const struct mp_option *option, char *text, void *to);
bool mp_parse_files(const struct mp_option *option, char *text, void *to);
bool mp_parse_command_line(const struct mp_option *option, char *text, void *to);

const char *mp_cost_word(unsigned i);
extern const char *const mp_color_words[3];

/* A subcommand. run() gets the subcommand's name as argv[0] and returns the exit status. On failure it either prints
 * a message itself or fills *ERROR, which main prints. */
struct mp_command {
    const char *name;
    const char *summary;        /* line in mprof --help */
    int (*run)(int argc, char **argv, struct mp_error *error);
    const struct mp_option *options;    /* the command's own; an empty entry ends them; NULL if there are none */
    struct {
        const struct mp_option *options;        /* options that several commands have */
        size_t offset;          /* their structure in the command's input */
    } groups[4];
    struct mp_option argument;  /* each argument; its `value` describes all, with a line for each form */
    bool (*check)(void *input); /* checks all options together, at the end, like a parser function; or NULL */
    const char *doc, *notes;    /* texts before and after the options in the help; may be NULL */
    bool of_file;               /* the options are those of a file: each may be given several times, the last value
                                 * counts, and there are no common options such as --help */
};

/* Parses the options of COMMAND into INPUT. Returns -1 if the command should continue, or its exit status: 0 after
 * --help or --version, and 2 with *ERROR for wrong usage. */
int mp_options_parse(const struct mp_command *command, int argc, char **argv, void *input, struct mp_error *error);

/* Prints the usage of COMMAND to OUT, with a line for each form of its arguments. The first line begins with FIRST, the
 * others with NEXT. */
void mp_options_usage(const struct mp_command *command, const char *first, const char *next, FILE *out);

/* For parser functions: store the error message and return false, which ends parsing. mp_options_wrong() refuses the
 * value of the current option; the message begins with the option and the value. */
bool mp_options_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool mp_options_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For functions that check options: returns whether an option of TABLE, one of the command's tables, was given. */
bool mp_options_given(const struct mp_option *table);

/* For parser functions: finds the LENGTH characters at TEXT among the words of OPTION and stores the index. Returns
 * false if they are refused. */
bool mp_options_word(const struct mp_option *option, const char *text, size_t length, unsigned *index);

/* Parses TEXT as a number from LOW to HIGH. Returns false if it is not one. */
bool mp_options_number(const char *text, unsigned long low, unsigned long high,
                       unsigned long *number);

/* For parser functions of --label: adds TEXT, which is NAME=VALUE, to the *N LABELS, of which there may be
 * MP_LABELS_MOST with different names. Modifies TEXT, to which the label refers. WHAT is the word for NAME in error
 * messages. Returns false if TEXT is refused. */
bool mp_options_label(char *text, const char *what, struct mp_label *labels, uint32_t *n);

/* A search for the name of which WORD is probably a misspelling. */
struct mp_nearest {
    const char *word;           /* word to search, set by the caller; the other fields must be zeroed at first */
    const char *found;          /* nearest name so far; NULL if none is near enough */
    unsigned distance;          /* number of edits between `word` and `found` */
};
void mp_nearest_add(struct mp_nearest *nearest, const char *name);

#endif
