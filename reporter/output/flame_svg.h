/*
 * flame_svg.h -- a flame graph as an SVG without scripts. A box contains its function's name, if it fits, and a
 * tooltip with all details.
 *
 * Modules differ in colour and hatch. Lisp functions have round corners and inlined calls a dashed outline. The
 * colours follow the viewer's light or dark preference.
 */
#ifndef MP_FLAME_SVG_H
#define MP_FLAME_SVG_H

#include <stdio.h>

#include "flame.h"

/* Writes the flame graph of TREE, which is built from a view of PROFILE, to OUT. PART describes in words which part
 * of the profile the view shows, as on the command line; "" if all. options->width includes the margins. */
void mp_flame_svg(const struct mp_profile *profile, const struct mp_tree *tree,
                  const struct mp_flame_options *options, const char *part, FILE *out);

#endif
