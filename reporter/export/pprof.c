/* SPDX-License-Identifier: MIT */
/*
 * Writes the two formats of pprof. Both have addresses of frames: the text of gperftools, whose readers look up names
 * themselves, and profile.proto, which has names as well.
 */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export.h"
#include "export_formats.h"
#include "reporter/base/compress.h"
#include "reporter/base/open_file.h"
#include "reporter/base/protobuf.h"
#include "reporter/base/text.h"
#include "reporter/profile/profile.h"
#include "reporter/view/startup_frames.h"
#include "reporter/view/threads.h"

/* ---------------------------------------------------------------- chains as frames */

/* The chains of a view as frames instead of functions. */
struct frame_lists {
    const struct mp_profile *view;
    const bool *hidden;         /* by context, see mp_startup_contexts(); NULL if none is hidden */
    uint32_t deepest;           /* number of frames of the longest chain */
    uint32_t *list;             /* frames of the last chain requested, innermost first */
};

/* Prepares the chains of EXPORT's view. The result is allocated in ARENA. */
static struct frame_lists
frame_lists(const struct mp_export *export, struct mp_arena *arena)
{
    const struct mp_profile *view = export->view;
    struct frame_lists lists = {.view = view};
    uint32_t *depth = mp_arena_alloc(arena, view->n_contexts * sizeof *depth);

    if (!export->all_frames)
        lists.hidden = mp_startup_contexts(view, arena);
    for (uint32_t i = 1; i < view->n_contexts; i++) {
        depth[i] = depth[view->contexts[i].parent] + 1;
        if (depth[i] > lists.deepest)
            lists.deepest = depth[i];
    }
    lists.list = mp_arena_alloc(arena, lists.deepest * sizeof *lists.list);
    return lists;
}

/* Writes the frames of CONTEXT's chain to `list`, as far out as mp_tree_build() shows functions. Returns their
 * number, which is 0 for the root. Chains end at the frame that marks unknown callers, also if a damaged file has
 * callers beyond it. */
static uint32_t
frame_list(const struct frame_lists *lists, uint32_t context)
{
    const struct mp_profile *view = lists->view;
    uint32_t n = 0;

    while (context != 0 && !(n > 0 && lists->hidden && lists->hidden[context])) {
        const struct mp_context *at = &view->contexts[context];

        lists->list[n++] = at->frame;
        context = view->frames[at->frame].mark != 0 ? 0 : at->parent;
    }
    return n;
}

/* ---------------------------------------------------------------- addresses */

/*
 * Assigns addresses to the modules of a profile, for formats with addresses.
 *
 * A profile has offsets in modules instead of addresses. Therefore modules are placed one after the other, except for
 * those that cannot be moved, which get their own addresses. A mapping is like the line of a module's code in
 * /proc/PID/maps, so readers find the addresses in its file and its symbols as for a running process.
 */

struct mapping {
    bool used;                  /* the module has frames; otherwise, the other fields are not set */
    uint64_t base;              /* base + offset in the module is the address */
    uint64_t start, limit;      /* start and end address of its code */
    uint64_t file_offset;       /* offset of `start` in the file */
};

#define PAGE 0x1000u
#define FIRST 0x100000000000u           /* far from the addresses of modules that cannot be moved */
#define LARGEST ((uint64_t)1 << 40)     /* larger sizes only occur in damaged files */
#define MOST_HEADERS 256u

/* The executable segment in the ELF file of a module. */
struct code {
    bool known, fixed;          /* fixed: the code cannot be moved to another address */
    uint64_t address, size, file_offset;
};

static uint64_t
page_down(uint64_t address)
{
    return address & ~(uint64_t)(PAGE - 1);
}

static uint64_t
page_up(uint64_t address)
{
    return page_down(address + PAGE - 1);
}

/* Returns the first executable segment in HEADER's file. */
static struct code
code_of(int fd, const Elf64_Ehdr *header)
{
    for (unsigned i = 0; i < header->e_phnum && i < MOST_HEADERS; i++) {
        Elf64_Phdr segment;
        uint64_t at = header->e_phoff + i * sizeof segment;

        if (pread(fd, &segment, sizeof segment, (off_t)at) != sizeof segment)
            break;
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X))
            return (struct code){.known = true, .fixed = header->e_type == ET_EXEC,
                                 .address = segment.p_vaddr, .size = segment.p_memsz,
                                 .file_offset = segment.p_offset};
    }
    return (struct code){.known = false};
}

/* Returns whether the file of MODULE is the one that was recorded. If it is missing or differs, reading its names
 * failed. */
static bool
is_recorded(const struct mp_module *module)
{
    return module->problem[0] == '\0' || strcmp(module->problem, "no symbols") == 0;
}

static struct code
read_code(const struct mp_module *module)
{
    const char *path = module->file ? module->file : module->path;
    struct code code = {.known = false};
    Elf64_Ehdr header;
    int fd;

    if (!is_recorded(module) || (fd = mp_open(path)) < 0)
        return code;
    if (pread(fd, &header, sizeof header, 0) == sizeof header &&
        memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
        header.e_phentsize == sizeof(Elf64_Phdr))
        code = code_of(fd, &header);
    close(fd);
    return code;
}

/* Marks modules with frames as used, and stores the largest offset of their frames in `limit`. */
static void
find_used(const struct mp_profile *view, struct mapping mappings[])
{
    for (uint32_t i = 0; i < view->n_frames; i++) {
        const struct mp_frame *frame = &view->frames[i];
        struct mapping *mapping;

        if (frame->module >= view->n_modules || frame->interpreted)
            continue;
        mapping = &mappings[frame->module];
        mapping->used = true;
        if (frame->offset > mapping->limit && frame->offset < LARGEST)
            mapping->limit = frame->offset;
    }
}

/* Places the module at NEXT, or at its own addresses if it cannot be moved. Returns the next free address. */
static uint64_t
place(struct mapping *mapping, const struct code *code, uint64_t next)
{
    uint64_t end = mapping->limit + 1;

    if (code->known && code->address < LARGEST && code->size < LARGEST && code->address + code->size > end)
        end = code->address + code->size;
    mapping->base = code->fixed ? 0 : next;
    mapping->start = mapping->base;
    if (code->known && code->address < LARGEST) {
        mapping->start += page_down(code->address);
        mapping->file_offset = page_down(code->file_offset);
    }
    mapping->limit = mapping->base + page_up(end);
    return code->fixed ? next : mapping->limit + PAGE;
}

/* Returns the mappings by module of VIEW, allocated in ARENA. Reads the files of modules that still exist and have
 * not changed. */
static struct mapping *
map_modules(const struct mp_profile *view, struct mp_arena *arena)
{
    struct mapping *mappings = mp_arena_alloc(arena, view->n_modules * sizeof *mappings);
    uint64_t next = FIRST;

    find_used(view, mappings);
    for (uint32_t i = 0; i < view->n_modules; i++) {
        struct code code;

        if (!mappings[i].used)
            continue;
        code = read_code(&view->modules[i]);
        next = place(&mappings[i], &code, next);
    }
    return mappings;
}

/* Returns the address of FRAME's instruction, or 0 if unknown. For a call, this is before the return address. */
static uint64_t
mapped_address(const struct mapping mappings[], const struct mp_frame *frame)
{
    uint64_t base = frame->module != MP_NO_ID ? mappings[frame->module].base : 0;

    if (frame->mark != 0 || frame->interpreted || frame->offset == 0)
        return 0;
    return base + frame->offset - !frame->exact;
}

/* ---------------------------------------------------------------- the text format of gperftools */

/*
 * Writes the text format of gperftools' heap profiles: a line with four figures and addresses for each chain, and a
 * list of mapped files. Its readers look up names themselves, so frames without an address are left out. The first
 * address is that of the allocating instruction. The others are return addresses, from which readers subtract 1.
 */

struct legacy {
    const struct mp_profile *view;
    struct frame_lists frames;
    const struct mapping *mappings;
    FILE *out;
};

static void
put_legacy_figures(const struct mp_counts *counts, FILE *out)
{
    fprintf(out, "%6" PRIu64 ": %8" PRIu64 " [%6" PRIu64 ": %8" PRIu64 "] @", counts->kept_blocks,
            counts->kept, counts->allocs, counts->bytes);
}

static void
put_addresses(const struct legacy *l, uint32_t context)
{
    uint32_t n = frame_list(&l->frames, context);
    bool first = true;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t address = mapped_address(l->mappings, &l->view->frames[l->frames.list[i]]);

        if (address == 0)
            continue;
        fprintf(l->out, " 0x%" PRIx64, address + !first);
        first = false;
    }
    fputc('\n', l->out);
}

static void
put_chains(const struct legacy *l)
{
    const struct mp_profile *view = l->view;

    for (uint32_t i = 0; i < view->n_cells;) {
        uint32_t context = view->cells[i].context;
        struct mp_counts sum = {0};

        for (; i < view->n_cells && view->cells[i].context == context; i++)
            mp_counts_add_cell(&sum, &view->cells[i]);
        if (!mp_counts_any(&sum))
            continue;
        put_legacy_figures(&sum, l->out);
        put_addresses(l, context);
    }
}

static void
put_legacy_remark(const struct mp_export *export, FILE *out)
{
    char *text = mp_export_remark(export), *save;

    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        fprintf(out, "# %s\n", line);
    free(text);
}

static void
put_legacy_mappings(const struct legacy *l)
{
    fputs("\nMAPPED_LIBRARIES:\n", l->out);
    for (uint32_t i = 0; i < l->view->n_modules; i++) {
        const struct mapping *mapping = &l->mappings[i];

        if (mapping->used)
            fprintf(l->out, "%08" PRIx64 "-%08" PRIx64 " r-xp %08" PRIx64 " 00:00 0          %s\n",
                    mapping->start, mapping->limit, mapping->file_offset, l->view->modules[i].path);
    }
}

/* Returns whether the format can represent VIEW. Otherwise fills *ERROR. The format has no negative figures, which
 * occur if memory shrank in a part of the time. */
static bool
may_be_told(const struct mp_profile *view, struct mp_error *error)
{
    for (uint32_t i = 0; view->window && i < view->n_cells; i++) {
        const struct mp_basic_counts *counts = &view->cells[i].counts;

        if ((int64_t)counts->kept < 0 || (int64_t)counts->kept_blocks < 0)
            return mp_fail(error, MP_ERR_FORMAT, MP_NO_OFFSET, "pprof-legacy: less was alive at the end");
    }
    return true;
}

bool
mp_export_pprof_legacy(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    struct mp_arena *arena;
    struct legacy l = {.view = export->view, .out = out};
    struct mp_totals totals;

    if (!may_be_told(export->view, error))
        return false;
    arena = mp_arena_new();
    l.frames = frame_lists(export, arena);
    l.mappings = map_modules(export->view, arena);
    mp_profile_totals(export->view, &totals);
    fputs("heap profile: ", out);
    put_legacy_figures(&totals.all, out);
    fputs(" heapprofile\n", out);
    put_legacy_remark(export, out);
    put_chains(&l);
    put_legacy_mappings(&l);
    mp_arena_free(arena);
    return true;
}

/* ---------------------------------------------------------------- profile.proto */

/*
 * Writes profile.proto of google/pprof, compressed by gzip. A sample has the allocations of one kind on one chain. A
 * location is a frame, with a line for each function that is inlined there. As the fields of a message may come in
 * any order, samples are written one by one, followed by the tables that they refer to. Ids are indices plus 1.
 */

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
    FILE *out;                  /* compresses what is written to it */
    struct mp_buffer message, part;     /* messages under construction */
    struct mp_map strings;
    struct frame_lists frames;
    const struct mapping *mappings;
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
    fwrite(framed.bytes, 1, framed.size, p->out);
    mp_buffer_free(&framed);
}

static void
put_number(struct pprof *p, unsigned field, uint64_t value)
{
    struct mp_buffer number = {0};

    mp_proto_number(&number, field, value);
    if (number.size > 0)                /* mp_proto_number() omits a field of value 0 */
        fwrite(number.bytes, 1, number.size, p->out);
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
put_values(struct pprof *p, const struct mp_basic_counts *counts)
{
    uint64_t values[N_FIGURES], any = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < N_FIGURES; i++) {
        if (!mp_export_knows(p->view, figures[i].figure))
            continue;
        values[n] = (uint64_t)mp_basic_figure(counts, figures[i].figure);
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
    uint32_t n = frame_list(&p->frames, cell->context);

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
        mp_proto_number(&p->message, LOCATION_ADDRESS, mapped_address(p->mappings, frame));
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
    const char *name = mp_function_name(function);

    return strcmp(name, function->text) == 0 ? "" : name;
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
        mp_proto_number(&p->message, FUNCTION_NAME, text_id(p, dotless_name(function->text, p->strings.arena)));
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
    const struct mapping *mapping = &p->mappings[id];
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

    p.frames = frame_lists(export, arena);
    p.mappings = map_modules(view, arena);
    p.threads = mp_thread_names(view, arena);
    p.used_frames = mp_arena_alloc(arena, view->n_frames * sizeof *p.used_frames);
    p.function_files = mp_arena_alloc(arena, view->n_functions * sizeof *p.function_files);
    p.numbers = mp_arena_alloc(arena, p.frames.deepest * sizeof *p.numbers);
    p.out = mp_compress_open(out, "profile.gz", error);
    put_all(&p);
    fclose(p.out);
    mp_buffer_free(&p.message);
    mp_buffer_free(&p.part);
    mp_arena_free(arena);
    return true;
}
