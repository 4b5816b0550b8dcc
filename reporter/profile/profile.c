/* SPDX-License-Identifier: MIT */
/* profile.c -- memory of a profile, and the totals that every report begins with. */
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"

struct mp_profile *
mp_profile_new(void)
{
    struct mp_profile *profile = mp_need(calloc(1, sizeof *profile));

    profile->arena = mp_arena_new();
    profile->meta.program = profile->meta.monitor = profile->meta.language =
        profile->meta.host = profile->meta.labels = "";
    profile->contexts = mp_arena_alloc(profile->arena, sizeof *profile->contexts);
    profile->contexts[0].frame = MP_NO_ID;
    profile->n_contexts = 1;
    return profile;
}

void
mp_profile_share(struct mp_profile *to, const struct mp_profile *from)
{
    struct mp_arena *arena = to->arena;

    *to = *from;
    to->arena = arena;
    to->base = NULL;
    to->wrappers = NULL;
    to->totals = NULL;
}

uint32_t
mp_profile_context(struct mp_profile *profile, struct mp_map *contexts, uint32_t parent,
                   uint32_t frame)
{
    uint32_t context = mp_map_add_u64(contexts, (uint64_t)parent << 32 | frame);

    if (context == profile->n_contexts)
        profile->contexts[profile->n_contexts++] =
            (struct mp_context){.parent = parent, .frame = frame};
    return context;
}

void
mp_profile_free(struct mp_profile *profile)
{
    if (!profile)
        return;
    mp_profile_free(profile->base);
    mp_arena_free(profile->arena);
    free(profile);
}

const char *
mp_size_class_name(unsigned kind)
{
    static const char *const names[MP_KIND_C_COUNT] = {
        [MP_KIND_SMALL] = "up to 32 bytes", [MP_KIND_MEDIUM] = "33 to 256 bytes",
        [MP_KIND_LARGE] = "257 to 2,048 bytes", [MP_KIND_EXTRA] = "more than 2,048 bytes",
    };

    return names[kind];
}

const struct mp_object_kind *
mp_profile_kind(const struct mp_profile *profile, uint32_t kind)
{
    const uint32_t n = MP_AT_MOST(profile->kinds, profile->n_kinds, kind, kind);

    return n > 0 && profile->kinds[n - 1].kind == kind ? &profile->kinds[n - 1] : NULL;
}

bool
mp_profile_has_objects(const struct mp_profile *profile)
{
    for (uint32_t i = 0; i < profile->n_cells; i++)
        if (mp_is_lisp(&profile->cells[i]))
            return true;
    return false;
}

void
mp_profile_set_kept(struct mp_profile *profile)
{
    for (uint32_t i = 0; i < profile->n_cells; i++)
        mp_cell_set_kept(&profile->cells[i]);
}

/* Properties of a context's chain. */
struct chain {
    uint32_t depth;             /* number of frames, without marks and labels */
    uint16_t cut;               /* the innermost mark of a cut on it, or 0 */
    bool unproved;              /* a frame on it, other than the outermost, is unproved */
};

/* Returns the chain of each context, and sets *DEPTH_MAX to the largest depth. */
static struct chain *
follow_chains(const struct mp_profile *profile, uint32_t *depth_max, struct mp_arena *arena)
{
    const struct mp_frame *frames = profile->frames;
    struct chain *chains = mp_arena_alloc(arena, profile->n_contexts * sizeof *chains);

    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_context *context = &profile->contexts[i];
        const struct mp_frame *frame = &frames[context->frame];
        struct chain chain = chains[context->parent];

        if (frame->mark != 0)
            chain.cut = (uint16_t)frame->mark;
        else
            chain.depth += !frame->label;
        chain.unproved |= frame->unproved && chain.depth > 1;
        *depth_max = chain.depth > *depth_max ? chain.depth : *depth_max;
        chains[i] = chain;
    }
    return chains;
}

/* Sets exact totals. In a sampled recording cells are estimates, but bins count every block, and kinds every object. */
static void
set_exact(const struct mp_profile *profile, struct mp_totals *totals)
{
    bool sampled = profile->meta.sample_period > 0;

    totals->objects = totals->lisp.allocs;
    totals->object_bytes = totals->lisp.bytes;
    if (sampled && profile->meta.objects_sampled) {
        totals->objects = 0;
        totals->object_bytes = profile->owned_bytes;
        for (uint32_t i = 0; i < profile->n_kinds; i++) {
            totals->objects = mp_plus(totals->objects, profile->kinds[i].allocs);
            totals->object_bytes = mp_plus(totals->object_bytes, profile->kinds[i].bytes);
        }
    }
    totals->allocs = sampled ? totals->objects : totals->all.allocs;
    totals->bytes = sampled ? totals->object_bytes : totals->all.bytes;
    for (uint32_t size = 0; sampled && size < MP_BINS; size++) {
        totals->allocs = mp_plus(totals->allocs, profile->bins[size].allocs);
        totals->bytes = mp_plus(totals->bytes, profile->bins[size].bytes);
    }
}

static void
sum_totals(const struct mp_profile *profile, struct mp_totals *totals)
{
    struct mp_arena *arena = mp_arena_new();
    uint32_t last_cut = 0, last_unproved = 0;   /* last contexts counted; cells are sorted by context */
    const struct chain *chains;

    *totals = (struct mp_totals){0};
    chains = follow_chains(profile, &totals->depth_max, arena);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        const struct chain chain = chains[cell->context];
        const uint32_t cut = chain.cut;

        mp_counts_add_cell(mp_is_lisp(cell) ? &totals->lisp : &totals->c, cell);
        if (cut == MP_FRAME_CUT_DEPTH) {
            totals->depth_cut_allocs += cell->counts.allocs;
            mp_spread_add(&totals->depth_cut_spread, &mp_cell_further(cell)->spread);
        } else if (cut != 0) {
            totals->cut_allocs += cell->counts.allocs;
            mp_spread_add(&totals->cut_spread, &mp_cell_further(cell)->spread);
            totals->cut_contexts += cell->counts.allocs != 0 && cell->context != last_cut;
            if (cell->counts.allocs != 0)
                last_cut = cell->context;
        }
        if (!chain.unproved || cell->counts.allocs == 0 || profile->meta.unwinder == MP_UNWIND_FP)
            continue;
        totals->unproved_allocs += cell->counts.allocs;
        totals->unproved_contexts += cell->context != last_unproved;
        mp_spread_add(&totals->unproved_spread, &mp_cell_further(cell)->spread);
        last_unproved = cell->context;
    }
    totals->cut_unseen = mp_unseen(profile, &totals->cut_spread);
    if (profile->meta.depth > 0)
        totals->depth_cut_unseen = mp_unseen(profile, &totals->depth_cut_spread);
    mp_spread_add(&totals->c.spread, &profile->unmet);
    mp_spread_add(&totals->lisp.spread, &profile->unmet_objects);
    totals->all = totals->c;
    mp_counts_add(&totals->all, &totals->lisp);
    set_exact(profile, totals);
    mp_arena_free(arena);
}

void
mp_profile_totals(const struct mp_profile *profile, struct mp_totals *totals)
{
    struct mp_profile *owner = (struct mp_profile *)(uintptr_t)profile;

    if (profile->totals) {
        *totals = *profile->totals;
        return;
    }
    sum_totals(profile, totals);
    if (!profile->symbolised)
        return;
    owner->totals = mp_arena_alloc(owner->arena, sizeof *totals);
    *owner->totals = *totals;
}

bool
mp_profile_unrecorded(const struct mp_profile *profile, char text[static MP_UNRECORDED_SIZE])
{
    const char *language = profile->meta.language;

    text[0] = '\0';
    if (strstr(language, MP_LANGUAGE_UNRECORDED))
        snprintf(text, MP_UNRECORDED_SIZE, "%s", language);
    /* a libecl that the program loaded when it was already recorded */
    for (uint32_t i = 0; language[0] == '\0' && i < profile->n_modules; i++)
        if (strncmp(profile->modules[i].name, "libecl.so", 9) == 0)
            snprintf(text, MP_UNRECORDED_SIZE, "%.200s, not recorded", profile->modules[i].name);
    return text[0] != '\0';
}

const char *
mp_name_package(const struct mp_name *name, struct mp_arena *arena)
{
    const char *file = strrchr(name->file, '/');
    size_t length;
    const char *package = mp_lisp_package(name->name, &length);

    if (package)
        return mp_arena_printf(arena, "%.*s", (int)length, package);
    if (file && (mp_lisp_is_nameless(name->name) || strncmp(name->name, "top-level form", 14) == 0))
        return mp_arena_strdup(arena, file + 1);
    return name->builtin ? "COMMON-LISP" : "COMMON-LISP-USER";
}

void
mp_profile_build_id(const struct mp_profile *profile, const char *path, char text[static MP_BUILD_ID_TEXT])
{
    text[0] = '\0';
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const struct mp_module *module = &profile->modules[i];

        if (strcmp(module->path, path) == 0)
            mp_text_put_hex(text, text + MP_BUILD_ID_TEXT, module->build_id, module->build_id_size);
    }
}
