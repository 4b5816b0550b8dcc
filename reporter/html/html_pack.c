/* SPDX-License-Identifier: MIT */
/* html_pack.c -- compresses a model so that it does not exceed a given size. */
#include <stdlib.h>
#include <zlib.h>

#include "html_model.h"
#include "html_sums.h"

enum {
    FIRST_NODES = 300000,       /* maximum nodes of the first attempt */
    FEW_NODES = 2000            /* before the page has fewer nodes, other parts of the model are left out */
};

static void
deflate_all(const struct mp_buffer *text, struct mp_buffer *packed)
{
    uLongf size = compressBound((uLong)text->size);

    packed->bytes = mp_need(malloc(size));
    packed->room = size;
    if (compress2(packed->bytes, &size, text->bytes, (uLong)text->size, 6) != Z_OK)
        mp_no_memory();
    packed->size = size;
}

static void
pack_model(const struct mp_html_model *model, struct mp_buffer *packed)
{
    struct mp_buffer text = {0};

    mp_html_model_write(model, &text);
    deflate_all(&text, packed);
    mp_buffer_free(&text);
}

static size_t
size_in_page(size_t packed)
{
    return (packed + 2) / 3 * 4;
}

/* Writes the sums of the whole TREE to TEXT, in as much detail as fits into a third of the MOST bytes of the page.
 * Returns false if not even sums without a breakdown fit. */
static bool
sum_up(const struct mp_tree *tree, bool sides, size_t most, struct mp_buffer *text)
{
    static const enum mp_html_detail details[] = {MP_HTML_BY_KIND, MP_HTML_BY_NONE};

    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        struct mp_buffer packed = {0};
        size_t size;

        mp_html_sums_write(tree, sides, details[i], text);
        deflate_all(text, &packed);
        size = size_in_page(packed.size);
        mp_buffer_free(&packed);
        if (size <= most / 3)
            return true;
        mp_buffer_free(text);
    }
    return false;
}

/* Called if the model with NODES nodes takes SIZE bytes of the page, more than MOST. Returns the number of nodes to try
 * next. The size is nearly proportional to the number of nodes. If fewer than FEW_NODES would fit, first removes
 * MODEL's sources, then what was live at points in time. */
static uint32_t
leave_out(struct mp_html_model *model, uint32_t nodes, size_t size, size_t most)
{
    uint32_t fewer = (uint32_t)((double)nodes * 0.9 * (double)most / (double)size);

    if (fewer >= FEW_NODES)
        return fewer;
    if (model->sources) {
        uint32_t *n = model->sources->n;

        n[MP_SOURCE_TOO_LARGE] += mp_html_sources_count(model->sources);
        n[MP_SOURCE_NONE] = n[MP_SOURCE_CHANGED] = n[MP_SOURCE_UNDATED] = 0;
        model->sources = NULL;
        model->no_room_for_sources = true;
        return nodes;
    }
    model->no_room_for_moments = true;
    return fewer > 0 ? fewer : 1;
}

void
mp_html_pack(struct mp_html_model *model, const struct mp_tree *tree, size_t most, struct mp_buffer *packed)
{
    uint32_t nodes = tree->n_nodes < FIRST_NODES ? tree->n_nodes : FIRST_NODES;
    const bool sides = model->difference != NULL;
    struct mp_buffer sums = {0};

    model->sums = sum_up(tree, sides, most, &sums) ? &sums : NULL;
    for (;;) {
        struct mp_html_tree *bounded = mp_html_tree(tree, nodes, sides);
        size_t size;

        model->tree = bounded;
        pack_model(model, packed);
        mp_html_tree_free(bounded);
        size = size_in_page(packed->size);
        if (size <= most || (nodes <= 1 && !model->sources && model->no_room_for_moments))
            break;
        mp_buffer_free(packed);
        nodes = leave_out(model, nodes, size, most);
    }
    model->sums = NULL;
    mp_buffer_free(&sums);
}
