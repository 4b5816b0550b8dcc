/* SPDX-License-Identifier: MIT */
#include "live_image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "runtime/sizeclass.h"
#include "live_writer.h"

#define ATTEMPTS 5      /* maximum number of copies of cells until no new peak occurs, and of the whole file until
                           its state is stable */

_Static_assert(sizeof(struct mp_live_header) == MP_HEADER_SIZE, "layout of the live header");
_Static_assert(sizeof(struct mp_live_recorder) == 20480, "layout of a recorder");

static const struct {
    const char *name;
    uint32_t record_size;
} kinds[MP_EXT_KINDS] = {
    [MP_EXT_STRINGS] = {"strings", 1},
    [MP_EXT_MODULES] = {"modules", sizeof(struct mp_live_module)},
    [MP_EXT_FRAMES] = {"frames", sizeof(struct mp_live_frame)},
    [MP_EXT_CONTEXTS] = {"contexts", sizeof(uint32_t)},
    [MP_EXT_CELLS] = {"cells", sizeof(struct mp_live_cell)},
    [MP_EXT_MIXED] = {"mixed", sizeof(struct mp_live_mixed)},
    [MP_EXT_RECORDERS] = {"recorders", sizeof(struct mp_live_recorder)},
    [MP_EXT_NAMES] = {"names", sizeof(struct mp_live_name)},
    [MP_EXT_OBJECT_KINDS] = {"kinds", sizeof(struct mp_live_kind)},
    [MP_EXT_AGES] = {"ages", sizeof(struct mp_live_ages)},
    [MP_EXT_MARKS] = {"marks", sizeof(struct mp_live_mark)},
    [MP_EXT_FORMER] = {"former counters", sizeof(struct mp_live_former)},
    [MP_EXT_RESIZED] = {"blocks of realloc", sizeof(struct mp_live_resized)},
    [MP_EXT_LIFETIMES] = {"lifetimes", sizeof(struct mp_live_lifetimes)},
    [MP_EXT_TRACE] = {"trace", sizeof(struct mp_live_trace)},
    [MP_EXT_EVENTS] = {"events", sizeof(struct mp_live_event)},
    [MP_EXT_MAPPERS] = {"mapped memory", sizeof(struct mp_live_mapper)},
    [MP_EXT_RANGES] = {"mapped ranges", sizeof(struct mp_live_range)},
};

/* The order of copying, referring tables first. Tables that count a part of the cells' figures (ages, realloc,
 * lifetimes) come before cells. Saved counters (MP_EXT_FORMER) come after cells, because they are written before a
 * cell changes. */
static const enum mp_extent_kind figures[] = {
    MP_EXT_TRACE, MP_EXT_MARKS, MP_EXT_RECORDERS, MP_EXT_AGES, MP_EXT_RESIZED, MP_EXT_LIFETIMES,
    MP_EXT_CELLS, MP_EXT_MIXED, MP_EXT_FORMER,
};
static const enum mp_extent_kind others[] = {
    MP_EXT_MAPPERS, MP_EXT_CONTEXTS, MP_EXT_FRAMES, MP_EXT_MODULES, MP_EXT_NAMES, MP_EXT_OBJECT_KINDS,
    MP_EXT_STRINGS,
};

static bool
check_header(const struct mp_live_header *header, const char *name, struct mp_error *error)
{
    if (header->byte_order != MP_BYTE_ORDER)
        return mp_fail(error, MP_ERR_MACHINE, MP_HEADER_OFFSET(byte_order), "%s", name);
    if (!MP_LIVE_IS_VERSION(header->version))
        return mp_fail(error, MP_ERR_VERSION, MP_HEADER_OFFSET(version),
                       "%s has version %" PRIu32 " of the live form, this mprof reads versions %u and %u",
                       name, header->version, MP_LIVE_VERSION, MP_LIVE_VERSION_OBJECTS);
    if (header->header_size != MP_HEADER_SIZE)
        return mp_fail(error, MP_ERR_DAMAGED, MP_HEADER_OFFSET(header_size),
                       "%s: the header's size is %" PRIu32, name, header->header_size);
    if (header->n_extents > MP_MAX_EXTENTS)
        return mp_fail(error, MP_ERR_DAMAGED, MP_HEADER_OFFSET(n_extents),
                       "%s: %" PRIu32 " extents", name, header->n_extents);
    if (header->state < MP_STATE_RUNNING || header->state > MP_STATE_SNAPSHOT)
        return mp_fail(error, MP_ERR_DAMAGED, MP_HEADER_OFFSET(state),
                       "%s: state %" PRIu32, name, header->state);
    if (header->unwinder > MP_UNWIND_FP)
        return mp_fail(error, MP_ERR_DAMAGED, MP_HEADER_OFFSET(unwinder),
                       "%s: unwinder %" PRIu32, name, header->unwinder);
    if (header->peak_bytes < 0)
        return mp_fail(error, MP_ERR_DAMAGED, MP_HEADER_OFFSET(peak_bytes),
                       "%s: the peak is negative", name);
    return true;
}

/* Returns the number of extents that HEADER lists, each directly behind the previous one, as the monitor lays them
 * out. Returns 0 if the list is invalid or a file of SIZE bytes is too small for it. */
static uint32_t
listed_extents(const struct mp_live_header *header, uint64_t size)
{
    uint64_t end = MP_HEADER_SIZE;
    uint32_t n = 0;

    while (n < MP_MAX_EXTENTS && header->extents[n].kind != MP_EXT_NONE) {
        const struct mp_live_extent *extent = &header->extents[n++];

        if (extent->kind >= MP_EXT_KINDS || extent->offset != end ||
            extent->record_size != kinds[extent->kind].record_size)
            return 0;
        end += (uint64_t)extent->count * extent->record_size;
    }
    return end <= size ? n : 0;
}

bool
mp_image_is_beheaded(const struct mp_input *input)
{
    struct mp_live_header header;
    struct mp_error unused = {0};

    return input->size > MP_HEADER_SIZE &&
           mp_input_read(input, 0, &header, sizeof header, &unused) &&
           memcmp(header.magic, MP_LIVE_MAGIC, sizeof header.magic) != 0 &&
           listed_extents(&header, input->size) > 0;
}

/* Reconstructs a HEADER whose beginning the program overwrote to an unknown extent. Only the list of extents, which
 * is verified by its own structure, and the fields from the sampling period on are kept. */
static void
mend(struct mp_live_header *header, uint64_t size)
{
    memset(header, 0, MP_HEADER_OFFSET(sample_period));
    memcpy(header->magic, MP_LIVE_MAGIC, sizeof header->magic);
    header->byte_order = MP_BYTE_ORDER;
    header->header_size = MP_HEADER_SIZE;
    header->state = MP_STATE_RUNNING;
    header->n_extents = listed_extents(header, size);
    header->version = MP_LIVE_VERSION;
}

/* Returns whether the magic is intact but the following fields were overwritten. A file of another version or byte
 * order is not considered overwritten; it gets its own error, and its list of extents may differ. */
static bool
is_overwritten(const struct mp_live_header *header, uint64_t size)
{
    if ((!MP_LIVE_IS_VERSION(header->version) && header->version <= UINT16_MAX) ||
        header->byte_order == __builtin_bswap32(MP_BYTE_ORDER))
        return false;
    return (!MP_LIVE_IS_VERSION(header->version) || header->byte_order != MP_BYTE_ORDER ||
            header->header_size != MP_HEADER_SIZE) && listed_extents(header, size) > 0;
}

static bool
read_header(struct mp_image *image, struct mp_error *error)
{
    if (!mp_input_measure(image->input, error) ||
        !mp_input_read(image->input, 0, &image->header, sizeof image->header, error))
        return false;
    if (memcmp(image->header.magic, MP_LIVE_MAGIC, sizeof image->header.magic) != 0 ||
        is_overwritten(&image->header, image->input->size)) {
        image->mended = true;
        mend(&image->header, image->input->size);
    }
    return check_header(&image->header, image->input->name, error);
}

/* Reads the header, unless it was already read after the process had ended. The header cannot change then, and not
 * reading it again saves time if a run left thousands of small files. */
static bool
read_header_again(struct mp_image *image, struct mp_error *error)
{
    return image->final || read_header(image, error);
}

static bool
bad_extent(const struct mp_image *image, uint32_t slot, const char *problem,
           struct mp_error *error)
{
    uint64_t offset = MP_HEADER_OFFSET(extents) + slot * sizeof(struct mp_live_extent);
    uint32_t kind = image->header.extents[slot].kind;

    return mp_fail(error, MP_ERR_DAMAGED, offset, "%s: extent %" PRIu32 " (%s) %s",
                   image->input->name, slot, kind < MP_EXT_KINDS ? kinds[kind].name : "?",
                   problem);
}

/* Adds the extent of SLOT to its table. */
static bool
add_extent(struct mp_image *image, uint32_t slot, struct mp_error *error)
{
    const struct mp_live_extent *from = &image->header.extents[slot];
    struct mp_image_table *table = &image->tables[from->kind];
    uint64_t size = (uint64_t)from->count * from->record_size;

    if (from->record_size != kinds[from->kind].record_size)
        return bad_extent(image, slot, "has records of another size", error);
    if (from->offset < MP_HEADER_SIZE || from->offset % 4096 != 0)
        return bad_extent(image, slot, "is at an odd place", error);
    if ((uint64_t)from->first + from->count > UINT32_MAX)
        return bad_extent(image, slot, "has ids out of range", error);
    if (from->offset > image->input->size || size > image->input->size - from->offset) {
        bad_extent(image, slot, "reaches beyond the end of the file", error);
        error->code = MP_ERR_TRUNCATED;
        return false;
    }
    if (table->n_extents > 0) {
        const struct mp_image_extent *last = &table->extents[table->n_extents - 1];

        if (from->first < last->first + last->count)
            return bad_extent(image, slot, "has ids that are not above the last one's", error);
    }
    table->extents[table->n_extents++] = (struct mp_image_extent){
        .first = from->first, .count = from->count, .index = table->count,
        .offset = from->offset};
    table->count += from->count;
    return true;
}

/* Checks the sum of all extents' sizes. If it exceeds the file, extents overlap or the file is truncated. */
static bool
check_sum(const struct mp_image *image, struct mp_error *error)
{
    uint64_t sum = MP_HEADER_SIZE;

    for (uint32_t slot = 0; slot < image->header.n_extents; slot++) {
        const struct mp_live_extent *extent = &image->header.extents[slot];

        if (extent->kind == MP_EXT_NONE)
            continue;
        if (extent->kind >= MP_EXT_KINDS)
            return bad_extent(image, slot, "is of unknown kind", error);
        sum += (uint64_t)extent->count * kinds[extent->kind].record_size;
        if (sum > image->input->size) {
            bad_extent(image, slot, "does not fit into the file", error);
            error->code = MP_ERR_TRUNCATED;
            return false;
        }
    }
    return true;
}

static void
drop_table(struct mp_image_table *table)
{
    free(table->records);
    *table = (struct mp_image_table){0};
}

bool
mp_image_reload(struct mp_image *image, enum mp_extent_kind kind, struct mp_error *error)
{
    struct mp_image_table *table = &image->tables[kind];

    drop_table(table);
    if (!read_header_again(image, error) || !check_sum(image, error))
        return false;
    table->record_size = kinds[kind].record_size;
    for (uint32_t slot = 0; slot < image->header.n_extents; slot++) {
        if (image->header.extents[slot].kind == kind && !add_extent(image, slot, error))
            return false;
    }
    table->records = malloc(table->count * table->record_size + 1);
    if (!table->records)
        return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "%s", image->input->name);
    for (uint32_t i = 0; i < table->n_extents; i++) {
        const struct mp_image_extent *extent = &table->extents[i];

        if (!mp_input_read(image->input, extent->offset,
                            table->records + extent->index * table->record_size,
                            (size_t)extent->count * table->record_size, error))
            return false;
    }
    return true;
}

/* Copies the figures, repeatedly if a new peak occurs meanwhile. Without a new peak the cells' shares of the peak
 * are consistent with each other and with the header that is read last; see struct mp_live_cell. If a busy process
 * reaches a new peak each time, the last copy is used, and settle_peak() accounts for the difference. */
static bool
take_figures(struct mp_image *image, struct mp_error *error)
{
    uint64_t epoch;
    int attempt = 0;

    do {
        if (!read_header_again(image, error))
            return false;
        image->final = !image->alive;
        epoch = image->header.epoch;
        image->checkpoints = epoch & MP_EPOCH_MARKS;
        for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
            if (!mp_image_reload(image, figures[i], error))
                return false;
        if (!read_header_again(image, error))
            return false;
    } while (image->alive && epoch != image->header.epoch && ++attempt < ATTEMPTS);
    return true;
}

/* Restores the fields about the peak in HEADER, which was read later, to their values when the figures were copied. */
static void
keep_peak(struct mp_live_header *header, const struct mp_live_header *then)
{
    header->epoch = then->epoch;
    header->live_bytes = then->live_bytes;
    header->peak_bytes = then->peak_bytes;
    header->peak_slack = then->peak_slack;
    header->peak_monotonic = then->peak_monotonic;
}

/* Takes one copy. *STEADY is set to whether the file's state remained the same. */
static bool
take_once(struct mp_image *image, bool *steady, struct mp_error *error)
{
    struct mp_live_header then;

    if (!read_header(image, error))
        return false;
    image->alive = mp_writer_runs(&image->header, image->input->fd);

    /* If the process has ended, the header read here is its final one. */
    if (!take_figures(image, error))
        return false;
    then = image->header;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!mp_image_reload(image, others[i], error))
            return false;
    }
    if (!read_header_again(image, error))
        return false;
    *steady = !image->alive ||
              (then.state == image->header.state && mp_writer_runs(&image->header, image->input->fd));
    keep_peak(&image->header, &then);
    return true;
}

bool
mp_image_take(struct mp_image *image, struct mp_input *input, struct mp_error *error)
{
    bool steady = false;

    *image = (struct mp_image){.input = input};
    for (int i = 0; i < ATTEMPTS && !steady; i++) {
        if (!take_once(image, &steady, error)) {
            mp_image_free(image);
            return false;
        }
    }
    return true;
}

void
mp_image_free(struct mp_image *image)
{
    for (int kind = 0; kind < MP_EXT_KINDS; kind++)
        drop_table(&image->tables[kind]);
}

static const struct mp_image_extent *
extent_of_id(const struct mp_image_table *table, uint32_t id)
{
    const uint32_t n = MP_AT_MOST(table->extents, table->n_extents, first, id);
    const struct mp_image_extent *extent = n > 0 ? &table->extents[n - 1] : NULL;

    return extent && id - extent->first < extent->count ? extent : NULL;
}

size_t
mp_image_find(const struct mp_image *image, enum mp_extent_kind kind, uint32_t id)
{
    const struct mp_image_extent *extent = extent_of_id(&image->tables[kind], id);

    return extent && id != 0 ? extent->index + (id - extent->first) : MP_NO_RECORD;
}

/* Returns the last extent that does not begin after INDEX. */
static const struct mp_image_extent *
extent_of_index(const struct mp_image_table *table, size_t index)
{
    const uint32_t n = MP_AT_MOST(table->extents, table->n_extents, index, index);

    return &table->extents[n > 0 ? n - 1 : 0];
}

uint32_t
mp_image_id(const struct mp_image *image, enum mp_extent_kind kind, size_t index)
{
    const struct mp_image_extent *extent = extent_of_index(&image->tables[kind], index);

    return extent->first + (uint32_t)(index - extent->index);
}

uint64_t
mp_image_offset(const struct mp_image *image, enum mp_extent_kind kind, size_t index)
{
    const struct mp_image_table *table = &image->tables[kind];
    const struct mp_image_extent *extent = extent_of_index(table, index);

    return extent->offset + (uint64_t)(index - extent->index) * table->record_size;
}

const char *
mp_image_string(const struct mp_image *image, uint32_t id, size_t *length)
{
    const struct mp_image_table *table = &image->tables[MP_EXT_STRINGS];
    const struct mp_image_extent *extent = extent_of_id(table, id);
    const char *text, *end;

    *length = 0;
    if (id == 0)
        return "";
    if (!extent)
        return NULL;
    text = (const char *)table->records + extent->index + (id - extent->first);
    if (id != extent->first && text[-1] != '\0')
        return NULL;
    end = memchr(text, 0, extent->count - (id - extent->first));
    if (!end)
        return NULL;
    *length = (size_t)(end - text);
    return text;
}
