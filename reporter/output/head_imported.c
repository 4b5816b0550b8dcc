/* Head of a profile written by another tool. What that tool does not provide is "not known". */
#include <inttypes.h>

#include "head.h"
#include "head_parts.h"
#include "reporter/base/format_number.h"

static const char not_known[] = "not known";

static void
add_pair(struct mp_head *head, const char *key, const char *label, const struct mp_profile *profile,
         const struct mp_counts *counts, enum mp_figure blocks, enum mp_figure bytes)
{
    struct mp_head_row *row = mp_head_add(head, key, label);
    struct mp_estimate of_blocks, of_bytes;

    if (mp_is_unknown(profile, bytes)) {
        row->text = not_known;
        return;
    }
    of_bytes = mp_counts_estimate(counts, bytes);
    of_blocks = mp_counts_estimate(counts, blocks);
    row->bytes = of_bytes.value;
    row->blocks = of_blocks.value;
    row->has = mp_is_unknown(profile, blocks) ? MP_HEAD_BYTES : MP_HEAD_BOTH;
    if (row->has == MP_HEAD_BOTH)
        mp_head_set_estimates(head, row, &of_blocks, &of_bytes);
}

static void
add_when(struct mp_head *head, const struct mp_meta *meta)
{
    char text[MP_HEAD_TIME_SIZE], duration[MP_NUMBER_SIZE];

    if (mp_head_time(meta->start_realtime, text)[0])
        mp_head_say(head, "time", "Time", "%s", text);
    if (meta->duration > 0)
        mp_head_say(head, "recorded", "Recorded", "%s", mp_number_duration(meta->duration, duration));
}

void
mp_head_imported(struct mp_head *head, const struct mp_profile *profile, const struct mp_counts *all)
{
    const struct mp_meta *meta = &profile->meta;

    mp_head_say(head, "program", "Program", "%s", meta->program[0] ? meta->program : not_known);
    if (meta->pid != 0)
        mp_head_say(head, "process", "Process", "%" PRIu32, meta->pid);
    add_when(head, meta);
    mp_head_say(head, "imported", "Imported", "%s", meta->source);
    add_pair(head, "allocations", "Allocations", profile, all, MP_FIGURE_ALLOCS, MP_FIGURE_BYTES);
    add_pair(head, "frees", "Frees", profile, all, MP_FIGURE_FREES, MP_FIGURE_FREED);
    add_pair(head, "kept", "Kept", profile, all, MP_FIGURE_KEPT_BLOCKS, MP_FIGURE_KEPT);
    add_pair(head, "peak", "Peak", profile, all, MP_FIGURE_PEAK_BLOCKS, MP_FIGURE_PEAK_BYTES);
    if (mp_is_unknown(profile, MP_FIGURE_TEMPORARY))
        mp_head_say(head, "temporary", "Temporary", "%s", not_known);
    else
        mp_head_count(head, "temporary", "Temporary", all->temporary, "");
    mp_head_say(head, "missing", "Missing", "%s", not_known);
    mp_head_modules(head, profile);
}
