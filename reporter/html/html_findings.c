#include "html_parts.h"
#include "reporter/base/json.h"
#include "reporter/profile/window.h"

/* Returns the page's key of the figure that FINDING is about. In a page of a point in time, live blocks take the
 * place of allocations. */
static const char *
figure_of(const struct mp_finding *finding, const struct mp_window *window)
{
    static const char *const keys[] = {[MP_SORT_BYTES] = "bytes", [MP_SORT_KEPT] = "kept", [MP_SORT_PEAK] = "peak",
                                       [MP_SORT_OBJECTS] = "allocs", [MP_SORT_TEMPORARY] = "temporary"};

    return window && window->alive ? "bytes" : keys[finding->sort];
}

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
    mp_json_key(out, "whole");
    mp_json_bool(out, finding->chain.whole);
    mp_json_key_number(out, "node", node);
    mp_json_key_number(out, "depth", finding->depth);
    mp_json_key_text(out, "figure", figure_of(finding, window));
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
    mp_json_key(out, "findings");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < model->findings->n; i++)
        write_finding(&model->findings->list[i],
                      model->findings->view ? 0 : node_of[model->findings->list[i].context],
                      model->tree->tree->profile->window, out);
    mp_json_close(out, ']');
    mp_json_key_number(out, "findingsLeftOut", model->findings->left_out);
    if (model->findings->caveat)
        mp_json_key_text(out, "findingsCaveat", model->findings->caveat);
    mp_arena_free(arena);
}
