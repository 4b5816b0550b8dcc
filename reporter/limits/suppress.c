#include "suppress.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/text.h"

/* ---------------------------------------------------------------- names that match */

/* A call of a chain as patterns see it; inlined calls count as frames, too. */
struct step {
    uint32_t frame, location;   /* location: index in the profile; MP_NO_ID if only a Lisp name is known */
};

struct work {
    const struct mp_profile *profile;
    struct mp_suppressions *suppressions;
    struct step *chain;         /* innermost first */
    uint32_t n, room;
};

static bool
matches(const char *pattern, const char *text)
{
    return text && *text && fnmatch(pattern, text, 0) == 0;
}

/* Appends `*` and N characters of TEXT to the pattern ending at TO, if there is space before END. Returns its end. */
static char *
append(char *to, const char *end, const char *text, size_t n)
{
    if ((size_t)(end - to) < n + 2)
        return to;
    *to++ = '*';
    memcpy(to, text, n);
    return to + n;
}

/* Matches NAME with the identifiers of a mangled name's pattern: "_ZN3map*emplace*" is treated as "*map*emplace*". In
 * a mangled name, identifiers follow their length or a wildcard; everything else is syntax and ignored. */
static bool
matches_mangled(const char *pattern, const char *name)
{
    char loose[256], *to = loose;
    const char *const end = loose + sizeof loose;
    bool after_wild = false;

    if (strncmp(pattern, "_Z", 2) != 0 || !strpbrk(pattern, "*?"))
        return false;
    for (pattern += 2; *pattern;) {
        size_t left = strcspn(pattern, "*?"), n = 0;

        if (left == 0) {
            after_wild = true;
            pattern++;
            continue;
        }
        if (isdigit((unsigned char)*pattern)) {
            while (isdigit((unsigned char)*pattern) && n < sizeof loose)
                n = 10 * n + (size_t)(*pattern++ - '0');
            left = strcspn(pattern, "*?");
            n = n < left ? n : left;
        } else {
            n = after_wild ? left : 0;
        }
        to = n > 0 ? append(to, end, pattern, n) : to;
        pattern += n > 0 ? n : left > 0;
        after_wild = false;
    }
    if (to == loose || to + 1 >= end)
        return false;
    mp_text_put(to, end, "*");
    return matches(loose, name);
}

/* Matches NAME, for example f(int), also without its parameters. */
static bool
matches_function(const char *pattern, const char *name)
{
    const char *paren = name ? strchr(name, '(') : NULL;
    char bare[512];

    if (matches(pattern, name) || (name && matches_mangled(pattern, name)))
        return true;
    if (!paren || paren == name || (size_t)(paren - name) >= sizeof bare)
        return false;
    memcpy(bare, name, (size_t)(paren - name));
    bare[paren - name] = '\0';
    return matches(pattern, bare);
}

static bool
is_function(const struct work *w, const struct step *step, const char *pattern)
{
    const struct mp_frame *frame = &w->profile->frames[step->frame];
    const struct mp_name *name = mp_frame_name(w->profile, frame);
    const struct mp_function *function;

    if (name && matches_function(pattern, name->name))
        return true;
    if (step->location == MP_NO_ID)
        return false;
    function = &w->profile->functions[w->profile->locations[step->location].function];
    return matches_function(pattern, function->name) ||
           (function->plain && matches_function(pattern, function->plain));
}

static bool
is_object(const struct work *w, const struct step *step, const char *pattern)
{
    const struct mp_frame *frame = &w->profile->frames[step->frame];
    const struct mp_module *module =
        frame->module < w->profile->n_modules ? &w->profile->modules[frame->module] : NULL;

    return module && (matches(pattern, module->path) || matches(pattern, module->name));
}

/* Matches the source file with or without its folder, and with a line: "f.c", "/src/f.c", "f.c:12". */
static bool
is_source(const struct work *w, const struct step *step, const char *pattern)
{
    const struct mp_location *at;
    const char *file, *slash;
    char place[512];

    if (step->location == MP_NO_ID)
        return false;
    at = &w->profile->locations[step->location];
    file = at->file[0] ? at->file : w->profile->functions[at->function].file;
    if (!file)
        return false;
    slash = strrchr(file, '/');
    snprintf(place, sizeof place, "%s:%u", slash ? slash + 1 : file, at->line);
    return matches(pattern, file) || matches(pattern, slash ? slash + 1 : file) ||
           matches(pattern, place);
}

static bool
matches_step(const struct work *w, const struct mp_suppress_frame *frame, const struct step *step)
{
    switch (frame->by) {
    case MP_SUPPRESS_FUNCTION:
        return is_function(w, step, frame->pattern);
    case MP_SUPPRESS_OBJECT:
        return is_object(w, step, frame->pattern);
    case MP_SUPPRESS_SOURCE:
        return is_source(w, step, frame->pattern);
    default:
        return is_function(w, step, frame->pattern) || is_object(w, step, frame->pattern) ||
               is_source(w, step, frame->pattern);
    }
}

/* ---------------------------------------------------------------- chains that match */

static bool
is_any(const struct work *w, const struct mp_suppression *suppression)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (matches_step(w, &suppression->frames[0], &w->chain[i]))
            return true;
    return false;
}

/* Returns true if the N FRAMES match the chain from index AT on. Like matching with wildcards: after a mismatch, the
 * last `...` is extended by one frame. */
static bool
matches_from(const struct work *w, const struct mp_suppress_frame *frames, uint32_t n, uint32_t at)
{
    uint32_t i = 0, rest = MP_NO_ID, rest_at = 0;

    while (i < n) {
        if (frames[i].by == MP_SUPPRESS_REST) {
            rest = i++;
            rest_at = at;
        } else if (at < w->n && matches_step(w, &frames[i], &w->chain[at])) {
            i++;
            at++;
        } else if (rest != MP_NO_ID && rest_at < w->n) {
            i = rest + 1;
            at = ++rest_at;
        } else {
            return false;
        }
    }
    return true;
}

/* Returns true if FRAME may match an allocation function, which mprof's chains do not contain. */
static bool
is_allocator(const struct mp_suppress_frame *frame)
{
    static const char *const names[] = {
        "malloc", "calloc", "realloc", "reallocarray", "memalign", "posix_memalign",
        "aligned_alloc", "valloc", "pvalloc", "_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t",
        "_ZnamRKSt9nothrow_t", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t"};

    for (size_t i = 0; frame->by == MP_SUPPRESS_FUNCTION && i < sizeof names / sizeof *names; i++)
        if (fnmatch(frame->pattern, names[i], 0) == 0)
            return true;
    return false;
}

/* Returns true if the innermost function is operator new, which replaces malloc in valgrind's chains. */
static bool
begins_with_new(const struct work *w)
{
    return w->n > 0 && is_function(w, &w->chain[0], "operator new*");
}

static bool
is_suppressed_by(const struct work *w, const struct mp_suppression *suppression)
{
    const struct mp_suppress_frame *frames = suppression->frames;
    const uint32_t n = suppression->n_frames;

    if (frames[0].by == MP_SUPPRESS_ANY)
        return is_any(w, suppression);
    if (matches_from(w, frames, n, 0))
        return true;
    return n > 1 && is_allocator(&frames[0]) && matches_from(w, frames + 1, n - 1, begins_with_new(w));
}

/* ---------------------------------------------------------------- cells */

static void
add_step(struct work *w, uint32_t frame, uint32_t location)
{
    w->chain = mp_grow(w->chain, w->n, &w->room, sizeof *w->chain);
    w->chain[w->n++] = (struct step){frame, location};
}

static void
collect(struct work *w, uint32_t context)
{
    const struct mp_profile *profile = w->profile;

    w->n = 0;
    for (; context != 0; context = profile->contexts[context].parent) {
        const uint32_t id = profile->contexts[context].frame;
        const struct mp_frame *frame = &profile->frames[id];

        if (frame->mark != 0)
            continue;
        if (frame->n_locations == 0)
            add_step(w, id, MP_NO_ID);
        for (uint32_t i = 0; i < mp_frame_locations(frame); i++)
            add_step(w, id, frame->first_location + i);
    }
}

static struct mp_suppression *
suppression_of(struct work *w, uint32_t context)
{
    struct mp_suppressions *all = w->suppressions;

    collect(w, context);
    for (uint32_t i = 0; i < all->n; i++)
        if (is_suppressed_by(w, &all->list[i]))
            return &all->list[i];
    return NULL;
}

struct mp_profile *
mp_suppress(const struct mp_profile *profile, struct mp_suppressions *suppressions)
{
    struct mp_profile *left = mp_profile_new();
    struct work w = {.profile = profile, .suppressions = suppressions};
    struct mp_suppression *found = NULL;
    uint32_t last = MP_NO_ID;

    mp_profile_share(left, profile);
    left->cells = mp_arena_alloc(left->arena, profile->n_cells * sizeof *left->cells);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        struct mp_cell *cell = &left->cells[i];

        *cell = profile->cells[i];
        if (cell->counts.kept == 0 && cell->counts.kept_blocks == 0)
            continue;
        if (cell->context != last)
            found = suppression_of(&w, cell->context);
        last = cell->context;
        if (!found)
            continue;
        found->blocks += cell->counts.kept_blocks;
        found->bytes += cell->counts.kept;
        cell->counts.kept = cell->counts.kept_blocks = 0;
        cell->counts.spread.kept = cell->counts.spread.kept_blocks = 0;
    }
    free(w.chain);
    return left;
}
