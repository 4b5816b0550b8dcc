/* html_pack.h -- compresses a model so that it does not exceed a given size. */
#ifndef MP_HTML_PACK_H
#define MP_HTML_PACK_H

#include "html_model.h"

/* Writes MODEL of TREE, compressed, to PACKED, with as many nodes as fit into MOST bytes of the page. The model
 * states what was left out. Sets the model's tree, which is freed before this function returns. The caller frees
 * PACKED. */
void mp_html_pack(struct mp_html_model *model, const struct mp_tree *tree, size_t most, struct mp_buffer *packed);

#endif
