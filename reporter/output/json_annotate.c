/* Annotated source as JSON: a section for each function or file, with a table of its lines. */
#include "annotate_table.h"
#include "json_head.h"

static void
put_section(struct mp_json_out *to, const struct mp_annotated *annotated, uint32_t number,
            const struct mp_annotate_options *options)
{
    const struct mp_source_section *section = &annotated->sections[number];
    struct mp_table *table = mp_annotate_table(annotated, number, options);
    struct mp_buffer *out = &to->buffer;

    mp_json_line(out);
    mp_json_open(out, '{');
    mp_json_key_text_or_null(out, "function", section->name);
    mp_json_key_text_or_null(out, "file", section->recorded);
    mp_json_key_text_or_null(out, "found", section->file);
    mp_json_key(out, "table");
    mp_json_table(to, table, annotated->view);
    mp_json_close(out, '}');
    mp_table_free(table);
}

bool
mp_annotate_json(const struct mp_annotated *annotated, const struct mp_annotate_options *options,
                 const struct mp_json_subject *subject, FILE *file, struct mp_error *error)
{
    struct mp_json_out out = {.file = file};

    mp_json_begin(&out, subject);
    mp_json_line(&out.buffer);
    mp_json_key(&out.buffer, "sections");
    mp_json_open(&out.buffer, '[');
    for (uint32_t i = 0; i < annotated->n_sections; i++)
        put_section(&out, annotated, i, options);
    mp_json_close(&out.buffer, ']');
    return mp_json_finish(&out, error);
}
