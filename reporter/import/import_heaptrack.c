/* SPDX-License-Identifier: MIT */
/*
 * Reads the interpreted output of heaptrack. It is a text with one line for each string, address, chain, information
 * record (size and chain) and event. Lines refer to earlier lines by their number within their kind, counted from 1,
 * but information records are counted from 0. Numbers are hexadecimal.
 */
#include <inttypes.h>
#include <string.h>

#include "import_formats.h"
#include "heaptrack_events.h"
#include "text_lines.h"
#include "maker.h"
#include "reporter/base/text.h"

#define SIZED_STRINGS 3u        /* first format in which strings are preceded by their length */
#define LAST_FORMAT 3u          /* newest supported format */
#define FEW_BYTES ((uint64_t)16 << 20)
#define MOST_RATIO 200u         /* Limit for decompressed definitions: FEW_BYTES + MOST_RATIO * compressed size. More
                                 * is not a profile. Events are not limited. */
#define LINE_BYTES 128u         /* estimated memory that a definition takes in addition to its length */

struct reader {
    struct mp_text_lines *lines;
    const char *at, *end;       /* rest of the current line */
    const char *problem;        /* error message, or NULL */
    uint64_t version, format, page;
    uint64_t defined, most_defined;     /* bytes of all lines that are not events, and their limit */
    const char **strings;       uint32_t n_strings, strings_room;
    uint32_t *frames;           uint32_t n_frames, frames_room; /* by number of the address line */
    uint32_t *contexts;         uint32_t n_contexts, contexts_room;     /* by number of the chain line */
    struct mp_heaptrack_events events;
    struct mp_maker *maker;
    struct mp_arena *arena;
};

/* ---------------------------------------------------------------- fields */

static void
fail(struct reader *r, const char *problem)
{
    if (!r->problem)
        r->problem = problem;
}

static bool
more(const struct reader *r)
{
    return r->at < r->end && !r->problem;
}

static int
digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a number and the blank after it. */
static uint64_t
take(struct reader *r)
{
    const char *start = r->at;
    uint64_t number = 0;

    while (r->at < r->end && *r->at != ' ' && !r->problem) {
        int value = digit(*r->at++);

        if (value < 0 || number >> 60 != 0)
            fail(r, "not a number");
        number = number << 4 | (uint64_t)value;
    }
    if (r->at == start)
        fail(r, "a number is missing");
    r->at += r->at < r->end;
    return r->problem ? 0 : number;
}

/* Reads the number of an earlier line, at most MOST, or 0 for none. Returns 0 on errors. */
static uint32_t
take_reference(struct reader *r, uint32_t most)
{
    uint64_t number = take(r);

    if (number <= most)
        return (uint32_t)number;
    fail(r, "refers to what is not there");
    return 0;
}

/* ---------------------------------------------------------------- definitions */

static void
take_version(struct reader *r)
{
    r->version = take(r);
    r->format = more(r) ? take(r) : 0;
}

static void
take_string(struct reader *r)
{
    uint64_t size = r->format >= SIZED_STRINGS ? take(r) : (uint64_t)(r->end - r->at);

    if (r->problem || size != (uint64_t)(r->end - r->at)) {
        fail(r, "a text that has another length");
        return;
    }
    r->strings = mp_arena_grow(r->arena, r->strings, r->n_strings, &r->strings_room, sizeof *r->strings);
    r->strings[r->n_strings++] = mp_maker_text(r->maker, (struct mp_piece){r->at, size});
}

static const char *
string_of(const struct reader *r, uint32_t number)
{
    return number > 0 ? r->strings[number - 1] : "";
}

/* Reads function, source file and line, the innermost inlined function first. */
static void
take_lines(struct reader *r, uint32_t frame, uint32_t module)
{
    do {
        uint32_t name = take_reference(r, r->n_strings);
        uint32_t file = more(r) ? take_reference(r, r->n_strings) : 0;
        uint64_t line = more(r) ? take(r) : 0;

        if (r->problem)
            return;
        mp_maker_line(r->maker, frame, mp_maker_function(r->maker, string_of(r, name), "", module),
                      line <= UINT32_MAX ? (uint32_t)line : 0, string_of(r, file));
    } while (more(r));
}

/* Names a function without a symbol by its address in the process, because the file's load address is unknown. */
static void
name_place(struct reader *r, uint32_t frame, uint32_t module, uint64_t address)
{
    const struct mp_profile *profile = mp_maker_profile(r->maker);
    const char *name = mp_arena_printf(
        r->arena, "%s%s0x%" PRIx64, module == MP_NO_ID ? "" : profile->modules[module].name,
        module == MP_NO_ID ? "" : "!", address);

    name = mp_maker_text(r->maker, (struct mp_piece){name, strlen(name)});
    mp_maker_line(r->maker, frame, mp_maker_function(r->maker, name, "", module), 0, "");
}

static void
take_address(struct reader *r)
{
    uint64_t address = take(r);
    uint32_t path = take_reference(r, r->n_strings), module, frame;

    if (r->problem)
        return;
    module = path > 0 ? mp_maker_module(r->maker, string_of(r, path)) : MP_NO_ID;
    frame = mp_maker_frame(r->maker, module, address);
    r->frames = mp_arena_grow(r->arena, r->frames, r->n_frames, &r->frames_room, sizeof *r->frames);
    r->frames[r->n_frames++] = frame;
    if (more(r) && *r->at != '0')
        take_lines(r, frame, module);
    else
        name_place(r, frame, module, address);
}

/* Reads a chain: its innermost address and its caller's chain. Without an address, it is the same as its caller. */
static void
take_chain(struct reader *r)
{
    uint32_t address = take_reference(r, r->n_frames), caller = take_reference(r, r->n_contexts);
    uint32_t context;

    if (r->problem)
        return;
    context = caller > 0 ? r->contexts[caller - 1] : 0;
    if (address > 0)
        context = mp_maker_context(r->maker, context, r->frames[address - 1]);
    r->contexts = mp_arena_grow(r->arena, r->contexts, r->n_contexts, &r->contexts_room,
                                sizeof *r->contexts);
    r->contexts[r->n_contexts++] = context;
}

static void
take_info(struct reader *r)
{
    uint64_t size = take(r);
    uint32_t chain = take_reference(r, r->n_contexts);

    if (!r->problem)
        mp_heaptrack_inform(&r->events, size, chain > 0 ? r->contexts[chain - 1] : 0);
}

/* Splits the command line at blanks. */
static void
take_command(struct reader *r)
{
    struct mp_profile *profile = mp_maker_profile(r->maker);
    struct mp_meta *meta = &profile->meta;
    uint32_t room = 0;

    if (meta->n_arguments > 0)
        fail(r, "a second command");
    while (r->at < r->end && !r->problem) {
        const char *blank = memchr(r->at, ' ', (size_t)(r->end - r->at));
        const char *end = blank ? blank : r->end;

        if (end > r->at) {
            meta->arguments = mp_arena_grow(profile->arena, meta->arguments, meta->n_arguments, &room,
                                            sizeof *meta->arguments);
            meta->arguments[meta->n_arguments++] =
                mp_text_clean(profile->arena, r->at, (size_t)(end - r->at));
        }
        r->at = end + (blank != NULL);
    }
    if (meta->n_arguments > 0)
        meta->program = meta->arguments[0];
}

/* ---------------------------------------------------------------- lines */

static void
take_event(struct reader *r, char sort)
{
    uint64_t number = take(r);

    if (r->problem)
        return;
    if (sort == '+')
        r->problem = mp_heaptrack_allocated(&r->events, number);
    else if (sort == '-')
        r->problem = mp_heaptrack_freed(&r->events, number);
    else if (sort == 'c')
        r->problem = mp_heaptrack_timed(&r->events, number);
    else if (!__builtin_mul_overflow(number, r->page, &number))
        mp_heaptrack_resident(&r->events, number);
}

static void
take_definition(struct reader *r, char sort)
{
    static const struct { char sort; void (*take)(struct reader *r); } definitions[] = {
        {'a', take_info}, {'t', take_chain}, {'i', take_address}, {'s', take_string},
        {'X', take_command}, {'v', take_version}};

    for (size_t i = 0; i < sizeof definitions / sizeof *definitions && !r->problem; i++)
        if (definitions[i].sort == sort) {
            definitions[i].take(r);
            return;
        }
    if (sort == 'I')
        r->page = take(r);
    else if (sort != 'A' && sort != 'S')        /* attached to a running process; suppressions */
        fail(r, "a line of an unknown sort");
}

static bool
is_event(const char *line, size_t length)
{
    return length > 0 && strchr("+-cR", line[0]) && line[0];
}

static void
take_line(struct reader *r, const char *line, size_t length)
{
    if (!is_event(line, length)) {
        r->defined += length + LINE_BYTES;
        if (r->defined > r->most_defined)
            fail(r, "too much to be a profile when it is unpacked");
        if (length == 0 || line[0] == '#')
            return;
    }
    r->at = line + (length > 2 ? 2 : length);
    r->end = line + length;
    if (is_event(line, length))
        take_event(r, line[0]);
    else
        take_definition(r, line[0]);
}

/* Fails and returns true if the line shows that the data was not interpreted or has another format. */
static bool
is_foreign(const struct reader *r, char sort, const char *name, struct mp_error *error)
{
    if (sort == 'x' || sort == 'm') {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                "%s: raw data of heaptrack, which heaptrack_interpret makes readable: zstd -dc FILE | "
                "heaptrack_interpret | zstd > NEW", name);
        return true;
    }
    if (sort == 'v' && (r->format == 0 || r->format > LAST_FORMAT)) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                "%s: heaptrack's format %" PRIu64 ", of which mprof reads 1 to %u", name, r->format,
                LAST_FORMAT);
        return true;
    }
    return false;
}

static bool
take_all(struct reader *r, const char *name, struct mp_error *error)
{
    const char *line;
    size_t length;

    while ((line = mp_text_lines_next(r->lines, &length)) != NULL) {
        take_line(r, line, length);
        if (length > 0 && is_foreign(r, line[0], name, error))
            return false;
        if (r->problem)
            return mp_fail(error, MP_ERR_DAMAGED, mp_text_lines_offset(r->lines), "%s: %s", name, r->problem);
    }
    return mp_text_lines_ended(r->lines, name, error);
}

/* ---------------------------------------------------------------- the profile */

static void
add_cells(struct reader *r)
{
    struct mp_profile *profile = mp_maker_profile(r->maker);

    for (uint32_t i = 0; i < r->events.keys.count; i++) {
        const struct mp_heaptrack_cell *cell = &r->events.cells[i];
        uint64_t peak = mp_heaptrack_at_peak(&r->events, cell);
        const struct mp_counts counts = {
            .allocs = cell->allocs, .bytes = cell->allocs * cell->size,
            .frees = cell->frees, .freed = cell->frees * cell->size, .temporary = cell->temporary,
            .peak_blocks = (int64_t)peak, .peak_bytes = (int64_t)(peak * cell->size)};
        struct mp_bin *bin = &profile->bins[cell->size < MP_BINS ? cell->size : MP_BINS - 1];

        if (counts.allocs == 0)
            continue;
        mp_maker_cell(r->maker, cell->context, cell->size, &counts);
        bin->allocs += counts.allocs;
        bin->bytes += counts.bytes;
        bin->frees += counts.frees;
        bin->freed += counts.freed;
    }
}

static void
fill_profile(struct reader *r)
{
    struct mp_profile *profile = mp_maker_profile(r->maker);
    struct mp_meta *meta = &profile->meta;

    add_cells(r);
    meta->source = mp_arena_printf(profile->arena, "heaptrack %" PRIu64 ".%" PRIu64 ".%" PRIu64,
                                   r->version >> 16, r->version >> 8 & 0xff, r->version & 0xff);
    meta->ending = MP_END_EXITED;
    meta->status = -1;
    meta->duration = r->events.time;
    meta->peak_bytes = (int64_t)r->events.peak;
    meta->peak_blocks = (int64_t)r->events.peak_blocks;
    profile->timeline = mp_heaptrack_timeline(&r->events, profile->arena);
}

static bool
is_version(const char *line, size_t length)
{
    return length >= 3 && line[0] == 'v' && line[1] == ' ' && digit(line[2]) >= 0;
}

bool
mp_is_heaptrack(const uint8_t *bytes, size_t size)
{
    struct mp_text_lines *lines = mp_text_lines_new(bytes, size);
    struct mp_error error;
    size_t length;
    const char *line = mp_text_lines_next(lines, &length);
    bool is = line ? is_version(line, length) : false;

    /* Compressed by zstd, but this mprof was built without zstd. Of all supported formats, it can only be
     * heaptrack's. */
    is |= !line && !mp_text_lines_ended(lines, "", &error) && error.code == MP_ERR_SYSTEM;
    mp_text_lines_free(lines);
    return is;
}

struct mp_profile *
mp_import_heaptrack(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct reader r = {.lines = mp_text_lines_new(bytes, size), .most_defined = FEW_BYTES + MOST_RATIO * size,
                       .events = mp_heaptrack_events(arena),
                       .maker = mp_maker_new(), .arena = arena};
    struct mp_profile *profile = NULL;

    if (take_all(&r, name, error)) {
        fill_profile(&r);
        profile = mp_maker_end(r.maker, true);
    } else {
        mp_maker_free(r.maker);
    }
    mp_text_lines_free(r.lines);
    mp_arena_free(arena);
    return profile;
}
