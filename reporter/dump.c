#include "dump.h"

#include <inttypes.h>
#include <string.h>

#include "report.h"
#include "startup.h"

/* What is dumped. */
struct dump {
    FILE *out;
    const struct mp_profile *profile;
    const bool *hidden;         /* of mp_startup_contexts(), or NULL */
    uint32_t *path;             /* room for the frames of the longest chain */
};

/* Control characters stand as \xNN in names already; here semicolons do, too. */
static void
print_name(const char *name, FILE *out)
{
    for (;; name++) {
        size_t plain = strcspn(name, ";");

        fwrite(name, 1, plain, out);
        name += plain;
        if (*name == '\0')
            return;
        fputs("\\x3b", out);
    }
}

/* The functions of a context's chain, outermost first, separated by semicolons. */
static void
print_chain(const struct dump *dump, uint32_t context)
{
    const struct mp_profile *profile = dump->profile;
    uint32_t n = 0, *path = dump->path;
    const char *separator = "";

    for (; context && (n == 0 || !dump->hidden || !dump->hidden[context]);
         context = profile->contexts[context].parent)
        path[n++] = profile->contexts[context].frame;
    while (n-- > 0) {
        const struct mp_frame *frame = &profile->frames[path[n]];

        for (uint32_t i = frame->n_locations; i-- > 0; separator = ";") {
            uint32_t function = profile->locations[frame->first_location + i].function;

            fputs(separator, dump->out);
            print_name(profile->functions[function].name, dump->out);
        }
    }
    fputc('\n', dump->out);
}

static void
print_context(const struct dump *dump, uint32_t first, uint32_t end)
{
    const struct mp_profile *profile = dump->profile;
    struct mp_cell sum = { 0 };

    for (uint32_t i = first; i < end; i++) {
        const struct mp_cell *cell = &profile->cells[i];

        sum.allocs += cell->allocs;
        sum.bytes += cell->bytes;
        sum.frees += cell->frees;
        sum.freed += cell->freed;
        sum.temporary += cell->temporary;
        sum.peak_bytes += cell->peak_bytes;
        sum.peak_blocks += cell->peak_blocks;
    }
    fprintf(dump->out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ", sum.allocs, sum.bytes,
            sum.frees, sum.freed);
    fprintf(dump->out, "%" PRId64 " %" PRId64 " %" PRIu64 " ", sum.peak_bytes, sum.peak_blocks,
            sum.temporary);
    print_chain(dump, profile->cells[first].context);
}

static void
print_objects(const struct dump *dump)
{
    const struct mp_profile *profile = dump->profile;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];

        fprintf(dump->out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ",
                cell->allocs, cell->bytes, cell->requested, cell->frees, cell->freed);
        fprintf(dump->out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\t",
                mp_cell_kept_blocks(cell), mp_cell_kept(cell), cell->survived[0],
                cell->survived[1], cell->survived[2], mp_profile_kind(profile, cell->kind)->name);
        print_chain(dump, cell->context);
    }
}

static void
print_contexts(const struct dump *dump)
{
    const struct mp_profile *profile = dump->profile;

    for (uint32_t first = 0, end; first < profile->n_cells; first = end) {
        for (end = first + 1; end < profile->n_cells; end++)
            if (profile->cells[end].context != profile->cells[first].context)
                break;
        print_context(dump, first, end);
    }
}

void
mp_dump_write(const struct mp_profile *profile, const struct mp_dump_options *options, FILE *out)
{
    struct mp_arena *arena = mp_arena_new();
    const struct mp_view_options wanted = {options->frames, options->lisp, options->all_frames,
                                           false};
    struct mp_profile *view = mp_report_view(profile, wanted);
    struct dump dump = {.out = out, .profile = view ? view : profile};

    dump.hidden = options->all_frames ? NULL : mp_startup_contexts(dump.profile, arena);
    dump.path = mp_arena_alloc(arena, dump.profile->n_contexts * sizeof *dump.path);
    if (options->lisp)
        print_objects(&dump);
    else
        print_contexts(&dump);
    mp_arena_free(arena);
    mp_profile_free(view);
}
