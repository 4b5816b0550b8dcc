/* SPDX-License-Identifier: MIT */
/* live_bins.c -- sums the bins of all recorders, and adds the uniform cells, which those bins do not count. Also sums
 * the objects that recorders count by kind. */
#include "live_parts.h"

#include <string.h>

#include "figures_check.h"

static const struct mp_live_recorder *
recorder_records(const struct mp_live_reading *reading)
{
    return (const void *)reading->image.tables[MP_EXT_RECORDERS].records;
}

/* Which counters to add. Allocations and frees are added separately, because the allocations of a torn copy are
 * replaced by those of a second copy, see live_cells.c. */
enum part { ALLOCS, FREES };

static bool
add(uint64_t *sum, uint64_t value)
{
    return !__builtin_add_overflow(*sum, value, sum) && *sum <= INT64_MAX;
}

/* Adds COUNT blocks of bin SIZE to *BLOCKS and *BYTES. If it is the last bin, of large blocks, LARGE is their number of
 * bytes. */
static bool
add_blocks(uint64_t *blocks, uint64_t *bytes, uint32_t size, uint64_t count, uint64_t large)
{
    uint64_t product = large;

    if (size != MP_BIN_LARGE && __builtin_mul_overflow(count, (uint64_t)size, &product))
        return false;
    return add(blocks, count) && add(bytes, product);
}

/* Adds PART of all recorders to the bins. If TORN is not NULL, adds only to the bins marked there. */
static bool
add_recorders(struct mp_live_reading *reading, enum part part, const bool *torn,
              struct mp_error *error)
{
    const struct mp_live_recorder *records = recorder_records(reading);

    for (size_t i = 0; i < reading->image.tables[MP_EXT_RECORDERS].count; i++) {
        if (!records[i].in_use)
            continue;
        for (uint32_t size = 0; size < MP_BINS; size++) {
            const struct mp_live_bin *from = &records[i].bins[size];
            struct mp_bin *bin = &reading->profile->bins[size];

            if (torn && !torn[size])
                continue;
            if (part == ALLOCS
                    ? add_blocks(&bin->allocs, &bin->bytes, size, from->allocs,
                                 records[i].large_bytes)
                    : add_blocks(&bin->frees, &bin->freed, size, from->frees,
                                 records[i].large_freed))
                continue;
            return mp_live_damaged(reading, MP_EXT_RECORDERS, i,
                                   offsetof(struct mp_live_recorder, bins) + size * sizeof *from,
                                   "counters beyond all bounds", error);
        }
    }
    return true;
}

/* Adds PART of all uniform cells to the bins. If TORN is not NULL, adds only to the bins marked there. Not used in a
 * sampled recording, where the recorders' bins count all blocks. */
static bool
add_cells(struct mp_live_reading *reading, enum part part, const bool *torn,
          struct mp_error *error)
{
    for (size_t i = 0; i < reading->image.tables[MP_EXT_CELLS].count; i++) {
        const struct mp_live_key key = mp_live_key(reading, i);
        struct mp_live_figures figures;
        struct mp_bin *bin;
        uint32_t size;

        if (key.context == 0 || !key.uniform || key.kind >= MP_KIND_LISP)
            continue;
        if (!mp_live_figures(reading, i, &figures, error))
            return false;
        size = figures.size < MP_BIN_LARGE ? figures.size : MP_BIN_LARGE;
        bin = &reading->profile->bins[size];
        if (torn && !torn[size])
            continue;
        if (part == ALLOCS
                ? add_blocks(&bin->allocs, &bin->bytes, size, figures.allocs, figures.bytes)
                : add_blocks(&bin->frees, &bin->freed, size, figures.frees, figures.freed))
            continue;
        return mp_live_damaged(reading, MP_EXT_CELLS, i, offsetof(struct mp_live_cell, allocs),
                               "counters beyond all bounds", error);
    }
    return true;
}

static bool
add_all(struct mp_live_reading *reading, enum part part, const bool *torn, struct mp_error *error)
{
    return add_recorders(reading, part, torn, error) &&
           (reading->image.header.sample_period > 0 || add_cells(reading, part, torn, error));
}

static bool
mend_bins(struct mp_live_reading *reading, struct mp_error *error)
{
    bool torn[MP_BINS], any = false;

    for (uint32_t size = 0; size < MP_BINS; size++) {
        struct mp_bin *bin = &reading->profile->bins[size];

        torn[size] = bin->frees > bin->allocs || bin->freed > bin->bytes;
        any |= torn[size];
        if (torn[size])
            bin->allocs = bin->bytes = 0;
    }
    return !any || (mp_image_reload(&reading->image, MP_EXT_RECORDERS, error) &&
                    mp_image_reload(&reading->image, MP_EXT_CELLS, error) &&
                    add_all(reading, ALLOCS, torn, error));
}

bool
mp_live_bins(struct mp_live_reading *reading, struct mp_error *error)
{
    const char *problem;
    uint32_t size = 0;

    if (!add_all(reading, ALLOCS, NULL, error) || !add_all(reading, FREES, NULL, error))
        return false;
    if (reading->image.alive && !mend_bins(reading, error))
        return false;
    problem = mp_check_bins(reading->profile, &size);
    if (!problem)
        return true;
    return mp_live_damaged(reading, MP_EXT_RECORDERS, 0,
                           offsetof(struct mp_live_recorder, bins) +
                               size * sizeof(struct mp_live_bin),
                           problem, error);
}

/* ---------------------------------------------------------------- objects by kind */

/* Returns the kind with NUMBER. If the file does not describe it, adds it without a name. There is space for all. */
static struct mp_object_kind *
kind_of(struct mp_profile *profile, uint32_t number)
{
    const struct mp_object_kind *known = mp_profile_kind(profile, number);
    uint32_t at = 0;

    if (known)
        return &profile->kinds[known - profile->kinds];
    while (at < profile->n_kinds && profile->kinds[at].kind < number)
        at++;
    memmove(&profile->kinds[at + 1], &profile->kinds[at], (profile->n_kinds++ - at) * sizeof *profile->kinds);
    profile->kinds[at] =
        (struct mp_object_kind){.kind = number, .base = number, .name = "object of unknown type", .category = 'o'};
    return &profile->kinds[at];
}

static bool
sum_objects(struct mp_live_reading *reading, uint32_t type, uint64_t *allocs, uint64_t *bytes)
{
    const struct mp_live_recorder *records = recorder_records(reading);

    *allocs = *bytes = 0;
    for (size_t i = 0; i < reading->image.tables[MP_EXT_RECORDERS].count; i++) {
        if (!records[i].in_use)
            continue;
        *allocs += records[i].objects[type].allocs;
        *bytes += records[i].objects[type].bytes;
    }
    /* In a running process, the figures of an object may have been subtracted from one kind and not added to
     * another. */
    if (reading->image.alive && (*allocs > INT64_MAX || *bytes > INT64_MAX))
        *allocs = *bytes = 0;
    return *allocs <= INT64_MAX && *bytes <= INT64_MAX;
}

/* A damaged header may lack the version, but not what the recorders count. */
bool
mp_live_objects(struct mp_live_reading *reading, struct mp_error *error)
{
    struct mp_profile *profile = reading->profile;
    uint64_t allocs, bytes;

    profile->meta.objects_sampled = reading->image.header.version == MP_LIVE_VERSION_OBJECTS;
    for (uint32_t type = 0; reading->image.header.sample_period > 0 && type < MP_OBJECT_TYPES; type++) {
        if (!sum_objects(reading, type, &allocs, &bytes))
            return mp_live_damaged(reading, MP_EXT_RECORDERS, 0,
                                   offsetof(struct mp_live_recorder, objects) + type * sizeof(struct mp_live_objects),
                                   "counters beyond all bounds", error);
        if (allocs == 0 && bytes == 0)
            continue;
        profile->meta.objects_sampled = true;
        if (type == 0) {
            profile->owned_blocks = allocs;
            profile->owned_bytes = bytes;
        } else {
            struct mp_object_kind *kind = kind_of(profile, MP_KIND_LISP + type);

            kind->allocs = allocs;
            kind->bytes = bytes;
        }
    }
    profile->meta.objects_sampled &= reading->image.header.sample_period > 0;
    return true;
}
