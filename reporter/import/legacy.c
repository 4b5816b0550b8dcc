/*
 * The text of heap profiles that gperftools' tcmalloc, jemalloc and those who imitate them write themselves, and
 * mprof, too:
 *
 *     heap profile:  3: 300 [ 5: 500] @ heapprofile           heap_v2/524288
 *      3: 300 [ 5: 500] @ 0x401136 0x401156                     t*: 3: 300 [0: 0]
 *                                                               t0: 3: 300 [0: 0]
 *     MAPPED_LIBRARIES:                                       @ 0x401136 0x401156
 *     00401000-00402000 r-xp 00001000 fe:00 12  /bin/x          t*: 3: 300 [0: 0]
 *
 * Blocks and bytes that are in use, and, in brackets, that were allocated; 0 in brackets throughout: that was not
 * counted.  All addresses are those that calls return to.  Names are found later, by symbols, in the files that were
 * mapped.
 *
 * Where blocks were sampled, a chain's figures stand for 1 / (1 - exp(-size / period)) times as many, its blocks
 * taken to be of their mean size: that is what pprof and jeprof do.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "formats.h"
#include "legacy_maps.h"
#include "reporter/base/format_number.h"
#include "reporter/base/map.h"
#include "reporter/base/text.h"
#include "reporter/profile/window.h"
#include "text_lines.h"

#define MOST 0x1p61             /* blocks or bytes of all chains: more are in damaged files only */

enum { BLOCKS, BYTES, ALL_BLOCKS, ALL_BYTES, N_FIGURES };

static const char of_text[] = "heap profile:", of_jemalloc[] = "heap_v2/", of_files[] = "MAPPED_LIBRARIES:";

/* A sum so far: as it is, and without its fraction, so that sums of such are, too. */
struct carry {
    double exact;
    uint64_t rounded;
};

struct reader {
    const char *name;
    const char *at, *end;       /* what is left of the line */
    const char *problem;        /* NULL: none */
    bool jemalloc, sampled;
    double period;              /* bytes */
    uint64_t head[N_FIGURES], sums[N_FIGURES];  /* as the file has them */
    bool alive;                 /* what was allocated is not known */
    struct carry carries[N_FIGURES];
    uint64_t too_much[2];       /* blocks and bytes that cells were given for want of whole numbers; taken back from: */
    uint32_t spare[2];          /* the cell of which most was freed */
    struct mp_mapped_files files;
    struct mp_maker *maker;
    struct mp_profile *profile; /* the maker's */
    struct mp_map addresses;    /* of frames */
    uint32_t *frames; uint32_t frames_room;     /* by address */
    uint64_t *chain; uint32_t n_chain, chain_room;
    struct mp_arena *arena;
};

/* ---------------------------------------------------------------- fields */

static void
fail(struct reader *r, const char *problem)
{
    if (!r->problem)
        r->problem = problem;
}

static void
skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

static bool
begins(const char *line, size_t length, const char *with)
{
    return length >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* The character C, and blanks around it. */
static void
take(struct reader *r, char c)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != c)
        fail(r, "a line of an unknown sort");
    else
        r->at++;
    skip_blanks(r);
}

static uint64_t
take_number(struct reader *r)
{
    const char *start = r->at;
    uint64_t number = 0;

    while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && !r->problem) {
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*r->at++ - '0'), &number))
            fail(r, "a number beyond all bounds");
    }
    if (r->at == start)
        fail(r, "a number is missing");
    return number;
}

/* "3: 300 [ 5: 500]" */
static void
take_figures(struct reader *r, uint64_t figures[N_FIGURES])
{
    skip_blanks(r);
    figures[BLOCKS] = take_number(r);
    take(r, ':');
    figures[BYTES] = take_number(r);
    take(r, '[');
    figures[ALL_BLOCKS] = take_number(r);
    take(r, ':');
    figures[ALL_BYTES] = take_number(r);
    take(r, ']');
}

static uint64_t
take_address(struct reader *r)
{
    uint64_t address = 0;

    if (r->end - r->at > 2 && r->at[0] == '0' && r->at[1] == 'x')
        r->at += 2;
    if (!mp_take_hex(&r->at, r->end, &address) || (r->at < r->end && !strchr(" \t\r", *r->at)))
        fail(r, "not an address");
    return address;
}

/* Behind "@": the innermost first. */
static void
take_chain(struct reader *r)
{
    r->n_chain = 0;
    for (skip_blanks(r); r->at < r->end && !r->problem; skip_blanks(r)) {
        uint64_t address = take_address(r);

        r->chain = mp_arena_grow(r->arena, r->chain, r->n_chain, &r->chain_room, sizeof *r->chain);
        if (address != 0)
            r->chain[r->n_chain++] = address;
    }
}

/* ---------------------------------------------------------------- the first line */

static void
take_period(struct reader *r, double part)
{
    r->sampled = true;
    r->period = part * (double)take_number(r);
    if (!r->problem && !(r->period >= 1 && r->period <= UINT32_MAX))
        fail(r, "samples at a distance that cannot be");
}

/* "heapprofile" counted everything, "heap_v2/524288" sampled at such a distance, "heap/1048576" at half of it. */
static void
take_sort(struct reader *r)
{
    size_t length = (size_t)(r->end - r->at);

    if (begins(r->at, length, "heapprofile")) {
        r->at = r->end;
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        static const char *const sorts[] = {"heap_v2/", "heapz_v2/", "heap/"};

        if (!begins(r->at, length, sorts[i]))
            continue;
        r->at += strlen(sorts[i]);
        take_period(r, i < 2 ? 1 : 0.5);
        return;
    }
    fail(r, "not of blocks of memory, or sampled in a way that is not known");
}

static void
take_head(struct reader *r, const char *line, size_t length)
{
    r->jemalloc = begins(line, length, of_jemalloc);
    r->at = line + strlen(r->jemalloc ? of_jemalloc : of_text);
    r->end = line + length;
    if (r->jemalloc) {
        take_period(r, 1);
        return;
    }
    take_figures(r, r->head);
    take(r, '@');
    if (!r->problem)
        take_sort(r);
}

/* ---------------------------------------------------------------- chains */

/* Is it in the library that wrote the file? */
static bool
is_allocator(const struct reader *r, uint64_t address)
{
    const struct mp_mapped *mapped = mp_mapped_files_find(&r->files, address - 1);

    return mapped && mapped->allocator;
}

static uint32_t
frame_at(struct reader *r, uint64_t address)
{
    const struct mp_mapped *mapped = mp_mapped_files_find(&r->files, address - 1);
    uint32_t known = r->addresses.count, id = mp_map_add_u64(&r->addresses, address), frame;

    if (id < known)
        return r->frames[id];
    r->frames = mp_arena_grow(r->arena, r->frames, id, &r->frames_room, sizeof *r->frames);
    frame = mp_maker_frame(r->maker, mapped ? mapped->module : MP_NO_ID,
                           mapped ? address - mapped->start + mapped->offset : address);
    r->profile->frames[frame].exact = false;
    return r->frames[id] = frame;
}

/* What allocators call within themselves is no part of a chain, unless there is nothing else. */
static uint32_t
context_of(struct reader *r)
{
    uint32_t context = 0, first = 0;

    while (first < r->n_chain && is_allocator(r, r->chain[first]))
        first++;
    first = first < r->n_chain ? first : 0;
    for (uint32_t i = r->n_chain; i-- > first;)
        context = mp_maker_context(r->maker, context, frame_at(r, r->chain[i]));
    return context;
}

/* ---------------------------------------------------------------- figures */

static double
probability(const struct reader *r, uint64_t blocks, uint64_t bytes)
{
    return r->sampled && blocks > 0 && bytes > 0 ? -expm1(-(double)bytes / (double)blocks / r->period) : 1;
}

static uint64_t
scaled(struct carry *carry, uint64_t n, double p)
{
    uint64_t before = carry->rounded;

    carry->exact = fmin(carry->exact + (double)n / p, MOST);
    carry->rounded = (uint64_t)carry->exact;
    return carry->rounded - before;
}

/* Variances of BLOCKS that were met with probability P, each of SIZE bytes; see samples.c. */
static void
add_spread(struct mp_spread *spread, uint64_t blocks, uint64_t bytes, double p, float *of_blocks, float *of_bytes)
{
    double size = blocks > 0 ? (double)bytes / (double)blocks : 0, one = (double)blocks * (1 - p) / (p * p);

    if (blocks == 0)
        return;
    *of_blocks = (float)one;
    *of_bytes = (float)(one * size * size);
    spread->most = fmaxf(spread->most, (float)((1 - p) / p));
    spread->most_bytes = fmaxf(spread->most_bytes, (float)(size * (1 - p) / p));
}

static void
set_spread(const struct reader *r, const uint64_t n[N_FIGURES], struct mp_counts *counts)
{
    uint64_t frees = n[ALL_BLOCKS] - n[BLOCKS], freed = n[ALL_BYTES] - n[BYTES];
    struct mp_spread *spread = &counts->spread;

    if (!r->sampled)
        return;
    add_spread(spread, n[BLOCKS], n[BYTES], probability(r, n[BLOCKS], n[BYTES]), &spread->kept_blocks,
               &spread->kept);
    add_spread(spread, frees, freed, probability(r, frees, freed), &spread->frees, &spread->freed);
}

/* What was allocated is scaled for itself, as pprof does it, and may come out as less than what of it is in use:
 * then it is as much.  If only for want of whole numbers, that is taken back elsewhere. */
static void
raise_to(struct reader *r, int which, uint64_t *all, uint64_t in_use, bool rounded)
{
    if (*all >= in_use)
        return;
    if (rounded)
        r->too_much[which] += in_use - *all;
    *all = in_use;
}

/* A cell that has COUNTS, the next. */
static void
note_spare(struct reader *r, const struct mp_counts *counts)
{
    const struct mp_cell *cells = r->profile->cells;
    uint32_t next = r->profile->n_cells;

    if (next == 0 || counts->frees > cells[r->spare[BLOCKS]].counts.frees)
        r->spare[BLOCKS] = next;
    if (next == 0 || counts->freed > cells[r->spare[BYTES]].counts.freed)
        r->spare[BYTES] = next;
}

static void
take_back(struct reader *r)
{
    struct mp_counts *blocks, *bytes;

    if (r->profile->n_cells == 0)
        return;
    blocks = &r->profile->cells[r->spare[BLOCKS]].counts;
    bytes = &r->profile->cells[r->spare[BYTES]].counts;
    if (blocks->frees >= r->too_much[BLOCKS]) {
        blocks->frees -= r->too_much[BLOCKS];
        blocks->allocs -= r->too_much[BLOCKS];
    }
    if (bytes->freed >= r->too_much[BYTES]) {
        bytes->freed -= r->too_much[BYTES];
        bytes->bytes -= r->too_much[BYTES];
    }
}

static void
add_cell(struct reader *r, uint64_t n[N_FIGURES])
{
    double p = probability(r, n[BLOCKS], n[BYTES]), all = probability(r, n[ALL_BLOCKS], n[ALL_BYTES]);
    struct mp_counts counts = {0};
    uint64_t blocks = scaled(&r->carries[BLOCKS], n[BLOCKS], p), bytes = scaled(&r->carries[BYTES], n[BYTES], p);

    if (r->alive) {
        n[ALL_BLOCKS] = n[BLOCKS];
        n[ALL_BYTES] = n[BYTES];
        counts.allocs = blocks;
        counts.bytes = bytes;
    } else {
        counts.allocs = scaled(&r->carries[ALL_BLOCKS], n[ALL_BLOCKS], all);
        counts.bytes = scaled(&r->carries[ALL_BYTES], n[ALL_BYTES], all);
    }
    if (n[BLOCKS] > n[ALL_BLOCKS] || n[BYTES] > n[ALL_BYTES]) {
        fail(r, "more is in use than was allocated");
        return;
    }
    raise_to(r, BLOCKS, &counts.allocs, blocks, (double)n[ALL_BLOCKS] / all >= (double)n[BLOCKS] / p);
    raise_to(r, BYTES, &counts.bytes, bytes, (double)n[ALL_BYTES] / all >= (double)n[BYTES] / p);
    counts.frees = counts.allocs - blocks;
    counts.freed = counts.bytes - bytes;
    set_spread(r, n, &counts);
    if (!mp_counts_any(&counts))
        return;
    note_spare(r, &counts);
    mp_maker_cell(r->maker, context_of(r), MP_SIZE_UNKNOWN, &counts);
}

/* ---------------------------------------------------------------- lines */

/* "t*: 3: 300 [0: 0]", of the chain that is being read or, before the first, of the whole; false: of one thread. */
static bool
take_threads(struct reader *r, uint64_t figures[N_FIGURES])
{
    bool all = r->end - r->at > 1 && r->at[1] == '*';

    r->at++;
    if (all)
        r->at++;
    else
        take_number(r);
    take(r, ':');
    take_figures(r, figures);
    return all && !r->problem;
}

/* FIGURES of a chain.  False: the line has none. */
static bool
take_line(struct reader *r, const char *line, size_t length, bool *chains, uint64_t figures[N_FIGURES])
{
    r->at = line;
    r->end = line + length;
    skip_blanks(r);
    if (r->at == r->end || *r->at == '#')
        return false;
    if (r->jemalloc && *r->at == '@') {
        r->at++;
        take_chain(r);
        *chains = true;
        return false;
    }
    if (r->jemalloc && *r->at == 't')
        return take_threads(r, figures) && *chains;
    take_figures(r, figures);
    take(r, '@');
    if (!r->problem)
        take_chain(r);
    return !r->problem;
}

/* What each pass does with the lines before, and those behind, of_files. */
struct pass {
    void (*figures)(struct reader *r, uint64_t figures[N_FIGURES]);
    void (*mapping)(struct reader *r, const char *line, size_t length);
};

static bool
pass(struct reader *r, const uint8_t *bytes, size_t size, const struct pass *pass, struct mp_error *error)
{
    struct mp_text_lines *lines = mp_text_lines_new(bytes, size);
    bool mapped = false, chains = false, ok;
    uint64_t figures[N_FIGURES];
    const char *line;
    size_t length;

    for (bool first = true; !r->problem && (line = mp_text_lines_next(lines, &length)) != NULL; first = false) {
        if (first)
            take_head(r, line, length);
        else if (mapped)
            pass->mapping(r, line, length);
        else if (begins(line, length, of_files))
            mapped = true;
        else if (take_line(r, line, length, &chains, figures))
            pass->figures(r, figures);
    }
    if (r->problem)
        ok = mp_fail(error, MP_ERR_DAMAGED, mp_text_lines_offset(lines), "%s: heap profile: %s", r->name, r->problem);
    else
        ok = mp_text_lines_ended(lines, r->name, error) &&
             (mapped || mp_fail(error, MP_ERR_TRUNCATED, MP_NO_OFFSET, "%s: no list of mapped files (of Go, take the "
                                "profile that is not text)", r->name));
    mp_text_lines_free(lines);
    return ok;
}

static void
add_sums(struct reader *r, uint64_t figures[N_FIGURES])
{
    for (int i = 0; i < N_FIGURES; i++)
        r->sums[i] = mp_plus(r->sums[i], figures[i]);
}

static void
add_mapping(struct reader *r, const char *line, size_t length)
{
    mp_mapped_files_add(&r->files, line, length);
}

static void
no_mapping(struct reader *r, const char *line, size_t length)
{
    (void)r, (void)line, (void)length;
}

/* ---------------------------------------------------------------- the whole */

/* Tcmalloc's samples are only of what lives: it writes the same figures twice. */
static bool
knows_alive_only(const struct reader *r)
{
    if (r->sums[ALL_BLOCKS] == 0 && r->sums[ALL_BYTES] == 0)
        return true;
    return r->sampled && !r->jemalloc && r->sums[ALL_BLOCKS] == r->sums[BLOCKS] &&
           r->sums[ALL_BYTES] == r->sums[BYTES];
}

/* Gperftools leaves chains out for which there is no room, and counts them in the first line. */
static const char *
left_out(const struct reader *r)
{
    char number[2][MP_NUMBER_SIZE];

    if (r->jemalloc || r->sampled || r->head[ALL_BYTES] <= r->sums[ALL_BYTES])
        return "";
    return mp_arena_printf(r->profile->arena, "; chains of %s bytes, %s of them in use, were left out by it",
                           mp_number_grouped(r->head[ALL_BYTES] - r->sums[ALL_BYTES], number[0]),
                           mp_number_grouped(r->head[BYTES] > r->sums[BYTES] ? r->head[BYTES] - r->sums[BYTES] : 0,
                                             number[1]));
}

static void
set_moment(struct mp_profile *profile)
{
    struct mp_window *window = mp_arena_alloc(profile->arena, sizeof *window);

    *window = (struct mp_window){.alive = true, .exact = true, .from = "the start",
                                 .to = "the moment of the profile"};
    profile->window = window;
}

static void
fill_meta(struct reader *r)
{
    const uint32_t of_what_lives = 1u << MP_FIGURE_KEPT | 1u << MP_FIGURE_KEPT_BLOCKS;
    const uint32_t of_all = 1u << MP_FIGURE_ALLOCS | 1u << MP_FIGURE_BYTES | 1u << MP_FIGURE_FREES |
                            1u << MP_FIGURE_FREED;
    struct mp_meta *meta = &r->profile->meta;
    char number[MP_NUMBER_SIZE];

    meta->ending = MP_END_SNAPSHOT;
    meta->status = -1;
    meta->unknown = ~(of_what_lives | (r->alive ? 0 : of_all)) & ((1u << (MP_FIGURE_KEPT_BLOCKS + 1)) - 1);
    if (r->files.program)
        meta->program = r->files.program;
    if (r->sampled)
        meta->foreign_period = (uint32_t)r->period;
    meta->source = r->sampled
        ? mp_arena_printf(r->profile->arena, "%s; its figures are estimates, of one sample for each %s bytes",
                          r->jemalloc ? "heap profile of jemalloc" : "heap profile",
                          mp_number_grouped(meta->foreign_period, number))
        : mp_arena_printf(r->profile->arena, "heap profile, as gperftools writes it%s", left_out(r));
    if (r->alive)
        set_moment(r->profile);
}

static bool
read_all(struct reader *r, const uint8_t *bytes, size_t size, struct mp_error *error)
{
    static const struct pass first = {add_sums, add_mapping}, second = {add_cell, no_mapping};

    if (!pass(r, bytes, size, &first, error))
        return false;
    mp_mapped_files_sort(&r->files);
    r->alive = knows_alive_only(r);
    return pass(r, bytes, size, &second, error);
}

bool
mp_is_legacy(const uint8_t *bytes, size_t size)
{
    return begins((const char *)bytes, size, of_text) || begins((const char *)bytes, size, of_jemalloc);
}

struct mp_profile *
mp_import_legacy(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct reader r = {.name = name, .arena = arena, .maker = mp_maker_new(), .addresses.arena = arena};
    struct mp_profile *profile = NULL;

    r.profile = mp_maker_profile(r.maker);
    r.files = (struct mp_mapped_files){.maker = r.maker, .arena = arena};
    if (read_all(&r, bytes, size, error)) {
        take_back(&r);
        fill_meta(&r);
        for (uint32_t i = 0; i < r.profile->n_modules; i++)
            r.profile->modules[i].in_file = true;
        profile = mp_maker_end(r.maker, false);
    } else {
        mp_maker_free(r.maker);
    }
    mp_arena_free(arena);
    return profile;
}
