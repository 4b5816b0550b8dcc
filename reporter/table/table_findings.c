/* SPDX-License-Identifier: MIT */
/* Findings as a table, and as text: sentences, each followed by the chain and a command. */
#include "tables.h"

#include <limits.h>
#include <string.h>

#include "table.h"
#include "reporter/base/columns.h"
#include "reporter/base/fit.h"
#include "reporter/findings/findings.h"

enum { RULE, TITLE, SENTENCE, SHARE, FUNCTION, CHAIN, FIGURES, COMMAND, N_COLUMNS };

static const struct mp_table_column columns[N_COLUMNS] = {
    [RULE] = {"rule", "rule", MP_UNIT_TEXT, "The rule that speaks."},
    [TITLE] = {"title", "title", MP_UNIT_TEXT, "What it looks for."},
    [SENTENCE] = {"sentence", "sentence", MP_UNIT_TEXT, "What it has found."},
    [SHARE] = {"share", "(%)", MP_UNIT_PERCENT, "How much of what it is about is affected."},
    [FUNCTION] = {"function", "function", MP_UNIT_TEXT,
                  "The function to look at; of Lisp, the runtime's may come after it in the chain.",
                  MP_LAYOUT_HIDDEN},
    [CHAIN] = {"chain", "chain", MP_UNIT_CHAIN, "The place, and what has called it."},
    [FIGURES] = {"figures", "figures", MP_UNIT_FIGURES, "What the sentence is made of.",
                 MP_LAYOUT_HIDDEN},
    [COMMAND] = {"command", "command", MP_UNIT_TEXT, "What shows more."},
};

const struct mp_table_kind mp_table_findings_kind = {
    .key = "findings", .title = "FINDINGS", .one = "finding", .many = "findings",
    .explanation = "What is worth a look, in sentences.",
    .columns = columns, .n_columns = N_COLUMNS,
};

/* Returns the words of a chain, for example "main", ">", "f", followed by NULL. A chain without its outermost callers
 * begins with "...". */
static const char *const *
chain_words(const struct mp_finding *finding, struct mp_arena *arena)
{
    const char **words = mp_arena_alloc(arena, (2 * (size_t)finding->n_calls + 2) * sizeof *words);
    size_t n = 0;

    if (!finding->chain.whole)
        words[n++] = "...";
    for (uint32_t i = 0; i < finding->n_calls; i++) {
        if (n > 0)
            words[n++] = ">";
        words[n++] = mp_arena_strdup(arena, finding->calls[i]);
    }
    return words;
}

static const struct mp_calls *
calls_of(const struct mp_finding *finding, struct mp_arena *arena)
{
    struct mp_calls *calls = mp_arena_alloc(arena, sizeof *calls);
    struct mp_call *list = mp_arena_alloc(arena, finding->n_calls * sizeof *list);

    *calls = finding->chain;
    memcpy(list, calls->list, finding->n_calls * sizeof *list);
    calls->list = list;
    return calls;
}

static struct mp_value
figures_of(const struct mp_finding *finding, struct mp_arena *arena)
{
    struct mp_finding_figure *figures = mp_arena_alloc(arena, sizeof finding->figures);

    memcpy(figures, finding->figures, sizeof finding->figures);
    return (struct mp_value){.known = true, .number = finding->n_figures, .figures = figures};
}

/* Returns a copy of TEXT, which belongs to the findings. */
static struct mp_value
text_of(struct mp_table *table, const char *text)
{
    return mp_value_text(mp_arena_strdup(table->arena, text));
}

static void
add(struct mp_table *table, const struct mp_finding *finding)
{
    struct mp_value *values = mp_table_add_item(table);
    const char *const *words = chain_words(finding, table->arena);

    values[RULE] = mp_value_text(finding->rule->key);
    values[TITLE] = mp_value_text(finding->rule->title);
    values[SENTENCE] = text_of(table, finding->text);
    values[SHARE] = mp_value_share(finding->permille, 1000);
    values[FUNCTION] = text_of(table, finding->function);
    values[CHAIN] = mp_value_chain(finding->context, mp_fit_join(words, SIZE_MAX, " ", ' ', table->arena), words,
                                   table->calls ? calls_of(finding, table->arena) : NULL);
    values[FIGURES] = figures_of(finding, table->arena);
    values[COMMAND] = text_of(table, finding->command);
}

struct mp_table *
mp_table_findings(const struct mp_table_request *request)
{
    const struct mp_findings_options first = {.most = MP_FINDINGS_MOST};
    struct mp_table *table = mp_table_begin(&mp_table_findings_kind, request->options);
    struct mp_findings *made =
        request->findings ? NULL : mp_findings_new(request->profile, &first);
    const struct mp_findings *findings = made ? made : request->findings;

    for (uint32_t i = 0; i < findings->n; i++)
        add(table, &findings->list[i]);
    if (findings->n == 0)
        table->nothing = mp_arena_strdup(table->arena, findings->nothing);
    if (findings->n > 0 && findings->estimated)
        table->note = "All figures are estimates from samples.";
    if (findings->caveat)
        table->note = mp_arena_printf(table->arena, "%s%s%s", findings->caveat, table->note ? " " : "",
                                      table->note ? table->note : "");
    table->full = findings->left_out > 0;
    if (findings->left_out > 0)
        mp_table_leave_out(table, findings->left_out);
    mp_findings_free(made);
    return table;
}

/* Returns TITLE and SENTENCE as one text in which no wrapped line can begin with "%". */
static const char *
sentence_text(const char *title, const char *sentence, struct mp_arena *arena)
{
    char *text = mp_arena_printf(arena, "%s. %s", title, sentence), *at = text;

    while ((at = strstr(at, " %")) != NULL)
        *at = MP_GLUE;
    return text;
}

/* Returns the length in bytes of the first word of COMMAND, including quoted parts. */
static size_t
word_length(const char *command)
{
    size_t n = 0;
    bool quoted = false;

    for (; command[n] && (quoted || command[n] != ' '); n++) {
        if (command[n] == '\'')
            quoted = !quoted;
        else if (command[n] == '\\' && !quoted && command[n + 1])
            n++;
    }
    return n;
}

/* Prints LENGTH bytes of WORD, beginning in column AT. A quoted part too long for WIDTH is split so that a shell
 * joins it again: 'begin'\ at the end of the line and 'end' at the beginning of the next. Returns the next column. */
static unsigned
print_word(const char *word, size_t length, unsigned at, unsigned width, FILE *out)
{
    bool quoted = false, escapes = false;       /* within $'...', where an escape such as \t must not be split */

    for (size_t i = 0, bytes; i < length; i += bytes) {
        unsigned wide;

        bytes = mp_fit_measure(word + i, &wide);
        if (quoted && !escapes && word[i] != '\'' && at + wide + 2 > width) {
            fputs("'\\\n'", out);
            at = 1;
        }
        fwrite(word + i, 1, bytes, out);
        at += wide;
        if (word[i] == '\\' && (!quoted || escapes) && i + 1 < length) {
            fputc(word[++i], out);
            at++;
        } else if (word[i] == '\'') {
            quoted = !quoted;
            escapes = quoted && i > 0 && word[i - 1] == '$';
        }
    }
    return at;
}

/* Prints COMMAND. If it is too long for a line, it is continued in the next line after a backslash, so that it can be
 * copied as a whole. */
static void
print_command(const char *command, unsigned width, FILE *out)
{
    const struct mp_fit fit = mp_fit_begin();
    unsigned at = 3;

    if (width == 0)
        width = UINT_MAX;
    fputs("   ", out);
    while (*command) {
        size_t length = word_length(command);
        unsigned wide = mp_fit_width(command, length);

        if (at > 3 && (wide > width || at + 1 + wide + 2 > width)) {
            fputs(" \\\n     ", out);
            at = 5;
        }
        fputc(' ', out);
        at = print_word(command, length, at + 1, width, out);
        command += length;
        command += strspn(command, " ");
    }
    fputc('\n', out);
    mp_fit_end(&fit);
}

/* Returns FUNCTION as a string in Lisp's syntax. */
static const char *
lisp_string(const char *function, struct mp_arena *arena)
{
    char *text = mp_arena_alloc(arena, 2 * strlen(function) + 3), *at = text;

    *at++ = '"';
    for (; *function; *at++ = *function++)
        if (*function == '"' || *function == '\\')
            *at++ = '\\';
    *at++ = '"';
    *at = '\0';
    return text;
}

static void
print_finding(const struct mp_value *values, uint32_t number, const struct mp_print_options *options,
              struct mp_arena *arena, FILE *out)
{
    static const struct mp_column layout[] = {{"", MP_RIGHT}, {"", MP_WRAP}};
    const char *const rows[][2] = {
        {mp_arena_printf(arena, "%2u.", (unsigned)number),
         sentence_text(values[TITLE].text, values[SENTENCE].text, arena)},
        {"", mp_fit_join(values[CHAIN].names, SIZE_MAX, " ", MP_GLUE, arena)},
    };
    struct mp_columns *text = mp_columns_new(layout, 2, options->width);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i][1][0] != '\0')
            mp_columns_row(text, rows[i]);
    mp_columns_print(text, out);
    if (options->forms)
        fprintf(out, "    (mprof:report :type :sites :focus %s)\n", lisp_string(values[FUNCTION].text, arena));
    else
        print_command(values[COMMAND].text, options->width, out);
}

/* Prints TEXT as a paragraph. Prints nothing if it is NULL. */
static void
print_paragraph(const char *text, unsigned width, FILE *out)
{
    static const struct mp_column layout[] = {{"", MP_WRAP}};
    struct mp_columns *paragraph;

    if (!text)
        return;
    paragraph = mp_columns_new(layout, 1, width);
    mp_columns_row(paragraph, &text);
    mp_columns_print(paragraph, out);
}

bool
mp_table_findings_print(const struct mp_table *table, const struct mp_print_options *options,
                        FILE *out, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();

    mp_columns_title(out, table->kind->title, options->color);
    print_paragraph(table->note, options->width, out);
    print_paragraph(table->nothing, options->width, out);
    for (uint32_t i = 0; i < table->n_rows; i++) {
        fputs(i > 0 ? "\n" : "", out);
        print_finding(table->rows[i].values, i + 1, options, arena, out);
    }
    mp_arena_free(arena);
    fputs(table->left_out.n > 0 ? "\n" : "", out);
    mp_table_print_left_out(table, out);
    return mp_table_printed(out, error);
}

/* ---------------------------------------------------------------- rules */

static void
put_limit(const struct mp_limit *limit, struct mp_arena *arena, FILE *out)
{
    const char *gap = limit->text;

    while (gap[0] != '%' || gap[1] != 's')
        gap++;
    fprintf(out, "%.*s%s%s", (int)(gap - limit->text), limit->text,
            mp_finding_number(limit->value, limit->unit, arena), gap + 2);
}

/* Returns a sentence on the kinds of windows that a rule applies to, or "". */
static const char *
part_text(unsigned of)
{
    if (!(of & MP_OF_ALL))
        return "Only for what happened between two points in time.\n";
    return of & MP_OF_TIME     ? "Also for what happened between two points in time.\n"
           : of & MP_OF_MOMENT ? "Also for what was live at a point in time.\n"
                               : "";
}

void
mp_findings_rules(FILE *out)
{
    struct mp_arena *arena = mp_arena_new();

    for (size_t i = 0; i < mp_n_rules; i++) {
        const struct mp_rule *rule = mp_rules[i];

        fprintf(out, "%s%s: %s.\n%s\nThe rule fires if ", i > 0 ? "\n" : "", rule->key, rule->title,
                rule->about);
        for (size_t j = 0; j < rule->n_limits; j++) {
            fputs(j > 0 ? "; " : "", out);
            put_limit(&rule->limits[j], arena, out);
        }
        fprintf(out, ".\n%s", part_text(rule->of));
    }
    mp_arena_free(arena);
}
