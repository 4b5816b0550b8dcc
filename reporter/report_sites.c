/* report_sites.c -- the sites of report_text.h: the cells of a view, sorted. */
#include <stdlib.h>
#include <string.h>

#include "breakdown_kinds.h"
#include "report_text.h"
#include "startup.h"

struct mp_report_sites {
    struct mp_profile *profile, *view;  /* view: NULL, or how the profile is shown */
    const struct mp_profile *shown;
    const struct mp_breakdown_style *style;
    const bool *hidden;         /* of mp_startup_contexts(), or NULL */
    uint32_t *order;            /* cells */
    uint32_t next, n;
    const char **functions;     /* room for the longest chain */
    struct mp_arena *arena;
};

/* What cells are sorted by. */
struct sorting {
    const struct mp_cell *cells;
    enum mp_sort sort;
};

static uint64_t
key_of(const struct sorting *sorting, uint32_t cell)
{
    const struct mp_cell *c = &sorting->cells[cell];

    return sorting->sort == MP_SORT_OBJECTS ? c->allocs
           : sorting->sort == MP_SORT_KEPT  ? mp_cell_kept(c)
                                            : c->bytes;
}

static int
compare_cells(const void *a, const void *b, void *data)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t left = key_of(data, x), right = key_of(data, y);

    if (left != right)
        return left < right ? 1 : -1;
    return x < y ? -1 : x > y;
}

/* All that was counted here turned out to be of another type. */
static bool
is_empty(const struct mp_cell *cell)
{
    return cell->allocs == 0 && cell->bytes == 0 && cell->frees == 0;
}

static void
sort_cells(struct mp_report_sites *sites, const struct mp_report_wish *wish)
{
    const struct mp_profile *shown = sites->shown;
    struct sorting sorting = {.cells = shown->cells, .sort = wish->sort};

    sites->order = mp_arena_alloc(sites->arena, shown->n_cells * sizeof *sites->order);
    for (uint32_t i = 0; i < shown->n_cells; i++)
        if (!is_empty(&shown->cells[i]))
            sites->order[sites->n++] = i;
    qsort_r(sites->order, sites->n, sizeof *sites->order, compare_cells, &sorting);
    if (wish->most > 0 && sites->n > wish->most)
        sites->n = wish->most;
}

/* The most functions that a chain has. */
static size_t
longest_chain(const struct mp_profile *profile, struct mp_arena *arena)
{
    size_t *functions = mp_arena_alloc(arena, profile->n_contexts * sizeof *functions), most = 0;

    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_context *context = &profile->contexts[i];

        functions[i] = functions[context->parent] + profile->frames[context->frame].n_locations;
        if (functions[i] > most)
            most = functions[i];
    }
    return most;
}

static struct mp_report_sites *
open_sites(const char *file, const struct mp_report_wish *wish, struct mp_error *error)
{
    const struct mp_view_options wanted = {wish->frames, wish->lisp, wish->all_frames, false};
    struct mp_profile *profile = mp_report_quiet_load(file, error);
    struct mp_report_sites *sites;
    struct mp_arena *arena;

    if (!profile)
        return NULL;
    arena = mp_arena_new();
    sites = mp_arena_alloc(arena, sizeof *sites);
    sites->arena = arena;
    sites->profile = profile;
    sites->view = mp_report_view(profile, wanted);
    sites->shown = sites->view ? sites->view : profile;
    sites->style = mp_breakdown_of(sites->shown, arena);
    sites->hidden = wish->all_frames ? NULL : mp_startup_contexts(sites->shown, arena);
    sites->functions = mp_arena_alloc(arena, longest_chain(sites->shown, arena) *
                                                 sizeof *sites->functions);
    sort_cells(sites, wish);
    return sites;
}

struct mp_report_sites *
mp_report_sites_open(const char *file, const struct mp_report_wish *wish, struct mp_error *error)
{
    struct mp_report_sites *sites;
    jmp_buf no_memory;

    if (setjmp(no_memory) != 0) {
        mp_when_no_memory(NULL);
        mp_report_no_memory(file, error);
        return NULL;
    }
    mp_when_no_memory(&no_memory);
    sites = open_sites(file, wish, error);
    mp_when_no_memory(NULL);
    return sites;
}

static void
fill_functions(struct mp_report_sites *sites, uint32_t context, struct mp_report_site *site)
{
    const struct mp_profile *shown = sites->shown;
    size_t n = 0;

    for (; context && (n == 0 || !sites->hidden || !sites->hidden[context]);
         context = shown->contexts[context].parent) {
        const struct mp_frame *frame = &shown->frames[shown->contexts[context].frame];

        for (uint32_t i = 0; i < frame->n_locations; i++) {
            uint32_t function = shown->locations[frame->first_location + i].function;

            sites->functions[n++] = shown->functions[function].name;
        }
    }
    site->functions = sites->functions;
    site->n_functions = n;
}

static void
fill_type(const struct mp_report_sites *sites, uint32_t kind, struct mp_report_site *site)
{
    const struct mp_object_kind *type = mp_profile_kind(sites->shown, kind);

    site->category = sites->style->letters[mp_breakdown_column(sites->style, kind)];
    site->type = type ? type->name : "malloc";
    site->base = type ? mp_profile_kind(sites->shown, type->base)->name : site->type;
}

bool
mp_report_sites_next(struct mp_report_sites *sites, struct mp_report_site *site)
{
    const struct mp_cell *cell;

    if (sites->next == sites->n)
        return false;
    cell = &sites->shown->cells[sites->order[sites->next++]];
    fill_functions(sites, cell->context, site);
    fill_type(sites, cell->kind, site);
    site->objects = cell->allocs;
    site->bytes = cell->bytes;
    site->requested = mp_is_lisp(cell) ? cell->requested : cell->bytes;
    site->kept_objects = mp_cell_kept_blocks(cell);
    site->kept_bytes = mp_cell_kept(cell);
    site->collected_objects = cell->frees;
    site->collected_bytes = cell->freed;
    memcpy(site->survived, cell->survived, sizeof site->survived);
    return true;
}

void
mp_report_sites_close(struct mp_report_sites *sites)
{
    if (!sites)
        return;
    mp_profile_free(sites->view);
    mp_profile_free(sites->profile);
    mp_arena_free(sites->arena);
}
