#include "made_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "golden.h"
#include "reporter/graph/breakdown_kinds.h"

struct made_table
made_table(made_compute *compute, struct mp_table_request request)
{
    struct made_table made = {.request = request, .arena = mp_arena_new()};
    const struct mp_graph_options options = {
        .keep_startup = request.all_frames, .style = mp_breakdown_of(request.profile, made.arena)};
    struct mp_graph *graph = mp_graph_build(request.profile, &options);

    made.request.graph = graph;
    made.request.reduced = mp_reduce(request.profile, graph);
    for (size_t i = 0; i < mp_n_outputs; i++)
        if (mp_outputs[i].compute == compute)
            made.output = &mp_outputs[i];
    ck_assert_ptr_nonnull(made.output);
    made.table = compute(&made.request);
    return made;
}

void
made_table_free(struct made_table *made)
{
    mp_table_free(made->table);
    mp_reduced_free((struct mp_reduced *)made->request.reduced);
    mp_graph_free((struct mp_graph *)made->request.graph);
    mp_arena_free(made->arena);
}

const struct mp_table_row *
made_table_row(const struct made_table *made, unsigned column, const char *text)
{
    for (uint32_t i = 0; i < made->table->n_rows; i++) {
        const char *other = made->table->rows[i].values[column].text;

        if (other && strcmp(other, text) == 0)
            return &made->table->rows[i];
    }
    ck_abort_msg("no row of %s", text);
    return NULL;
}

bool
made_table_print(struct made_table made, FILE *out, struct mp_error *error)
{
    bool ok = made.output->print(made.table, made.request.options, out, error);

    made_table_free(&made);
    return ok;
}

char *
made_table_text(struct made_table made)
{
    struct mp_error error;
    char *text;
    FILE *out = golden_stream(&text);

    ck_assert(made_table_print(made, out, &error));
    return golden_close(out, &text);
}

void
made_table_must_be(const char *what, struct made_table made, const char *title, const char *text)
{
    char *printed = made_table_text(made);

    ck_assert_msg(strncmp(printed, title, strlen(title)) == 0 &&
                      strcmp(printed + strlen(title), text) == 0,
                  "%s: got\n%s instead of\n%s%s", what, printed, title, text);
}
/* SPDX-License-Identifier: MIT */
