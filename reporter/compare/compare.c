#include "compare.h"

#include <string.h>

#include "about.h"
#include "config.h"
#include "reporter/base/columns.h"
#include "reporter/output/json_head.h"
#include "reporter/output/table.h"
#include "reporter/profile/sort.h"
#include "table_changes.h"

static bool
is_wanted(const struct mp_compare_options *options, unsigned by)
{
    return (options->by & 1u << by) != 0;
}

struct mp_comparison
mp_comparison(const struct mp_join *join, const struct mp_compare_options *options)
{
    struct mp_comparison c = {.join = join, .options = options};

    for (unsigned by = 0; by < MP_CHANGES_BY; by++)
        if (is_wanted(options, by) || by == MP_BY_FUNCTION || by == MP_BY_CHAIN)
            c.changes[by] =
                mp_changes_new(join, (enum mp_changes_by)by, options->print.sort, options->print.chain);
    c.n_sentences = mp_sentences(c.changes[MP_BY_FUNCTION], c.changes[MP_BY_CHAIN], c.sentences);
    c.head = mp_about(join, options->print.sort);
    return c;
}

void
mp_comparison_free(struct mp_comparison *comparison)
{
    mp_head_free(comparison->head);
    for (unsigned by = 0; by < MP_CHANGES_BY; by++)
        mp_changes_free(comparison->changes[by]);
}

/* ---------------------------------------------------------------- text */

static bool
print_table(struct mp_table *table, const struct mp_print_options *options, FILE *out, struct mp_error *error)
{
    bool ok;

    fputc('\n', out);
    ok = mp_table_print(table, options, out, error);
    mp_table_free(table);
    return ok;
}

/* Prints TEXT, wrapped at the width of the terminal. */
static void
print_sentence(const char *text, unsigned width, FILE *out)
{
    size_t column = 0, most = width > 20 ? width : 100;

    while (*text) {
        size_t word = strcspn(text, " ");

        if (column > 0 && column + 1 + word > most) {
            fputs("\n  ", out);
            column = 2;
        } else if (column > 0) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)word, text);
        column += word;
        text += word + strspn(text + word, " ");
    }
    fputc('\n', out);
}

bool
mp_compare_text(const struct mp_comparison *c, FILE *out, struct mp_error *error)
{
    const struct mp_print_options *print = &c->options->print;
    bool ok;

    mp_head_print(c->head, print, out);
    if (c->options->part[0])
        fprintf(out, "%-17s only what was allocated %s\n", "Shown", c->options->part);
    fputc('\n', out);
    mp_columns_title(out, "WHAT CHANGED", print->color);
    for (unsigned i = 0; i < c->n_sentences; i++)
        print_sentence(c->sentences[i].text, print->width, out);
    ok = print_table(mp_table_sides(c->join), print, out, error);
    for (unsigned by = 0; ok && by < MP_CHANGES_BY; by++)
        if (is_wanted(c->options, by))
            ok = print_table(mp_table_changes(c->changes[by], print), print, out, error);
    return ok;
}

/* ---------------------------------------------------------------- JSON */

/* The version of the schema. The first number is increased by incompatible changes, the second by compatible ones.
 * doc/mprof-diff.schema.json and mprof-diff(1) contain the same version. */
#define SCHEMA_VERSION "1.0"

static void
put_schema(struct mp_buffer *out)
{
    mp_json_open(out, '{');
    mp_json_schema(out, "mprof-diff", SCHEMA_VERSION);
    mp_json_key_text(out, "mprof", PACKAGE_VERSION);
}

static void
put_runs(const struct mp_join *join, struct mp_buffer *out)
{
    mp_json_key(out, "runs");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < join->n_runs; i++) {
        const struct mp_join_run *run = &join->runs[i];

        mp_json_line(out);
        mp_json_open(out, '{');
        mp_json_key_text(out, "side", run->side == MP_BEFORE ? "before" : "after");
        mp_json_key_text(out, "file", run->label);
        mp_json_key_text(out, "program", run->meta.program);
        mp_json_key_texts(out, "arguments", run->meta.arguments, run->meta.n_arguments);
        mp_json_key_text_or_null(out, "from", run->part && !run->alive ? run->from : NULL);
        mp_json_key_text_or_null(out, "to", run->part ? run->to : NULL);
        mp_json_key_number(out, "sample_period", run->meta.sample_period);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

static void
put_sentences(const struct mp_comparison *c, struct mp_buffer *out)
{
    mp_json_line(out);
    mp_json_key(out, "sentences");
    mp_json_open(out, '[');
    for (unsigned i = 0; i < c->n_sentences; i++) {
        mp_json_line(out);
        mp_json_open(out, '{');
        mp_json_key_text(out, "about", c->sentences[i].key);
        mp_json_key_text(out, "text", c->sentences[i].text);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

static void
put_table(struct mp_json_out *out, const char *key, struct mp_table *table, const struct mp_join *join)
{
    mp_json_line(&out->buffer);
    mp_json_key(&out->buffer, key);
    mp_json_table(out, table, join->profile);
    mp_table_free(table);
}

bool
mp_compare_json(const struct mp_comparison *c, FILE *file, struct mp_error *error)
{
    struct mp_json_out json = {.file = file};
    struct mp_buffer *out = &json.buffer;

    put_schema(out);
    mp_json_key_text(out, "cost", mp_sorts[c->options->print.sort].key);
    mp_json_key_text_or_null(out, "shown", c->options->part);
    put_runs(c->join, out);
    mp_json_head(&json, c->head);
    put_sentences(c, out);
    mp_json_key(out, "tables");
    mp_json_open(out, '{');
    put_table(&json, "sides", mp_table_sides(c->join), c->join);
    for (unsigned by = 0; by < MP_CHANGES_BY; by++)
        if (is_wanted(c->options, by))
            put_table(&json, mp_changes_names[by], mp_table_changes(c->changes[by], &c->options->print), c->join);
    mp_json_close(out, '}');
    return mp_json_finish(&json, error);
}
