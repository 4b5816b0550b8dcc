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

/* Writes a field and a comma. The field is empty if TEXT is NULL or "", which means not known. */
static void
put_field(const char *text, FILE *out)
{
    if (text && *text)
        put_quoted(text, out);
    fputc(',', out);
}

/* Writes the functions of CALLS, outermost first, separated by semicolons as in the format chains. */
static void
put_chain(const struct mp_calls *calls, FILE *out)
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
    put_field(text, out);
    free(text);
}

/* Writes function, module, file and line of the innermost call, which allocated. */
static void
put_place(const struct mp_calls *calls, FILE *out)
{
    const struct mp_profile *view = calls->profile;
    const struct mp_call *last = calls->n > 0 ? &calls->list[calls->n - 1] : NULL;
    const struct mp_function *function = last ? &view->functions[last->function] : NULL;

    put_field(function ? function->text : NULL, out);
    put_field(function && function->module < view->n_modules ? view->modules[function->module].path : NULL,
              out);
    put_field(last && last->file[0] ? last->file : function ? function->file : NULL, out);
    if (last && last->line > 0)
        fprintf(out, "%" PRIu32, last->line);
    fputc(',', out);
}

/* Writes blocks and bytes with a short life, then the 15 numbers of blocks and of bytes of the histogram, separated
 * by semicolons. */
static void
put_lifetimes(const struct mp_lifetimes *lifetimes, FILE *out)
{
    const struct mp_lived young = mp_lifetimes_short(lifetimes);

    fprintf(out, ",%" PRIu64 ",%" PRIu64, young.blocks, young.bytes);
    for (unsigned i = 0; i < MP_LIFETIMES; i++)
        fprintf(out, "%c%" PRIu64, i > 0 ? ';' : ',', lifetimes->blocks[i]);
    for (unsigned i = 0; i < MP_LIFETIMES; i++)
        fprintf(out, "%c%" PRIu64, i > 0 ? ';' : ',', lifetimes->bytes[i]);
}

static void
put_figures(const struct mp_export_cells *cells, const struct mp_counts *counts, bool sampled, FILE *out)
{
    fputs(sampled ? "true" : "false", out);
    for (enum mp_figure i = 0; i < MP_FIGURES; i++) {
        fputc(',', out);
        if (cells->known[i])
            fprintf(out, "%" PRId64, (int64_t)mp_counts_estimate(counts, i).value);
    }
}

/* Writes the labels of the run, as "build=17;branch=main". A semicolon in a label is written as \x3b. */
static void
put_labels(const struct mp_export *export, FILE *out)
{
    struct mp_text_stream labels;
    FILE *memory = mp_text_open(&labels);
    char *text;

    for (uint32_t i = 0; i < export->n_labels; i++) {
        fputs(i > 0 ? ";" : "", memory);
        mp_export_name(export->labels[i].name, memory);
        fputc('=', memory);
        mp_export_name(export->labels[i].value, memory);
    }
    text = mp_text_close(&labels);
    if (*text)
        put_quoted(text, out);
    free(text);
}

static void
put_process(const struct mp_export_process *process, FILE *out)
{
    const struct mp_meta *meta = &process->meta;

    put_field(process->run, out);
    if (meta->pid > 0)
        fprintf(out, "%" PRIu32, meta->pid);
    fputc(',', out);
    put_field(meta->program, out);
    put_field(meta->host, out);
    if (meta->start_realtime > 0)
        fprintf(out, "%" PRIu64, meta->start_realtime);
    fputc(',', out);
}

static void
put_row(const struct mp_export *export, const struct mp_export_cells *cells,
        const struct mp_export_cell *cell, FILE *out)
{
    struct mp_arena *arena = mp_arena_new();
    const struct mp_calls *calls = calls_of(export, cells, cell, arena);

    put_process(cell->process, out);
    put_field(cell->type, out);
    put_field(cell->size_class, out);
    put_place(calls, out);
    put_chain(calls, out);
    put_figures(cells, &cell->counts, mp_is_estimated(&export->profile->meta), out);
    if (cell->has_lifetimes)
        put_lifetimes(&cell->lifetimes, out);
    else
        fputs(",,,,", out);
    fputc(',', out);
    put_labels(export, out);
    fputc('\n', out);
    mp_arena_free(arena);
}

bool
mp_export_csv(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    struct mp_export_cells cells = mp_export_cells(export);
    struct mp_export_cell cell;

    (void)error;
    fputs("run,pid,program,host,started_ns,type,size_class,function,module,file,line,chain,estimated", out);
    for (enum mp_figure i = 0; i < MP_FIGURES; i++)
        fprintf(out, ",%s", mp_figures[i].key);
    fputs(",short_blocks,short_bytes,lived_blocks,lived_bytes,labels\n", out);
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
    for (uint32_t i = 0; i < export->n_labels; i++)
        mp_json_key_text(out, export->labels[i].name, export->labels[i].value);
    mp_json_close(out, '}');
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
