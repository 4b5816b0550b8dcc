/* SPDX-License-Identifier: MIT */
/* Names that differ only in their arguments form a group. A group is split by one argument after the other, and
 * the arguments in which its names differ are shown. This continues until each name is alone in its group. The
 * shown arguments are shortened in the same way. */
#include "short_names.h"

#include <stdlib.h>
#include <string.h>

#include "name_parts.h"

#define DEEPEST 24u             /* maximum nesting of arguments that are shortened; deeper ones are shown in full */
#define ELLIPSIS "..."
#define MARK '\1'               /* represents a list in a key; names do not contain it */

struct argument {
    struct mp_text_part span;
    struct mp_text_part shown;       /* text is NULL if the argument is omitted */
};

struct list {
    struct mp_name_list at;
    struct argument *arguments;
    uint32_t n;
};

struct item {
    struct mp_text_part name;
    struct list *lists;
    uint32_t n_lists;           /* if names may have signatures, the last list is the signature, possibly empty */
    struct mp_text_part key;         /* the name without its lists */
    struct mp_text_part out;
};

struct job {
    struct item *items;
    struct item **order;        /* items, sorted so that groups are contiguous */
    bool *begins;               /* by index in `order`: whether a group begins there */
    uint32_t n;
    bool signatures;            /* whether names may end in a signature */
    unsigned depth;
    struct mp_arena *arena;
};

static int
compare_spans(struct mp_text_part a, struct mp_text_part b)
{
    size_t least = a.length < b.length ? a.length : b.length;
    int order = least > 0 ? memcmp(a.text, b.text, least) : 0;

    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static char *
put(char *to, const char *text, size_t length)
{
    if (length > 0)
        memcpy(to, text, length);
    return to + length;
}

/* ---------------------------------------------------------------- items */

/* Sets the item's key, which is its name with a mark for each list and without signature. */
static void
set_key(struct item *item, struct mp_arena *arena)
{
    char *key = mp_arena_alloc(arena, item->name.length + 1), *to = key;
    const char *from = item->name.text, *end = from + item->name.length;

    for (uint32_t i = 0; i < item->n_lists; i++) {
        const struct mp_name_list *at = &item->lists[i].at;

        to = put(to, from, (size_t)(at->span.text - from));
        from = at->span.text + at->span.length;
        if (at->kind == MP_LIST_ARGUMENTS)
            *to++ = MARK;
    }
    to = put(to, from, (size_t)(end - from));
    item->key = (struct mp_text_part){key, (size_t)(to - key)};
}

/* Finds the lists of ITEM. If signatures are possible and ITEM has none, adds an empty one. */
static void
find_lists(const struct job *job, struct item *item)
{
    uint32_t n;
    struct mp_name_list *found =
        mp_name_lists(item->name, job->signatures, job->arena, &n);

    item->lists = mp_arena_alloc(job->arena, (n + (size_t)1) * sizeof *item->lists);
    for (uint32_t i = 0; i < n; i++)
        item->lists[i].at = found[i];
    item->n_lists = n;
    if (job->signatures && (n == 0 || found[n - 1].kind != MP_LIST_SIGNATURE))
        item->lists[item->n_lists++].at = (struct mp_name_list){
            MP_LIST_SIGNATURE, {item->name.text + item->name.length, 0}};
    set_key(item, job->arena);
}

/* ---------------------------------------------------------------- groups */

static int
compare_keys(const void *a, const void *b)
{
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    int order = compare_spans(x->key, y->key);

    return order ? order : (x > y) - (x < y);
}

static struct mp_text_part
inside(const struct mp_name_list *list)
{
    if (list->kind == MP_LIST_SIGNATURE)
        return list->span;
    return mp_span_trimmed((struct mp_text_part){list->span.text + 1, list->span.length - 2});
}

static void
find_arguments(const struct job *job, struct list *list)
{
    struct mp_text_part *spans = mp_name_arguments(&list->at, job->arena, &list->n);

    list->arguments = mp_arena_alloc(job->arena, list->n * sizeof *list->arguments);
    for (uint32_t i = 0; i < list->n; i++)
        list->arguments[i].span = spans[i];
}

static void
take_as_one(const struct job *job, struct list *list)
{
    list->arguments = mp_arena_alloc(job->arena, sizeof *list->arguments);
    list->arguments->span = inside(&list->at);
    list->n = 1;
}

/* Splits list NUMBER of the N items into arguments. If they have different numbers of arguments, each list is
 * one argument. */
static void
split_list(const struct job *job, struct item *const items[], uint32_t n, uint32_t number)
{
    bool same = items[0]->lists[number].at.kind == MP_LIST_ARGUMENTS;

    for (uint32_t i = 0; i < n && same; i++) {
        find_arguments(job, &items[i]->lists[number]);
        same = items[i]->lists[number].n == items[0]->lists[number].n;
    }
    for (uint32_t i = 0; i < n && !same; i++)
        take_as_one(job, &items[i]->lists[number]);
}

struct place {
    uint32_t list, argument;
};

static struct argument *
argument_at(const struct item *item, struct place place)
{
    return &item->lists[place.list].arguments[place.argument];
}

static int
compare_arguments(const void *a, const void *b, void *data)
{
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    const struct place *place = data;
    int order = compare_spans(argument_at(x, *place)->span, argument_at(y, *place)->span);

    return order ? order : (x > y) - (x < y);
}

static struct mp_text_part *shorten(const struct mp_text_part names[], uint32_t n, bool signatures,
                               unsigned depth, struct mp_arena *arena);

/* Sets what is shown of the argument at PLACE of the N items from FIRST on. They are sorted by it, and each of
 * its N_VALUES different values begins a group. */
static void
show(const struct job *job, uint32_t first, uint32_t n, uint32_t n_values, struct place place)
{
    struct mp_text_part *values = mp_arena_alloc(job->arena, n_values * sizeof *values), *shown;
    uint32_t value = 0;

    for (uint32_t i = first; i < first + n; i++)
        if (job->begins[i])
            values[value++] = argument_at(job->order[i], place)->span;
    shown = shorten(values, n_values, false, job->depth + 1, job->arena);
    value = 0;
    for (uint32_t i = first; i < first + n; i++) {
        value += job->begins[i];
        argument_at(job->order[i], place)->shown = shown[value - 1];
    }
}

/* Splits the group of N items that begins at FIRST in job->order, if their arguments at PLACE differ. Items with equal
 * arguments form a new group. */
static void
split(const struct job *job, uint32_t first, uint32_t n, struct place place)
{
    uint32_t values = 1;

    if (n < 2)
        return;
    qsort_r(job->order + first, n, sizeof *job->order, compare_arguments, &place);
    for (uint32_t i = first + 1; i < first + n; i++) {
        job->begins[i] = compare_spans(argument_at(job->order[i - 1], place)->span,
                                       argument_at(job->order[i], place)->span) != 0;
        values += job->begins[i];
    }
    if (values > 1)
        show(job, first, n, values, place);
}

static uint32_t
group_end(const struct job *job, uint32_t first)
{
    while (++first < job->n && !job->begins[first])
        continue;
    return first;
}

/* Splits the group of items FIRST to END - 1, which have the same key. */
static void
split_group(const struct job *job, uint32_t first, uint32_t end)
{
    struct item *const *items = job->order + first;

    if (end - first < 2)
        return;
    for (uint32_t list = 0; list < items[0]->n_lists; list++) {
        split_list(job, items, end - first, list);
        for (uint32_t i = 0, n = items[0]->lists[list].n; i < n; i++)
            for (uint32_t from = first, to; from < end; from = to) {
                to = group_end(job, from);
                split(job, from, to - from, (struct place){list, i});
            }
    }
}

static void
split_all(struct job *job)
{
    uint32_t end;

    qsort(job->order, job->n, sizeof *job->order, compare_keys);
    for (uint32_t i = 0; i < job->n; i++)
        job->begins[i] =
            i == 0 || compare_spans(job->order[i - 1]->key, job->order[i]->key) != 0;
    for (uint32_t i = 0; i < job->n; i = end) {
        end = group_end(job, i);
        split_group(job, i, end);
    }
}

/* ---------------------------------------------------------------- short forms */

static bool
is_shown(const struct list *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->arguments[i].shown.text)
            return true;
    return false;
}

/* Writes the arguments of LIST to TO. Consecutive omitted arguments become one ellipsis. */
static char *
put_arguments(char *to, const struct list *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const struct argument *argument = &list->arguments[i];

        if (i > 0 && !argument->shown.text && !argument[-1].shown.text)
            continue;
        if (i > 0)
            to = put(to, ", ", 2);
        if (argument->shown.text)
            to = put(to, argument->shown.text, argument->shown.length);
        else
            to = put(to, ELLIPSIS, strlen(ELLIPSIS));
    }
    return to;
}

/* Writes LIST to TO, shortened if that makes it shorter. */
static char *
put_list(char *to, const struct list *list)
{
    const struct mp_text_part *span = &list->at.span;
    bool shown = is_shown(list);
    char *start = to;

    if (list->at.kind == MP_LIST_SIGNATURE)
        return shown ? put_arguments(to, list) : to;
    *to++ = span->text[0];
    to = shown ? put_arguments(to, list) : put(to, ELLIPSIS, strlen(ELLIPSIS));
    *to++ = span->text[span->length - 1];
    return (size_t)(to - start) < span->length ? to : put(start, span->text, span->length);
}

/* Returns the maximum size of the short form. Each argument may become an ellipsis after a comma and a blank. */
static size_t
most_bytes(const struct item *item)
{
    size_t most = item->name.length + 1;

    for (uint32_t i = 0; i < item->n_lists; i++) {
        most += strlen(ELLIPSIS);
        for (uint32_t j = 0; j < item->lists[i].n; j++)
            most += strlen(", " ELLIPSIS) + item->lists[i].arguments[j].shown.length;
    }
    return most;
}

static void
write_item(struct item *item, struct mp_arena *arena)
{
    const char *from = item->name.text, *end = from + item->name.length;
    char *text = mp_arena_alloc(arena, most_bytes(item)), *to = text;

    for (uint32_t i = 0; i < item->n_lists; i++) {
        const struct mp_text_part *span = &item->lists[i].at.span;

        to = put(to, from, (size_t)(span->text - from));
        to = put_list(to, &item->lists[i]);
        from = span->text + span->length;
    }
    to = put(to, from, (size_t)(end - from));
    item->out = (struct mp_text_part){text, (size_t)(to - text)};
}

/* Returns the short forms of N different names, in ARENA. */
static struct mp_text_part *
shorten(const struct mp_text_part names[], uint32_t n, bool signatures, unsigned depth,
        struct mp_arena *arena)
{
    struct mp_text_part *out = mp_arena_alloc(arena, n * sizeof *out);
    struct job job = {.n = n, .signatures = signatures, .depth = depth, .arena = arena,
                      .items = mp_arena_alloc(arena, n * sizeof *job.items),
                      .order = mp_arena_alloc(arena, n * sizeof *job.order),
                      .begins = mp_arena_alloc(arena, n * sizeof *job.begins)};

    if (n == 0 || depth > DEEPEST) {
        if (n > 0)
            memcpy(out, names, n * sizeof *out);
        return out;
    }
    for (uint32_t i = 0; i < n; i++) {
        job.order[i] = &job.items[i];
        job.items[i].name = names[i];
        find_lists(&job, &job.items[i]);
    }
    split_all(&job);
    for (uint32_t i = 0; i < n; i++) {
        write_item(&job.items[i], arena);
        out[i] = job.items[i].out;
    }
    return out;
}

/* ---------------------------------------------------------------- names */

static int
compare_texts(const void *a, const void *b, void *data)
{
    const char *const *texts = data;

    return strcmp(texts[*(const uint32_t *)a], texts[*(const uint32_t *)b]);
}

/* Makes the short forms different. A name that contains "..." may equal the short form of another. Both are then
 * used in full. */
static void
keep_apart(const char *const names[], const char *shorts[], uint32_t n, struct mp_arena *arena)
{
    uint32_t *order = mp_arena_alloc(arena, n * sizeof *order);
    bool changed = true;

    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    while (changed && n > 1) {
        changed = false;
        qsort_r(order, n, sizeof *order, compare_texts, shorts);
        for (uint32_t i = 1; i < n; i++) {
            const uint32_t a = order[i - 1], b = order[i];

            if (strcmp(shorts[a], shorts[b]) != 0 || strcmp(names[a], names[b]) == 0)
                continue;
            shorts[a] = names[a];
            shorts[b] = names[b];
            changed = true;
        }
    }
}

const char **
mp_short_names(const char *const names[], uint32_t n, struct mp_arena *arena)
{
    struct mp_arena *scratch = mp_arena_new();
    struct mp_text_part *spans = mp_arena_alloc(scratch, n * sizeof *spans), *out;
    const char **shorts = mp_arena_alloc(arena, n * sizeof *shorts);

    for (uint32_t i = 0; i < n; i++)
        spans[i] = (struct mp_text_part){names[i], strlen(names[i])};
    out = shorten(spans, n, true, 0, scratch);
    for (uint32_t i = 0; i < n; i++)
        shorts[i] = out[i].length == spans[i].length &&
                            memcmp(out[i].text, names[i], out[i].length) == 0
                        ? names[i] : mp_arena_printf(arena, "%.*s", (int)out[i].length, out[i].text);
    keep_apart(names, shorts, n, scratch);
    mp_arena_free(scratch);
    return shorts;
}

const char *
mp_short_name(const char *name, struct mp_arena *arena)
{
    return mp_short_names(&name, 1, arena)[0];
}
