#include "html.h"

#include <stdlib.h>
#include <zlib.h>

#include "html_model.h"
#include "html_page.h"

enum { FIRST_NODES = 500000, FEW_NODES = 2000 };

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
    if (text.failed)
        mp_no_memory();
    deflate_all(&text, packed);
    mp_buffer_free(&text);
}

static size_t
size_in_page(size_t packed)
{
    return (packed + 2) / 3 * 4;
}

/* Try with fewer nodes until there is room: the size of a model is nearly in proportion to them.  The last
 * resort is a model without what was alive when. */
static void
pack_bounded(const struct mp_profile *profile, const struct mp_tree *tree,
             const struct mp_html_options *options, struct mp_buffer *packed)
{
    size_t most = options->most > 0 ? options->most : MP_HTML_MOST;
    struct mp_html_model model = {.profile = profile, .lisp = options->view.lisp_only, .moments = true};
    uint32_t nodes = tree->n_nodes < FIRST_NODES ? tree->n_nodes : FIRST_NODES;

    for (;;) {
        struct mp_html_tree *bounded = mp_html_tree(tree, nodes);
        size_t size;

        model.tree = bounded;
        pack_model(&model, packed);
        mp_html_tree_free(bounded);
        size = size_in_page(packed->size);
        if (size <= most || (nodes <= 1 && !model.moments))
            return;
        mp_buffer_free(packed);
        nodes = (uint32_t)((double)nodes * 0.9 * (double)most / (double)size);
        nodes = nodes > 0 ? nodes : 1;
        if (nodes < FEW_NODES)
            model.moments = false;
    }
}

bool
mp_html_write(const struct mp_profile *profile, const struct mp_html_options *options, FILE *out,
              struct mp_error *error)
{
    static const struct mp_tree_options wanted = {.lines = true, .one_cut = true};
    struct mp_tree *tree = mp_tree_new(profile, &options->view, &wanted, error);
    struct mp_buffer packed = {0};
    bool ok;

    if (!tree)
        return false;
    pack_bounded(profile, tree, options, &packed);
    mp_tree_free(tree);
    ok = mp_html_page_write(profile, &options->view, &packed, out, error);
    mp_buffer_free(&packed);
    return ok;
}
