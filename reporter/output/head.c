#include "head.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"
#include "reporter/base/text.h"
#include "reporter/profile/ending.h"
#include "reporter/profile/recursion.h"

enum { LABEL_WIDTH = 17, LINE_WIDTH = 80, TIME_SIZE = 64 };

static void print_line(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void
print_line(FILE *out, const char *label, const char *format, ...)
{
    va_list args;

    fprintf(out, "%-*s ", LABEL_WIDTH, label);
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fputc('\n', out);
}

/* ------------------------------------------------------------- the process */

/* The command line as one would type it. */
static void
print_command(const struct mp_meta *meta, FILE *out)
{
    fprintf(out, "%-*s", LABEL_WIDTH, "Command");
    for (uint32_t i = 0; i < meta->n_arguments; i++) {
        fputc(' ', out);
        mp_text_shell(out, meta->arguments[i]);
    }
    fputs(meta->arguments_cut ? " ...\n" : "\n", out);
}

/* A time in ns since 1970, local; "": there is none. */
static const char *
time_text(uint64_t realtime, char text[static TIME_SIZE])
{
    time_t seconds = (time_t)(realtime / 1000000000);
    struct tm when;

    if (realtime == 0 || !localtime_r(&seconds, &when) ||
        strftime(text, TIME_SIZE, "%Y-%m-%d %H:%M:%S %z", &when) == 0)
        text[0] = '\0';
    return text;
}

static void
print_time(const struct mp_meta *meta, FILE *out)
{
    char text[TIME_SIZE], duration[MP_NUMBER_SIZE];

    if (time_text(meta->start_realtime, text)[0])
        print_line(out, "Started", "%s", text);
    if (meta->duration > 0)
        print_line(out, "Recorded", "%s", mp_number_duration(meta->duration, duration));
}

/* When the recording stopped early, as far as the file tells. */
static void
print_stopped(const struct mp_meta *meta, uint64_t allocs, FILE *out)
{
    char when[TIME_SIZE] = "", after[MP_NUMBER_SIZE] = "", number[MP_NUMBER_SIZE];
    bool timed = meta->duration > 0;

    if (timed && meta->start_realtime > 0)
        time_text(meta->start_realtime + meta->duration, when);
    if (timed)
        mp_number_duration(meta->duration, after);
    print_line(out, "Stopped", "%s%safter %s%s%s allocation%s", when, when[0] ? ", " : "", after,
               timed ? " and " : "", mp_number_grouped(allocs, number), mp_plural(allocs));
}

static void
print_process(const struct mp_meta *meta, uint64_t allocs, FILE *out)
{
    char ending[MP_ENDING_SIZE];

    print_line(out, "Program", "%s", meta->program[0] ? meta->program : "not known");
    if (meta->n_arguments > 0)
        print_command(meta, out);
    print_line(out, "Process", "%" PRIu32, meta->pid);
    print_time(meta, out);
    print_line(out, "Ended", "%s", mp_ending_text(meta, ending));
    if (meta->ending == MP_END_FULL)
        print_stopped(meta, allocs, out);
    if (meta->damaged)
        print_line(out, "Damaged", "the header of the data file was overwritten: the process, the peak and "
                   "what is missing are not known");
}

/* ------------------------------------------------------------- the numbers */

static void
print_blocks(FILE *out, const char *label, uint64_t blocks, uint64_t bytes, const char *more)
{
    char number[3][MP_NUMBER_SIZE];

    print_line(out, label, "%15s  %19s byte%s  (%s)%s", mp_number_grouped(blocks, number[0]),
               mp_number_grouped(bytes, number[1]), mp_plural(bytes),
               mp_number_bytes(bytes, number[2]), more);
}

static void
print_count(FILE *out, const char *label, uint64_t count, const char *more)
{
    char number[MP_NUMBER_SIZE];

    print_line(out, label, "%15s%s%s", mp_number_grouped(count, number), *more ? "  " : "", more);
}

static uint64_t
not_negative(int64_t number)
{
    return number > 0 ? (uint64_t)number : 0;
}

static void
print_peak(const struct mp_meta *meta, bool objects, FILE *out)
{
    char more[64] = "", slack[MP_NUMBER_SIZE];

    if (meta->damaged)
        return;
    if (meta->peak_slack > 0)
        snprintf(more, sizeof more, " +- %s bytes", mp_number_grouped(meta->peak_slack, slack));
    if (objects)
        strcat(more, " with objects of Lisp");
    print_blocks(out, "Peak", not_negative(meta->peak_blocks), not_negative(meta->peak_bytes),
                 more);
}

static void
print_threads(const struct mp_meta *meta, FILE *out)
{
    char more[64] = "";

    if (meta->one_thread > 0)
        snprintf(more, sizeof more, "objects of Lisp of one thread only (%" PRIu32 ")",
                 meta->one_thread);
    print_count(out, "Threads", meta->threads, more);
}

static void
print_sums(const struct mp_meta *meta, const struct mp_totals *totals, FILE *out)
{
    const struct mp_counts *c = &totals->c;
    char percent[32] = "";
    unsigned temporary = mp_number_share(c->temporary, c->allocs);

    print_blocks(out, "Allocations", c->allocs, c->bytes, "");
    print_blocks(out, "Frees", c->frees, c->freed, "");
    print_blocks(out, mp_ending_runs(meta) ? "Current" : "Kept", c->kept_blocks, c->kept, "");
    print_peak(meta, totals->lisp.bytes > 0, out);
    if (temporary > 0)
        snprintf(percent, sizeof percent, "%u %% of allocations", temporary);
    print_count(out, "Temporary", c->temporary, percent);
}

/* ------------------------------------------------------------- the objects */

/* libgc counts the objects of a block of memory when it lays them out, not when it gives them away:
 * a quotient of less than this says nothing. */
#define HEAP_SURE 10000000u

/* What the collector has counted, and how much of it is recorded as objects. */
static void
print_heap(const struct mp_meta *meta, uint64_t recorded, FILE *out)
{
    uint64_t heap = meta->heap_now - meta->heap_before;
    char number[2][MP_NUMBER_SIZE];

    if (meta->heap_now <= meta->heap_before)
        return;
    /* The collector's count is of its last collection, or of the end. */
    if (heap < HEAP_SURE || mp_ending_runs(meta))
        print_line(out, "Heap", "%15s  %19s byte%s  (%s)  by the collector's count", "",
                   mp_number_grouped(heap, number[0]), mp_plural(heap),
                   mp_number_bytes(heap, number[1]));
    else
        print_line(out, "Heap", "%15s  %19s byte%s  (%s)  by the collector's count; %.2f %% recorded",
                   "", mp_number_grouped(heap, number[0]), mp_plural(heap),
                   mp_number_bytes(heap, number[1]), 100.0 * (double)recorded / (double)heap);
}

/* The program's libecl, if its objects are not recorded, by the name of its file; else NULL. */
static const char *
unrecorded_runtime(const struct mp_profile *profile)
{
    for (uint32_t i = 0; profile->meta.language[0] == '\0' && i < profile->n_modules; i++)
        if (strncmp(profile->modules[i].name, "libecl.so", 9) == 0)
            return profile->modules[i].name;
    return NULL;
}

const char *
mp_head_no_objects(const struct mp_profile *profile, struct mp_arena *arena)
{
    const char *runtime = unrecorded_runtime(profile);

    if (!runtime)
        return "No objects of Lisp were allocated.";
    return mp_arena_printf(arena, "No objects of Lisp were recorded: the program has %s, into which "
                           "mprof did not find its way.", runtime);
}

static void
print_runtime(const struct mp_profile *profile, FILE *out)
{
    const char *runtime = unrecorded_runtime(profile);

    if (runtime)
        print_line(out, "Runtime", "%s, not recorded", runtime);
    else
        print_line(out, "Runtime", "%s",
                   profile->meta.language[0] ? profile->meta.language : "none");
}

static void
print_objects(const struct mp_profile *profile, const struct mp_counts *lisp, FILE *out)
{
    const struct mp_meta *meta = &profile->meta;
    char number[2][MP_NUMBER_SIZE];

    print_runtime(profile, out);
    print_blocks(out, "Objects", lisp->allocs, lisp->bytes, "");
    print_line(out, "Requested", "%15s  %19s byte%s  (%s)", "",
               mp_number_grouped(lisp->requested, number[0]), mp_plural(lisp->requested),
               mp_number_bytes(lisp->requested, number[1]));
    print_blocks(out, "Collected", lisp->frees, lisp->freed, "");
    print_blocks(out, "Objects kept", lisp->kept_blocks, lisp->kept, "  survived a collection");
    print_blocks(out, "Not yet examined", mp_counts_new(lisp),
                 lisp->bytes - lisp->freed - lisp->kept, "");
    print_count(out, "Collections", meta->collections, "");
    print_heap(meta, lisp->bytes, out);
}

/* The share of the process's peak. */
static void
print_objects_peak(const struct mp_counts *lisp, FILE *out)
{
    print_blocks(out, "Peak", not_negative(lisp->peak_blocks), not_negative(lisp->peak_bytes),
                 "  when the process was at its peak");
}

/* -------------------------------------------------------- what is not whole */

/* A chain that is cut hangs under a mark, directly under the root: reasons[context]. */
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
};

/* By enum mp_frame_mark; a context counts if something was allocated in it. */
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
        last = cell->context;
    }
    free(reasons);
}

/* "666  of 4,317 allocations, in 12 chains: REASON" */
static void
print_cut(FILE *out, const char *label, const struct cut *cut, uint64_t allocs, const char *reason)
{
    char number[3][MP_NUMBER_SIZE];

    print_line(out, label, "%15s  of %s allocation%s, in %s chain%s: %s",
               mp_number_grouped(cut->allocs, number[0]), mp_number_grouped(allocs, number[1]),
               mp_plural(allocs), mp_number_grouped(cut->contexts, number[2]),
               mp_plural(cut->contexts), reason);
}

static void
print_cuts(const struct mp_profile *profile, uint64_t allocs, FILE *out)
{
    struct cut cuts[MP_FRAME_FIRST] = {{0, 0}};
    const struct cut *no_rule = &cuts[MP_FRAME_CUT_NO_RULE], *memory = &cuts[MP_FRAME_CUT_MEMORY];
    char reason[64];

    count_cuts(profile, cuts);
    if (no_rule->allocs == 0 && memory->allocs == 0)
        print_count(out, "Cut chains", 0, "");
    if (no_rule->allocs > 0)
        print_cut(out, "Cut chains", no_rule, allocs, "no unwind information for the caller");
    if (memory->allocs > 0)
        print_cut(out, "Cut chains", memory, allocs, "no memory for the whole chain");
    if (profile->meta.depth > 0) {
        snprintf(reason, sizeof reason, "last %" PRIu32 " caller%s kept, as asked for",
                 profile->meta.depth, mp_plural(profile->meta.depth));
        print_cut(out, "Shortened chains", &cuts[MP_FRAME_CUT_DEPTH], allocs, reason);
    }
}

/* Of fewer contexts nobody need be told: the data are small. */
#define MANY_CONTEXTS 10000u

/* That it was folded; or that most contexts are there because of it. */
static void
print_recursion(const struct mp_profile *profile, FILE *out)
{
    uint32_t contexts = profile->n_contexts - 1, fewer = 0;
    const char *how = profile->n_kinds > 0 ? "--fold-recursion (:fold-recursion)"
                                           : "mprof run --fold-recursion";
    char number[2][MP_NUMBER_SIZE];

    if (profile->meta.missing[MP_MISS_FOLDED] > 0)
        print_line(out, "Recursion", "folded while recording");
    else if (contexts > MANY_CONTEXTS && profile->symbolised)
        fewer = mp_recursion_contexts(profile);
    if (fewer > 0)
        print_line(out, "Recursion", "%15s  of %s contexts: %s saves them",
                   mp_number_grouped(fewer, number[0]), mp_number_grouped(contexts, number[1]),
                   how);
}

static void
print_missing(const struct mp_profile *profile, const struct mp_totals *totals, FILE *out)
{
    static const char *const unwinders[] = {
        [MP_UNWIND_LIBUNWIND] = "libunwind", [MP_UNWIND_FP] = "frame pointers"};
    const struct mp_meta *meta = &profile->meta;

    print_cuts(profile, totals->all.allocs, out);
    print_count(out, "Dropped records", meta->missing[MP_MISS_DROPPED], "");
    if (meta->missing[MP_MISS_FOREIGN_FREE] > 0)
        print_count(out, "Foreign frees", meta->missing[MP_MISS_FOREIGN_FREE],
                    "of blocks from before or outside the recording");
    if (meta->missing[MP_MISS_UNKNOWN_FREE] > 0)
        print_count(out, "Unknown frees", meta->missing[MP_MISS_UNKNOWN_FREE],
                    "of addresses never seen");
    if (meta->missing[MP_MISS_UNSEEN_FREE] > 0)
        print_count(out, "Unseen frees", meta->missing[MP_MISS_UNSEEN_FREE],
                    "of blocks that were allocated again, or not to be recorded");
    if (meta->missing[MP_MISS_OPERATOR_NEW] > 0)
        print_line(out, "Not seen",
                   "operator new of the program's allocator: it does not call malloc");
    if (meta->missing[MP_MISS_MALLOC] > 0)
        print_line(out, "Not seen", "calls of malloc that reach the program's own: it has one");
    if (meta->missing[MP_MISS_LIBRARY] > 0)
        print_line(out, "Not seen", "calls of malloc in a library with a scope of its own");
    print_recursion(profile, out);
    if (meta->nested > 0)
        print_count(out, "Nested", meta->nested,
                    "allocations and frees in signal handlers, while mprof was at work");
    if (meta->programs_started > 0)
        print_count(out, "Not profiled", meta->programs_started,
                    meta->programs_started == 1 ? "program started; mprof run -f profiles it"
                                                : "programs started; mprof run -f profiles them");
    if (meta->unwinder == MP_UNWIND_LIBUNWIND || meta->unwinder == MP_UNWIND_FP)
        print_line(out, "Unwinder", "%s", unwinders[meta->unwinder]);
}

/* ------------------------------------------------------------- the modules */

static bool
no_symbols(const struct mp_module *module)
{
    return strcmp(module->problem, "no symbols") == 0;
}

/* The same file loaded twice has the same problem. */
static bool
said_before(const struct mp_profile *profile, uint32_t id)
{
    for (uint32_t i = 0; i < id; i++)
        if (strcmp(profile->modules[i].path, profile->modules[id].path) == 0 &&
            strcmp(profile->modules[i].problem, profile->modules[id].problem) == 0)
            return true;
    return false;
}

/* The names of the modules without symbols, on one line: unless all are asked for, those that the
 * line has room for. */
static void
print_nameless(const struct mp_profile *profile, const struct mp_print_options *options, FILE *out)
{
    size_t width = options->width > 0 ? options->width : LINE_WIDTH, used = LABEL_WIDTH + 1;
    bool all = options->verbosity == MP_VERBOSE;
    uint32_t shown = 0, more = 0;

    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const struct mp_module *module = &profile->modules[i];

        if (!no_symbols(module) || said_before(profile, i))
            continue;
        used += strlen(module->name) + strlen(", ");
        if (shown > 0 && !all && (more > 0 || used + strlen("and 12345 more") > width)) {
            more++;
            continue;
        }
        if (shown++ == 0)
            fprintf(out, "%-*s %s", LABEL_WIDTH, "No symbols", module->name);
        else
            fprintf(out, ", %s", module->name);
    }
    if (more > 0)
        fprintf(out, ", and %" PRIu32 " more", more);
    if (shown > 0)
        fputc('\n', out);
}

static void
print_modules(const struct mp_profile *profile, const struct mp_print_options *options, FILE *out)
{
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const struct mp_module *module = &profile->modules[i];

        if (module->problem[0] && !no_symbols(module) && !said_before(profile, i))
            print_line(out, "Module", "%s: %s", module->path, module->problem);
    }
    print_nameless(profile, options, out);
}

void
mp_head_print(const struct mp_profile *profile, const struct mp_print_options *options, bool lisp,
              FILE *out)
{
    struct mp_totals totals;
    bool objects;

    mp_profile_totals(profile, &totals);
    objects = lisp || totals.lisp.allocs > 0 || totals.lisp.bytes > 0;
    mp_columns_title(out, "MPROF: DYNAMIC MEMORY ALLOCATION", options->color);
    print_process(&profile->meta, totals.all.allocs, out);
    if (!lisp)
        print_sums(&profile->meta, &totals, out);
    if (objects)
        print_objects(profile, &totals.lisp, out);
    if (lisp)
        print_objects_peak(&totals.lisp, out);
    print_threads(&profile->meta, out);
    print_missing(profile, &totals, out);
    print_modules(profile, options, out);
}

void
mp_head_sources(const struct mp_profile *view, FILE *out)
{
    for (uint32_t i = 0; i < view->n_sources; i++)
        print_line(out, "No lines", "%s", view->sources[i]);
}
