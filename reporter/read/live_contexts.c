/* live_contexts.c -- reads the frame and the parent of each context from a live file. */
#include "live_parts.h"

/*
 * Handles a context without a parent. While a process runs, contexts and their parents may be created between the
 * copies of two extents. No copied cell uses such a context, because cells were copied before, so it is left out
 * with all its descendants. In the file of an ended process it is damage.
 */
static bool
without_parent(const struct mp_live_reading *reading, size_t index, size_t field,
               struct mp_error *error)
{
    return reading->image.alive ||
           mp_live_damaged(reading, MP_EXT_CONTEXTS, index, field, "a context's parent is not there",
                           error);
}

/* Sets *PARENT to the parent of the run that begins with HEADER at SLOT. The parent's slot must precede the run. */
static bool
find_parent(struct mp_live_reading *reading, size_t slot, uint32_t header, size_t *parent,
            struct mp_error *error)
{
    const uint32_t id = header & ~MP_CONTEXT_RUN;

    *parent = reading->image.tables[MP_EXT_CONTEXTS].count;
    if (id == 0)
        return true;
    *parent = mp_image_find(&reading->image, MP_EXT_CONTEXTS, id);
    if (*parent != MP_NO_RECORD && *parent > slot)
        return mp_live_damaged(reading, MP_EXT_CONTEXTS, slot, 0,
                               "a context's parent stands behind it", error);
    if (*parent != MP_NO_RECORD && reading->contexts[*parent].frame != 0)
        return true;
    *parent = MP_NO_RECORD;
    return without_parent(reading, slot, 0, error);
}

/* Reads the slots [FROM, TO) of one extent. If it GOES_ON, its ids directly follow the previous extent's ids, and a
 * run may continue from there. */
static bool
read_slots(struct mp_live_reading *reading, size_t from, size_t to, bool goes_on, size_t *parent,
           struct mp_error *error)
{
    const uint32_t *slots = (const void *)reading->image.tables[MP_EXT_CONTEXTS].records;

    if (!goes_on)
        *parent = MP_NO_RECORD;
    for (size_t i = from; i < to; i++) {
        if (slots[i] & MP_CONTEXT_RUN) {
            if (!find_parent(reading, i, slots[i], parent, error))
                return false;
        } else if (slots[i] == 0) {
            *parent = MP_NO_RECORD;
        } else if (*parent == MP_NO_RECORD) {
            if (!without_parent(reading, i, 0, error))
                return false;
        } else {
            reading->contexts[i] = (struct mp_live_node){slots[i], (uint32_t)*parent};
            *parent = i;
        }
    }
    return true;
}

static bool
read_runs(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_image_table *table = &reading->image.tables[MP_EXT_CONTEXTS];
    size_t parent = MP_NO_RECORD;

    for (uint32_t i = 0; i < table->n_extents; i++) {
        const struct mp_image_extent *extent = &table->extents[i];
        bool goes_on = i > 0 && extent->first == extent[-1].first + extent[-1].count;

        if (!read_slots(reading, extent->index, extent->index + extent->count, goes_on, &parent,
                        error))
            return false;
    }
    return true;
}

bool
mp_live_contexts(struct mp_live_reading *reading, struct mp_error *error)
{
    reading->n_contexts = reading->image.tables[MP_EXT_CONTEXTS].count;
    reading->contexts =
        mp_live_array(reading, reading->n_contexts, sizeof *reading->contexts, error);
    if (!reading->contexts)
        return false;
    return read_runs(reading, error);
}
