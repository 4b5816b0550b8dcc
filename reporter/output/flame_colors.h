/*
 * flame_colors.h -- which colour and hatch a box of a flame graph has: one for Lisp, one for each of the
 * modules that take most of the drawing, and one for all others.  Where boxes are of what changed, one for what
 * grew, one for what shrank, and that of all others for both in equal parts.
 */
#ifndef MP_FLAME_COLORS_H
#define MP_FLAME_COLORS_H

#include "flame.h"

enum {
    MP_FLAME_GREW = 0, MP_FLAME_SHRANK,
    MP_FLAME_MODULES = 6,       /* that have a colour of their own: 0 to 5 */
    MP_FLAME_LISP = MP_FLAME_MODULES,
    MP_FLAME_OTHER,             /* other modules, generated code, what is not known */
    MP_FLAME_TOGETHER,          /* boxes of several functions */
    MP_FLAME_COLORS
};

struct mp_flame_colors {
    const char *names[MP_FLAME_COLORS]; /* what they stand for; NULL: no box has this one */
    uint8_t *of_module;                 /* by module */
    uint32_t first_name;                /* functions from here on are the language's */
};

/* The colours of FLAME, whose tree is of a view of PROFILE; in FLAME's arena. */
struct mp_flame_colors mp_flame_colors(const struct mp_flame *flame,
                                       const struct mp_profile *profile);

/* The colour of BOX, which is not the root. */
unsigned mp_flame_color(const struct mp_flame_colors *colors, const struct mp_flame *flame,
                        const struct mp_flame_box *box);

/* Is BOX of a function of the language's? */
bool mp_flame_is_language(const struct mp_flame_colors *colors, const struct mp_flame *flame,
                          const struct mp_flame_box *box);

#endif
