/* SPDX-License-Identifier: MIT */
/*
 * Writes the interpreted form of heaptrack's format, version 3, for heaptrack_gui and heaptrack_print.
 *
 * The format has a line for each allocation and each free. Counters do not contain single blocks, so blocks are made
 * up, see cell_blocks.h. First come blocks that did not live at the peak, each freed before the next is allocated. Then
 * come all that lived at the peak, the frees of those not kept, and the blocks allocated after the peak and kept.
 * Thus the maximum of live memory is the peak, and each chain has its own part in it.
 *
 * Readers count a block as temporary if its free follows an allocation with the same information (size and chain). So
 * each information is written twice, and frees of blocks that were not temporary refer to the second one.
 * heaptrack_gui requires that allocations first use each information in the order of the numbers, without gaps.
 */
#include "export_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell_blocks.h"
#include "reporter/base/compress.h"
#include "reporter/base/map.h"
#include "reporter/graph/tree.h"

#define MOST_SIZES (2u * MP_BLOCKS_SORTS)
#define FORMAT "10400 3"       /* version of heaptrack and version of the format; readers accept older versions of the
                                  format, too */

/* Blocks of one cell. */
struct site {
    struct mp_blocks blocks;
    uint32_t trace;
    uint32_t n_sizes;
    uint64_t sizes[MOST_SIZES];
    uint32_t infos[MOST_SIZES]; /* by size: 1 plus the number of its information, or 0 before that is numbered */
};

/* An information: size and chain of an allocation. */
struct info {
    uint64_t size;
    uint32_t trace;
};

struct writer {
    const struct mp_export *export;
    const struct mp_tree *tree;
    struct mp_map strings;      /* ids in the file minus 1 */
    struct mp_map addresses;    /* calls and kinds of objects; ids in the file minus 1 */
    uint32_t *trace_of;         /* by node */
    uint32_t n_traces;
    struct site *sites;         /* by cell of the tree */
    struct info *infos;         /* in the order in which allocations first use them */
    uint32_t n_infos, infos_capacity;
    bool numbered;              /* all of `infos` is known, so events are written */
    struct site *last;          /* site of the last temporary block that is allocated before the peak, or NULL if
                                   no temporary block is */
    struct mp_arena *arena;
    FILE *out;
};

/* ---------------------------------------------------------------- chains */

static uint32_t
string_of(struct writer *w, const char *text)
{
    uint32_t known = w->strings.count, id;

    if (text[0] == '\0')
        return 0;
    id = mp_map_add(&w->strings, text, strlen(text));
    if (id == known)
        fprintf(w->out, "s %zx %s\n", strlen(text), text);
    return id + 1;
}

/* Writes the line of a call, if it is new: address, module, function, file and line. Returns its id. */
static uint32_t
address_of(struct writer *w, uint32_t node)
{
    const struct mp_profile *view = w->tree->profile;
    const struct mp_tree_node *at = &w->tree->nodes[node];
    const struct mp_location *location = &view->locations[at->location];
    const struct mp_function *function = &view->functions[location->function];
    uint32_t known = w->addresses.count, id = mp_map_add_u64(&w->addresses, at->step);
    uint32_t module, name, file;

    if (id < known)
        return id + 1;
    module = function->module < view->n_modules
                 ? string_of(w, view->modules[function->module].path) : 0;
    name = string_of(w, function->text);
    file = string_of(w, location->file);
    fprintf(w->out, "i %" PRIx64 " %" PRIx32 " %" PRIx32, view->frames[at->frame].offset, module, name);
    if (file)
        fprintf(w->out, " %" PRIx32 " %" PRIx32, file, location->line);
    fputc('\n', w->out);
    return id + 1;
}

static uint32_t
address_of_kind(struct writer *w, uint32_t kind)
{
    uint32_t known = w->addresses.count;
    uint32_t id = mp_map_add_u64(&w->addresses, (uint64_t)1 << 32 | kind);

    if (id == known)
        fprintf(w->out, "i 0 0 %" PRIx32 "\n", string_of(w, mp_export_kind_text(w->tree, kind, w->arena)));
    return id + 1;
}

static uint32_t
put_trace(struct writer *w, uint32_t address, uint32_t caller)
{
    fprintf(w->out, "t %" PRIx32 " %" PRIx32 "\n", address, caller);
    return ++w->n_traces;
}

/* Writes the traces. The cells of a node are sorted by kind, so cells of the same kind follow each other and share
 * the last trace. */
static void
put_traces(struct writer *w)
{
    const struct mp_tree *tree = w->tree;

    w->trace_of = mp_arena_alloc(w->arena, tree->n_nodes * sizeof *w->trace_of);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        uint32_t last = MP_KIND_SMALL;

        if (i > 0)
            w->trace_of[i] = put_trace(w, address_of(w, i), w->trace_of[tree->nodes[i].parent]);
        for (uint32_t j = tree->nodes[i].first_cell; j < tree->nodes[i + 1].first_cell; j++) {
            uint32_t kind = tree->profile->cells[tree->cells[j]].kind;

            if (kind < MP_KIND_LISP)
                w->sites[j].trace = w->trace_of[i];
            else if (kind == last)
                w->sites[j].trace = w->n_traces;
            else
                w->sites[j].trace = put_trace(w, address_of_kind(w, kind), w->trace_of[i]);
            last = kind;
        }
    }
}

/* ---------------------------------------------------------------- blocks */

static void
add_size(struct site *site, uint64_t size)
{
    for (uint32_t i = 0; i < site->n_sizes; i++)
        if (site->sizes[i] == size)
            return;
    site->sizes[site->n_sizes++] = size;
}

static void
add_sizes(struct site *site)
{
    for (int sort = 0; sort < MP_BLOCKS_SORTS; sort++) {
        const struct mp_blocks_group *group = &site->blocks.of[sort];
        uint64_t n, size = mp_blocks_size(group, &n);

        if (group->n > 0)
            add_size(site, size);
        if (group->n > n)
            add_size(site, size - 1);
    }
}

static bool
make_sites(struct writer *w, struct mp_error *error)
{
    const struct mp_tree *tree = w->tree;
    uint64_t allocs = 0, most = 0;

    for (uint32_t i = 0; i < tree->n_cells; i++) {
        const struct mp_basic_counts *counts = &tree->profile->cells[tree->cells[i]].counts;

        allocs = mp_plus(allocs, counts->allocs);
        most = counts->bytes > most ? counts->bytes : most;
        most = counts->peak_bytes > (int64_t)most ? (uint64_t)counts->peak_bytes : most;
    }
    if (allocs > UINT32_MAX || most > MP_BLOCKS_MOST)
        return mp_fail(error, MP_ERR_FORMAT, MP_NO_OFFSET,
                       "heaptrack: a line for each of %" PRIu64 " allocations", allocs);
    w->sites = mp_arena_alloc(w->arena, tree->n_cells * sizeof *w->sites);
    for (uint32_t i = 0; i < tree->n_cells; i++) {
        struct site *site = &w->sites[i];

        site->blocks = mp_blocks_of(&tree->profile->cells[tree->cells[i]]);
        add_sizes(site);
        if (!w->last && site->blocks.of[MP_BLOCKS_PEAK_TEMPORARY].n > 0)
            w->last = site;
    }
    return true;
}

/* ---------------------------------------------------------------- events */

enum event { ALLOCATED, FREED, PASSED, FREED_AT_ONCE };

/* Gives the next number to the information (size and chain) for SITE's size INDEX, unless it has a number already. */
static void
number_info(struct writer *w, struct site *site, uint32_t index)
{
    if (site->infos[index] > 0)
        return;
    w->infos = mp_arena_grow(w->arena, w->infos, w->n_infos, &w->infos_capacity, sizeof *w->infos);
    w->infos[w->n_infos] = (struct info){.size = site->sizes[index], .trace = site->trace};
    site->infos[index] = ++w->n_infos;
}

/* Writes EVENT for each of N blocks of SIZE bytes of SITE. In the first pass, before w->numbered, writes nothing and
 * only numbers the information that allocations use. */
static void
put_events(struct writer *w, struct site *site, enum event event, uint64_t n, uint64_t size)
{
    char lines[64];
    uint32_t index = 0;
    uint64_t info;
    int length;

    if (n == 0)
        return;
    while (site->sizes[index] != size)
        index++;
    if (!w->numbered) {
        number_info(w, site, index);
        return;
    }
    info = site->infos[index] - 1;
    if (event == ALLOCATED)
        length = snprintf(lines, sizeof lines, "+ %" PRIx64 "\n", info);
    else if (event == FREED)
        length = snprintf(lines, sizeof lines, "- %" PRIx64 "\n", w->n_infos + info);
    else
        length = snprintf(lines, sizeof lines, "+ %" PRIx64 "\n- %" PRIx64 "\n", info,
                          event == PASSED ? w->n_infos + info : info);
    for (; n > 0; n--)
        fwrite(lines, 1, (size_t)length, w->out);
}

static void
put_group(struct writer *w, struct site *site, enum event event, enum mp_blocks_sort sort)
{
    const struct mp_blocks_group *group = &site->blocks.of[sort];
    uint64_t n, size = mp_blocks_size(group, &n);
    bool but_one = sort == MP_BLOCKS_PEAK_TEMPORARY && site == w->last;

    put_events(w, site, event, n - (group->n > 0 && but_one), size);
    put_events(w, site, event, group->n - n, size - 1);
}

/* Writes EVENT for all blocks of SORT. */
static void
put_all(struct writer *w, enum event event, enum mp_blocks_sort sort)
{
    for (uint32_t i = 0; i < w->tree->n_cells; i++)
        put_group(w, &w->sites[i], event, sort);
}

static void
put_last(struct writer *w)
{
    uint64_t n;

    if (w->last)
        put_events(w, w->last, FREED_AT_ONCE, 1,
                   mp_blocks_size(&w->last->blocks.of[MP_BLOCKS_PEAK_TEMPORARY], &n));
}

static void
put_time(const struct writer *w, uint64_t time)
{
    if (w->numbered)
        fprintf(w->out, "c %" PRIx64 "\n", time / 1000000);
}

static void
put_time_of_peak(const struct writer *w)
{
    const struct mp_timeline *timeline = w->export->profile->timeline;
    uint32_t peak = mp_timeline_find(timeline, MP_MOMENT_PEAK);

    if (peak != MP_NO_ID)
        put_time(w, timeline->moments[peak].time);
}

static void
put_resident(const struct writer *w)
{
    const struct mp_timeline *timeline = w->export->profile->timeline;
    uint64_t most = 0;

    for (uint32_t i = 0; timeline && i < timeline->n_points; i++)
        if (timeline->points[i].resident != MP_NOT_SEEN && timeline->points[i].resident > most)
            most = timeline->points[i].resident;
    if (w->numbered && most > 0)
        fprintf(w->out, "R %" PRIx64 "\n", most / (uint64_t)sysconf(_SC_PAGESIZE));
}

/* Passes all events to put_events(). Called twice: first to number the information that allocations use, then to write
 * the events. */
static void
put_blocks(struct writer *w)
{
    put_time(w, 0);
    put_all(w, FREED_AT_ONCE, MP_BLOCKS_TEMPORARY);
    put_all(w, PASSED, MP_BLOCKS_PASSING);
    put_time_of_peak(w);
    put_all(w, ALLOCATED, MP_BLOCKS_LASTING);
    put_all(w, ALLOCATED, MP_BLOCKS_PEAK);
    put_all(w, ALLOCATED, MP_BLOCKS_PEAK_TEMPORARY);
    put_last(w);
    put_all(w, FREED, MP_BLOCKS_PEAK_TEMPORARY);
    put_all(w, FREED, MP_BLOCKS_PEAK);
    put_all(w, ALLOCATED, MP_BLOCKS_LATE);
    put_resident(w);
    if (w->export->profile->meta.duration > 0)          /* 0 if it is unknown when the process was killed */
        put_time(w, w->export->profile->meta.duration);
}

static void
put_infos(struct writer *w)
{
    put_blocks(w);
    w->numbered = true;
    for (int copy = 0; copy < 2; copy++)
        for (uint32_t i = 0; i < w->n_infos; i++)
            fprintf(w->out, "a %" PRIx64 " %" PRIx32 "\n", w->infos[i].size, w->infos[i].trace);
}

/* ---------------------------------------------------------------- the file */

/* Writes remarks about made-up blocks and about figures that the format cannot represent. */
static void
put_remarks(const struct writer *w)
{
    uint64_t more = 0, no_peak = 0, not_temporary = 0;

    for (uint32_t i = 0; i < w->tree->n_cells; i++) {
        const struct mp_blocks *blocks = &w->sites[i].blocks;

        more += blocks->more;
        no_peak += blocks->no_peak;
        not_temporary += blocks->of[MP_BLOCKS_PEAK_TEMPORARY].n - (&w->sites[i] == w->last);
    }
    mp_export_put_remark(w->export, "# ", w->out);
    fputs("# Blocks, and when they lived, are made up; their sums are what was counted.\n", w->out);
    if (more > 0)
        fprintf(w->out, "# allocations more than were counted: %" PRIu64 "\n", more);
    if (no_peak > 0)
        fprintf(w->out, "# chains without what lived at the peak: %" PRIu64 "\n", no_peak);
    if (not_temporary > 0)
        fprintf(w->out, "# temporary blocks that are not: %" PRIu64 "\n", not_temporary);
}

static void
put_file(struct writer *w)
{
    char *command = mp_export_command(&w->export->profile->meta);

    fputs("v " FORMAT "\n", w->out);
    fprintf(w->out, "X %s\n", command);
    fprintf(w->out, "I %lx 0\n", sysconf(_SC_PAGESIZE));
    put_remarks(w);
    put_traces(w);
    put_infos(w);
    put_blocks(w);
    free(command);
}

bool
mp_export_heaptrack(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    const struct mp_tree_options options = {
        .all_frames = export->all_frames, .lines = true, .paths = true};
    struct mp_arena *arena = mp_arena_new();
    struct mp_tree *tree = mp_tree_build(export->view, &options);
    struct writer w = {.export = export, .tree = tree, .strings.arena = arena, .addresses.arena = arena,
                       .arena = arena};
    bool ok = make_sites(&w, error);

    w.out = ok ? mp_compress_open(out, export->output, error) : NULL;
    if (w.out) {
        put_file(&w);
        fclose(w.out);
    }
    mp_tree_free(tree);
    mp_arena_free(arena);
    return w.out != NULL;
}
