/*
 * Writes collapsed stacks for Brendan Gregg's flamegraph.pl: a line "outer;inner 123" for each chain with a count.
 */
#include "dump_forms.h"
#include "formats.h"

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
