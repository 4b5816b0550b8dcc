/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <inttypes.h>
#include <string.h>

#include "config.h"
#include "changes.h"
#include "reporter/base/columns.h"
#include "reporter/base/text.h"
#include "reporter/profile/ending.h"
#include "reporter/profile/missing.h"
#include "reporter/table/head.h"
#include "reporter/table/json_head.h"
#include "reporter/table/table.h"
#include "reporter/unite/join.h"
#include "reporter/view/sort.h"
#include "sentences.h"
#include "table_changes.h"

static const char *const side_names[MP_SIDES] = {[MP_BEFORE] = "before", [MP_AFTER] = "after"};

/* ---------------------------------------------------------------- the head: runs */

static const char *
command_of(const struct mp_meta *meta, struct mp_arena *arena)
{
    const char *text = meta->n_arguments > 0 ? meta->arguments[0] : meta->program;
    const uint32_t n = meta->n_arguments < 20 ? meta->n_arguments : 20;

    for (uint32_t i = 1; i < n; i++)
        text = mp_arena_printf(arena, "%s %s", text, meta->arguments[i]);
    return n < meta->n_arguments || meta->arguments_cut ? mp_arena_printf(arena, "%s ...", text) : text;
}

/* Returns whether another tool wrote the profile. It then contains neither how the process ended nor what was
 * recorded. */
static bool
is_imported(const struct mp_join_run *run)
{
    return run->meta.source != NULL;
}

/* Returns which part of the time is compared, or "" if all of it. */
static const char *
part_of(const struct mp_join_run *run, struct mp_arena *arena)
{
    const char *seen = run->exact ? "" : ", as the observer saw it";

    if (!run->part)
        return "";
    return run->alive ? mp_arena_printf(arena, "; alive at %s%s", run->to, seen)
                      : mp_arena_printf(arena, "; from %s to %s%s", run->from, run->to, seen);
}

static void
add_runs(struct mp_head *head, const struct mp_join *join, enum mp_side side)
{
    static const char *const labels[MP_SIDES] = {[MP_BEFORE] = "Before", [MP_AFTER] = "After"};
    bool first = true;

    for (uint32_t i = 0; i < join->n_runs; i++) {
        const struct mp_join_run *run = &join->runs[i];
        char ending[MP_ENDING_SIZE];
        const char *command;

        if (run->side != side)
            continue;
        command = command_of(&run->meta, head->arena);
        mp_head_say(head, side_names[side], first ? labels[side] : "", "%s: %s (%s)%s", run->label,
                    *command ? command : "program not known",
                    is_imported(run) ? mp_arena_printf(head->arena, "imported: %s", run->meta.source)
                                     : mp_ending_text(&run->meta, ending),
                    part_of(run, head->arena));
        first = false;
    }
}

static void
add_noise(struct mp_head *head, const struct mp_join *join)
{
    double orders = mp_chance(join);

    if (orders > 0)
        mp_head_say(head, "noise", "Noise",
                    "medians of %" PRIu32 " and %" PRIu32 " runs; in 1 of %.*f rows or fewer a difference exceeds the "
                    "noise by chance", join->n_of[MP_BEFORE], join->n_of[MP_AFTER],
                    orders < 100 && orders != (double)(int)orders ? 1 : 0, orders);
}

/* ---------------------------------------------------------------- what runs differ in */

/* Returns the values of TEXT on both sides if runs differ, for example "before exact, after one sample for each
 * 524288 bytes". Runs for which TEXT returns NULL are ignored, because their value is unknown. Returns NULL if
 * nothing differs or if one side is unknown. */
static const char *
differ(const struct mp_join *join, const char *(*text)(const struct mp_join_run *, struct mp_arena *),
       struct mp_arena *arena)
{
    const char *said[MP_SIDES] = {NULL, NULL}, *first = NULL;
    struct mp_map known[MP_SIDES] = {{.arena = arena}, {.arena = arena}};
    bool same = true;

    for (uint32_t i = 0; i < join->n_runs; i++) {
        const enum mp_side side = join->runs[i].side;
        const uint32_t n = known[side].count;
        const char *of = text(&join->runs[i], arena);

        if (!of)
            continue;
        first = first ? first : of;
        same &= strcmp(of, first) == 0;
        if (mp_map_add(&known[side], of, strlen(of)) == n)
            said[side] = said[side] ? mp_arena_printf(arena, "%s or %s", said[side], of) : of;
    }
    return same || !said[MP_BEFORE] || !said[MP_AFTER]
               ? NULL : mp_arena_printf(arena, "before %s, after %s", said[MP_BEFORE], said[MP_AFTER]);
}

static const char *
sampling_of(const struct mp_join_run *run, struct mp_arena *arena)
{
    if (run->meta.foreign_period > 0)
        return mp_arena_printf(arena, "estimates of another tool, of one sample for each %" PRIu32 " bytes",
                               run->meta.foreign_period);
    return run->meta.sample_period == 0
               ? "exact" : mp_arena_printf(arena, "one sample for each %" PRIu32 " bytes", run->meta.sample_period);
}

static const char *
language_of(const struct mp_join_run *run, struct mp_arena *arena)
{
    (void)arena;
    return run->meta.language[0] ? run->meta.language : "none";
}

static const char *
depth_of(const struct mp_join_run *run, struct mp_arena *arena)
{
    if (is_imported(run))
        return NULL;
    if (run->meta.depth == 0)
        return run->meta.missing[MP_MISS_FOLDED] ? "chains without repeated calls" : "whole chains";
    return mp_arena_printf(arena, "the last %" PRIu32 " callers", run->meta.depth);
}

static const char *
threads_of(const struct mp_join_run *run, struct mp_arena *arena)
{
    (void)arena;
    if (is_imported(run))
        return NULL;
    if (run->meta.one_thread == MP_SOME_THREADS)
        return "objects not of all threads all the time";
    return run->meta.one_thread ? "objects of one thread" : "objects of all threads";
}

static const char *
time_of(const struct mp_join_run *run, struct mp_arena *arena)
{
    (void)arena;
    return !run->part ? "all that was recorded" : run->alive ? "what lived at a moment" : "a part of the time";
}

static const char *
machine_of(const struct mp_join_run *run, struct mp_arena *arena)
{
    return run->meta.machine == 0 ? NULL : mp_arena_printf(arena, "machine %" PRIu32 " of ELF", run->meta.machine);
}

/* Returns the file name of the program, so that a program in another directory is considered the same. */
static const char *
name_of(const struct mp_join_run *run, struct mp_arena *arena)
{
    (void)arena;
    return run->meta.program[0] ? mp_text_basename(run->meta.program) : NULL;
}

static const char *
end_of(const struct mp_join_run *run, struct mp_arena *arena)
{
    (void)arena;
    if (run->part)
        return "to a moment";
    if (is_imported(run))
        return NULL;
    return mp_ending_runs(&run->meta)     ? "while it ran"
           : mp_ending_is_early(&run->meta) ? "until recording was stopped"
           : run->meta.ending == MP_END_EXEC ? "until another program replaced it"
           : run->meta.ending == MP_END_EXITED ? "to its exit" : "until it was killed";
}

static const struct {
    const char *key, *label;
    const char *(*text)(const struct mp_join_run *, struct mp_arena *);
    const char *so;             /* consequence of the difference */
} traits[] = {
    {"not_comparable", "Not comparable", time_of, "these are different figures"},
    {"not_comparable", "Not comparable", language_of, "objects of Lisp are not the same sort of figures"},
    {"not_comparable", "Not comparable", threads_of, "other objects were not recorded"},
    {"not_comparable", "Not comparable", depth_of, "chains that are the same may differ here"},
    {"not_comparable", "Not comparable", machine_of, "sizes of types differ"},
    {"estimated", "Estimates", sampling_of, "a change has a 95 % interval where one run of each is compared"},
    {"programs", "Programs", name_of, "functions are matched by name all the same"},
    {"recorded", "Recorded", end_of, "what is kept then may be freed later"},
};

static void
add_traits(struct mp_head *head, const struct mp_join *join)
{
    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++) {
        const char *text = differ(join, traits[i].text, head->arena);

        if (text)
            mp_head_say(head, traits[i].key, traits[i].label, "%s; %s", text, traits[i].so);
    }
}

/* ---------------------------------------------------------------- what is missing */

/* Adds a row such as "FILE: 12 allocations ..." for each run for which COUNT is not 0. */
static void
add_counts(struct mp_head *head, const struct mp_join *join, const char *key, const char *label,
           uint64_t (*count)(const struct mp_join_run *run), const char *what)
{
    char number[MP_NUMBER_SIZE];

    for (uint32_t i = 0; i < join->n_runs; i++)
        if (count(&join->runs[i]) > 0)
            mp_head_say(head, key, label, "%s: %s %s", join->runs[i].label,
                        mp_number_grouped(count(&join->runs[i]), number), what);
}

static uint64_t
dropped(const struct mp_join_run *run)
{
    return run->meta.missing[MP_MISS_DROPPED];
}

static uint64_t
cut(const struct mp_join_run *run)
{
    return run->cut;
}

static uint64_t
slack(const struct mp_join_run *run)
{
    return run->part ? 0 : run->meta.peak_slack;
}

/* Returns the number of kinds of allocations that the run could not see. */
static uint64_t
unseen(const struct mp_join_run *run)
{
    return mp_missing_calls(&run->meta);
}

static bool
lacks_names(const struct mp_join_run *run, uint32_t module)
{
    for (uint32_t i = 0; i < run->n_nameless; i++)
        if (run->nameless[i] == module)
            return true;
    return false;
}

/* Adds modules whose functions have names only in some runs. */
static void
add_names(struct mp_head *head, const struct mp_join *join)
{
    for (uint32_t i = 0; i < join->profile->n_modules; i++) {
        unsigned without = 0;

        for (uint32_t j = 0; j < join->n_runs; j++)
            without += lacks_names(&join->runs[j], i);
        if (without > 0 && without < join->n_runs)
            mp_head_say(head, "names", "Names", "of %s are not known in all runs: its functions cannot be matched",
                        join->profile->modules[i].name);
    }
}

/* Returns the head. The caller frees it with mp_head_free(); JOIN must outlive it. */
static struct mp_head *
about(const struct mp_join *join, enum mp_sort cost)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_head *head = mp_arena_alloc(arena, sizeof *head);

    head->arena = arena;
    add_runs(head, join, MP_BEFORE);
    add_runs(head, join, MP_AFTER);
    mp_head_say(head, "compared", "Compared", "%s", mp_cost_name(join, cost));
    add_noise(head, join);
    add_traits(head, join);
    add_counts(head, join, "dropped", "Dropped records", dropped, "allocations are missing");
    add_counts(head, join, "unseen", "Not seen", unseen, "allocators or libraries that bypass mprof");
    add_counts(head, join, "cut", "Cut chains", cut, "allocations whose callers are not known");
    add_counts(head, join, "peak_slack", "Peak", slack, "bytes that the peak may be off by");
    add_names(head, join);
    return head;
}

/* ---------------------------------------------------------------- the comparison */

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
    c.head = about(join, options->print.sort);
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
        mp_json_key_text(out, "side", side_names[run->side]);
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
