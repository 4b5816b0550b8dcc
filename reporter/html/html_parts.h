/* html_parts.h -- parts of the model that are not the tree: head, tables, time. */
#ifndef MP_HTML_PARTS_H
#define MP_HTML_PARTS_H

#include "html_model.h"

/* Index of KIND in the model's list of kinds: four classes of size, then the profile's. */
uint32_t mp_html_kind(const struct mp_profile *profile, uint32_t kind);

void mp_html_kinds_write(const struct mp_profile *profile, struct mp_buffer *out);

/* Lines of the head: a label, and what stands behind it: texts; or, if it has figures, a number of
 * blocks, bytes as text, and a text. */
void mp_html_head_write(const struct mp_html_model *model, struct mp_buffer *out);

/* The table of sizes, and that of types if there are objects of Lisp. */
void mp_html_tables_write(const struct mp_html_model *model, struct mp_buffer *out);

/* By context of the tree's view: the node that its cells are counted in, 0 where it has none.
 * In ARENA. */
uint32_t *mp_html_nodes_of_contexts(const struct mp_html_tree *tree, struct mp_arena *arena);

/* What is worth a look, with the node that each is about. */
void mp_html_findings_write(const struct mp_html_model *model, struct mp_buffer *out);

/* Lines of the source files named by FILES, ids as there, that can be read now; and how many of them
 * there was no room for. */
void mp_html_sources_write(const struct mp_map *files, struct mp_buffer *out);

/* The time line, if there is one.  Of moments with what was alive, changes since the one before. */
void mp_html_time_write(const struct mp_html_model *model, struct mp_buffer *out);

#endif
