/* SPDX-License-Identifier: MIT */
#include "limit_options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/profile/ending.h"
#include "reporter/profile/missing.h"
#include "reporter/unite/several.h"

#define CHAIN 5u                /* number of functions shown for an offending chain */

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

static bool
parse_bound(const struct mp_option *option, char *text, void *to)
{
    struct mp_limit_input *input = to;
    struct mp_error error;

    return mp_bounds_add(&input->bounds, (enum mp_sort)option->low, text, &error) ||
           mp_options_refuse("%s", error.text);
}

/* Parses PERCENT[+SIZE] into *TO. FIGURE determines the unit of SIZE. MP_SORTS stands for all figures, which have no
 * unit in common. */
static bool
parse_amount(char *text, enum mp_sort figure, struct mp_tolerance *to)
{
    char *end;

    *to = (struct mp_tolerance){.percent = strtod(text, &end)};
    if (end == text || !isfinite(to->percent) || to->percent < 0)
        return mp_options_wrong("not a percentage");
    end += *end == '%';
    if (*end == '+' && figure == MP_SORTS)
        return mp_options_wrong("a size needs a figure, such as kept=5%%+64K");
    return !*end || (*end == '+' && mp_number_parse(end + 1, !mp_sort_is_blocks(figure), &to->more)) ||
           mp_options_wrong("not a percentage");
}

/* Parses a list of [FIGURE=]PERCENT[+SIZE]. */
static bool
parse_tolerance(const struct mp_option *option, char *text, void *to)
{
    struct mp_limit_input *input = to;
    char *rest;

    (void)option;
    if (!*text)
        return mp_options_wrong("not a percentage");
    for (char *item = strtok_r(text, ",", &rest); item; item = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(item, '=');
        struct mp_tolerance tolerance;
        enum mp_sort figure = 0;

        if (!equals) {
            if (!parse_amount(item, MP_SORTS, &tolerance))
                return false;
            for (; figure < MP_SORTS; figure++)
                input->tolerance[figure] = tolerance;
            continue;
        }
        *equals = '\0';
        while (figure < MP_SORTS && strcmp(item, mp_sorts[figure].key) != 0)
            figure++;
        if (figure == MP_SORTS)
            return mp_options_wrong("not a figure: bytes, allocs, kept, peak or temporary");
        if (!parse_amount(equals + 1, figure, &input->tolerance[figure]))
            return false;
    }
    return true;
}

/* Adds the limit that every block must be freed. Suppresses the buffers of standard input and output, which live as
 * long as the process. A FILE from fopen() that is never closed is a separate block and still counts. */
static bool
parse_no_leaks(const struct mp_option *option, char *text, void *to)
{
    static const char stdio[] = "{\n buffers of stdio\n Memcheck:Leak\n fun:malloc\n fun:_IO_*file_doallocate\n}\n";
    struct mp_limit_input *input = to;
    struct mp_error error;

    (void)option;
    (void)text;
    mp_bounds_add_no_leaks(&input->bounds);
    return mp_suppressions_parse(&input->suppressions, stdio, "--no-leaks", &error) ||
           mp_options_refuse("%s", error.text);
}

static bool
parse_function(const struct mp_option *option, char *text, void *to)
{
    struct mp_limit_input *input = to;
    struct mp_error error;

    (void)option;
    return mp_bounds_add_function(&input->bounds, text, &error) || mp_options_refuse("%s", error.text);
}

static bool
parse_baseline(const struct mp_option *option, char *text, void *to)
{
    struct mp_limit_input *input = to;

    (void)option;
    input->baselines = mp_arena_grow(input->arena, input->baselines, input->n_baselines, &input->baseline_room,
                                     sizeof *input->baselines);
    input->baselines[input->n_baselines++] = mp_arena_strdup(input->arena, text);
    return true;
}

bool
mp_parse_suppressions(const struct mp_option *option, char *text, void *to)
{
    struct mp_error error;

    (void)option;
    return mp_suppressions_read(to, text, &error) || mp_options_refuse("%s", error.text);
}

#define BOUND(sort) parse_bound, .low = sort

const struct mp_option mp_limit_options[] = {
    {.help = "Limits (SIZE: bytes, with K, M or G for units of 1024):"},
    {"max-bytes", 0, "SIZE", "Allow at most SIZE bytes to be allocated in total", BOUND(MP_SORT_BYTES)},
    {"max-allocs", 0, "N", "Allow at most N blocks to be allocated", BOUND(MP_SORT_OBJECTS)},
    {"max-kept", 0, "SIZE", "Allow at most SIZE bytes that are never freed", BOUND(MP_SORT_KEPT)},
    {"max-peak", 0, "SIZE", "Allow at most SIZE bytes to be live at once", BOUND(MP_SORT_PEAK)},
    {"max-temporary", 0, "N", "Allow at most N blocks to be freed before their thread allocates again",
     BOUND(MP_SORT_TEMPORARY)},
    {"no-leaks", 0, NULL, "Require that all blocks are freed, except the buffers of stdio", parse_no_leaks},
    {"limit-function", 0, "REGEX:LIMIT,...",
     "Limit what matching functions and their callees allocate; a LIMIT is bytes=N, allocs=N, kept=N, peak=N or "
     "temporary=N", parse_function, .many = true},
    {"baseline", 0, "FILE", "Allow no figure to exceed that of the data file FILE; of several, the largest one",
     parse_baseline, .many = true},
    {"tolerance", 0, "[FIGURE=]PERCENT[+SIZE],...",
     "Allow figures, or bytes, allocs, kept, peak or temporary alone, to exceed the baseline by PERCENT and SIZE "
     "(default 0)", parse_tolerance, .many = true},
    {"suppressions", 0, "FILE", "Do not count blocks kept on the chains in FILE (LeakSanitizer or valgrind format)",
     MP_STORED(mp_parse_suppressions, struct mp_suppressions, struct mp_limit_input, suppressions), .many = true},
    {"allow-killed", 0, NULL, "Also check a run that was killed or is not recorded completely",
     MP_FLAG(struct mp_limit_input, allow_killed)},
    {0},
};

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
    if (more->n_baselines > 0) {
        to->baselines = more->baselines;
        to->n_baselines = to->baseline_room = more->n_baselines;
        memcpy(to->tolerance, more->tolerance, sizeof to->tolerance);
    }
}

static bool
is_complete(struct mp_arena *arena, const struct mp_meta *meta, const char *file, struct mp_error *error)
{
    const char *why = mp_missing_why(meta, arena);

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
        if (!is_complete(input->arena, &profile->processes->list[i].meta, profile->processes->list[i].file,
                         error))
            return false;
    return is_complete(input->arena, &profile->meta, file, error);
}

struct mp_verdict *
mp_limit_verdict(struct mp_limit_input *input, const struct mp_profile *profile,
                 const struct mp_view_input *names, uint32_t most, struct mp_error *error)
{
    struct mp_baseline *baselines = mp_arena_alloc(input->arena, (input->n_baselines + (size_t)1) * sizeof *baselines);
    struct mp_profile **loaded = mp_arena_alloc(input->arena, (input->n_baselines + (size_t)1) * sizeof *loaded);
    struct mp_verdict_options wanted = {
        .view = names->view, .bounds = &input->bounds, .baselines = baselines,
        .suppressions = input->suppressions.n > 0 ? &input->suppressions : NULL, .chain = CHAIN, .most = most};
    struct mp_verdict *verdict = NULL;
    uint32_t n = 0;

    while (n < input->n_baselines && (loaded[n] = mp_several_load(input->baselines[n], error))) {
        baselines[n] = (struct mp_baseline){input->baselines[n], loaded[n]};
        n++;
    }
    wanted.n_baselines = n;
    memcpy(wanted.tolerance, input->tolerance, sizeof wanted.tolerance);
    if (n == input->n_baselines)
        verdict = mp_verdict(profile, &wanted, error);
    while (n > 0)
        mp_profile_free(loaded[--n]);
    return verdict;
}
