/* The last rows of the head: what is incomplete, and modules without names. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "estimates.h"
#include "head.h"
#include "head_parts.h"
#include "reporter/profile/bad_frees.h"
#include "reporter/base/format_number.h"
#include "reporter/profile/recursion.h"

/* ------------------------------------------------------------- chains */

/* Returns by context the mark (enum mp_frame_mark) that explains why its chain was cut, or 0. A mark is a frame
 * directly below the root, above the cut chain. Returns NULL if memory is exhausted. */
static uint32_t *
cut_reasons(const struct mp_profile *profile)
{
    uint32_t *reasons = calloc((size_t)profile->n_contexts + 1, sizeof *reasons);

    for (uint32_t i = 1; reasons && i < profile->n_contexts; i++) {
        uint32_t mark = profile->frames[profile->contexts[i].frame].mark;

        reasons[i] = mark != 0 ? mark : reasons[profile->contexts[i].parent];
    }
    return reasons;
}

struct cut {
    uint64_t contexts, allocs;
    struct mp_spread spread;
};

/* Counts cut chains by enum mp_frame_mark. Contexts without allocations are ignored. */
static void
count_cuts(const struct mp_profile *profile, struct cut cuts[static MP_FRAME_FIRST])
{
    uint32_t *reasons = cut_reasons(profile), last = MP_NO_ID;

    for (uint32_t i = 0; reasons && i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        uint32_t reason = reasons[cell->context];

        if (reason == 0 || reason >= MP_FRAME_FIRST || cell->counts.allocs == 0)
            continue;
        cuts[reason].contexts += cell->context != last;
        cuts[reason].allocs += cell->counts.allocs;
        mp_spread_add(&cuts[reason].spread, &cell->counts.spread);
        last = cell->context;
    }
    free(reasons);
}

/* Adds a row "0". If the samples may have missed up to UNSEEN cut chains, adds for example "none was sampled: at most
 * 123 of 4,317 allocations". */
static void
add_no_cut(struct mp_head *head, uint64_t allocs, uint64_t unseen)
{
    char number[2][MP_NUMBER_SIZE], text[128] = "";

    if (unseen > 0)
        snprintf(text, sizeof text, "none was sampled: at most %s of %s allocation%s",
                 mp_number_grouped(unseen, number[0]), mp_number_grouped(allocs, number[1]),
                 mp_plural(allocs));
    mp_head_count(head, "cut_chains", "Cut chains", 0, text);
}

/* Adds a row such as "666  of 4,317 allocations, in 12 chains: REASON". */
static void
add_cut(struct mp_head *head, const char *key, const char *label, const struct cut *cut,
        const struct mp_profile *profile, uint64_t allocs, const char *reason)
{
    struct mp_estimate estimate =
        mp_estimate_part(cut->allocs, &cut->spread, mp_unseen(profile, &cut->spread));
    char number[2][MP_NUMBER_SIZE], estimated[MP_ESTIMATE_SIZE], text[256];

    mp_estimate_text(&estimate, NULL, estimated);
    snprintf(text, sizeof text, "%s%sof %s allocation%s, in %s chain%s: %s", estimated,
             estimated[0] ? "; " : "", mp_number_grouped(allocs, number[0]), mp_plural(allocs),
             mp_number_grouped(cut->contexts, number[1]), mp_plural(cut->contexts), reason);
    mp_head_count(head, key, label, cut->allocs, text);
}

static void
add_cuts(struct mp_head *head, const struct mp_profile *profile, uint64_t allocs)
{
    struct cut cuts[MP_FRAME_FIRST] = {{.contexts = 0}};
    const struct cut *no_rule = &cuts[MP_FRAME_CUT_NO_RULE], *memory = &cuts[MP_FRAME_CUT_MEMORY];
    char reason[64];

    count_cuts(profile, cuts);
    if (no_rule->allocs == 0 && memory->allocs == 0)
        add_no_cut(head, allocs, profile->unseen);
    if (no_rule->allocs > 0)
        add_cut(head, "cut_chains", "Cut chains", no_rule, profile, allocs,
                "no unwind information for the caller");
    if (memory->allocs > 0)
        add_cut(head, "cut_chains", "Cut chains", memory, profile, allocs,
                "no memory for the whole chain");
    if (profile->meta.depth > 0) {
        snprintf(reason, sizeof reason, "last %" PRIu32 " caller%s kept, as asked for",
                 profile->meta.depth, mp_plural(profile->meta.depth));
        add_cut(head, "shortened_chains", "Shortened chains", &cuts[MP_FRAME_CUT_DEPTH], profile,
                allocs, reason);
    }
}

/* With fewer contexts, the effect of recursion is not reported because the data are small. */
#define MANY_CONTEXTS 10000u

/* Adds that recursion was folded, or how many contexts folding would save. */
static void
add_recursion(struct mp_head *head, const struct mp_profile *profile)
{
    uint32_t contexts = profile->n_contexts - 1, fewer = 0;
    const char *how = profile->n_kinds > 0 ? "--fold-recursion (:fold-recursion)"
                                           : "mprof run --fold-recursion";
    char number[MP_NUMBER_SIZE], text[128];

    if (profile->meta.missing[MP_MISS_FOLDED] > 0)
        mp_head_say(head, "recursion", "Recursion", "folded while recording");
    else if (contexts > MANY_CONTEXTS && profile->symbolised)
        fewer = mp_recursion_contexts(profile);
    if (fewer == 0)
        return;
    snprintf(text, sizeof text, "of %s contexts: %s saves them",
             mp_number_grouped(contexts, number), how);
    mp_head_count(head, "recursion", "Recursion", fewer, text);
}

/* ------------------------------------------------------------- records */

/* Kinds of missing records. If counted, the row contains the number, else only the text. */
static const struct {
    enum mp_missing kind;
    bool counted;
    const char *key, *label, *text;
} missing[] = {
    {MP_MISS_FOREIGN_FREE, true, "foreign_frees", "Foreign frees",
     "of blocks from before or outside the recording"},
    {MP_MISS_UNSEEN_FREE, true, "unseen_frees", "Unseen frees",
     "of blocks that were allocated again, or not to be recorded"},
    {MP_MISS_OPERATOR_NEW, false, "not_seen", "Not seen",
     "operator new of the program's allocator: it does not call malloc"},
    {MP_MISS_MALLOC, false, "not_seen", "Not seen",
     "calls of malloc that reach the program's own: it has one"},
    {MP_MISS_LIBRARY, false, "not_seen", "Not seen",
     "calls of malloc in a library with a scope of its own"},
};

/* Adds a row for each place with bad frees of KIND, and one for bad frees whose place is unknown. Unknown frees in the
 * program's own pools are counted in meta.missing only. If overruns were looked for, none are a row, too. */
static void
add_bad_frees(struct mp_head *head, const struct mp_profile *profile, enum mp_bad_free_kind kind)
{
    const struct mp_bad_free_text *about = &mp_bad_free_texts[kind];
    const struct mp_bad_frees *frees = profile->bad_frees;
    uint64_t left = frees                      ? frees->counts[kind]
                    : kind == MP_FREED_UNKNOWN ? profile->meta.missing[MP_MISS_UNKNOWN_FREE]
                                               : 0;
    const bool none = kind == MP_FREED_OVERRUN && frees && frees->sentinel == MP_SENTINEL_ON && left == 0;

    for (uint32_t i = 0; frees && i < frees->n; i++) {
        const struct mp_bad_free *place = &frees->places[i];

        if (place->kind != kind || place->count > left || mp_bad_free_calls(frees, place, head->arena).n == 0)
            continue;
        mp_head_count(head, about->key, about->label, place->count, mp_bad_free_place(frees, place, head->arena));
        left -= place->count;
    }
    if (left > 0 || none)
        mp_head_count(head, about->key, about->label, left, about->text);
    if (kind == MP_FREED_OVERRUN && frees && frees->sentinel == MP_SENTINEL_NONE)
        mp_head_say(head, about->key, about->label, profile->processes ? "not looked for in all processes"
                    : "not looked for: the allocator is not glibc's, or the recording is sampled");
}

static void
add_missing(struct mp_head *head, const struct mp_profile *profile)
{
    const struct mp_meta *meta = &profile->meta;

    for (unsigned kind = 0; kind < MP_BAD_FREES; kind++)
        add_bad_frees(head, profile, (enum mp_bad_free_kind)kind);
    mp_head_count(head, "dropped", "Dropped records", meta->missing[MP_MISS_DROPPED], "");
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        uint64_t n = meta->missing[missing[i].kind];

        if (n > 0 && missing[i].counted)
            mp_head_count(head, missing[i].key, missing[i].label, n, missing[i].text);
        else if (n > 0)
            mp_head_say(head, missing[i].key, missing[i].label, "%s", missing[i].text);
    }
}

static void
add_unrecorded(struct mp_head *head, const struct mp_meta *meta)
{
    if (meta->nested > 0)
        mp_head_count(head, "nested", "Nested", meta->nested,
                      "allocations and frees in signal handlers, while mprof was at work");
    if (meta->programs_started > 0)
        mp_head_count(head, "not_profiled", "Not profiled", meta->programs_started,
                      meta->programs_started == 1
                          ? "program started; mprof run -f profiles it"
                          : "programs started; mprof run -f profiles them");
    if (meta->unwinder == MP_UNWIND_LIBUNWIND)
        mp_head_say(head, "unwinder", "Unwinder", "libunwind");
    else if (meta->unwinder == MP_UNWIND_FP)
        mp_head_say(head, "unwinder", "Unwinder", "frame pointers");
}

/* ------------------------------------------------------------- modules */

static bool
no_symbols(const struct mp_module *module)
{
    return strcmp(module->problem, "no symbols") == 0;
}

/* Returns true if an earlier module is the same file with the same problem. */
static bool
said_before(const struct mp_profile *profile, uint32_t id)
{
    for (uint32_t i = 0; i < id; i++)
        if (strcmp(profile->modules[i].path, profile->modules[id].path) == 0 &&
            strcmp(profile->modules[i].problem, profile->modules[id].problem) == 0)
            return true;
    return false;
}

struct unnamed {
    const char *name;
    uint64_t bytes;             /* allocated by its functions themselves */
    uint32_t module;
};

static int
by_bytes(const void *left, const void *right)
{
    const struct unnamed *a = left, *b = right;

    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->module < b->module ? -1 : 1;
}

/* Adds a row with all modules without symbols, most allocated bytes first, and a row for each other problem. */
void
mp_head_modules(struct mp_head *head, const struct mp_profile *profile)
{
    struct unnamed *list = mp_arena_alloc(head->arena, profile->n_modules * sizeof *list);
    const char **names = mp_arena_alloc(head->arena, profile->n_modules * sizeof *names);
    uint64_t *bytes = mp_arena_alloc(head->arena, profile->n_modules * sizeof *bytes);
    struct mp_head_row *row;
    uint32_t n = 0;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        const uint32_t frame = profile->contexts[cell->context].frame;          /* the root has none */
        const uint32_t module = frame < profile->n_frames ? profile->frames[frame].module : profile->n_modules;

        if (module < profile->n_modules)
            bytes[module] = mp_plus(bytes[module], cell->counts.bytes);
    }
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const struct mp_module *module = &profile->modules[i];

        if (module->problem[0] == '\0' || said_before(profile, i))
            continue;
        if (no_symbols(module))
            list[n++] = (struct unnamed){module->name, bytes[i], i};
        else
            mp_head_say(head, "module", "Module", "%s: %s", module->path, module->problem);
    }
    if (n == 0)
        return;
    qsort(list, n, sizeof *list, by_bytes);
    for (uint32_t i = 0; i < n; i++)
        names[i] = list[i].name;
    row = mp_head_add(head, "no_symbols", "No symbols");
    row->has = MP_HEAD_NAMES;
    row->names = names;
    row->n_names = n;
}

void
mp_head_missing(struct mp_head *head, const struct mp_profile *profile,
                const struct mp_totals *totals)
{
    add_cuts(head, profile, totals->allocs);
    add_missing(head, profile);
    add_recursion(head, profile);
    add_unrecorded(head, &profile->meta);
    mp_head_modules(head, profile);
}
