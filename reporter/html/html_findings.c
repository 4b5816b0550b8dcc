/* SPDX-License-Identifier: MIT */
/* html_findings.c -- writes the findings of the page. */
#include "html_parts.h"
#include "reporter/base/json.h"
#include "reporter/view/sort.h"
#include "reporter/view/window.h"

static void
write_finding(const struct mp_finding *finding, uint32_t node, const struct mp_window *window, struct mp_buffer *out)
{
    mp_json_open(out, '{');
    mp_json_key_text(out, "rule", finding->rule->key);
    mp_json_key_text(out, "title", finding->rule->title);
    mp_json_key_text(out, "text", finding->text);
    mp_json_key_number(out, "permille", finding->permille);
    mp_json_key_text(out, "function", finding->function);
    mp_json_key_texts(out, "chain", finding->calls, finding->n_calls);
    mp_json_key_bool(out, "whole", finding->chain.whole);
    mp_json_key_number(out, "node", node);
    mp_json_key_number(out, "depth", finding->depth);
    /* On a page of a point in time, `bytes` are the live bytes. */
    mp_json_key_text(out, "figure", window && window->alive ? "bytes" : mp_sorts[finding->sort].key);
    mp_json_key_text(out, "command", finding->command);
    mp_json_close(out, '}');
}

void
mp_html_findings_write(const struct mp_html_model *model, struct mp_buffer *out)
{
    struct mp_arena *arena;
    const uint32_t *node_of;

    if (!model->findings)
        return;
    arena = mp_arena_new();
    node_of = mp_html_nodes_of_contexts(model->tree, arena);
    mp_json_key_open(out, "findings", '[');
    for (uint32_t i = 0; i < model->findings->n; i++)
        write_finding(&model->findings->list[i],
                      model->findings->view ? 0 : node_of[model->findings->list[i].context],
                      model->tree->tree->profile->window, out);
    mp_json_close(out, ']');
    mp_json_key_number(out, "findingsLeftOut", model->findings->left_out);
    if (model->findings->nothing)
        mp_json_key_text(out, "findingsNothing", model->findings->nothing);
    if (model->findings->caveat)
        mp_json_key_text(out, "findingsCaveat", model->findings->caveat);
    mp_arena_free(arena);
}
