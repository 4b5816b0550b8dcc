#include "html.h"

#include <stdlib.h>
#include <zlib.h>

#include "html_model.h"
#include "html_page.h"

enum { FIRST_NODES = 300000, FEW_NODES = 2000 };

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

/* Leave out more of MODEL, which has the SIZE in its page that is too large, and of which NODES are
 * nodes of the tree: how many may stay.  Its size is nearly in proportion to them; where they are
 * few already, sources go, and as the last resort what was alive when. */
static uint32_t
leave_out(struct mp_html_model *model, uint32_t nodes, size_t size, size_t most)
{
    uint32_t fewer = (uint32_t)((double)nodes * 0.9 * (double)most / (double)size);

    if (fewer >= FEW_NODES)
        return fewer;
    if (model->sources) {
        model->sources = false;
        model->no_room_for_sources = true;
        return nodes;
    }
    model->no_room_for_moments = true;
    return fewer > 0 ? fewer : 1;
}

static void
pack_bounded(struct mp_html_model *model, const struct mp_tree *tree, size_t most,
             struct mp_buffer *packed)
{
    uint32_t nodes = tree->n_nodes < FIRST_NODES ? tree->n_nodes : FIRST_NODES;

    for (;;) {
        struct mp_html_tree *bounded = mp_html_tree(tree, nodes);
        size_t size;

        model->tree = bounded;
        pack_model(model, packed);
        mp_html_tree_free(bounded);
        size = size_in_page(packed->size);
        if (size <= most || (nodes <= 1 && !model->sources && model->no_room_for_moments))
            return;
        mp_buffer_free(packed);
        nodes = leave_out(model, nodes, size, most);
    }
}

static struct mp_profile *
make_view(const struct mp_profile *profile, const struct mp_html_options *options,
          struct mp_error *error)
{
    struct mp_profile *view = mp_view(profile, &options->view, error);
    struct mp_counts undecided = {0};

    if (!view || !options->filters || options->filters->n == 0 ||
        mp_filter(view, profile, options->filters, &undecided, error))
        return view;
    mp_profile_free(view);
    return NULL;
}

/* Rules look at all frames, whichever the page shows. */
static struct mp_findings *
find_findings(const struct mp_profile *profile, const struct mp_profile *view,
              const struct mp_html_options *options)
{
    const struct mp_findings_options most = {.most = MP_FINDINGS_MOST, .file = options->file};
    struct mp_error error = {0};        /* what has no chains has no findings */

    if (mp_frames_shown(&options->view) == MP_FRAMES_ALL)
        return mp_findings_new(view, &most);
    return mp_findings_of(profile, &options->view, options->filters, &most, &error);
}

static void
make_model(const struct mp_profile *profile, const struct mp_profile *view,
           const struct mp_html_options *options, struct mp_buffer *packed)
{
    static const struct mp_tree_options wanted = {.lines = true, .one_cut = true};
    struct mp_tree *tree = mp_tree_build(view, &wanted);
    struct mp_findings *findings = find_findings(profile, view, options);
    struct mp_html_model model = {
        .profile = profile, .findings = findings, .lisp = options->view.lisp_only,
        .sources = options->sources};

    pack_bounded(&model, tree, options->most > 0 ? options->most : MP_HTML_MOST, packed);
    mp_findings_free(findings);
    mp_tree_free(tree);
}

bool
mp_html_write(const struct mp_profile *profile, const struct mp_html_options *options, FILE *out,
              struct mp_error *error)
{
    struct mp_profile *view = make_view(profile, options, error);
    struct mp_buffer packed = {0};
    bool ok;

    if (!view)
        return false;
    make_model(profile, view, options, &packed);
    mp_profile_free(view);
    ok = mp_html_page_write(profile, options, &packed, out, error);
    mp_buffer_free(&packed);
    return ok;
}
