#include "limit_options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "reporter/base/format_number.h"
#include "reporter/load/load.h"
#include "reporter/profile/ending.h"

enum {
    OPT_NO_LEAKS = 768, OPT_FUNCTION, OPT_BASELINE, OPT_TOLERANCE, OPT_SUPPRESSIONS, OPT_ALLOW_KILLED,
    OPT_BOUNDED                 /* first of the keys for enum mp_sort */
};

/* Group of the options, after a command's own. */
#define GROUP_LIMITS 10

#define CHAIN 5u                /* number of functions shown for an offending chain */

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Limits (SIZE: bytes, with K, M or G for units of 1024):", GROUP_LIMITS},
    {"max-bytes", OPT_BOUNDED + 0, "SIZE", 0, "What may be allocated in all", GROUP_LIMITS},
    {"max-allocs", OPT_BOUNDED + 1, "N", 0, "How many blocks may be", GROUP_LIMITS},
    {"max-kept", OPT_BOUNDED + 2, "SIZE", 0, "What may never be freed", GROUP_LIMITS},
    {"max-peak", OPT_BOUNDED + 3, "SIZE", 0, "What may live at once", GROUP_LIMITS},
    {"max-temporary", OPT_BOUNDED + 4, "N", 0, "How many blocks may be freed before another one comes",
     GROUP_LIMITS},
    {"no-leaks", OPT_NO_LEAKS, NULL, 0, "Every block must be freed, but for the buffers of stdio", GROUP_LIMITS},
    {"limit-function", OPT_FUNCTION, "REGEX:LIMIT,...", MP_OPTION_MANY,
     "What such functions, and what they call, may do: bytes=, allocs=, kept=, peak= or temporary=",
     GROUP_LIMITS},
    {"baseline", OPT_BASELINE, "FILE", 0, "No figure may be more than in the data file FILE",
     GROUP_LIMITS},
    {"tolerance", OPT_TOLERANCE, "PERCENT", 0, "By how much it may be (0)", GROUP_LIMITS},
    {"suppressions", OPT_SUPPRESSIONS, "FILE", MP_OPTION_MANY,
     "Do not count what is kept on such chains; LeakSanitizer's or valgrind's form", GROUP_LIMITS},
    {"allow-killed", OPT_ALLOW_KILLED, NULL, 0, "Check also a run that was killed or is not recorded completely",
     GROUP_LIMITS},
    {0},
};

void
mp_limit_input_init(struct mp_limit_input *input)
{
    *input = (struct mp_limit_input){.arena = mp_arena_new()};
    input->bounds.arena = input->suppressions.arena = input->arena;
}

void
mp_limit_input_free(struct mp_limit_input *input)
{
    mp_arena_free(input->arena);
}

static error_t
result(bool ok, const struct mp_error *error)
{
    return ok ? 0 : mp_options_refuse("%s", error->text);
}

static error_t
set_tolerance(struct mp_limit_input *input, const char *text)
{
    char *end;

    input->tolerance = strtod(text, &end);
    if (end == text || (*end && strcmp(end, "%") != 0) || !isfinite(input->tolerance) ||
        input->tolerance < 0)
        return mp_options_wrong("not a percentage");
    return 0;
}

/* Adds the limit that every block must be freed. Suppresses the buffers of standard input and output, which live as
 * long as the process. A FILE from fopen() that is never closed is a separate block and still counts. */
static error_t
add_no_leaks(struct mp_limit_input *input)
{
    static const char stdio[] = "{\n buffers of stdio\n Memcheck:Leak\n fun:malloc\n fun:_IO_*file_doallocate\n}\n";
    struct mp_error error;

    mp_bounds_add_no_leaks(&input->bounds);
    return result(mp_suppressions_parse(&input->suppressions, stdio, "--no-leaks", &error), &error);
}

static error_t
parse_limit(struct mp_limit_input *input, int key, char *arg)
{
    struct mp_error error;

    if (key >= OPT_BOUNDED && key < OPT_BOUNDED + (int)MP_SORTS)
        return result(mp_bounds_add(&input->bounds, (enum mp_sort)(key - OPT_BOUNDED), arg, &error), &error);
    switch (key) {
    case OPT_NO_LEAKS:
        return add_no_leaks(input);
    case OPT_FUNCTION:
        return result(mp_bounds_add_function(&input->bounds, arg, &error), &error);
    case OPT_BASELINE:
        input->baseline = mp_arena_strdup(input->arena, arg);
        return 0;
    case OPT_TOLERANCE:
        return set_tolerance(input, arg);
    case OPT_SUPPRESSIONS:
        return result(mp_suppressions_read(&input->suppressions, arg, &error), &error);
    case OPT_ALLOW_KILLED:
        input->allow_killed = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct mp_limit_input *input = state->input;
    error_t status = parse_limit(input, key, arg);

    input->given |= status != ARGP_ERR_UNKNOWN;
    return status;
}

const struct argp mp_limit_argp = {.options = options, .parser = parse};

void
mp_limit_input_add(struct mp_limit_input *to, const struct mp_limit_input *more)
{
    for (uint32_t i = 0; i < more->bounds.n; i++) {
        to->bounds.list = mp_arena_grow(to->arena, to->bounds.list, to->bounds.n, &to->bounds.room,
                                        sizeof *to->bounds.list);
        to->bounds.list[to->bounds.n++] = more->bounds.list[i];
    }
    for (uint32_t i = 0; i < more->suppressions.n; i++) {
        to->suppressions.list =
            mp_arena_grow(to->arena, to->suppressions.list, to->suppressions.n,
                          &to->suppressions.room, sizeof *to->suppressions.list);
        to->suppressions.list[to->suppressions.n++] = more->suppressions.list[i];
    }
    to->allow_killed |= more->allow_killed;
    if (more->baseline) {
        to->baseline = more->baseline;
        to->tolerance = more->tolerance;
    }
}

/* Returns the reason why META does not describe a whole run, or NULL if it does. May write it to TEXT. */
static const char *
incomplete_text(const struct mp_meta *meta, char text[static MP_ENDING_SIZE])
{
    char number[MP_NUMBER_SIZE];
    const uint64_t dropped = meta->missing[MP_MISS_DROPPED];

    if (meta->ending == MP_END_SIGNAL || meta->ending == MP_END_KILLED || meta->ending == MP_END_FULL)
        return mp_ending_text(meta, text);
    if (meta->damaged)
        return "its data file is damaged";
    if (dropped == 0)
        return NULL;
    snprintf(text, MP_ENDING_SIZE, "%s allocation%s not recorded", mp_number_grouped(dropped, number),
             dropped == 1 ? " was" : "s were");
    return text;
}

static bool
is_complete(const struct mp_meta *meta, const char *file, struct mp_error *error)
{
    char text[MP_ENDING_SIZE];
    const char *why = incomplete_text(meta, text);

    return !why || mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                           "%s: %s; --allow-killed checks what was recorded", file, why);
}

bool
mp_limit_complete(const struct mp_limit_input *input, const struct mp_profile *profile, const char *file,
                  struct mp_error *error)
{
    if (input->allow_killed || !mp_limit_input_any(input))
        return true;
    for (uint32_t i = 0; profile->processes && i < profile->processes->n; i++)
        if (!is_complete(&profile->processes->list[i].meta, profile->processes->list[i].file, error))
            return false;
    return is_complete(&profile->meta, file, error);
}

struct mp_verdict *
mp_limit_verdict(struct mp_limit_input *input, const struct mp_profile *profile,
                 const struct mp_view_input *names, uint32_t most, struct mp_error *error)
{
    struct mp_profile *baseline = NULL;
    struct mp_verdict_options wanted = {
        .view = names->view, .bounds = &input->bounds, .baseline_name = input->baseline,
        .suppressions = input->suppressions.n > 0 ? &input->suppressions : NULL,
        .tolerance = input->tolerance, .chain = CHAIN, .most = most};
    struct mp_verdict *verdict;

    if (input->baseline && !(baseline = mp_load(input->baseline, NULL, error)))
        return NULL;
    wanted.baseline = baseline;
    verdict = mp_verdict(profile, &wanted, error);
    mp_profile_free(baseline);
    return verdict;
}
