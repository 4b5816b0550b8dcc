/*
 * Collapsed stacks, as Brendan Gregg's flamegraph.pl reads them: "outer;inner 123", a line for each chain on
 * which anything was counted.
 */
#include "formats.h"
#include "reporter/output/dump_forms.h"

bool
mp_export_collapsed(const struct mp_export *export, FILE *out, struct mp_error *error)
{
    const struct mp_tree_options options = {.all_frames = export->all_frames};
    struct mp_tree *tree = mp_tree_build(export->view, &options);

    (void)error;
    mp_dump_folded(tree, export->cost, out);
    mp_tree_free(tree);
    return true;
}
