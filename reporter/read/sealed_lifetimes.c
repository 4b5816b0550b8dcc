/* sealed_lifetimes.c -- the section of block lifetimes. */
#include "reporter/profile/lifetimes.h"
#include "sealed_parts.h"

/* Returns the set of nonempty buckets, one bit each. */
static uint32_t
buckets_of(const struct mp_lifetimes *lifetimes)
{
    uint32_t buckets = 0;

    for (unsigned i = 0; i < MP_LIFETIMES; i++)
        buckets |= (uint32_t)(lifetimes->blocks[i] > 0 || lifetimes->bytes[i] > 0) << i;
    return buckets;
}

static bool
has_any(const struct mp_cell *cell)
{
    return cell->lifetimes && buckets_of(cell->lifetimes) != 0;
}

static void
put_column(const struct mp_profile *profile, bool bytes, struct mp_buffer *to)
{
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_lifetimes *lifetimes = profile->cells[i].lifetimes;
        const uint32_t buckets = lifetimes ? buckets_of(lifetimes) : 0;

        for (unsigned k = 0; k < MP_LIFETIMES; k++)
            if (buckets >> k & 1)
                mp_buffer_varint(to, bytes ? lifetimes->bytes[k] : lifetimes->blocks[k]);
    }
}

void
mp_sealed_put_lifetimes(const struct mp_profile *profile, struct mp_buffer *to)
{
    uint32_t n = 0, last = 0;

    if (!profile->lifetimes)
        return;
    for (uint32_t i = 0; i < profile->n_cells; i++)
        n += has_any(&profile->cells[i]);
    mp_buffer_varint(to, n);
    for (uint32_t i = 0; i < profile->n_cells; i++)
        if (has_any(&profile->cells[i])) {
            mp_buffer_varint(to, i + 1 - last);
            last = i + 1;
        }
    for (uint32_t i = 0; i < profile->n_cells; i++)
        if (has_any(&profile->cells[i]))
            mp_buffer_varint(to, buckets_of(profile->cells[i].lifetimes));
    put_column(profile, false, to);
    put_column(profile, true, to);
}

static void
take_column(struct mp_cell *const cells[], const uint32_t buckets[], uint32_t n, bool bytes,
            struct mp_cursor *from)
{
    for (uint32_t i = 0; i < n && !from->problem; i++)
        for (unsigned k = 0; k < MP_LIFETIMES; k++)
            if (buckets[i] >> k & 1)
                (bytes ? cells[i]->lifetimes->bytes : cells[i]->lifetimes->blocks)[k] =
                    mp_cursor_varint(from);
}

void
mp_take_lifetimes(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    const uint32_t n = mp_cursor_count(from, 4);
    struct mp_cell **cells = mp_take_array(decoder, n, sizeof *cells);
    uint32_t *buckets = mp_take_array(decoder, n, sizeof *buckets), next = 0;

    if (profile->meta.sample_period > 0)
        mp_take_damaged(from, "lifetimes of samples");
    for (uint32_t i = 0; i < n && !from->problem; i++) {
        const uint32_t step = mp_cursor_below(from, profile->n_cells - next + 1);

        if (step == 0) {
            mp_take_damaged(from, "a cell is not there, or twice");
            return;
        }
        next += step;
        cells[i] = &profile->cells[next - 1];
        if (mp_is_lisp(cells[i]))
            mp_take_damaged(from, "lifetimes of blocks that are not counted");
        cells[i]->lifetimes = mp_arena_alloc(profile->arena, sizeof *cells[i]->lifetimes);
    }
    for (uint32_t i = 0; i < n && !from->problem; i++)
        if ((buckets[i] = mp_cursor_below(from, 1u << MP_LIFETIMES)) == 0)
            mp_take_damaged(from, "a cell without lifetimes");
    take_column(cells, buckets, n, false, from);
    take_column(cells, buckets, n, true, from);
    profile->lifetimes = true;
}
