/* SPDX-License-Identifier: MIT */
#include "breakdown.h"

#include <string.h>

#include "reporter/base/format_number.h"

const char *
mp_breakdown_what(const struct mp_breakdown_style *style)
{
    return !style->lisp ? "size" : style->c ? "kind" : "type";
}

void
mp_breakdown_heads(const struct mp_breakdown_style *style, char text[MP_BREAKDOWN_WIDTH + 1])
{
    memset(text, ' ', MP_BREAKDOWN_WIDTH);
    for (unsigned i = 0; i < style->n; i++)
        text[(i + 1) * MP_COLUMN_WIDTH - 1] = style->letters[i];
    text[mp_breakdown_width(style)] = '\0';
}

void
mp_breakdown_cells(const struct mp_breakdown_style *style, const uint64_t parts[MP_COLUMNS],
                   uint64_t whole, char text[MP_BREAKDOWN_WIDTH + 1])
{
    memset(text, ' ', MP_BREAKDOWN_WIDTH);
    text[mp_breakdown_width(style)] = '\0';
    for (unsigned i = 0; i < style->n; i++) {
        unsigned percent = mp_number_share_down(parts[i], whole);
        char *cell = text + i * MP_COLUMN_WIDTH + 1;

        if (percent >= 100)
            cell[0] = '1';
        if (percent >= 10)
            cell[1] = (char)('0' + percent / 10 % 10);
        if (percent >= 1)
            cell[2] = (char)('0' + percent % 10);
    }
}
