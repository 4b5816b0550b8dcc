/* html_pack.h -- a model of bounded size. */
#ifndef MP_HTML_PACK_H
#define MP_HTML_PACK_H

#include "html_model.h"

/* MODEL of TREE, compressed, with so much of it that it has at most MOST bytes in the page; what is left out it
 * says.  Sets the model's tree, which is gone afterwards.  The caller frees PACKED. */
void mp_html_pack(struct mp_html_model *model, const struct mp_tree *tree, size_t most, struct mp_buffer *packed);

#endif
