/*
 * Writes profile.proto of google/pprof, compressed by gzip. A sample has the allocations of one kind on one chain. A
 * location is a frame, with a line for each function that is inlined there. As the fields of a message may come in
 * any order, samples are written one by one, followed by the tables that they refer to. Ids are indices plus 1.
 */
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "frames.h"
#include "gzip.h"
#include "mappings.h"
#include "proto.h"
#include "remark.h"
#include "reporter/base/text.h"
#include "reporter/profile/threads.h"

/* Numbers of fields, as in profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION,
    PROFILE_STRING, PROFILE_TIME = 9, PROFILE_DURATION, PROFILE_PERIOD_TYPE, PROFILE_PERIOD,
    PROFILE_COMMENT, PROFILE_DEFAULT_SAMPLE_TYPE
};
enum { VALUE_TYPE = 1, VALUE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER, LABEL_UNIT };
enum {
    MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE, MAPPING_BUILD_ID,
    MAPPING_HAS_FUNCTIONS, MAPPING_HAS_FILES, MAPPING_HAS_LINES, MAPPING_HAS_INLINED
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_NUMBER };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

/* Go's own heap profiles have the first four. */
static const struct {
    const char *type, *unit;
    enum mp_figure figure;
} figures[] = {
    {"alloc_objects", "count", MP_FIGURE_ALLOCS},
    {"alloc_space", "bytes", MP_FIGURE_BYTES},
    {"inuse_objects", "count", MP_FIGURE_KEPT_BLOCKS},
    {"inuse_space", "bytes", MP_FIGURE_KEPT},
    {"temporary_objects", "count", MP_FIGURE_TEMPORARY},
    {"peak_objects", "count", MP_FIGURE_PEAK_BLOCKS},
    {"peak_space", "bytes", MP_FIGURE_PEAK_BYTES},
};
enum { N_FIGURES = sizeof figures / sizeof *figures };

/* names of size classes, as for --size */
static const char *const size_classes[MP_KIND_C_COUNT] = {"-32", "33-256", "257-2048", "2049-"};

struct pprof {
    const struct mp_export *export;
    const struct mp_profile *view;
    struct mp_gzip gzip;
    struct mp_buffer message, part;     /* messages under construction */
    struct mp_map strings;
    struct mp_frame_lists frames;
    const struct mp_mapping *mappings;
    const char **threads;       /* names of threads, by context */
    bool *used_frames;
    const char **function_files;        /* by function: its file, or NULL if the function is not used */
    uint64_t *numbers;          /* buffer for the longest chain */
};

static uint64_t
text_id(struct pprof *p, const char *text)
{
    return mp_map_add(&p->strings, text, strlen(text));
}

/* Writes p->message as a field of the profile, and clears it. */
static void
flush_message(struct pprof *p, unsigned field)
{
    struct mp_buffer framed = {0};

    mp_proto_message(&framed, field, &p->message);
    if (framed.failed || p->part.failed)
        mp_no_memory();
    mp_gzip_put(&p->gzip, framed.bytes, framed.size);
    mp_buffer_free(&framed);
}

static void
put_number(struct pprof *p, unsigned field, uint64_t value)
{
    struct mp_buffer number = {0};

    mp_proto_number(&number, field, value);
    mp_gzip_put(&p->gzip, number.bytes, number.size);
    mp_buffer_free(&number);
}

/* ---------------------------------------------------------------- samples */

static void
put_value_type(struct pprof *p, unsigned field, const char *type, const char *unit)
{
    mp_proto_number(&p->message, VALUE_TYPE, text_id(p, type));
    mp_proto_number(&p->message, VALUE_UNIT, text_id(p, unit));
    flush_message(p, field);
}

static void
put_types(struct pprof *p)
{
    const struct mp_window *window = p->view->window;

    for (unsigned i = 0; i < N_FIGURES; i++)
        if (mp_export_knows(p->view, figures[i].figure))
            put_value_type(p, PROFILE_SAMPLE_TYPE, figures[i].type, figures[i].unit);
    put_number(p, PROFILE_DEFAULT_SAMPLE_TYPE,
               text_id(p, p->export->kept_first || (window && window->alive) ? "inuse_space" : "alloc_space"));
}

/* Adds the figures to the sample. Returns false if all are 0. */
static bool
put_values(struct pprof *p, const struct mp_counts *counts)
{
    uint64_t values[N_FIGURES], any = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < N_FIGURES; i++) {
        if (!mp_export_knows(p->view, figures[i].figure))
            continue;
        values[n] = (uint64_t)mp_counts_figure(counts, figures[i].figure);
        any |= values[n++];
    }
    mp_proto_numbers(&p->message, SAMPLE_VALUES, values, n);
    return any != 0;
}

static void
put_label(struct pprof *p, const char *key, const char *text)
{
    if (!text || !*text)
        return;
    mp_proto_number(&p->part, LABEL_KEY, text_id(p, key));
    mp_proto_number(&p->part, LABEL_TEXT, text_id(p, text));
    mp_proto_message(&p->message, SAMPLE_LABEL, &p->part);
}

/* Adds the label that Go uses for the size of each block. */
static void
put_size(struct pprof *p, uint32_t bytes)
{
    mp_proto_number(&p->part, LABEL_KEY, text_id(p, "bytes"));
    mp_proto_number(&p->part, LABEL_NUMBER, bytes);
    mp_proto_number(&p->part, LABEL_UNIT, text_id(p, "bytes"));
    mp_proto_message(&p->message, SAMPLE_LABEL, &p->part);
}

static void
put_labels(struct pprof *p, const struct mp_cell *cell)
{
    const struct mp_meta *meta = &p->view->meta;
    char pid[16];

    if (mp_is_lisp(cell))
        put_label(p, "type", mp_profile_kind(p->view, cell->kind)->name);
    else
        put_label(p, "size", size_classes[cell->kind]);
    if (cell->size_min == cell->size_max && cell->size_min < UINT32_MAX)
        put_size(p, cell->size_min);
    put_label(p, "thread", p->threads[cell->context]);
    put_label(p, "process", mp_text_basename(meta->program));
    snprintf(pid, sizeof pid, "%u", meta->pid);
    if (meta->pid != 0)
        put_label(p, "pid", pid);
}

static void
put_sample(struct pprof *p, const struct mp_cell *cell)
{
    uint32_t n = mp_frame_list(&p->frames, cell->context);

    for (uint32_t i = 0; i < n; i++)
        p->numbers[i] = (uint64_t)p->frames.list[i] + 1;
    mp_proto_numbers(&p->message, SAMPLE_LOCATIONS, p->numbers, n);
    if (!put_values(p, &cell->counts)) {
        p->message.size = 0;
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        p->used_frames[p->frames.list[i]] = true;
    put_labels(p, cell);
    flush_message(p, PROFILE_SAMPLE);
}

/* ---------------------------------------------------------------- what samples refer to */

static void
put_line(struct pprof *p, const struct mp_location *location)
{
    const char **file = &p->function_files[location->function];

    if (!*file || !**file)
        *file = location->file;
    mp_proto_number(&p->part, LINE_FUNCTION, (uint64_t)location->function + 1);
    mp_proto_number(&p->part, LINE_NUMBER, location->line);
    mp_proto_message(&p->message, LOCATION_LINE, &p->part);
}

static void
put_locations(struct pprof *p)
{
    const struct mp_profile *view = p->view;

    for (uint32_t i = 0; i < view->n_frames; i++) {
        const struct mp_frame *frame = &view->frames[i];

        if (!p->used_frames[i])
            continue;
        mp_proto_number(&p->message, LOCATION_ID, (uint64_t)i + 1);
        if (frame->module < view->n_modules && !frame->interpreted)
            mp_proto_number(&p->message, LOCATION_MAPPING, (uint64_t)frame->module + 1);
        mp_proto_number(&p->message, LOCATION_ADDRESS, mp_mapped_address(p->mappings, frame));
        for (uint32_t j = 0; j < mp_frame_locations(frame); j++)
            put_line(p, &view->locations[frame->first_location + j]);
        flush_message(p, PROFILE_LOCATION);
    }
}

/* Returns the linkage name of FUNCTION, or "" if it is the same as its name. Readers demangle and shorten names that
 * are equal to the linkage name. */
static const char *
system_name(const struct mp_function *function)
{
    const char *plain = function->plain ? function->plain : "";

    return strcmp(plain, function->name) == 0 ? "" : plain;
}

/* Replaces "..." in NAME by an ellipsis of one character, because pprof's graph breaks lines at each dot. Both have
 * three bytes. */
static const char *
dotless_name(const char *name, struct mp_arena *arena)
{
    char *copy, *at;

    if (!strstr(name, "..."))
        return name;
    copy = mp_arena_strdup(arena, name);
    for (at = copy; (at = strstr(at, "...")) != NULL; at += 3)
        memcpy(at, "\u2026", 3);
    return copy;
}

static void
put_functions(struct pprof *p)
{
    for (uint32_t i = 0; i < p->view->n_functions; i++) {
        const struct mp_function *function = &p->view->functions[i];
        const char *file = p->function_files[i];

        if (!file)
            continue;
        if (!*file && function->file)
            file = function->file;
        mp_proto_number(&p->message, FUNCTION_ID, (uint64_t)i + 1);
        mp_proto_number(&p->message, FUNCTION_NAME, text_id(p, dotless_name(function->name, p->strings.arena)));
        mp_proto_number(&p->message, FUNCTION_SYSTEM_NAME, text_id(p, system_name(function)));
        mp_proto_number(&p->message, FUNCTION_FILE, text_id(p, file));
        flush_message(p, PROFILE_FUNCTION);
    }
}

static uint64_t
build_id_text(struct pprof *p, const struct mp_module *module)
{
    char text[2 * sizeof module->build_id + 1] = "";

    mp_text_put_hex(text, text + sizeof text, module->build_id, module->build_id_size);
    return text_id(p, text);
}

static void
put_mapping(struct pprof *p, uint32_t id)
{
    const struct mp_mapping *mapping = &p->mappings[id];
    const struct mp_module *module = &p->view->modules[id];

    mp_proto_number(&p->message, MAPPING_ID, (uint64_t)id + 1);
    mp_proto_number(&p->message, MAPPING_START, mapping->start);
    mp_proto_number(&p->message, MAPPING_LIMIT, mapping->limit);
    mp_proto_number(&p->message, MAPPING_OFFSET, mapping->file_offset);
    mp_proto_number(&p->message, MAPPING_FILE, text_id(p, module->path));
    mp_proto_number(&p->message, MAPPING_BUILD_ID, build_id_text(p, module));
    for (unsigned field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINED; field++)
        mp_proto_number(&p->message, field, true);
    flush_message(p, PROFILE_MAPPING);
}

/* Writes the mappings. The program comes first, because readers take the first mapping for it. */
static void
put_mappings(struct pprof *p)
{
    const struct mp_profile *view = p->view;
    uint32_t program = 0;

    while (program < view->n_modules && strcmp(view->modules[program].path, view->meta.program) != 0)
        program++;
    if (program < view->n_modules)
        put_mapping(p, program);
    for (uint32_t i = 0; i < view->n_modules; i++)
        if (i != program && p->mappings[i].used)
            put_mapping(p, i);
}

static void
put_strings(struct pprof *p)
{
    for (uint32_t i = 0; i < p->strings.count; i++) {
        const char *text = mp_map_key(&p->strings, i);

        mp_buffer_bytes(&p->message, text, strlen(text));
        flush_message(p, PROFILE_STRING);
    }
}

/* ---------------------------------------------------------------- the whole */

static void
put_comments(struct pprof *p)
{
    char *text = mp_export_remark(p->export), *save;

    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        put_number(p, PROFILE_COMMENT, text_id(p, line));
    free(text);
}

static void
put_all(struct pprof *p)
{
    const struct mp_meta *meta = &p->view->meta;

    text_id(p, "");             /* the first string must be "" */
    put_types(p);
    for (uint32_t i = 0; i < p->view->n_cells; i++)
        put_sample(p, &p->view->cells[i]);
    put_locations(p);
    put_functions(p);
    put_mappings(p);
    put_number(p, PROFILE_TIME, meta->start_realtime);
    put_number(p, PROFILE_DURATION, meta->duration);
    put_value_type(p, PROFILE_PERIOD_TYPE, "space", "bytes");
    put_number(p, PROFILE_PERIOD, meta->sample_period > 0    ? meta->sample_period
                                   : meta->foreign_period > 0 ? meta->foreign_period : 1);
    put_comments(p);
    put_strings(p);
}

bool
mp_export_pprof(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    const struct mp_profile *view = export->view;
    struct mp_arena *arena = mp_arena_new();
    struct pprof p = {.export = export, .view = view, .strings.arena = arena};

    (void)error;
    p.frames = mp_frame_lists(export, arena);
    p.mappings = mp_mappings(view, arena);
    p.threads = mp_thread_names(view, arena);
    p.used_frames = mp_arena_alloc(arena, view->n_frames * sizeof *p.used_frames);
    p.function_files = mp_arena_alloc(arena, view->n_functions * sizeof *p.function_files);
    p.numbers = mp_arena_alloc(arena, p.frames.deepest * sizeof *p.numbers);
    mp_gzip_begin(&p.gzip, out);
    put_all(&p);
    mp_gzip_end(&p.gzip);
    mp_buffer_free(&p.message);
    mp_buffer_free(&p.part);
    mp_arena_free(arena);
    return true;
}
