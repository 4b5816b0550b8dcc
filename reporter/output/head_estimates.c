/* Rows of the head whose figures are estimates. */
#include "estimates.h"
#include "head_parts.h"

void
mp_head_set_estimates(struct mp_head *head, struct mp_head_row *row, const struct mp_estimate *blocks,
                      const struct mp_estimate *bytes)
{
    char text[MP_ESTIMATE_SIZE];

    row->of_blocks = *blocks;
    if (bytes)
        row->of_bytes = *bytes;
    row->estimated = mp_estimate_text(blocks, bytes, text)[0] != '\0';
    if (row->estimated)
        row->text = mp_arena_printf(head->arena, "%s%s%s", text, row->text[0] ? "; " : "", row->text);
}
