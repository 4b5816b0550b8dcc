/*
 * Writes the text format of gperftools' heap profiles: a line with four figures and addresses for each chain, and a
 * list of mapped files. Its readers look up names themselves, so frames without an address are left out. The first
 * address is that of the allocating instruction. The others are return addresses, from which readers subtract 1.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "frames.h"
#include "mappings.h"
#include "remark.h"

struct legacy {
    const struct mp_profile *view;
    struct mp_frame_lists frames;
    const struct mp_mapping *mappings;
    FILE *out;
};

static void
put_figures(const struct mp_counts *counts, FILE *out)
{
    fprintf(out, "%6" PRIu64 ": %8" PRIu64 " [%6" PRIu64 ": %8" PRIu64 "] @", counts->kept_blocks,
            counts->kept, counts->allocs, counts->bytes);
}

static void
put_addresses(const struct legacy *l, uint32_t context)
{
    uint32_t n = mp_frame_list(&l->frames, context);
    bool first = true;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t address = mp_mapped_address(l->mappings, &l->view->frames[l->frames.list[i]]);

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
            mp_counts_add(&sum, &view->cells[i].counts);
        if (!mp_counts_any(&sum))
            continue;
        put_figures(&sum, l->out);
        put_addresses(l, context);
    }
}

static void
put_remark(const struct mp_export *export, FILE *out)
{
    char *text = mp_export_remark(export), *save;

    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        fprintf(out, "# %s\n", line);
    free(text);
}

static void
put_mappings(const struct legacy *l)
{
    fputs("\nMAPPED_LIBRARIES:\n", l->out);
    for (uint32_t i = 0; i < l->view->n_modules; i++) {
        const struct mp_mapping *mapping = &l->mappings[i];

        if (mapping->used)
            fprintf(l->out, "%08" PRIx64 "-%08" PRIx64 " r-xp %08" PRIx64 " 00:00 0          %s\n",
                    mapping->start, mapping->limit, mapping->file_offset, l->view->modules[i].path);
    }
}

/* Returns whether the format can represent VIEW. Else fills *ERROR. It has no negative figures, which occur if memory
 * shrank in a part of the time. */
static bool
may_be_told(const struct mp_profile *view, struct mp_error *error)
{
    for (uint32_t i = 0; view->window && i < view->n_cells; i++) {
        const struct mp_counts *counts = &view->cells[i].counts;

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
    l.frames = mp_frame_lists(export, arena);
    l.mappings = mp_mappings(export->view, arena);
    mp_profile_totals(export->view, &totals);
    fputs("heap profile: ", out);
    put_figures(&totals.all, out);
    fputs(" heapprofile\n", out);
    put_remark(export, out);
    put_chains(&l);
    put_mappings(&l);
    mp_arena_free(arena);
    return true;
}
