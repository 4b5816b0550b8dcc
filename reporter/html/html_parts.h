/* html_parts.h -- writes the parts of the model other than the tree: kinds, head, tables, findings, sources, time
 * line. */
#ifndef MP_HTML_PARTS_H
#define MP_HTML_PARTS_H

#include "html_model.h"
#include "reporter/output/head.h"
#include "reporter/output/table.h"

/* Returns the index of KIND in the model's list of kinds, which has four size classes and then the profile's kinds. */
uint32_t mp_html_kind(const struct mp_profile *profile, uint32_t kind);

void mp_html_kinds_write(const struct mp_profile *profile, struct mp_buffer *out);

/* Writes the lines of the head. A line is a label followed by texts or, if it has figures, by a number of blocks, the
 * bytes as text, and a text. */
void mp_html_head_write(const struct mp_head *head, struct mp_buffer *out);

/* Writes which part of the profile the page shows, as sentences. If it is a part of the time, also writes {alive,
 * text, exact, temporary}. */
void mp_html_part_write(const struct mp_said_part *part, struct mp_buffer *out);

/* Writes TABLE as the member KEY, with an object for each row. Its keys are the columns' keys. Leaves out columns that
 * the page can compute from others. */
void mp_html_table_write(const char *key, const struct mp_table *table, struct mp_buffer *out);

/* Writes the table of sizes, unless the page shows objects of Lisp only, and the table of types. */
void mp_html_tables_write(const struct mp_html_model *model, struct mp_buffer *out);

/* Writes lifetimes, if they were recorded: the borders of the histogram, and its values by node and bucket. */
void mp_html_lifetimes_write(const struct mp_html_tree *page, struct mp_buffer *out);

/* Returns, by context of the tree's view, the node in which its cells are counted, or 0 if it has no cells. The result
 * is allocated in ARENA. */
uint32_t *mp_html_nodes_of_contexts(const struct mp_html_tree *tree, struct mp_arena *arena);

/* Writes the findings, each with the node that it is about. */
void mp_html_findings_write(const struct mp_html_model *model, struct mp_buffer *out);

/* Writes the lines of the source files named in FILES, by their ids there, that PATHS finds and that can be read now.
 * Also writes how many files were too large. */
void mp_html_sources_write(const struct mp_map *files, const struct mp_source_paths *paths,
                           struct mp_buffer *out);

/* Writes the time line, if there is one. What was live at a point in time is written as changes since the point
 * before. */
void mp_html_time_write(const struct mp_html_model *model, struct mp_buffer *out);

#endif
