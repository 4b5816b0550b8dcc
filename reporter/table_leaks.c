/* The table of Figure 2 of Zorn and Hilfinger's report; fields as in its manual page, TABLE 2. */
#include "table_leaks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "columns.h"
#include "format_number.h"
#include "startup.h"

enum { ALLOCS, BYTES, PERCENT, FREES, FREED, PATH, N_COLUMNS };

static const struct mp_column columns[N_COLUMNS] = {
    [ALLOCS] = {"allocs", MP_RIGHT}, [BYTES] = {"bytes", MP_RIGHT}, [PERCENT] = {"(%)", MP_RIGHT},
    [FREES] = {"frees", MP_RIGHT},   [FREED] = {"bytes", MP_RIGHT}, [PATH] = {"path", MP_WRAP},
};

/* What happened on one partial chain. */
struct leak {
    uint64_t hash;
    uint32_t context;           /* one of those with this chain; 0 with no allocs: free slot */
    uint64_t allocs, bytes, frees, freed;
    char *path;                 /* of a printed one; owned */
};

/* All of them: a hash table with open addressing, at most half full; later an array of N. */
struct leaks {
    const struct mp_profile *profile;
    struct mp_chain_options chain;
    struct leak *slots;
    size_t n_slots, n;
    uint64_t allocs, kept, kept_blocks;
};

static uint64_t
difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t
leak_kept(const struct leak *leak)
{
    return difference(leak->bytes, leak->freed);
}

static bool
slot_free(const struct leak *slot)
{
    return slot->allocs == 0 && slot->frees == 0;
}

static size_t
context_count(const struct mp_profile *profile)
{
    size_t n = 0;

    for (uint32_t i = 0; i < profile->n_cells; i++)
        n += i == 0 || profile->cells[i].context != profile->cells[i - 1].context;
    return n;
}

static void
leaks_add(struct leaks *leaks, const struct leak *sum)
{
    size_t i = sum->hash & (leaks->n_slots - 1);

    while (!slot_free(&leaks->slots[i]) &&
           (leaks->slots[i].hash != sum->hash ||
            !mp_chain_equal(leaks->profile, &leaks->chain, leaks->slots[i].context,
                            sum->context)))
        i = (i + 1) & (leaks->n_slots - 1);
    if (slot_free(&leaks->slots[i])) {
        leaks->slots[i] = *sum;
        leaks->n++;
        return;
    }
    leaks->slots[i].allocs += sum->allocs;
    leaks->slots[i].bytes += sum->bytes;
    leaks->slots[i].frees += sum->frees;
    leaks->slots[i].freed += sum->freed;
}

/* Sum the cells of each context, and the contexts of each chain. */
static bool
leaks_collect(struct leaks *leaks)
{
    const struct mp_profile *profile = leaks->profile;
    size_t contexts = context_count(profile);

    leaks->n_slots = 16;
    while (leaks->n_slots < contexts * 2)
        leaks->n_slots *= 2;
    leaks->slots = calloc(leaks->n_slots, sizeof *leaks->slots);
    if (!leaks->slots)
        return false;
    for (uint32_t i = 0; i < profile->n_cells;) {
        struct leak sum = {.context = profile->cells[i].context};

        for (; i < profile->n_cells && profile->cells[i].context == sum.context; i++) {
            sum.allocs += profile->cells[i].allocs;
            sum.bytes += profile->cells[i].bytes;
            sum.frees += profile->cells[i].frees;
            sum.freed += profile->cells[i].freed;
        }
        if (slot_free(&sum))
            continue;
        sum.hash = mp_chain_hash(profile, &leaks->chain, sum.context);
        leaks_add(leaks, &sum);
    }
    return true;
}

/* Keep only chains with kept blocks, packed at the front of the slots. */
static void
leaks_pack(struct leaks *leaks)
{
    leaks->n = 0;
    for (size_t i = 0; i < leaks->n_slots; i++) {
        const struct leak *leak = &leaks->slots[i];

        leaks->allocs += leak->allocs;
        if (leak->allocs <= leak->frees)
            continue;
        leaks->kept += leak_kept(leak);
        leaks->kept_blocks += leak->allocs - leak->frees;
        leaks->slots[leaks->n++] = *leak;
    }
}

static bool
leak_shown(const struct leaks *leaks, const struct leak *leak, enum mp_verbosity verbosity)
{
    unsigned threshold = mp_print_threshold(verbosity);

    return threshold == 0 || leaks->kept == 0 || mp_more_than(leak_kept(leak), leaks->kept, threshold);
}

/* By kept bytes, the largest first; then by path, so that a report is always the same. */
static int
compare_leaks(const void *a, const void *b)
{
    const struct leak *left = a, *right = b;
    uint64_t kept_left = leak_kept(left), kept_right = leak_kept(right);

    if (kept_left != kept_right)
        return kept_left < kept_right ? 1 : -1;
    return strcmp(left->path, right->path);
}

/* Give a path to each chain that is shown, and move those to the front.  Their number, or
 * SIZE_MAX: out of memory. */
static size_t
leaks_choose(struct leaks *leaks, enum mp_verbosity verbosity)
{
    size_t shown = 0;

    for (size_t i = 0; i < leaks->n; i++) {
        struct leak leak = leaks->slots[i];

        if (!leak_shown(leaks, &leak, verbosity))
            continue;
        leak.path = mp_chain_text(leaks->profile, &leaks->chain, leak.context);
        if (!leak.path)
            return SIZE_MAX;
        leaks->slots[i] = leaks->slots[shown];
        leaks->slots[shown++] = leak;
    }
    qsort(leaks->slots, shown, sizeof *leaks->slots, compare_leaks);
    return shown;
}

static void
add_row(struct mp_columns *table, const struct leak *leak, uint64_t kept, bool with_frees)
{
    char texts[PATH][MP_NUMBER_SIZE] = {0};
    const char *cells[N_COLUMNS];
    size_t n = 0;

    snprintf(texts[ALLOCS], MP_NUMBER_SIZE, "%" PRIu64, leak->allocs);
    snprintf(texts[BYTES], MP_NUMBER_SIZE, "%" PRIu64, leak->bytes);
    mp_number_percent(leak_kept(leak), kept, texts[PERCENT]);
    if (leak->frees > 0) {
        snprintf(texts[FREES], MP_NUMBER_SIZE, "%" PRIu64, leak->frees);
        snprintf(texts[FREED], MP_NUMBER_SIZE, "%" PRIu64, leak->freed);
    }
    for (size_t i = 0; i < PATH; i++)
        if (with_frees || (i != FREES && i != FREED))
            cells[n++] = texts[i];
    cells[n] = leak->path;
    mp_columns_row(table, cells);
}

/* The fields about frees are left out where nothing was freed. */
static bool
print_shown(const struct leaks *leaks, size_t shown, unsigned width, FILE *out,
            struct mp_error *error)
{
    struct mp_column used[N_COLUMNS];
    struct mp_columns *table;
    bool with_frees = false;
    size_t n = 0;

    for (size_t i = 0; i < shown; i++)
        with_frees |= leaks->slots[i].frees > 0;
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (with_frees || (i != FREES && i != FREED))
            used[n++] = columns[i];
    table = mp_columns_new(used, n, width);
    for (size_t i = 0; i < shown; i++)
        add_row(table, &leaks->slots[i], leaks->kept, with_frees);
    return mp_columns_print(table, out, error);
}

static void
print_left_out(const struct leaks *leaks, size_t shown, enum mp_verbosity verbosity, FILE *out)
{
    uint64_t chains = leaks->n - shown, allocs = 0, blocks = 0, kept = 0;
    char number[4][MP_NUMBER_SIZE];

    if (chains == 0)
        return;
    for (size_t i = shown; i < leaks->n; i++) {
        allocs += leaks->slots[i].allocs;
        blocks += leaks->slots[i].allocs - leaks->slots[i].frees;
        kept += leak_kept(&leaks->slots[i]);
    }
    fprintf(out, "%s chain%s of %s %% or less left out: %s allocation%s, %s block%s kept, "
                 "%s bytes kept\n",
            mp_number_grouped(chains, number[0]), mp_plural(chains),
            mp_print_threshold_text(verbosity), mp_number_grouped(allocs, number[1]),
            mp_plural(allocs), mp_number_grouped(blocks, number[2]), mp_plural(blocks),
            mp_number_grouped(kept, number[3]));
}

static bool
print_all(struct leaks *leaks, const struct mp_print_options *options, FILE *out,
          struct mp_error *error)
{
    size_t shown;

    mp_columns_title(out, "TABLE 2: MEMORY LEAKS", options->color);
    if (leaks->n == 0) {
        fputs(leaks->allocs > 0 ? "No leaks: every block was freed.\n" : MP_PRINT_NOTHING, out);
        return true;
    }
    shown = leaks_choose(leaks, options->verbosity);
    if (shown == SIZE_MAX)
        return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "cannot list the leaks");
    if (shown > 0 && !print_shown(leaks, shown, options->width, out, error))
        return false;
    print_left_out(leaks, shown, options->verbosity, out);
    return true;
}

bool
mp_table_leaks(const struct mp_profile *profile, const struct mp_print_options *options,
               bool all_frames, FILE *out, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct leaks leaks = {
        .profile = profile,
        .chain = {options->chain, options->offsets, options->lines,
                  all_frames ? NULL : mp_startup_contexts(profile, arena)},
    };
    bool ok = leaks_collect(&leaks);

    if (!ok) {
        mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "cannot list the leaks");
    } else {
        leaks_pack(&leaks);
        ok = print_all(&leaks, options, out, error);
        for (size_t i = 0; i < leaks.n; i++)
            free(leaks.slots[i].path);
    }
    free(leaks.slots);
    mp_arena_free(arena);
    return ok;
}
