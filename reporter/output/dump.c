#include "dump.h"

#include <inttypes.h>
#include <string.h>

#include "reporter/profile/startup.h"

/* A chain of more functions than MOST_WHOLE is written as a part of it that has a number, and the
 * functions that follow, so that a line does not grow with the depth.  Parts end where the number of
 * functions passes a multiple of PART. */
#define MOST_WHOLE 2000u
#define PART 100u

/* What is dumped. */
struct dump {
    FILE *out;
    const struct mp_profile *profile;
    const bool *hidden;         /* of mp_startup_contexts(), or NULL */
    uint32_t *length;           /* by context: functions of the chain, down to there */
    uint32_t *part;             /* by context: the part that ends with it, 0: none was written */
    uint32_t n_parts;
    uint32_t *path;             /* room for the frames of the longest chain */
    const char *zeros;          /* the figures of a line that only has a part */
};

/* Control characters stand as \xNN in names already; here semicolons do, too, and what looks like a
 * part's number. */
static void
print_name(const char *name, FILE *out)
{
    if (name[0] == '@' && name[1] >= '0' && name[1] <= '9') {
        fputs("\\x40", out);
        name++;
    }
    for (;; name++) {
        size_t plain = strcspn(name, ";");

        fwrite(name, 1, plain, out);
        name += plain;
        if (*name == '\0')
            return;
        fputs("\\x3b", out);
    }
}

/* The context that called CONTEXT; 0: the chain begins here. */
static uint32_t
shown_caller(const struct dump *dump, uint32_t context)
{
    uint32_t caller = dump->profile->contexts[context].parent;

    return dump->hidden && dump->hidden[caller] ? 0 : caller;
}

static void
measure(struct dump *dump)
{
    const struct mp_profile *profile = dump->profile;

    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        uint32_t more = profile->frames[profile->contexts[i].frame].n_locations;
        uint32_t caller = dump->length[shown_caller(dump, i)];

        dump->length[i] = more < UINT32_MAX - caller ? caller + more : UINT32_MAX;
    }
}

static bool
ends_part(const struct dump *dump, uint32_t context)
{
    return dump->length[context] / PART > dump->length[shown_caller(dump, context)] / PART;
}

/* The functions of CONTEXT and its callers up to OUTER, whose chain, if it is any, is a part. */
static void
print_functions(const struct dump *dump, uint32_t context, uint32_t outer)
{
    const struct mp_profile *profile = dump->profile;
    uint32_t n = 0, *path = dump->path;
    const char *separator = outer ? ";" : "";

    for (; context != outer; context = shown_caller(dump, context))
        path[n++] = profile->contexts[context].frame;
    if (outer)
        fprintf(dump->out, "@%" PRIu32, dump->part[outer]);
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

/* Where the innermost part of CONTEXT's chain, which is long, ends: outside of it. */
static uint32_t
outer_part(const struct dump *dump, uint32_t context)
{
    do {
        context = shown_caller(dump, context);
    } while (context && !ends_part(dump, context));
    return context;
}

/* A line for the part that CONTEXT's chain begins with, after those for the parts that it begins
 * with itself, unless they are written. */
static void
define_parts(struct dump *dump, uint32_t context)
{
    uint32_t n = 0, *parts = dump->path;

    if (dump->length[context] <= MOST_WHOLE)
        return;
    for (;;) {
        context = outer_part(dump, context);
        if (context == 0 || dump->part[context] != 0)
            break;
        parts[n++] = context;
    }
    dump->path += n;
    while (n-- > 0) {
        uint32_t outer = outer_part(dump, parts[n]);

        dump->part[parts[n]] = ++dump->n_parts;
        fprintf(dump->out, "%s@%" PRIu32 "=", dump->zeros, dump->n_parts);
        print_functions(dump, parts[n], outer);
    }
    dump->path = parts;
}

/* The functions of a context's chain, outermost first, separated by semicolons. */
static void
print_chain(const struct dump *dump, uint32_t context)
{
    bool whole = dump->length[context] <= MOST_WHOLE;

    print_functions(dump, context, whole ? 0 : outer_part(dump, context));
}

static void
print_context(struct dump *dump, uint32_t first, uint32_t end)
{
    const struct mp_profile *profile = dump->profile;
    struct mp_counts sum = {0};

    for (uint32_t i = first; i < end; i++)
        mp_counts_add(&sum, &profile->cells[i].counts);
    define_parts(dump, profile->cells[first].context);
    fprintf(dump->out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ", sum.allocs, sum.bytes,
            sum.frees, sum.freed);
    fprintf(dump->out, "%" PRId64 " %" PRId64 " %" PRIu64 " ", sum.peak_bytes, sum.peak_blocks,
            sum.temporary);
    print_chain(dump, profile->cells[first].context);
}

static void
print_objects(struct dump *dump)
{
    const struct mp_profile *profile = dump->profile;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        const struct mp_counts *c = &cell->counts;

        define_parts(dump, cell->context);
        fprintf(dump->out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ",
                c->allocs, c->bytes, c->requested, c->frees, c->freed);
        fprintf(dump->out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\t",
                c->kept_blocks, c->kept, c->survived[0], c->survived[1], c->survived[2],
                mp_profile_kind(profile, cell->kind)->name);
        print_chain(dump, cell->context);
    }
}

static void
print_contexts(struct dump *dump)
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
    const struct mp_view_options wanted = {
        .frames = options->frames, .lisp_only = options->lisp, .all_frames = options->all_frames};
    struct mp_profile *view = mp_view(profile, &wanted, NULL);
    struct dump dump = {.out = out, .profile = view};

    dump.hidden = options->all_frames ? NULL : mp_startup_contexts(dump.profile, arena);
    dump.zeros = options->lisp ? "0 0 0 0 0 0 0 0 0 0 \t" : "0 0 0 0 0 0 0 ";
    dump.length = mp_arena_alloc(arena, dump.profile->n_contexts * sizeof *dump.length);
    dump.part = mp_arena_alloc(arena, dump.profile->n_contexts * sizeof *dump.part);
    dump.path = mp_arena_alloc(arena, 2 * (size_t)dump.profile->n_contexts * sizeof *dump.path);
    measure(&dump);
    if (options->lisp)
        print_objects(&dump);
    else
        print_contexts(&dump);
    mp_arena_free(arena);
    mp_profile_free(view);
}
