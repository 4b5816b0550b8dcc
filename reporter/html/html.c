/* SPDX-License-Identifier: MIT */
#include "html.h"

#include "html_model.h"
#include "html_page.h"
#include "reporter/base/text.h"
#include "reporter/graph/bins.h"
#include "reporter/table/report.h"

/* Returns the findings for the page, whose tree is TREE. Rules see all frames, even if the page leaves out some.
 * Returns NULL if the focus or a filter matches nothing in the view with all frames. */
static struct mp_findings *
find_findings(const struct mp_profile *profile, struct mp_tree *tree, const struct mp_html_options *options)
{
    const struct mp_findings_options most = {
        .most = MP_FINDINGS_MOST, .file = options->file, .frames = options->view.frames, .tree = tree,
        .recorded = !options->filters || options->filters->n == 0 ? profile : NULL};
    struct mp_error error = {0};        /* ignored, because the page then shows no findings */

    if (mp_frames_shown(&options->view, profile) == MP_FRAMES_ALL)
        return mp_findings_new(tree->profile, &most);
    return mp_findings_of(profile, &options->view, options->filters, &most, &error);
}

/* Returns whether the page shows only a part of the profile. */
static bool
is_part(const struct mp_said_part *part)
{
    return part->focus || part->filters || part->view->window;
}

/* Writes the model with TREE to PACKED and returns the findings in it, or NULL. */
static struct mp_findings *
make_model(const struct mp_said_part *part, struct mp_tree *tree, const struct mp_html_options *options,
           struct mp_buffer *packed)
{
    const struct mp_profile *profile = part->profile;
    struct mp_findings *findings = find_findings(profile, tree, options);
    struct mp_html_model model = {
        .profile = profile, .findings = findings, .lisp = options->view.lisp_only,
        .sources = options->sources, .heaps = options->heaps, .part = is_part(part) ? part : NULL};

    mp_html_pack(&model, tree, options->most > 0 ? options->most : MP_HTML_MOST, packed);
    return findings;
}

struct shown {
    const struct mp_profile *profile;
    const struct mp_html_options *options;
    const struct mp_findings *findings;
    struct mp_profile *view;
    struct mp_counts undecided; /* see mp_filter() */
    struct mp_tree *tree;
};

/* Writes the report as text. DATA is a struct shown. */
static bool
write_tables(const void *data, FILE *out, struct mp_error *error)
{
    const struct shown *shown = data;
    const struct mp_view_options *view = &shown->options->view;
    struct mp_report_options options = MP_REPORT_DEFAULT;

    options.view = *view;
    options.filters = shown->options->filters;
    options.tables = view->lisp_only ? MP_TABLE_LISP : MP_TABLE_DEFAULT;
    options.file = shown->options->file;
    options.lineless = shown->options->lineless;
    options.findings = shown->findings;
    options.made = shown->view;
    options.undecided = shown->undecided;
    options.tree = shown->tree;
    mp_report_as_screen(&options, shown->profile);
    return mp_report_write(shown->profile, &options, out, error);
}

bool
mp_html_write(const struct mp_profile *profile, const struct mp_html_options *options, FILE *out,
              struct mp_error *error)
{
    struct mp_said_part part = {.profile = profile, .focus = options->view.focus,
                                .filters = options->filters, .lisp = options->view.lisp_only};
    struct mp_profile *view =
        mp_filtered_view(profile, &options->view, options->filters, &part.undecided, error);
    static const struct mp_tree_options wanted = {.lines = true, .one_cut = true};
    struct shown shown = {profile, options, NULL, view, part.undecided, NULL};
    struct mp_buffer packed = {0};
    const struct mp_html_page page = {.title = mp_text_basename(profile->meta.program), .packed = &packed,
                                      .tables = write_tables, .data = &shown};
    struct mp_findings *findings;
    bool ok;

    if (!view)
        return false;
    part.view = view;
    if (is_part(&part))
        mp_bins_of_cells(view);
    shown.tree = mp_tree_build(view, &wanted);
    findings = make_model(&part, shown.tree, options, &packed);
    /* In a view without lines in the names of the language, texts of findings differ from those in the tables. */
    if (findings && (findings->view || profile->n_names == 0))
        shown.findings = findings;
    ok = mp_html_page_write(&page, out, error);
    mp_findings_free(findings);
    mp_tree_free(shown.tree);
    mp_profile_free(view);
    mp_buffer_free(&packed);
    return ok;
}
