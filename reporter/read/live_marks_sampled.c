/* live_marks_sampled.c -- estimates changes between checkpoints from samples. */
#include <math.h>
#include <stdlib.h>

#include "live_marks.h"
#include "reporter/base/arena.h"
#include "reporter/profile/cells.h"
#include "reporter/profile/profile.h"
#include "reporter/profile/samples.h"

/* The state of a cell of the profile at some checkpoint. */
struct so_far {
    uint64_t left, left_frees;  /* number of samples allocated or freed after the checkpoint */
    double allocs, bytes, frees, freed;
    struct mp_change given;     /* sum of the estimated changes so far */
};

/* Returns an array with one element for each cell, with all samples of the cell still to come. The caller frees it. */
static struct so_far *
begin(const struct mp_profile *profile)
{
    struct so_far *all = mp_need(calloc((size_t)profile->n_cells + 1, sizeof *all));
    uint32_t cell = 0;

    for (uint32_t i = 0; i < profile->n_samples; i++) {
        const struct mp_cell *sample = &profile->samples[i];

        while (profile->cells[cell].context != sample->context ||
               profile->cells[cell].kind != sample->kind)
            cell++;                     /* both lists are sorted, and each sample has a cell */
        all[cell].left += sample->counts.allocs;
        all[cell].left_frees += sample->counts.frees;
    }
    return all;
}

static void
add(struct so_far *to, const struct mp_live_change *from, uint32_t period)
{
    const struct mp_change *by = &from->change;
    const double weight = from->size == UINT32_MAX ? 1 : mp_sample_weight(from->size, period);

    to->allocs += weight * (double)by->allocs;
    to->bytes += weight * (double)by->bytes;
    to->frees += weight * (double)by->frees;
    to->freed += weight * (double)by->freed;
    to->left -= by->allocs < to->left ? by->allocs : to->left;
    to->left_frees -= by->frees < to->left_frees ? by->frees : to->left_frees;
}

/* Returns EXACT rounded, but at most END. If no samples are LEFT, returns END. */
static uint64_t
rounded(double exact, uint64_t left, uint64_t end)
{
    return left == 0 || exact >= (double)end ? end : (uint64_t)llround(exact);
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns the change of the estimates since the last call for CELL, and updates cell->given. */
static struct mp_change
step(struct so_far *cell, const struct mp_counts *end)
{
    const struct mp_change old = cell->given;
    struct mp_change *new = &cell->given;

    new->frees = larger(old.frees, rounded(cell->frees, cell->left_frees, end->frees));
    new->freed = larger(old.freed, rounded(cell->freed, cell->left_frees, end->freed));
    new->allocs = larger(larger(old.allocs, new->frees), rounded(cell->allocs, cell->left, end->allocs));
    new->bytes = larger(larger(old.bytes, new->freed), rounded(cell->bytes, cell->left, end->bytes));
    return (struct mp_change){.allocs = new->allocs - old.allocs, .bytes = new->bytes - old.bytes,
                              .frees = new->frees - old.frees, .freed = new->freed - old.freed};
}

static bool
same_place(const struct mp_live_change *x, const struct mp_live_change *y)
{
    return x->checkpoint == y->checkpoint && x->change.context == y->change.context &&
           x->change.kind == y->change.kind;
}

void
mp_live_marks_estimate(const struct mp_profile *profile, struct mp_live_change changes[], size_t *n)
{
    struct so_far *all = begin(profile);
    size_t to = 0;

    for (size_t i = 0; i < *n; i++) {
        const struct mp_live_change *at = &changes[i];
        const struct mp_cell *cell = mp_cell_find(profile, at->change.context, at->change.kind);
        struct mp_change by = at->change;

        if (!cell)
            continue;
        if (by.kind < MP_KIND_LISP) {
            add(&all[cell - profile->cells], at, profile->meta.sample_period);
            if (i + 1 < *n && same_place(at, &changes[i + 1]))
                continue;
            by = step(&all[cell - profile->cells], &cell->counts);
            by.context = at->change.context;
            by.kind = at->change.kind;
        }
        changes[to++] = (struct mp_live_change){.checkpoint = at->checkpoint, .change = by};
    }
    free(all);
    *n = to;
}
