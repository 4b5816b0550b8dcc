/* SPDX-License-Identifier: MIT */
/*
 * Writes a line for each chain and type, for engines that read tables. CSV follows RFC 4180, except that lines end in
 * a newline only. NDJSON has one JSON object in each line.
 */
#include "export_formats.h"
#include "flat_rows.h"
#include "reporter/base/text.h"
#include "reporter/profile/estimate.h"
#include "reporter/table/json_head.h"
#include "runtime/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns the calls of CELL's chain. Leaves out the process of a merged file unless EXPORT wants it. */
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

static void
begin_field(struct line *line)
{
    fputs(line->comma, line->out);
    line->comma = ",";
}

/* Writes a field. NULL and "" mean that it is not known. */
static void
put_text(struct line *line, const char *text)
{
    begin_field(line);
    if (text && *text)
        put_quoted(text, line->out);
    else
        fputs(line->null, line->out);
}

static void
put_number(struct line *line, int64_t number, bool known)
{
    begin_field(line);
    if (known)
        fprintf(line->out, "%" PRId64, number);
    else
        fputs(line->null, line->out);
}

/* Writes the functions of CALLS, outermost first, separated by semicolons as in the format chains. */
static void
put_chain(struct line *line, const struct mp_calls *calls)
{
    struct mp_text_stream chain;
    FILE *memory = mp_text_open(&chain);
    char *text;

    fputs(calls->whole ? "" : "...", memory);
    for (uint32_t i = 0; i < calls->n; i++) {
        fputs(i > 0 || !calls->whole ? ";" : "", memory);
        mp_export_name(calls->profile->functions[calls->list[i].function].text, memory);
    }
    text = mp_text_close(&chain);
    put_text(line, text);
    free(text);
}

/* Writes function, module, file and line of the innermost call, which allocated. */
static void
put_place(struct line *line, const struct mp_calls *calls)
{
    const struct mp_profile *view = calls->profile;
    const struct mp_call *last = calls->n > 0 ? &calls->list[calls->n - 1] : NULL;
    const struct mp_function *function = last ? &view->functions[last->function] : NULL;

    put_text(line, function ? function->text : NULL);
    put_text(line, function && function->module < view->n_modules ? view->modules[function->module].path : NULL);
    put_text(line, last && last->file[0] ? last->file : function ? function->file : NULL);
    put_number(line, last ? last->line : 0, last && last->line > 0);
}

/* Writes a histogram of lifetimes as numbers that are separated by semicolons. */
static void
put_histogram(struct line *line, const uint64_t numbers[MP_LIFETIMES])
{
    begin_field(line);
    for (unsigned i = 0; i < MP_LIFETIMES; i++)
        fprintf(line->out, "%s%" PRIu64, i > 0 ? ";" : "", numbers[i]);
}

/* Writes blocks and bytes with a short life, and the histograms of blocks and of bytes. */
static void
put_lifetimes(struct line *line, const struct mp_export_cell *cell)
{
    const struct mp_lived young = mp_lifetimes_short(&cell->lifetimes);

    put_number(line, (int64_t)young.blocks, cell->has_lifetimes);
    put_number(line, (int64_t)young.bytes, cell->has_lifetimes);
    if (cell->has_lifetimes) {
        put_histogram(line, cell->lifetimes.blocks);
        put_histogram(line, cell->lifetimes.bytes);
    } else {
        put_text(line, NULL);
        put_text(line, NULL);
    }
}

static void
put_figures(struct line *line, const struct mp_export_cells *cells, const struct mp_counts *counts)
{
    for (enum mp_figure i = 0; i < MP_FIGURES; i++)
        put_number(line, (int64_t)mp_counts_estimate(counts, i).value, cells->known[i]);
}

/* Writes the labels of the run, as "build=17;branch=main". A semicolon in a label is written as \x3b. */
static void
put_labels(struct line *line, const struct mp_export_process *process)
{
    struct mp_text_stream labels;
    FILE *memory = mp_text_open(&labels);
    char *text;

    for (uint32_t i = 0; i < process->n_labels; i++) {
        fputs(i > 0 ? ";" : "", memory);
        mp_export_name(process->labels[i].name, memory);
        fputc('=', memory);
        mp_export_name(process->labels[i].value, memory);
    }
    text = mp_text_close(&labels);
    put_text(line, text);
    free(text);
}

/* Writes the last columns of a row, from the command to the sampling period. */
static void
put_course(struct line *line, const struct mp_export_process *process)
{
    const struct mp_meta *meta = &process->meta;

    put_text(line, process->command);
    put_text(line, process->build_id);
    put_number(line, meta->ppid, meta->ppid > 0);
    put_number(line, (int64_t)meta->duration, meta->duration > 0);
    put_number(line, process->exit_status, process->exit_status >= 0);
    put_number(line, mp_export_period(meta), true);
}

static void
put_process(struct line *line, const struct mp_export_process *process)
{
    const struct mp_meta *meta = &process->meta;

    put_text(line, process->run);
    put_number(line, meta->pid, meta->pid > 0);
    put_text(line, meta->program);
    put_text(line, meta->host);
    put_number(line, (int64_t)meta->start_realtime, meta->start_realtime > 0);
}

static void
put_row(const struct mp_export *export, const struct mp_export_cells *cells, const struct mp_export_cell *cell,
        FILE *out)
{
    struct line line = {.out = out, .null = export->null ? export->null : "", .comma = ""};
    struct mp_arena *arena = mp_arena_new();
    const struct mp_calls *calls = calls_of(export, cells, cell, arena);

    put_process(&line, cell->process);
    put_text(&line, cell->type);
    put_text(&line, cell->size_class);
    put_place(&line, calls);
    put_chain(&line, calls);
    begin_field(&line);
    fputs(mp_is_estimated(&export->profile->meta) ? "true" : "false", out);
    put_figures(&line, cells, &cell->counts);
    put_lifetimes(&line, cell);
    put_labels(&line, cell->process);
    put_course(&line, cell->process);
    fputc('\n', out);
    mp_arena_free(arena);
}

static void
put_header(FILE *out)
{
    fputs("run,pid,program,host,started_ns,type,size_class,function,module,file,line,chain,estimated", out);
    for (enum mp_figure i = 0; i < MP_FIGURES; i++)
        fprintf(out, ",%s", mp_figures[i].key);
    fputs(",short_blocks,short_bytes,lived_blocks,lived_bytes,labels,command,build_id,parent_pid,duration_ns,"
          "exit_status,sample_period\n", out);
}

bool
mp_export_csv(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    struct mp_export_cells cells = mp_export_cells(export);
    struct mp_export_cell cell;

    (void)error;
    if (!export->no_header)
        put_header(out);
    while (mp_export_next(&cells, &cell))
        put_row(export, &cells, &cell, out);
    mp_export_cells_free(&cells);
    return true;
}

/* ---------------------------------------------------------------- NDJSON */

static void
put_json_figures(const struct mp_export_cells *cells, const struct mp_counts *counts,
                 struct mp_buffer *out)
{
    struct mp_json_estimates estimates = {.out = out};

    for (enum mp_figure i = 0; i < MP_FIGURES; i++) {
        mp_json_key(out, mp_figures[i].key);
        if (cells->known[i])
            mp_json_signed(out, (int64_t)mp_counts_estimate(counts, i).value);
        else
            mp_json_null(out);
    }
    for (enum mp_figure i = 0; i < MP_FIGURES; i++) {
        const struct mp_estimate estimate = mp_counts_estimate(counts, i);

        if (cells->known[i] && !estimate.exact)
            mp_json_estimate(&estimates, mp_figures[i].key, estimate.low, estimate.high);
    }
    mp_json_estimates_end(&estimates);
}

static void
put_json_lifetimes(const struct mp_export_cell *cell, struct mp_buffer *out)
{
    const struct mp_lived young = mp_lifetimes_short(&cell->lifetimes);
    static const char *const keys[] = {"short_blocks", "short_bytes", "lived_blocks", "lived_bytes"};

    if (cell->has_lifetimes) {
        mp_json_key_number(out, keys[0], young.blocks);
        mp_json_key_number(out, keys[1], young.bytes);
        mp_json_key_numbers(out, keys[2], cell->lifetimes.blocks, MP_LIFETIMES);
        mp_json_key_numbers(out, keys[3], cell->lifetimes.bytes, MP_LIFETIMES);
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        mp_json_key(out, keys[i]);
        mp_json_null(out);
    }
}

static void
put_json_course(struct mp_buffer *out, const struct mp_export_process *process)
{
    const struct mp_meta *meta = &process->meta;

    mp_json_key_text_or_null(out, "command", process->command);
    mp_json_key_text_or_null(out, "build_id", process->build_id);
    mp_json_key_number_or_null(out, "parent_pid", meta->ppid, meta->ppid > 0);
    mp_json_key_number_or_null(out, "duration_ns", meta->duration, meta->duration > 0);
    mp_json_key_number_or_null(out, "exit_status", (uint64_t)process->exit_status, process->exit_status >= 0);
    mp_json_key_number(out, "sample_period", mp_export_period(meta));
}

static void
put_object(const struct mp_export *export, const struct mp_export_cells *cells,
           const struct mp_export_cell *cell, struct mp_buffer *out)
{
    const struct mp_meta *meta = &cell->process->meta;
    struct mp_arena *arena = mp_arena_new();

    mp_json_open(out, '{');
    mp_json_key_text(out, "run", cell->process->run);
    mp_json_key_number_or_null(out, "pid", meta->pid, meta->pid > 0);
    mp_json_key_text_or_null(out, "program", meta->program);
    mp_json_key_text_or_null(out, "host", meta->host);
    mp_json_key_number_or_null(out, "started_ns", meta->start_realtime, meta->start_realtime > 0);
    mp_json_key_text(out, "type", cell->type);
    mp_json_key_text_or_null(out, "size_class", cell->size_class);
    mp_json_key_bool(out, "estimated", mp_is_estimated(&export->profile->meta));
    put_json_figures(cells, &cell->counts, out);
    put_json_lifetimes(cell, out);
    mp_json_calls(out, calls_of(export, cells, cell, arena));
    mp_json_key(out, "labels");
    mp_json_open(out, '{');
    for (uint32_t i = 0; i < cell->process->n_labels; i++)
        mp_json_key_text(out, cell->process->labels[i].name, cell->process->labels[i].value);
    mp_json_close(out, '}');
    put_json_course(out, cell->process);
    mp_json_close(out, '}');
    mp_arena_free(arena);
}

bool
mp_export_ndjson(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    struct mp_export_cells cells = mp_export_cells(export);
    struct mp_export_cell cell;

    (void)error;
    while (mp_export_next(&cells, &cell)) {
        struct mp_buffer line = {0};

        put_object(export, &cells, &cell, &line);
        mp_json_end(&line, out);
    }
    mp_export_cells_free(&cells);
    return true;
}
