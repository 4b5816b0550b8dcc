#include "flame_colors.h"

#include <stdlib.h>
#include <string.h>

/* Returns the module of BOX, or MP_NO_ID. */
static uint32_t
module_of(const struct mp_flame_colors *colors, const struct mp_flame *flame,
          const struct mp_flame_box *box)
{
    const struct mp_profile *view = flame->tree->profile;
    uint32_t function = mp_tree_function(flame->tree, box->node);
    uint32_t module = function < colors->first_name ? view->functions[function].module : MP_NO_ID;

    return module < view->n_modules ? module : MP_NO_ID;
}

struct rank {
    uint32_t module;
    uint64_t area;
};

static int
compare_ranks(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->area != y->area)
        return x->area < y->area ? 1 : -1;
    return (x->module > y->module) - (x->module < y->module);
}

/* Assigns colours to modules in the order of RANKS. Modules with the same name get the same colour. */
static void
give(struct mp_flame_colors *colors, const struct mp_flame *flame, const struct rank *ranks)
{
    const struct mp_profile *view = flame->tree->profile;
    unsigned n = 0;

    for (uint32_t i = 0; i < view->n_modules && ranks[i].area > 0; i++) {
        const char *name = view->modules[ranks[i].module].name;
        unsigned color = 0;

        while (color < n && strcmp(colors->names[color], name) != 0)
            color++;
        if (color == MP_FLAME_MODULES)
            color = MP_FLAME_OTHER;
        else if (color == n)
            colors->names[n++] = name;
        colors->of_module[ranks[i].module] = (uint8_t)color;
    }
}

/* Assigns colours to modules by the area that their boxes cover. */
static void
rank_modules(struct mp_flame_colors *colors, const struct mp_flame *flame)
{
    const uint32_t n = flame->tree->profile->n_modules;
    struct rank *ranks = mp_arena_alloc(flame->arena, n * sizeof *ranks);

    for (uint32_t i = 0; i < n; i++)
        ranks[i].module = i;
    for (uint32_t i = 1; i < flame->n_boxes; i++) {
        const struct mp_flame_box *box = &flame->boxes[i];
        uint32_t module = box->node == MP_NO_ID ? MP_NO_ID : module_of(colors, flame, box);

        if (module != MP_NO_ID)
            ranks[module].area = mp_plus(ranks[module].area, box->value);
    }
    if (n > 0)
        qsort(ranks, n, sizeof *ranks, compare_ranks);
    give(colors, flame, ranks);
}

struct mp_flame_colors
mp_flame_colors(const struct mp_flame *flame, const struct mp_profile *profile)
{
    static const char *const others[MP_FLAME_COLORS] = {
        [MP_FLAME_LISP] = "Lisp", [MP_FLAME_OTHER] = "other modules",
        [MP_FLAME_TOGETHER] = "several together"};
    static const char *const changes[MP_FLAME_COLORS] = {
        [MP_FLAME_GREW] = "more than before", [MP_FLAME_SHRANK] = "less than before",
        [MP_FLAME_OTHER] = "as much as before", [MP_FLAME_TOGETHER] = "several together"};
    struct mp_flame_colors colors = {
        .of_module = mp_arena_alloc(flame->arena, flame->tree->profile->n_modules),
        .first_name = profile->n_functions};

    if (!flame->change)
        rank_modules(&colors, flame);
    for (uint32_t i = 1; i < flame->n_boxes; i++) {
        unsigned color = mp_flame_color(&colors, flame, &flame->boxes[i]);

        if (flame->change || color >= MP_FLAME_MODULES)
            colors.names[color] = (flame->change ? changes : others)[color];
    }
    return colors;
}

bool
mp_flame_is_language(const struct mp_flame_colors *colors, const struct mp_flame *flame,
                     const struct mp_flame_box *box)
{
    return box->node != MP_NO_ID && mp_tree_function(flame->tree, box->node) >= colors->first_name;
}

/* Growth and shrinkage are treated as equal if their difference is at most 1/50 of the width. */
static unsigned
color_of_change(const struct mp_flame_box *box)
{
    const long double net = (long double)box->value - 2 * (long double)box->less;

    return net * 50 > (long double)box->value    ? MP_FLAME_GREW
           : -net * 50 > (long double)box->value ? MP_FLAME_SHRANK
                                                 : MP_FLAME_OTHER;
}

unsigned
mp_flame_color(const struct mp_flame_colors *colors, const struct mp_flame *flame,
               const struct mp_flame_box *box)
{
    uint32_t module;

    if (box->node == MP_NO_ID)
        return MP_FLAME_TOGETHER;
    if (flame->change)
        return color_of_change(box);
    if (mp_flame_is_language(colors, flame, box))
        return MP_FLAME_LISP;
    module = module_of(colors, flame, box);
    return module == MP_NO_ID ? MP_FLAME_OTHER : colors->of_module[module];
}
