/* SPDX-License-Identifier: MIT */
#include "breakdown_kinds.h"

#include <string.h>

/* Keys of the columns for Lisp, indexed as MP_CATEGORIES. */
#define LISP_COLUMNS (sizeof MP_CATEGORIES - 1)
static const char *const lisp_keys[LISP_COLUMNS] = {"cons", "float", "structure", "other"};

static const uint8_t size_columns[MP_KIND_C_COUNT] = {
    [MP_KIND_SMALL] = 0, [MP_KIND_MEDIUM] = 1, [MP_KIND_LARGE] = 2, [MP_KIND_EXTRA] = 3
};

const struct mp_breakdown_style mp_breakdown_c = {
    .c = true, .n = 4, .letters = { 's', 'm', 'l', 'x' },
    .keys = { "small", "medium", "large", "extra" },
    .first_kind = MP_KIND_SMALL, .n_kinds = MP_KIND_C_COUNT,
    .columns = size_columns,
    .other = 3
};

unsigned
mp_breakdown_column(const struct mp_breakdown_style *style, uint32_t kind)
{
    if (kind < style->first_kind || kind - style->first_kind >= style->n_kinds)
        return style->other;
    return style->columns[kind - style->first_kind];
}

/* Returns the columns of all kinds from 0 on. The columns of Lisp begin with FIRST. */
static uint8_t *
columns_of(const struct mp_profile *profile, unsigned first, struct mp_arena *arena)
{
    uint8_t *columns = mp_arena_alloc(arena, MP_KIND_END);

    memset(columns, (int)(first + LISP_COLUMNS - 1), MP_KIND_END);
    for (uint32_t kind = 0; kind < MP_KIND_LISP; kind++)
        columns[kind] = (uint8_t)mp_breakdown_column(&mp_breakdown_c, kind);
    for (uint32_t i = 0; i < profile->n_kinds; i++) {
        const char *place = strchr(MP_CATEGORIES, profile->kinds[i].category);

        columns[profile->kinds[i].kind] = (uint8_t)(first + (unsigned)(place - MP_CATEGORIES));
    }
    return columns;
}

static const struct mp_breakdown_style *
lisp_style(const struct mp_profile *profile, bool with_c, struct mp_arena *arena)
{
    struct mp_breakdown_style *style = mp_arena_alloc(arena, sizeof *style);
    unsigned first = with_c ? mp_breakdown_c.n : 0;

    style->c = with_c;
    style->lisp = true;
    style->n = first + LISP_COLUMNS;
    memcpy(style->letters, mp_breakdown_c.letters, first);
    memcpy(style->letters + first, MP_CATEGORIES, LISP_COLUMNS);
    memcpy(style->keys, mp_breakdown_c.keys, first * sizeof *style->keys);
    memcpy(style->keys + first, lisp_keys, sizeof lisp_keys);
    style->n_kinds = MP_KIND_END;
    style->columns = columns_of(profile, first, arena);
    style->other = (uint8_t)(style->n - 1);
    return style;
}

const struct mp_breakdown_style *
mp_breakdown_of(const struct mp_profile *profile, struct mp_arena *arena)
{
    bool c = false, lisp = false;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        c |= !mp_is_lisp(&profile->cells[i]);
        lisp |= mp_is_lisp(&profile->cells[i]);
    }
    return lisp ? lisp_style(profile, c, arena) : &mp_breakdown_c;
}
