/* SPDX-License-Identifier: MIT */
/*
 * Writes a line for each chain and type, for engines that read tables. CSV follows RFC 4180, except that lines end in
 * a newline only. NDJSON has one JSON object in each line.
 */
#include "export_formats.h"
#include "flat_columns.h"
#include "flat_rows.h"
#include "reporter/base/text.h"
#include "reporter/profile/estimate.h"
#include "reporter/table/json_head.h"
#include "runtime/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- rows and their values */

struct row {
    const struct mp_export *export;
    const struct mp_export_cells *cells;
    const struct mp_export_cell *cell;
    const struct mp_calls *calls;
    const struct mp_call *last; /* the call that allocated; NULL if no call is known */
    struct mp_lived young;      /* blocks with a short life */
    struct mp_arena *arena;     /* owns what is made for the row */
};

/* The value of a column. */
struct value {
    const char *text;
    uint64_t number;
    const uint64_t *numbers;
    bool known;
};

/* NULL and "" mean that the text is not known. */
static struct value
text(const char *text)
{
    return (struct value){.text = text, .known = text && *text};
}

static struct value
number(uint64_t number, bool known)
{
    return (struct value){.number = number, .known = known};
}

static struct value
truth(bool truth)
{
    return number(truth, true);
}

/* NULL means that the numbers are not known. */
static struct value
numbers(const uint64_t numbers[MP_LIFETIMES])
{
    return (struct value){.numbers = numbers, .known = numbers};
}

/* The value of labels, calls and estimates, which are written by functions that read the row itself. */
static struct value
of_row(void)
{
    return (struct value){.known = true};
}

static struct value
figure(const struct row *row, enum mp_figure figure)
{
    return number(mp_counts_estimate(&row->cell->counts, figure).value, row->cells->known[figure]);
}

/* Returns the calls of CELL's chain. In a merged file, the first call names the process; it is left out unless EXPORT
 * wants it. */
static const struct mp_calls *
calls_of(const struct mp_export *export, const struct mp_export_cells *cells, const struct mp_export_cell *cell,
         struct mp_arena *arena)
{
    const struct mp_calls *all = mp_chain_calls(cells->tree, &(struct mp_chain_options){0}, cell->node, arena);
    struct mp_calls *calls;

    if (cells->label[cell->node] == 0 || export->by_process)
        return all;
    calls = mp_arena_alloc(arena, sizeof *calls);
    *calls = *all;
    calls->list++;
    calls->n--;
    return calls;
}

/* Returns the functions of ROW's calls, outermost first, separated by semicolons as in the format chains. */
static const char *
chain_of(const struct row *row)
{
    struct mp_text_stream chain;
    FILE *memory = mp_text_open(&chain);

    fputs(row->calls->whole ? "" : "...", memory);
    for (uint32_t i = 0; i < row->calls->n; i++) {
        fputs(i > 0 || !row->calls->whole ? ";" : "", memory);
        mp_export_name(row->calls->profile->functions[row->calls->list[i].function].text, memory);
    }
    return mp_text_close_in(&chain, row->arena);
}

/* Returns the function that allocated, or NULL if it is not known. */
static const struct mp_function *
function_of(const struct row *row)
{
    return row->last ? &row->calls->profile->functions[row->last->function] : NULL;
}

static const char *
module_of(const struct row *row)
{
    const struct mp_profile *view = row->calls->profile;
    const struct mp_function *function = function_of(row);

    return function && function->module < view->n_modules ? view->modules[function->module].path : NULL;
}

static const char *
file_of(const struct row *row)
{
    const struct mp_function *function = function_of(row);

    return row->last && row->last->file[0] ? row->last->file : function ? function->file : NULL;
}

static struct row
row_of(const struct mp_export *export, const struct mp_export_cells *cells, const struct mp_export_cell *cell)
{
    struct mp_arena *arena = mp_arena_new();
    const struct mp_calls *calls = calls_of(export, cells, cell, arena);

    return (struct row){
        .export = export, .cells = cells, .cell = cell, .calls = calls, .arena = arena,
        .last = calls->n > 0 ? &calls->list[calls->n - 1] : NULL, .young = mp_lifetimes_short(&cell->lifetimes)};
}

/* Which formats have a column. */
enum { CSV = 1, NDJSON = 2, BOTH = CSV | NDJSON, MAYBE = 4 };

/*
 * All columns in their order: COLUMN(name, type, where, meaning, value). `where` consists of the formats that have the
 * column, and MAYBE if a value can be unknown. `value` is an expression in value_of(). The columns of the figures are
 * FIGURE with the arguments of MP_EACH_FIGURE.
 */
#define EACH_COLUMN(COLUMN, FIGURE) \
    COLUMN(run, TEXT, BOTH, "name of the recording of one process, the same in each export", text(process->run)) \
    COLUMN(number, NUMBER, BOTH, "number of the row within the run", number(row->cell->number, true)) \
    COLUMN(pid, NUMBER, BOTH | MAYBE, "process id", number(meta->pid, meta->pid > 0)) \
    COLUMN(program, TEXT, BOTH | MAYBE, "path of the program", text(meta->program)) \
    COLUMN(host, TEXT, BOTH | MAYBE, "name of the host", text(meta->host)) \
    COLUMN(started_ns, NUMBER, BOTH | MAYBE, "start of the recording in nanoseconds since 1970", \
           number(meta->start_realtime, meta->start_realtime > 0)) \
    COLUMN(type, TEXT, BOTH, "malloc, or the type of Lisp objects", text(row->cell->type)) \
    COLUMN(size_class, TEXT, BOTH | MAYBE, "size class of the blocks, unknown for Lisp objects", \
           text(row->cell->size_class)) \
    COLUMN(function, TEXT, CSV | MAYBE, "function that allocated", text(function ? function->text : NULL)) \
    COLUMN(module, TEXT, CSV | MAYBE, "program or library of the function", text(module_of(row))) \
    COLUMN(file, TEXT, CSV | MAYBE, "source file of the function", text(file_of(row))) \
    COLUMN(line, NUMBER, CSV | MAYBE, "line of the allocation", \
           number(row->last ? row->last->line : 0, row->last && row->last->line > 0)) \
    COLUMN(chain, TEXT, CSV | MAYBE, "functions of the call chain, outermost first, separated by semicolons", \
           text(chain_of(row))) \
    COLUMN(estimated, TRUTH, BOTH, "whether the recording was sampled, so that figures are estimates", \
           truth(mp_is_estimated(&row->export->profile->meta))) \
    MP_EACH_FIGURE(FIGURE) \
    COLUMN(estimates, ESTIMATES, NDJSON | MAYBE, "95 % intervals of estimated figures", of_row()) \
    COLUMN(short_blocks, NUMBER, BOTH | MAYBE, "blocks freed before another 32 KiB were allocated", \
           number(row->young.blocks, lived)) \
    COLUMN(short_bytes, NUMBER, BOTH | MAYBE, "bytes of these blocks", number(row->young.bytes, lived)) \
    COLUMN(lived_blocks, NUMBERS, BOTH | MAYBE, \
           "freed blocks by the bytes that were allocated during their life, below 32, 128, 512 and so on", \
           numbers(lived ? row->cell->lifetimes.blocks : NULL)) \
    COLUMN(lived_bytes, NUMBERS, BOTH | MAYBE, "bytes of these blocks", \
           numbers(lived ? row->cell->lifetimes.bytes : NULL)) \
    COLUMN(whole, TRUTH, NDJSON, "whether the call chain is complete", truth(row->calls->whole)) \
    COLUMN(frames, FRAMES, NDJSON, "calls of the call chain, outermost first", of_row()) \
    COLUMN(labels, LABELS, BOTH | MAYBE, "labels of the run", of_row()) \
    COLUMN(command, TEXT, BOTH | MAYBE, "command line", text(process->command)) \
    COLUMN(build_id, TEXT, BOTH | MAYBE, "build-id of the program", text(process->build_id)) \
    COLUMN(parent_pid, NUMBER, BOTH | MAYBE, "process id of the parent", number(meta->ppid, meta->ppid > 0)) \
    COLUMN(duration_ns, NUMBER, BOTH | MAYBE, "duration of the recording in nanoseconds", \
           number(meta->duration, meta->duration > 0)) \
    COLUMN(exit_status, NUMBER, BOTH | MAYBE, "exit status, or 128 plus the signal that ended the process", \
           number((uint64_t)process->exit_status, process->exit_status >= 0)) \
    COLUMN(sample_period, NUMBER, BOTH, "mean bytes between samples, 0 if every block was recorded", \
           number(mp_export_period(meta), true))

#define COLUMN_ENUMERATOR(name, type, where, meaning, value) COLUMN_##name,
#define FIGURE_ENUMERATOR(name, member, key, bytes, what) COLUMN_OF_##name,
enum column { EACH_COLUMN(COLUMN_ENUMERATOR, FIGURE_ENUMERATOR) COLUMNS };

#define COLUMN_ENTRY(name, type, where, meaning, value) \
    {#name, MP_FLAT_##type, ((where) & CSV) != 0, ((where) & NDJSON) != 0, ((where) & MAYBE) != 0, meaning},
#define FIGURE_ENTRY(name, member, key, bytes, what) \
    {key, MP_FLAT_FIGURE, true, true, true, "how many " what},
const struct mp_flat_column mp_flat_columns[] = {EACH_COLUMN(COLUMN_ENTRY, FIGURE_ENTRY)};
const size_t mp_n_flat_columns = COLUMNS;

static struct value
value_of(const struct row *row, enum column column)
{
    const struct mp_export_process *process = row->cell->process;
    const struct mp_meta *meta = &process->meta;
    const struct mp_function *function = function_of(row);
    const bool lived = row->cell->has_lifetimes;

#define COLUMN_VALUE(name, type, where, meaning, value) \
    case COLUMN_##name: \
        return value;
#define FIGURE_VALUE(name, member, key, bytes, what) \
    case COLUMN_OF_##name: \
        return figure(row, MP_FIGURE_##name);
    switch (column) {
    EACH_COLUMN(COLUMN_VALUE, FIGURE_VALUE)
    default:
        return of_row();
    }
}

/* ---------------------------------------------------------------- CSV */

/* A line that is being written. */
struct line {
    FILE *out;
    const char *null;           /* what is written for an unknown value */
    const char *comma;          /* what separates the next field from the last one: "" before the first */
};

static void
put_quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (size_t step; *text; text += step ? step : 1) {
        step = mp_utf8_length(text, strnlen(text, 4));
        if (step == 0) {
            fprintf(out, "\\x%02x", (unsigned char)*text);
            continue;
        }
        if (*text == '"')
            fputc('"', out);
        fwrite(text, 1, step, out);
    }
    fputc('"', out);
}

/* Writes the labels of the run, as "build=17;branch=main". A semicolon in a label is written as \x3b. */
static void
put_labels(const struct row *row, FILE *out)
{
    const struct mp_export_process *process = row->cell->process;
    struct mp_text_stream labels;
    FILE *memory = mp_text_open(&labels);

    for (uint32_t i = 0; i < process->n_labels; i++) {
        fputs(i > 0 ? ";" : "", memory);
        mp_export_name(process->labels[i].name, memory);
        fputc('=', memory);
        mp_export_name(process->labels[i].value, memory);
    }
    put_quoted(mp_text_close_in(&labels, row->arena), out);
}

static void
put_numbers(const uint64_t numbers[MP_LIFETIMES], FILE *out)
{
    for (unsigned i = 0; i < MP_LIFETIMES; i++)
        fprintf(out, "%s%" PRIu64, i > 0 ? ";" : "", numbers[i]);
}

static void
put_field(struct line *line, const struct row *row, enum mp_flat_type type, struct value value)
{
    FILE *out = line->out;

    fputs(line->comma, out);
    line->comma = ",";
    if (!value.known || (type == MP_FLAT_LABELS && row->cell->process->n_labels == 0))
        fputs(line->null, out);
    else if (type == MP_FLAT_TEXT)
        put_quoted(value.text, out);
    else if (type == MP_FLAT_NUMBER)
        fprintf(out, "%" PRIu64, value.number);
    else if (type == MP_FLAT_FIGURE)
        fprintf(out, "%" PRId64, (int64_t)value.number);
    else if (type == MP_FLAT_TRUTH)
        fputs(value.number ? "true" : "false", out);
    else if (type == MP_FLAT_NUMBERS)
        put_numbers(value.numbers, out);
    else
        put_labels(row, out);
}

static void
put_line(const struct row *row, FILE *out)
{
    struct line line = {.out = out, .null = row->export->null ? row->export->null : "", .comma = ""};

    for (enum column i = 0; i < COLUMNS; i++)
        if (mp_flat_columns[i].csv)
            put_field(&line, row, mp_flat_columns[i].type, value_of(row, i));
    fputc('\n', out);
}

static void
put_header(FILE *out)
{
    const char *comma = "";

    for (enum column i = 0; i < COLUMNS; i++) {
        if (!mp_flat_columns[i].csv)
            continue;
        fprintf(out, "%s%s", comma, mp_flat_columns[i].name);
        comma = ",";
    }
    fputc('\n', out);
}

/* Calls PUT for each row of EXPORT. */
static void
put_rows(const struct mp_export *export, void (*put)(const struct row *row, FILE *out), FILE *out)
{
    struct mp_export_cells cells = mp_export_cells(export);
    struct mp_export_cell cell;

    while (mp_export_next(&cells, &cell)) {
        const struct row row = row_of(export, &cells, &cell);

        put(&row, out);
        mp_arena_free(row.arena);
    }
    mp_export_cells_free(&cells);
}

bool
mp_export_csv(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    (void)error;
    if (!export->no_header)
        put_header(out);
    put_rows(export, put_line, out);
    return true;
}

/* ---------------------------------------------------------------- NDJSON */

/* Writes the estimates of ROW, a member that is left out if all figures are exact. */
static void
put_estimates(const struct row *row, struct mp_buffer *out)
{
    struct mp_json_estimates estimates = {.out = out};

    for (enum mp_figure i = 0; i < MP_FIGURES; i++) {
        const struct mp_estimate estimate = mp_counts_estimate(&row->cell->counts, i);

        if (row->cells->known[i] && !estimate.exact)
            mp_json_estimate(&estimates, mp_figures[i].key, estimate.low, estimate.high);
    }
    mp_json_estimates_end(&estimates);
}

static void
put_label_members(const struct row *row, struct mp_buffer *out)
{
    const struct mp_export_process *process = row->cell->process;

    mp_json_open(out, '{');
    for (uint32_t i = 0; i < process->n_labels; i++)
        mp_json_key_text(out, process->labels[i].name, process->labels[i].value);
    mp_json_close(out, '}');
}

static void
put_list(const uint64_t numbers[MP_LIFETIMES], struct mp_buffer *out)
{
    mp_json_open(out, '[');
    for (unsigned i = 0; i < MP_LIFETIMES; i++)
        mp_json_number(out, numbers[i]);
    mp_json_close(out, ']');
}

static void
put_member(const struct row *row, const struct mp_flat_column *column, struct value value, struct mp_buffer *out)
{
    if (column->type == MP_FLAT_ESTIMATES) {
        put_estimates(row, out);
        return;
    }
    mp_json_key(out, column->name);
    if (!value.known)
        mp_json_null(out);
    else if (column->type == MP_FLAT_TEXT)
        mp_json_text(out, value.text);
    else if (column->type == MP_FLAT_NUMBER)
        mp_json_number(out, value.number);
    else if (column->type == MP_FLAT_FIGURE)
        mp_json_signed(out, (int64_t)value.number);
    else if (column->type == MP_FLAT_TRUTH)
        mp_json_bool(out, value.number);
    else if (column->type == MP_FLAT_NUMBERS)
        put_list(value.numbers, out);
    else if (column->type == MP_FLAT_LABELS)
        put_label_members(row, out);
    else
        mp_json_frames(out, row->calls);
}

static void
put_object(const struct row *row, FILE *out)
{
    struct mp_buffer line = {0};

    mp_json_open(&line, '{');
    for (enum column i = 0; i < COLUMNS; i++)
        if (mp_flat_columns[i].ndjson)
            put_member(row, &mp_flat_columns[i], value_of(row, i), &line);
    mp_json_close(&line, '}');
    mp_json_end(&line, out);
}

bool
mp_export_ndjson(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    (void)error;
    put_rows(export, put_object, out);
    return true;
}
