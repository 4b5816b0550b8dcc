/*
 * flame_colors.h -- chooses the colour and hatch of each box of a flame graph. Lisp has one colour, each of the
 * modules that cover the largest area has one, and all other modules share one. If widths are changes, there are
 * three colours: for boxes that grew, for boxes that shrank, and for boxes where both are about equal.
 */
#ifndef MP_FLAME_COLORS_H
#define MP_FLAME_COLORS_H

#include "flame.h"

enum {
    MP_FLAME_GREW = 0, MP_FLAME_SHRANK,
    MP_FLAME_MODULES = 6,       /* modules with a colour of their own: 0 to 5 */
    MP_FLAME_LISP = MP_FLAME_MODULES,
    MP_FLAME_OTHER,             /* other modules, generated code, unknown code */
    MP_FLAME_TOGETHER,          /* merged boxes of several functions */
    MP_FLAME_COLORS
};

struct mp_flame_colors {
    const char *names[MP_FLAME_COLORS]; /* legend by colour; NULL if no box has the colour */
    uint8_t *of_module;                 /* colour by module */
    uint32_t first_name;                /* functions with this id or a greater one are Lisp names */
};

/* Returns the colours of FLAME, whose tree is built from a view of PROFILE. Memory is allocated in FLAME's arena. */
struct mp_flame_colors mp_flame_colors(const struct mp_flame *flame,
                                       const struct mp_profile *profile);

/* Returns the colour of BOX, which is not the root. */
unsigned mp_flame_color(const struct mp_flame_colors *colors, const struct mp_flame *flame,
                        const struct mp_flame_box *box);

/* Returns true if BOX represents a Lisp function. */
bool mp_flame_is_language(const struct mp_flame_colors *colors, const struct mp_flame *flame,
                          const struct mp_flame_box *box);

#endif
