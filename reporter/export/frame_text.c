#include "frame_text.h"

#include <inttypes.h>

const char *
mp_export_frame_text(const struct mp_tree *tree, uint32_t node, struct mp_arena *arena)
{
    const struct mp_profile *view = tree->profile;
    const struct mp_location *at = &view->locations[tree->nodes[node].location];
    const struct mp_function *function = &view->functions[at->function];
    const struct mp_frame *frame = &view->frames[tree->nodes[node].frame];
    uint64_t address = frame->module < view->n_modules ? frame->offset : 0;

    if (at->line > 0)
        return mp_arena_printf(arena, "0x%" PRIX64 ": %s (%s:%" PRIu32 ")", address, function->name,
                               at->file, at->line);
    if (function->module < view->n_modules)
        return mp_arena_printf(arena, "0x%" PRIX64 ": %s (in %s)", address, function->name,
                               view->modules[function->module].path);
    return mp_arena_printf(arena, "0x%" PRIX64 ": %s", address, function->name);
}

const char *
mp_export_kind_text(const struct mp_tree *tree, uint32_t kind, struct mp_arena *arena)
{
    return mp_arena_printf(arena, "[%s]", mp_profile_kind(tree->profile, kind)->name);
}
