/* html_parts.h -- parts of the model that are not the tree: head, tables, time. */
#ifndef MP_HTML_PARTS_H
#define MP_HTML_PARTS_H

#include "html_model.h"
#include "reporter/output/head.h"
#include "reporter/output/table.h"

/* Index of KIND in the model's list of kinds: four classes of size, then the profile's. */
uint32_t mp_html_kind(const struct mp_profile *profile, uint32_t kind);

void mp_html_kinds_write(const struct mp_profile *profile, struct mp_buffer *out);

/* Lines of the head: a label, and what stands behind it: texts; or, if it has figures, a number of
 * blocks, bytes as text, and a text. */
void mp_html_head_write(const struct mp_head *head, struct mp_buffer *out);

/* What part of the profile the page is of: sentences; and of the time, if it is one, {alive, text, exact}. */
void mp_html_part_write(const struct mp_said_part *part, struct mp_buffer *out);

/* TABLE as KEY: an object a row, by the keys of its columns; what can be computed of them is left to the page. */
void mp_html_table_write(const char *key, const struct mp_table *table, struct mp_buffer *out);

/* The table of sizes, and that of types if there are objects of Lisp. */
void mp_html_tables_write(const struct mp_html_model *model, struct mp_buffer *out);

/* If it was recorded how long blocks live: borders of the histogram, and what is in it, by node and bucket. */
void mp_html_lifetimes_write(const struct mp_html_tree *page, struct mp_buffer *out);

/* By context of the tree's view: the node that its cells are counted in, 0 where it has none.
 * In ARENA. */
uint32_t *mp_html_nodes_of_contexts(const struct mp_html_tree *tree, struct mp_arena *arena);

/* What is worth a look, with the node that each is about. */
void mp_html_findings_write(const struct mp_html_model *model, struct mp_buffer *out);

/* Lines of the source files named by FILES, ids as there, that can be read now, where PATHS find them; and how
 * many of them there was no room for. */
void mp_html_sources_write(const struct mp_map *files, const struct mp_source_paths *paths,
                           struct mp_buffer *out);

/* The time line, if there is one.  Of moments with what was alive, changes since the one before. */
void mp_html_time_write(const struct mp_html_model *model, struct mp_buffer *out);

#endif
