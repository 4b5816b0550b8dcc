/* live_reading.c -- functions shared by the steps of reading a live file. */
#include "live_parts.h"

#include <stdlib.h>

void *
mp_live_array(struct mp_live_reading *reading, size_t count, size_t size, struct mp_error *error)
{
    void *array = calloc(count ? count : 1, size);

    if (!array)
        mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "%s", reading->image.input->name);
    return array;
}

bool
mp_live_damaged(const struct mp_live_reading *reading, enum mp_extent_kind kind, size_t index,
                size_t field_offset, const char *problem, struct mp_error *error)
{
    uint64_t offset = mp_image_offset(&reading->image, kind, index) + field_offset;

    return mp_fail(error, MP_ERR_DAMAGED, offset, "%s: %s", reading->image.input->name, problem);
}
