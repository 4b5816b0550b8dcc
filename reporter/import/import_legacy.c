/* SPDX-License-Identifier: MIT */
/*
 * Reads text heap profiles as written by gperftools' tcmalloc, jemalloc, compatible tools, and mprof:
 *
 *     heap profile:  3: 300 [ 5: 500] @ heapprofile           heap_v2/524288
 *      3: 300 [ 5: 500] @ 0x401136 0x401156                     t*: 3: 300 [0: 0]
 *                                                               t0: 3: 300 [0: 0]
 *     MAPPED_LIBRARIES:                                       @ 0x401136 0x401156
 *     00401000-00402000 r-xp 00001000 fe:00 12  /bin/x          t*: 3: 300 [0: 0]
 *
 * Each pair consists of blocks and bytes: in use, and, in brackets, allocated in total. If all brackets contain 0,
 * the totals were not counted. Addresses are return addresses. Names are looked up later in the mapped files.
 *
 * The variants that pprof accepts are supported too. "@ ..." may be missing; if then both pairs are equal, the file
 * has one sample for each 128 KiB. "@ growthz" counts what the allocator took from the system. The list of mapped
 * files may begin with "--- Memory map:" or be missing, as in Go's files. The section of symbols that pprof --raw
 * writes may precede the profile. Then a binary profile with one figure for each chain can follow instead of the
 * text.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import_formats.h"
#include "maker.h"
#include "reporter/base/cursor.h"
#include "reporter/base/format_number.h"
#include "reporter/base/map.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/profile/profile.h"
#include "text_lines.h"

/*
 * A profile states two things about addresses: the files that are mapped there, in the format of /proc/PID/maps at its
 * end, and names of functions:
 *
 *     0x000055d70e6c9167 grow--inlined            symbol section that pprof --raw puts before a profile
 *     # 0x4b3c33 main.grow+0x53 /tmp/g.go:4       comments that Go puts after a chain, separated by tabs
 */

/* ---------------------------------------------------------------- mapped files */

struct mapped {
    uint64_t start, end, offset;        /* addresses; file offset that corresponds to `start` */
    uint32_t module;
    bool allocator;             /* the library that wrote the profile; its innermost frames are left out,
                                 * because they do not show who allocates */
};

struct mapped_files {
    struct mapped *list; uint32_t n, room;
    const char *program;        /* path of the first file with executable code, or NULL */
    struct mp_maker *maker;
    struct mp_arena *arena;
    struct mp_piece build;      /* value of "build=DIR" */
};

/* The unread part of a line. */
struct rest {
    const char *at, *end;
};

static void
skip_rest_blanks(struct rest *rest)
{
    while (rest->at < rest->end && (*rest->at == ' ' || *rest->at == '\t'))
        rest->at++;
}

static struct mp_piece
take_word(struct rest *rest)
{
    const char *start;

    skip_rest_blanks(rest);
    start = rest->at;
    while (rest->at < rest->end && *rest->at != ' ' && *rest->at != '\t')
        rest->at++;
    return (struct mp_piece){start, (size_t)(rest->at - start)};
}

/* Reads a hexadecimal number at *AT and advances *AT. Returns false if there is no number or it is too large. */
static bool
take_hex(const char **at, const char *end, uint64_t *number)
{
    const char *start = *at;

    *number = 0;
    for (; *at < end; ++*at) {
        char c = **at;
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

        if (digit < 0)
            break;
        *number = *number << 4 | (uint64_t)digit;
    }
    return *at > start && *at - start <= 16;
}

/* Returns the path at the end of the line, with "$build" at its beginning replaced. */
static struct mp_piece
path_of(const struct mapped_files *files, const struct rest *rest)
{
    static const char variable[] = "$build";
    const size_t size = (size_t)(rest->end - rest->at), n = sizeof variable - 1;
    const char *path;

    if (files->build.size == 0 || size < n || memcmp(rest->at, variable, n) != 0)
        return (struct mp_piece){rest->at, size};
    path = mp_arena_printf(files->arena, "%s%.*s", files->build.text, (int)(size - n), rest->at + n);
    return (struct mp_piece){path, strlen(path)};
}

/* Adds a line in the format of /proc/PID/maps, or of pprof's list: "40000000-40015000: /lib/ld.so". The line has no
 * blanks at its end. A line "build=DIR" defines the value that replaces "$build" in later lines. Ignores mappings
 * without a file and other lines. Example: "5564bd541000-5564bd542000 r-xp 00001000 fe:00 10952877     /usr/bin/jq". */
static void
mapped_files_add(struct mapped_files *files, const char *line, size_t length)
{
    struct rest rest = {line, line + length};
    struct mapped mapped = {0};
    const struct mp_module *module;
    struct mp_piece mode;

    skip_rest_blanks(&rest);
    if (rest.end - rest.at > 6 && memcmp(rest.at, "build=", 6) == 0) {
        rest.at += 6;
        files->build.size = (size_t)(rest.end - rest.at);
        files->build.text = mp_arena_printf(files->arena, "%.*s", (int)files->build.size, rest.at);
        return;
    }
    if (!take_hex(&rest.at, rest.end, &mapped.start) || rest.at == rest.end || *rest.at++ != '-' ||
        !take_hex(&rest.at, rest.end, &mapped.end) || mapped.end <= mapped.start)
        return;
    if (rest.at < rest.end && *rest.at == ':') {        /* pprof's list: code that is mapped from the beginning of its
                                                         * file */
        rest.at++;
        mode = (struct mp_piece){"r-xp", 4};
    } else {
        mode = take_word(&rest);
        skip_rest_blanks(&rest);
        if (mode.size < 3 || !take_hex(&rest.at, rest.end, &mapped.offset))
            return;
        take_word(&rest);       /* device and inode */
        take_word(&rest);
    }
    skip_rest_blanks(&rest);
    if (rest.at == rest.end)
        return;
    mapped.module = mp_maker_module(files->maker, mp_maker_text(files->maker, path_of(files, &rest)));
    module = &mp_maker_profile(files->maker)->modules[mapped.module];
    mapped.allocator = strncmp(module->name, "libjemalloc", 11) == 0 || strncmp(module->name, "libtcmalloc", 11) == 0;
    if (!files->program && mode.text[2] == 'x' && *module->path == '/')
        files->program = module->path;
    files->list = mp_arena_grow(files->arena, files->list, files->n, &files->room, sizeof *files->list);
    files->list[files->n++] = mapped;
}

static int
by_start(const void *left, const void *right)
{
    const struct mapped *a = left, *b = right;

    return mp_order(a->start, b->start);
}

/* Sorts the mappings. Must be called after the last line and before mapped_files_find(). */
static void
mapped_files_sort(struct mapped_files *files)
{
    if (files->n > 0)
        qsort(files->list, files->n, sizeof *files->list, by_start);
}

/* Returns the mapping at ADDRESS, or NULL. */
static const struct mapped *
mapped_files_find(const struct mapped_files *files, uint64_t address)
{
    const uint32_t n = MP_AT_MOST(files->list, files->n, start, address);

    return n > 0 && address < files->list[n - 1].end ? &files->list[n - 1] : NULL;
}

/* ---------------------------------------------------------------- names */

#define SUFFIX 18u              /* length of "<0123456789abcdef>" */

struct legacy_name {
    struct mp_piece function, file;
    uint32_t line, plain;       /* `plain`: id of the symbol without pprof's suffix, or MP_NO_ID for comments of Go */
    struct legacy_name *next;   /* the function into which this one is inlined */
};

struct legacy_names {
    struct mp_arena *arena;
    struct mp_map addresses;    /* addresses with names; uses the same arena */
    struct mp_map functions, plain;     /* symbol names with and without pprof's suffix; use the same arena */
    uint32_t *n_functions, n_room;      /* number of functions that differ in the suffix only, by id of `plain` */
    struct legacy_name **list; uint32_t room;   /* names by id of the address, the innermost inlined function first */
    uint64_t last;              /* address of the previous line if that was a comment, else 0 */
    struct legacy_name **end;   /* where to append the next function of the last address */
    bool comments;              /* whether there were any comments */
};

static struct mp_piece
copy(struct mp_arena *arena, const char *text, size_t size)
{
    return (struct mp_piece){memcpy(mp_arena_alloc(arena, size + 1), text, size), size};
}

/* Reads "0x4b3c33" at *AT and advances *AT. */
static bool
take_rest_address(const char **at, const char *end, uint64_t *address)
{
    if (end - *at < 3 || (*at)[0] != '0' || (*at)[1] != 'x')
        return false;
    *at += 2;
    return take_hex(at, end, address);
}

/* Returns the head of ADDRESS's list of names. Sets *KNOWN to whether the address was added before. */
static struct legacy_name **
place_of(struct legacy_names *names, uint64_t address, bool *known)
{
    const uint32_t n = names->addresses.count, id = mp_map_add_u64(&names->addresses, address);

    *known = id < n;
    if (!*known) {
        names->list = mp_arena_grow(names->arena, names->list, id, &names->room, sizeof *names->list);
        names->list[id] = NULL;
    }
    return &names->list[id];
}

/* Returns the length without the address that pprof appends to names of static functions, which need not be unique. */
static size_t
length_without_suffix(const char *name, size_t length)
{
    const char *at;
    uint64_t ignored;

    if (length <= SUFFIX || name[length - 1] != '>' || name[length - SUFFIX] != '<')
        return length;
    at = name + length - SUFFIX + 1;
    return take_hex(&at, name + length, &ignored) && at == name + length - 1 ? length - SUFFIX : length;
}

static void
add_symbol(struct legacy_names *names, struct legacy_name **at, const char *text, size_t length)
{
    struct legacy_name *name = mp_arena_alloc(names->arena, sizeof *name);
    const uint32_t n_functions = names->functions.count, n_plain = names->plain.count;

    *name = (struct legacy_name){.function = copy(names->arena, text, length), .next = *at};
    name->plain = mp_map_add(&names->plain, text, length_without_suffix(text, length));
    if (name->plain == n_plain) {
        names->n_functions = mp_arena_grow(names->arena, names->n_functions, n_plain, &names->n_room,
                                           sizeof *names->n_functions);
        names->n_functions[n_plain] = 0;
    }
    if (mp_map_add(&names->functions, text, length) == n_functions)
        names->n_functions[name->plain]++;
    *at = name;
}

/* Reads a line of the symbol section, without blanks at its end. Ignores lines of other kinds. */
static void
names_symbol(struct legacy_names *names, const char *line, size_t length)
{
    const char *at = line, *end = line + length;
    struct legacy_name **place;
    uint64_t address;
    bool known;

    if (!take_rest_address(&at, end, &address) || at == end || *at != ' ')
        return;
    while (at < end && *at == ' ')
        at++;
    place = place_of(names, address, &known);
    if (known || at == end)
        return;
    for (const char *next; at < end; at = next) {       /* the outermost function comes first */
        const char *stop = memmem(at, (size_t)(end - at), "--", 2);

        next = stop ? stop + 2 : end;
        stop = stop ? stop : end;
        if (stop > at)
            add_symbol(names, place, at, (size_t)(stop - at));
    }
}

/* Reads "main.grow+0x53", tabs, and "/tmp/g.go:4". */
static struct legacy_name *
go_name(struct legacy_names *names, const char *at, const char *end)
{
    struct legacy_name *name = mp_arena_alloc(names->arena, sizeof *name);
    const char *tab = memchr(at, '\t', (size_t)(end - at)), *stop = tab ? tab : end, *plus, *colon;

    *name = (struct legacy_name){.plain = MP_NO_ID};
    plus = memrchr(at, '+', (size_t)(stop - at));
    name->function = copy(names->arena, at, (size_t)((plus ? plus : stop) - at));
    for (at = stop; at < end && *at == '\t'; at++)
        ;
    colon = memrchr(at, ':', (size_t)(end - at));
    name->file = copy(names->arena, at, (size_t)((colon ? colon : end) - at));
    while (colon && ++colon < end && *colon >= '0' && *colon <= '9' && name->line < 100000000)
        name->line = name->line * 10 + (uint32_t)(*colon - '0');
    return name;
}

/* Reads a line of a profile, without blanks at its end. Ignores lines that are not comments of Go. */
static void
names_comment(struct legacy_names *names, const char *line, size_t length)
{
    const char *at, *end = line + length;
    const uint64_t last = names->last;
    struct legacy_name **place;
    uint64_t address;
    bool known;

    names->last = 0;
    if (length <= 2 || line[0] != '#' || line[1] != '\t')
        return;
    at = line + 2;
    if (!take_rest_address(&at, end, &address) || end - at < 2 || *at++ != '\t')
        return;
    place = place_of(names, address, &known);
    if (known && address != last)
        return;
    if (known)                  /* functions inlined at one address follow one another, the innermost first */
        place = names->end;
    *place = go_name(names, at, end);
    names->end = &(*place)->next;
    names->last = address;
    names->comments = true;
}

/* Returns the name to show: without pprof's suffix, unless functions differ in the suffix only. */
static struct mp_piece
shown(const struct legacy_names *names, const struct legacy_name *name)
{
    const struct mp_piece *full = &name->function;

    if (name->plain == MP_NO_ID || names->n_functions[name->plain] > 1)
        return *full;
    return (struct mp_piece){full->text, length_without_suffix(full->text, full->size)};
}

/* Returns the id of the address that has names: ADDRESS, or the address of the call before it. */
static uint32_t
find(const struct legacy_names *names, uint64_t address)
{
    const uint32_t id = mp_map_find_u64(&names->addresses, address);

    return id != MP_NO_ID ? id : mp_map_find_u64(&names->addresses, address - 1);
}

/* Returns whether the call that returns to ADDRESS has names. */
static bool
names_has(const struct legacy_names *names, uint64_t address)
{
    return find(names, address) != MP_NO_ID;
}

/* Gives FRAME the names of the call that returns to ADDRESS. Returns false if the file has no names for it. */
static bool
names_apply(const struct legacy_names *names, uint64_t address, struct mp_maker *maker, uint32_t frame)
{
    const uint32_t id = find(names, address);
    const struct legacy_name *first = id != MP_NO_ID ? names->list[id] : NULL;

    for (const struct legacy_name *name = first; name; name = name->next) {
        const char *function = mp_maker_text(maker, shown(names, name)), *file = mp_maker_text(maker, name->file);

        mp_maker_line(maker, frame, mp_maker_function(maker, function, file, MP_NO_ID), name->line, file);
    }
    return first != NULL;
}

/* ---------------------------------------------------------------- samples */

/* Samples are turned into estimates with the formulas of pprof and jeprof. A chain's figures are multiplied by
 * 1 / (1 - exp(-size / period)), where size is the mean size of its blocks. Blocks in use and all allocated blocks are
 * scaled separately. */

/* Figures of a chain in the file: in use, and allocated in total. */
enum {
    BLOCKS, BYTES, ALL_BLOCKS, ALL_BYTES, FIGURES
};

/* A running sum with and without its fraction. Rounding only the sums keeps the totals of rounded figures exact. */
struct carry {
    double exact;
    uint64_t rounded;
};

struct scale {
    double period;              /* mean sampling distance in bytes; 0 if every block was counted */
    bool linear;                /* multiply by max(1, period / size) instead of the exponential formula */
    bool alive;                 /* only memory in use is known; it is also used as the allocated memory */
    struct carry carries[FIGURES];
    uint64_t too_much[2];       /* blocks and bytes added to cells because of rounding, to be subtracted in the end */
    uint32_t spare[2];          /* indices of the cells with the most frees and freed bytes, from which they are
                                 * subtracted */
};

#define MOST 0x1p61             /* limit for sums of blocks or bytes, which only damaged files exceed */

static double
probability(const struct scale *s, uint64_t blocks, uint64_t bytes)
{
    double ratio;

    if (s->period == 0 || blocks == 0 || bytes == 0)
        return 1;
    ratio = (double)bytes / (double)blocks / s->period;
    return s->linear ? fmin(ratio, 1) : -expm1(-ratio);
}

static uint64_t
scaled(struct scale *s, int figure, uint64_t n, double p)
{
    struct carry *carry = &s->carries[figure];
    uint64_t before = carry->rounded;

    if (s->period == 0)
        return n;
    carry->exact = fmin(carry->exact + (double)n / p, MOST);
    carry->rounded = (uint64_t)carry->exact;
    return carry->rounded - before;
}

/* Sets the variances for BLOCKS with BYTES in total, which were sampled with probability P. See samples.c for the
 * formulas. */
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
set_spread(const struct scale *s, const uint64_t n[FIGURES], struct mp_counts *counts)
{
    const uint64_t blocks = n[BLOCKS], bytes = n[BYTES];
    const uint64_t frees = n[ALL_BLOCKS] - blocks, freed = n[ALL_BYTES] - bytes;
    struct mp_spread *spread = &counts->spread;

    if (s->period == 0)
        return;
    add_spread(spread, blocks, bytes, probability(s, blocks, bytes), &spread->kept_blocks, &spread->kept);
    add_spread(spread, frees, freed, probability(s, frees, freed), &spread->frees, &spread->freed);
}

/* Raises *ALL to IN_USE if *ALL is smaller, which is possible because both figures are scaled separately, as in pprof.
 * If ROUNDED, only rounding made *ALL smaller, and take_back() subtracts the difference again. */
static void
raise_to(struct scale *s, int which, uint64_t *all, uint64_t in_use, bool rounded)
{
    if (*all >= in_use)
        return;
    if (rounded)
        s->too_much[which] += in_use - *all;
    *all = in_use;
}

/* Fills COUNTS with the estimates for N, the figures of a chain. Returns false if more is in use than was allocated. */
static bool
estimate(struct scale *s, uint64_t n[FIGURES], struct mp_counts *counts)
{
    uint64_t *blocks = &n[BLOCKS], *bytes = &n[BYTES];
    uint64_t *all_blocks = &n[ALL_BLOCKS], *all_bytes = &n[ALL_BYTES], in_use[2];
    double p = probability(s, *blocks, *bytes), all;

    if (s->period == 0 && !s->alive && (*blocks > *all_blocks || *bytes > *all_bytes))
        return false;
    *all_blocks = s->alive || *all_blocks < *blocks ? *blocks : *all_blocks;
    *all_bytes = s->alive || *all_bytes < *bytes ? *bytes : *all_bytes;
    all = probability(s, *all_blocks, *all_bytes);
    in_use[BLOCKS] = scaled(s, BLOCKS, *blocks, p);
    in_use[BYTES] = scaled(s, BYTES, *bytes, p);
    *counts = (struct mp_counts){.allocs = scaled(s, ALL_BLOCKS, *all_blocks, all),
                                 .bytes = scaled(s, ALL_BYTES, *all_bytes, all)};
    raise_to(s, BLOCKS, &counts->allocs, in_use[BLOCKS],
             (double)*all_blocks / all >= (double)*blocks / p);
    raise_to(s, BYTES, &counts->bytes, in_use[BYTES],
             (double)*all_bytes / all >= (double)*bytes / p);
    counts->frees = counts->allocs - in_use[BLOCKS];
    counts->freed = counts->bytes - in_use[BYTES];
    set_spread(s, n, counts);
    return true;
}

/* Notes the next cell of PROFILE, with COUNTS, if it has the most frees or freed bytes so far. Must be called before
 * the cell is added. */
static void
note_cell(struct scale *s, const struct mp_profile *profile, const struct mp_counts *counts)
{
    const struct mp_cell *cells = profile->cells;
    uint32_t next = profile->n_cells;

    if (next == 0 || counts->frees > cells[s->spare[BLOCKS]].counts.frees)
        s->spare[BLOCKS] = next;
    if (next == 0 || counts->freed > cells[s->spare[BYTES]].counts.freed)
        s->spare[BYTES] = next;
}

/* Corrects the rounding. Must be called when PROFILE has all cells, in the order in which they were noted. */
static void
take_back(const struct scale *s, struct mp_profile *profile)
{
    struct mp_basic_counts *blocks, *bytes;

    if (profile->n_cells == 0)
        return;
    blocks = &profile->cells[s->spare[BLOCKS]].counts;
    bytes = &profile->cells[s->spare[BYTES]].counts;
    if (blocks->frees >= s->too_much[BLOCKS]) {
        blocks->frees -= s->too_much[BLOCKS];
        blocks->allocs -= s->too_much[BLOCKS];
    }
    if (bytes->freed >= s->too_much[BYTES]) {
        bytes->freed -= s->too_much[BYTES];
        bytes->bytes -= s->too_much[BYTES];
    }
}

static const char of_text[] = "heap profile:", of_jemalloc[] = "heap_v2/", of_files[] = "MAPPED_LIBRARIES:",
                  of_map[] = "--- Memory map:", of_symbols[] = "--- symbol";

#define OLD_PERIOD 131072       /* default sampling period in bytes */

struct reader {
    const char *name;
    const char *at, *end;       /* rest of the current line */
    const char *problem;        /* error message, or NULL */
    bool second;                /* whether this is the second pass; see read_all() */
    bool jemalloc, sampled, growth;
    bool mapped;                /* whether the file has a list of mapped files */
    bool chains;                /* jemalloc only: whether this pass has read a chain */
    bool raw;                   /* whether a binary profile follows the symbols */
    bool negative;              /* whether the current line has a negative number */
    uint32_t n_negative;        /* number of chains that were left out because of such a number */
    struct scale scale;
    uint64_t head[FIGURES], sums[FIGURES];  /* figures of the first line, and sums of all chains,
                                                                 * not scaled */
    struct mapped_files files;
    struct legacy_names names;
    struct mp_maker *maker;
    struct mp_profile *profile; /* owned by the maker */
    struct mp_map addresses;    /* addresses of frames */
    uint32_t *frames; uint32_t frames_room;     /* by id of the address */
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

/* Reads the character C and blanks around it. */
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

static uint64_t
take_figure(struct reader *r)
{
    if (r->at < r->end && *r->at == '-') {
        r->negative = true;
        r->at++;
    }
    return take_number(r);
}

/* Reads "3: 300 [ 5: 500]". Sets r->negative to whether a number is negative, as some tools write in place of 0 or of
 * a difference. pprof and jeprof ignore such lines. */
static void
take_figures(struct reader *r, uint64_t figures[FIGURES])
{
    r->negative = false;
    skip_blanks(r);
    figures[BLOCKS] = take_figure(r);
    take(r, ':');
    figures[BYTES] = take_figure(r);
    take(r, '[');
    figures[ALL_BLOCKS] = take_figure(r);
    take(r, ':');
    figures[ALL_BYTES] = take_figure(r);
    take(r, ']');
}

static uint64_t
take_address(struct reader *r)
{
    uint64_t address = 0;

    if (r->end - r->at > 2 && r->at[0] == '0' && r->at[1] == 'x')
        r->at += 2;
    if (!take_hex(&r->at, r->end, &address) || (r->at < r->end && !strchr(" \t\r", *r->at)))
        fail(r, "not an address");
    return address;
}

/* Reads the addresses after "@", the innermost first. */
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
    r->scale.period = part * (double)take_number(r);
    if (!r->problem && !(r->scale.period >= 1 && r->scale.period <= UINT32_MAX))
        fail(r, "samples at a distance that cannot be");
}

/* Assumes the default sampling period, as pprof does. LINEAR is set if the samples are of the oldest kind. */
static void
take_no_period(struct reader *r, bool linear)
{
    r->sampled = true;
    r->scale.period = OLD_PERIOD;
    r->scale.linear = linear;
}

/* Reads how blocks were counted. "heapprofile" counted all blocks. "heap_v2/524288" sampled with this period,
 * "heap/1048576" with half of it. "growth" counted memory taken from the system. */
static void
take_sort(struct reader *r)
{
    static const char *const sorts[] = {"heap_v2", "heapz_v2", "heapz", "heap"};
    size_t length = (size_t)(r->end - r->at);

    r->growth = begins(r->at, length, "growth");
    if (r->growth || begins(r->at, length, "heapprofile"))
        return;
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
        if (!begins(r->at, length, sorts[i]))
            continue;
        r->at += strlen(sorts[i]);
        if (r->at < r->end && *r->at == '/') {
            r->at++;
            take_period(r, i < 2 ? 1 : 0.5);
            return;
        }
        skip_blanks(r);
        if (r->at == r->end) {
            take_no_period(r, i >= 2);
            return;
        }
    }
    fail(r, "not of blocks of memory, or sampled in a way that is not known");
}

/* Handles the oldest files, which do not state how blocks were counted. If they were sampled, both pairs of figures
 * are equal. */
static void
take_no_sort(struct reader *r)
{
    const uint64_t *head = r->head;

    if (head[BLOCKS] == head[ALL_BLOCKS] && head[BYTES] == head[ALL_BYTES])
        take_no_period(r, true);
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
    if (r->negative) {          /* pprof then ignores how blocks were counted */
        memset(r->head, 0, sizeof r->head);
        return;
    }
    if (!r->problem && r->at == r->end) {
        take_no_sort(r);
        return;
    }
    take(r, '@');
    if (!r->problem)
        take_sort(r);
}

/* ---------------------------------------------------------------- chains */

/* Returns whether ADDRESS is in the library that wrote the file. */
static bool
is_allocator(const struct reader *r, uint64_t address)
{
    const struct mapped *mapped = mapped_files_find(&r->files, address - 1);

    return mapped && mapped->allocator;
}

static uint32_t
frame_at(struct reader *r, uint64_t address)
{
    const struct mapped *mapped = mapped_files_find(&r->files, address - 1);
    uint32_t known = r->addresses.count, id = mp_map_add_u64(&r->addresses, address), frame;

    if (id < known)
        return r->frames[id];
    r->frames = mp_arena_grow(r->arena, r->frames, id, &r->frames_room, sizeof *r->frames);
    frame = mp_maker_frame(r->maker, mapped ? mapped->module : MP_NO_ID,
                           mapped ? address - mapped->start + mapped->offset : address);
    r->profile->frames[frame].exact = false;
    if (r->names.addresses.count > 0 && !names_apply(&r->names, address, r->maker, frame))
        mp_maker_place(r->maker, frame);
    return r->frames[id] = frame;
}

/* Returns whether frame I of the chain is of Go's runtime, which has no comments. */
static bool
is_uncommented(const struct reader *r, uint32_t i)
{
    return r->names.comments && !names_has(&r->names, r->chain[i]);
}

/* Returns the context of the chain. Leaves out the innermost frames if they belong to the allocator. In a profile of
 * Go, also leaves out the innermost and outermost frames of Go's runtime. Keeps all frames if none would be left. */
static uint32_t
context_of(struct reader *r)
{
    uint32_t context = 0, first = 0, n = r->n_chain;

    while (first < r->n_chain && (is_allocator(r, r->chain[first]) || is_uncommented(r, first)))
        first++;
    first = first < r->n_chain ? first : 0;
    while (n > first + 1 && is_uncommented(r, n - 1))
        n--;
    for (uint32_t i = n; i-- > first;)
        context = mp_maker_context(r->maker, context, frame_at(r, r->chain[i]));
    return context;
}

/* ---------------------------------------------------------------- figures */

static void
add_cell(struct reader *r, uint64_t figures[FIGURES])
{
    struct mp_counts counts;

    if (!estimate(&r->scale, figures, &counts)) {
        fail(r, "more is in use than was allocated");
        return;
    }
    if (!mp_counts_any(&counts))
        return;
    note_cell(&r->scale, r->profile, &counts);
    mp_maker_cell(r->maker, context_of(r), MP_SIZE_UNKNOWN, &counts);
}

/* Adds the figures of the current chain to the sums in the first pass, and to the profile in the second. Leaves them
 * out if one is negative. */
static void
add_figures(struct reader *r, uint64_t figures[FIGURES])
{
    if (r->negative) {
        r->n_negative += r->second;
        return;
    }
    if (r->second)
        add_cell(r, figures);
    for (int i = 0; i < FIGURES && !r->second; i++)
        r->sums[i] = mp_plus(r->sums[i], figures[i]);
}

/* ---------------------------------------------------------------- lines */

/* Reads "t*: 3: 300 [0: 0]", the figures of all threads. They belong to the current chain, or to the whole program
 * before the first chain. Returns false for the figures of a single thread. */
static bool
take_threads(struct reader *r, uint64_t figures[FIGURES])
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

/* Reads a line of the chains. Returns true if it completes the FIGURES of a chain. */
static bool
take_line(struct reader *r, const char *line, size_t length, uint64_t figures[FIGURES])
{
    r->at = line;
    r->end = line + length;
    skip_blanks(r);
    if (r->at == r->end || *r->at == '#')
        return false;
    if (r->jemalloc && *r->at == '@') {
        r->at++;
        take_chain(r);
        r->chains = true;
        return false;
    }
    if (r->jemalloc && *r->at == 't')
        return take_threads(r, figures) && r->chains;
    take_figures(r, figures);
    take(r, '@');
    if (!r->problem)
        take_chain(r);
    return !r->problem;
}

/* Current part of the file. */
enum part {
    AT_HEAD, IN_SYMBOLS, IN_CHAINS, IN_FILES, AT_RAW
};

/* Handles a line before the chains: the first line, the symbol section, or a line between that section and the
 * profile. Returns the part of the next line. */
static enum part
take_first(struct reader *r, enum part part, const char *line, size_t length)
{
    static const char *const dividers[] = {"--- heap", "--- growth", "--- profile"};

    if (part == IN_SYMBOLS) {
        if (begins(line, length, "---"))
            return AT_HEAD;
        if (!r->second)
            names_symbol(&r->names, line, length);
        return IN_SYMBOLS;
    }
    if (begins(line, length, of_symbols))
        return IN_SYMBOLS;
    for (size_t i = 0; i < sizeof dividers / sizeof *dividers; i++)
        if (begins(line, length, dividers[i]))
            return AT_RAW;
    if (length > 0 && *line == '%')     /* instructions for pprof */
        return AT_HEAD;
    if (!begins(line, length, of_text) && !begins(line, length, of_jemalloc)) {
        fail(r, "behind its symbols, not of memory");
        return IN_CHAINS;
    }
    take_head(r, line, length);
    return IN_CHAINS;
}

static enum part
take_any(struct reader *r, enum part part, const char *line, size_t length)
{
    uint64_t figures[FIGURES];

    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\r'))
        length--;
    if (part == IN_FILES) {
        if (!r->second)
            mapped_files_add(&r->files, line, length);
        return IN_FILES;
    }
    if (part != IN_CHAINS)
        return take_first(r, part, line, length);
    if (begins(line, length, of_files) || begins(line, length, of_map))
        return IN_FILES;
    if (!r->second)
        names_comment(&r->names, line, length);
    if (take_line(r, line, length, figures))
        add_figures(r, figures);
    return IN_CHAINS;
}

/* ---------------------------------------------------------------- the binary profile behind symbols */

/* Reads 64-bit words: 0, 3, 0, the period, 0; then for each chain its figure, its depth and its addresses. */
static void
take_raw(struct reader *r, const uint8_t *bytes, size_t size)
{
    struct mp_cursor cursor;
    uint64_t head[5];

    r->raw = true;
    mp_cursor_init(&cursor, bytes, size, 0);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        head[i] = mp_cursor_u64(&cursor);
    if (cursor.problem || head[0] != 0 || head[1] != 3 || head[2] != 0)
        fail(r, "behind its symbols, neither text nor a binary profile");
    else if (head[3] != 1)
        fail(r, "behind its symbols, a CPU profile: not of memory");
    while (!r->problem && mp_cursor_left(&cursor) >= sizeof(uint64_t)) {
        const uint64_t figure = mp_cursor_u64(&cursor), depth = mp_cursor_u64(&cursor);
        uint64_t figures[FIGURES] = {[BYTES] = figure, [ALL_BYTES] = figure};

        if (cursor.problem || depth > mp_cursor_left(&cursor) / sizeof(uint64_t)) {
            fail(r, "ends within a chain");
            break;
        }
        r->n_chain = 0;
        for (uint64_t i = 0; i < depth; i++) {
            r->chain = mp_arena_grow(r->arena, r->chain, r->n_chain, &r->chain_room, sizeof *r->chain);
            r->chain[r->n_chain++] = mp_cursor_u64(&cursor);
        }
        add_figures(r, figures);
    }
}

/* ---------------------------------------------------------------- passes */

static bool
pass(struct reader *r, const uint8_t *bytes, size_t size, struct mp_error *error)
{
    struct mp_text_lines *lines = mp_text_lines_new(bytes, size);
    enum part part = AT_HEAD;
    const char *line;
    size_t length;
    bool ok;

    r->chains = false;
    while (!r->problem && part != AT_RAW && (line = mp_text_lines_next(lines, &length)) != NULL) {
        part = take_any(r, part, line, length);
        if (part == AT_RAW) {
            const uint64_t at = mp_text_lines_offset(lines) + length + 1;

            if (at > size || memcmp(bytes + at - length - 1, line, length) != 0)
                fail(r, "packed in a way that is not read here");
            else if (begins((const char *)bytes + at, size - at, "heap"))
                part = AT_HEAD;
            else
                take_raw(r, bytes + at, size - at);
        }
    }
    r->mapped = part == IN_FILES;
    if (r->problem)
        ok = mp_fail(error, MP_ERR_DAMAGED, mp_text_lines_offset(lines), "%s: heap profile: %s", r->name, r->problem);
    else if (part == AT_HEAD || part == IN_SYMBOLS)
        ok = mp_fail(error, MP_ERR_TRUNCATED, MP_NO_OFFSET, "%s", r->name);
    else
        ok = r->raw || mp_text_lines_ended(lines, r->name, error);
    mp_text_lines_free(lines);
    return ok;
}

/* ---------------------------------------------------------------- the whole */

/* Returns whether the file has figures of memory in use only. tcmalloc samples only live blocks and writes the same
 * figures twice. */
static bool
knows_alive_only(const struct reader *r)
{
    if (r->growth || r->raw)
        return true;
    if (r->sums[ALL_BLOCKS] == 0 && r->sums[ALL_BYTES] == 0)
        return true;
    return r->sampled && !r->jemalloc && r->sums[ALL_BLOCKS] == r->sums[BLOCKS] &&
           r->sums[ALL_BYTES] == r->sums[BYTES];
}

/* Describes the chains for which gperftools had no space. They are included in the first line's figures only. */
static const char *
left_out(const struct reader *r)
{
    const uint64_t *head = r->head, *sums = r->sums;
    uint64_t in_use = head[BYTES] > sums[BYTES] ? head[BYTES] - sums[BYTES] : 0;
    char number[2][MP_NUMBER_SIZE];

    if (r->jemalloc || r->sampled || r->n_negative > 0 || head[ALL_BYTES] <= sums[ALL_BYTES])
        return "";
    return mp_arena_printf(r->profile->arena, "; chains of %s bytes, %s of them in use, were left out by it",
                           mp_number_grouped(head[ALL_BYTES] - sums[ALL_BYTES], number[0]),
                           mp_number_grouped(in_use, number[1]));
}

static void
fill_meta(struct reader *r)
{
    const uint32_t of_what_lives = 1u << MP_FIGURE_KEPT | 1u << MP_FIGURE_KEPT_BLOCKS;
    const uint32_t of_all = 1u << MP_FIGURE_ALLOCS | 1u << MP_FIGURE_BYTES | 1u << MP_FIGURE_FREES |
                            1u << MP_FIGURE_FREED;
    struct mp_meta *meta = &r->profile->meta;
    struct mp_arena *arena = r->profile->arena;
    char number[MP_NUMBER_SIZE];

    meta->ending = MP_END_SNAPSHOT;
    meta->status = -1;
    meta->unknown = ~(of_what_lives | (r->scale.alive ? 0 : of_all)) & ((1u << MP_FIGURES) - 1);
    if (r->files.program)
        meta->program = r->files.program;
    if (r->sampled)
        meta->foreign_period = (uint32_t)r->scale.period;
    if (r->raw) {
        meta->unknown |= 1u << MP_FIGURE_KEPT_BLOCKS;
        meta->source = "pprof --raw, whose file does not say what it counts: bytes in use, if it was made of a heap "
                       "profile without options";
    } else if (r->growth) {
        meta->source = "growth of the heap: memory that the allocator took from the system, by the calls that needed "
                       "it";
    } else if (r->sampled) {
        meta->source = mp_arena_printf(arena, "%s; its figures are estimates, of one sample for each %s bytes",
                                       r->jemalloc ? "heap profile of jemalloc" : "heap profile",
                                       mp_number_grouped(meta->foreign_period, number));
    } else {
        meta->source = mp_arena_printf(arena, "heap profile, as gperftools writes it%s", left_out(r));
    }
    if (r->n_negative > 0)
        meta->source = mp_arena_printf(arena, "%s; %s chain%s with negative numbers left out, as by jeprof",
                                       meta->source, mp_number_grouped(r->n_negative, number),
                                       r->n_negative == 1 ? "" : "s");
    if (!r->mapped && r->names.addresses.count == 0)
        meta->source = mp_arena_printf(arena, "%s; it has no list of mapped files, so functions have no names",
                                       meta->source);
    if (r->scale.alive)
        mp_maker_at_moment(r->maker);
}

/* Reads the file twice. The first pass collects the sums of the figures, the mapped files and the names, which the
 * second needs to make the profile. */
static bool
read_all(struct reader *r, const uint8_t *bytes, size_t size, struct mp_error *error)
{
    if (!pass(r, bytes, size, error))
        return false;
    mapped_files_sort(&r->files);
    r->scale.alive = knows_alive_only(r);
    r->second = true;
    return pass(r, bytes, size, error);
}

bool
mp_is_legacy(const uint8_t *bytes, size_t size)
{
    static const char *const heads[] = {of_text, of_jemalloc, of_symbols, "%warn"};

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (begins((const char *)bytes, size, heads[i]))
            return true;
    return false;
}

struct mp_profile *
mp_import_legacy(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct reader r = {.name = name, .arena = arena, .maker = mp_maker_new(), .addresses.arena = arena};
    struct mp_profile *profile = NULL;

    r.profile = mp_maker_profile(r.maker);
    r.files = (struct mapped_files){.maker = r.maker, .arena = arena};
    r.names = (struct legacy_names){.arena = arena, .addresses.arena = arena, .functions.arena = arena,
                                       .plain.arena = arena};
    if (read_all(&r, bytes, size, error)) {
        take_back(&r.scale, r.profile);
        fill_meta(&r);
        for (uint32_t i = 0; i < r.profile->n_modules; i++)
            r.profile->modules[i].in_file = true;
        profile = mp_maker_end(r.maker, r.names.addresses.count > 0);
    } else {
        mp_maker_free(r.maker);
    }
    mp_arena_free(arena);
    return profile;
}
