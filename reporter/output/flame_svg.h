/*
 * flame_svg.h -- a flame graph as an SVG that needs no script: what a box is stands in it, as far as
 * there is room, and in its tooltip.
 *
 * Modules are told apart by colour and by hatch, functions of Lisp by colour and by round corners,
 * inlined calls by a dashed outline.  Light and dark are the reader's choice.
 */
#ifndef MP_FLAME_SVG_H
#define MP_FLAME_SVG_H

#include <stdio.h>

#include "flame.h"

/* Write the graph of VIEW, a view of PROFILE, to OUT.  PART: what of it all the view is, as the command
 * line has it; "": all.  Of the options, width is of the whole drawing, with its margins. */
void mp_flame_svg(const struct mp_profile *profile, const struct mp_tree *tree,
                  const struct mp_flame_options *options, const char *part, FILE *out);

#endif
