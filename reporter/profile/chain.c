#include "chain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/text.h"

/* One function of a chain; what is not shown is 0, "" so that steps compare by what is seen. */
struct step {
    uint32_t function;
    uint32_t line;
    const char *file;           /* without its folder */
    int64_t offset;             /* of the return address in the function, negative in a cold part
                                   that lies before it; 0: not shown */
};

enum end { END_STEP, END_COMPLETE, END_CUT };

struct walk {
    const struct mp_profile *profile;
    const struct mp_chain_options *options;
    uint32_t context;
    uint32_t location;          /* next one of the context's frame */
    uint32_t steps;             /* taken so far */
};

static struct walk
walk_start(const struct mp_profile *profile, const struct mp_chain_options *options,
           uint32_t context)
{
    return (struct walk){.profile = profile, .options = options, .context = context};
}

static bool
is_cut(const struct mp_frame *frame)
{
    return frame->mark == MP_FRAME_CUT_DEPTH || frame->mark == MP_FRAME_CUT_NO_RULE ||
           frame->mark == MP_FRAME_CUT_MEMORY;
}

/* The offset tells call sites of the function that really is at that address; functions inlined
 * into it are told apart by it already. */
static int64_t
site_offset(const struct mp_profile *profile, const struct mp_frame *frame, uint32_t location)
{
    const struct mp_location *at = &profile->locations[frame->first_location + location];
    uint64_t start = profile->functions[at->function].start;

    if (location + 1 != frame->n_locations || start == 0)
        return 0;
    return (int64_t)(frame->offset - start);
}

static void
fill_step(const struct walk *walk, const struct mp_frame *frame, struct step *step)
{
    const struct mp_location *at =
        &walk->profile->locations[frame->first_location + walk->location];

    *step = (struct step){.function = at->function, .file = ""};
    if (walk->options->lines) {
        step->line = at->line;
        step->file = mp_text_basename(at->file);
    }
    if (walk->options->offsets)
        step->offset = site_offset(walk->profile, frame, walk->location);
}

/* A frame that the chain begins with is shown, with all that is inlined there. */
static bool
is_hidden(const struct walk *walk)
{
    return walk->steps > 0 && walk->location == 0 && walk->options->hidden &&
           walk->options->hidden[walk->context];
}

static enum end
walk_next(struct walk *walk, struct step *step)
{
    const struct mp_profile *profile = walk->profile;

    for (;;) {
        const struct mp_frame *frame;

        if (walk->context == 0 || is_hidden(walk))
            return END_COMPLETE;
        frame = &profile->frames[profile->contexts[walk->context].frame];
        if (is_cut(frame))
            return END_CUT;
        if (walk->location < frame->n_locations) {
            if (walk->options->limit > 0 && walk->steps == walk->options->limit)
                return END_CUT;
            fill_step(walk, frame, step);
            walk->location++;
            walk->steps++;
            return END_STEP;
        }
        walk->context = profile->contexts[walk->context].parent;
        walk->location = 0;
    }
}

static int
compare_steps(const struct step *a, const struct step *b)
{
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return strcmp(a->file, b->file);
}

/* Mixing step of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t
mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) + 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    return hash ^ (hash >> 31);
}

uint64_t
mp_chain_hash(const struct mp_profile *profile, const struct mp_chain_options *options,
              uint32_t context)
{
    struct walk walk = walk_start(profile, options, context);
    struct step step;
    uint64_t hash = 0;
    enum end end;

    while ((end = walk_next(&walk, &step)) == END_STEP) {
        hash = mix(hash, (uint64_t)step.function << 32 | step.line);
        hash = mix(hash, (uint64_t)step.offset);
        for (const char *c = step.file; *c; c++)
            hash = mix(hash, (unsigned char)*c);
    }
    return mix(hash, options->bare ? END_STEP : end);
}

bool
mp_chain_equal(const struct mp_profile *profile, const struct mp_chain_options *options,
               uint32_t a, uint32_t b)
{
    struct walk walk_a = walk_start(profile, options, a), walk_b = walk_start(profile, options, b);
    struct step step_a, step_b;

    for (;;) {
        enum end end_a = walk_next(&walk_a, &step_a), end_b = walk_next(&walk_b, &step_b);

        if (end_a != END_STEP && end_b != END_STEP)
            return options->bare || end_a == end_b;
        if (end_a != end_b)
            return false;
        if (compare_steps(&step_a, &step_b) != 0)
            return false;
    }
}

/* ---------------------------------------------------------------- numbers of whole chains */

/* A step of a frame, and its number: equal steps have one. */
struct numbered {
    struct step step;
    uint32_t number;
};

/* Chains that are shown in one way are one: each is a shorter one and a step. */
struct numbers {
    const struct mp_profile *profile;
    const struct mp_chain_options *options;
    struct mp_arena *arena;
    struct numbered *steps;     /* of frame 0, of frame 1, ... */
    uint32_t *first_step;       /* by frame */
    struct mp_map links;        /* number of the shorter one and of the step: the chain, less FIRST_CHAIN */
};
enum { COMPLETE, CUT, FIRST_CHAIN };    /* numbers of the two chains without a step */

static int
compare_numbered(const void *a, const void *b)
{
    const struct numbered *const *x = a, *const *y = b;

    return compare_steps(&(*x)->step, &(*y)->step);
}

static void
number_steps(struct numbers *numbers)
{
    const struct mp_profile *profile = numbers->profile;
    struct walk walk = walk_start(profile, numbers->options, 0);
    struct numbered **order;
    size_t n = 0, room = 0;

    for (uint32_t i = 0; i < profile->n_frames; i++)
        room += profile->frames[i].n_locations;
    numbers->first_step = mp_arena_alloc(numbers->arena, profile->n_frames * sizeof(uint32_t));
    numbers->steps = mp_arena_alloc(numbers->arena, room * sizeof *numbers->steps);
    order = mp_arena_alloc(numbers->arena, room * sizeof *order);
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        numbers->first_step[i] = (uint32_t)n;
        for (walk.location = 0; walk.location < profile->frames[i].n_locations; walk.location++) {
            fill_step(&walk, &profile->frames[i], &numbers->steps[n].step);
            order[n] = &numbers->steps[n];
            n++;
        }
    }
    if (n > 0)
        qsort(order, n, sizeof *order, compare_numbered);
    for (size_t i = 1; i < n; i++)
        order[i]->number =
            order[i - 1]->number + (compare_steps(&order[i - 1]->step, &order[i]->step) != 0);
}

/* The number of the chain that is CHAIN and a step more. */
static uint32_t
extend(struct numbers *numbers, uint32_t chain, uint32_t step)
{
    return FIRST_CHAIN + mp_map_add_u64(&numbers->links, (uint64_t)chain << 32 | step);
}

const uint32_t *
mp_chain_numbers(const struct mp_profile *profile, const struct mp_chain_options *options,
                 struct mp_arena *arena)
{
    struct numbers numbers = {
        .profile = profile, .options = options, .arena = arena, .links.arena = arena};
    uint32_t *chains = mp_arena_alloc(arena, profile->n_contexts * sizeof *chains);

    number_steps(&numbers);
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        uint32_t parent = profile->contexts[i].parent, id = profile->contexts[i].frame;
        const struct mp_frame *frame = &profile->frames[id];

        if (is_cut(frame)) {
            chains[i] = options->bare ? COMPLETE : CUT;
            continue;
        }
        chains[i] = options->hidden && options->hidden[parent] ? COMPLETE : chains[parent];
        for (uint32_t j = frame->n_locations; j-- > 0;)
            chains[i] = extend(&numbers, chains[i],
                               numbers.steps[numbers.first_step[id] + j].number);
    }
    return chains;
}

/* ---------------------------------------------------------------- text */

static void
print_step(const struct mp_profile *profile, const struct step *step, FILE *out)
{
    fputs(profile->functions[step->function].name, out);
    if (step->offset != 0)
        fprintf(out, "%+" PRId64, step->offset);
    if (step->line > 0)
        fprintf(out, " (%s:%" PRIu32 ")", step->file, step->line);
}

/* The steps of CONTEXT's chain, innermost first; *N of them.  The caller frees them. */
static struct step *
collect(const struct mp_profile *profile, const struct mp_chain_options *options,
        uint32_t context, size_t *n, enum end *end)
{
    struct walk walk = walk_start(profile, options, context);
    struct step *steps = NULL, step;
    size_t room = 0;

    *n = 0;
    while ((*end = walk_next(&walk, &step)) == END_STEP) {
        if (*n == room) {
            struct step *more = reallocarray(steps, room = room * 2 + 8, sizeof *steps);

            if (!more) {
                free(steps);
                return NULL;
            }
            steps = more;
        }
        steps[(*n)++] = step;
    }
    return steps ? steps : calloc(1, sizeof *steps);
}

static void
print_outside_in(const struct walk *walk, const struct step *steps, size_t n, enum end end,
                 FILE *out)
{
    if (!walk->options->bare)
        fputs(end == END_COMPLETE ? "||" : "...", out);
    for (size_t i = n; i-- > 0;) {
        if (!walk->options->bare || i + 1 < n)
            fputs(" > ", out);
        print_step(walk->profile, &steps[i], out);
    }
}

static void
print_inside_out(const struct walk *walk, const struct step *steps, size_t n, enum end end,
                 FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            fputs(" < ", out);
        print_step(walk->profile, &steps[i], out);
    }
    if (!walk->options->bare && end == END_CUT)
        fputs(n > 0 ? " < ..." : "...", out);
}

char *
mp_chain_text(const struct mp_profile *profile, const struct mp_chain_options *options,
              uint32_t context)
{
    const struct walk whole = walk_start(profile, options, context);
    size_t n, size;
    enum end end;
    char *text = NULL;
    struct step *steps = collect(profile, options, context, &n, &end);
    FILE *stream = steps ? open_memstream(&text, &size) : NULL;

    if (!stream) {
        free(steps);
        return NULL;
    }
    (options->inside_out ? print_inside_out : print_outside_in)(&whole, steps, n, end, stream);
    fclose(stream);
    free(steps);
    return text;
}
