/* SPDX-License-Identifier: MIT */
#include "match.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/map.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/profile/identity.h"

/* ---------------------------------------------------------------- stems of names */

/* Returns whether the suffixes of NAME, which begin at CLONE, are those of a part of a function that the function
 * itself calls. */
static bool
is_part(const char *clone)
{
    static const char *const words[] = {".part", ".cold"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *at = strstr(clone, words[i]); at; at = strstr(at + 1, words[i]))
            if (strchr(".]", at[strlen(words[i])]))     /* also true at the end of the text */
                return true;
    return false;
}

/* In the names of lambdas and of other unnamed things, compilers write one of these texts followed by a number.
 * The number may differ between two builds of a program, so mp_stem_numbers() removes the number. */
static const char *const number_marks[] = {
    ")#",                       /* {lambda(int)#2} of g++ */
    "{unnamed type#", "{closure#",
    "'lambda", "'unnamed",      /* of clang, as LLVM writes them */
    "$_",                       /* of clang, as others write them */
    ".func",                    /* of Go */
};

/* Returns the length of the mark at TEXT if digits follow it, else 0. */
static size_t
mark_at(const char *text)
{
    for (size_t i = 0; i < sizeof number_marks / sizeof *number_marks; i++) {
        size_t length = strlen(number_marks[i]);

        if (strncmp(text, number_marks[i], length) == 0 && isdigit((unsigned char)text[length]))
            return length;
    }
    return 0;
}

/* Returns the length of "lambda@FILE" at TEXT if a line number follows it, else 0. */
static size_t
line_at(const char *text)
{
    static const char mark[] = "lambda@";
    size_t length;

    if (strncmp(text, mark, strlen(mark)) != 0)
        return 0;
    length = strlen(mark) + strcspn(text + strlen(mark), ":>,)( ");
    return text[length] == ':' && isdigit((unsigned char)text[length + 1]) ? length : 0;
}

/* Removes numbers from Lisp names: "LAMBDA #2 in F", "(LAMBDA (X)) of w.lisp:7", "top-level form of w.lisp:9". */
static const char *
lisp_numbers(const char *name, struct mp_arena *arena)
{
    static const char lambda[] = "LAMBDA #";
    const char *of = strstr(name, " of ");
    bool nameless = strncmp(name, "LAMBDA", 6) == 0 || strncmp(name, "(LAMBDA (", 9) == 0 ||
                    strncmp(name, "top-level form", 14) == 0;
    size_t length = strlen(name), end = length;

    if (!nameless)
        return name;
    while (of && end > 0 && isdigit((unsigned char)name[end - 1]))
        end--;
    if (of && end < length && end > 0 && (name[end - 1] == ':' || name[end - 1] == '@'))
        name = mp_arena_printf(arena, "%.*s", (int)(end - 1), name);
    if (strncmp(name, lambda, strlen(lambda)) != 0)
        return name;
    return mp_arena_printf(arena, "LAMBDA%s", name + strlen(lambda) + strspn(name + strlen(lambda), "0123456789"));
}

const char *
mp_stem_numbers(const char *name, struct mp_arena *arena)
{
    char *stem = NULL, *to = NULL;

    for (const char *from = name; *from;) {
        size_t mark = mark_at(from), keep = mark > 0 ? mark : line_at(from);
        const char *digits = from + keep + (mark == 0);

        if (keep == 0) {
            if (to)
                *to++ = *from;
            from++;
            continue;
        }
        if (!stem) {
            stem = mp_arena_alloc(arena, strlen(name) + 1);
            to = (char *)memcpy(stem, name, (size_t)(from - name)) + (from - name);
        }
        to = (char *)memcpy(to, from, keep) + keep;
        while (to > stem && to[-1] == '#')
            to--;
        from = digits + strspn(digits, "0123456789");
    }
    return stem ? stem : lisp_numbers(name, arena);
}

/* ---------------------------------------------------------------- modules */

const char *
mp_stem_module(const char *name, struct mp_arena *arena)
{
    static const char ending[] = ".so";
    const char *so = strstr(name, ending), *version;

    while (so && so[strlen(ending)] != '\0' && so[strlen(ending)] != '.')
        so = strstr(so + 1, ending);
    if (!so || so == name)
        return name;
    version = so;
    while (version > name && (isdigit((unsigned char)version[-1]) || version[-1] == '.'))
        version--;
    if (version == name || version == so || version[-1] != '-')
        version = so;
    else
        version--;
    if (version == so && so[strlen(ending)] == '\0')
        return name;
    return mp_arena_printf(arena, "%.*s%s", (int)(version - name), name, ending);
}

/* ---------------------------------------------------------------- matching */

enum { ONE = 1u << MP_BEFORE, OTHER = 1u << MP_AFTER, BOTH = ONE | OTHER };

/* A function while it is matched. */
struct item {
    struct mp_match_function *function;
    const char *exact, *stem;   /* name without clone suffixes; and also without numbers */
    unsigned build_sides;       /* sides that contain the same build of its module */
    /* What distinguishes it from others of the same name; "" if that is not compared. */
    const char *parameters, *where;
    uint64_t start;
    uint32_t group;             /* functions that differ in none of these */
};

/* Functions of one name that cannot be distinguished. */
struct group {
    const struct item *item;    /* one of them, of the side "after" if it has any */
    unsigned sides;
    uint32_t number;            /* or MP_NO_ID if it is not matched yet */
};

struct matcher {
    struct item *items;
    struct group *groups;       /* groups of the functions that have the name which is being matched */
    uint32_t n, n_groups;
    const char **names;         /* by number */
    const struct item **of;     /* by number: one of its functions */
    uint32_t n_names;
    struct mp_arena *arena;     /* for names; everything else is in scratch */
    struct mp_arena *scratch;
};

static void
note_builds(struct matcher *m)
{
    struct mp_map builds = {.arena = m->scratch};
    unsigned *sides = mp_arena_alloc(m->scratch, m->n * sizeof *sides);

    for (uint32_t i = 0; i < m->n; i++) {
        const char *build = m->items[i].function->build;

        sides[mp_map_add(&builds, build, strlen(build))] |= build[0] ? m->items[i].function->sides : 0;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        const char *build = m->items[i].function->build;

        m->items[i].build_sides = sides[mp_map_find(&builds, build, strlen(build))];
    }
}

static void
prepare(struct matcher *m, struct mp_match_function list[])
{
    m->items = mp_arena_alloc(m->scratch, m->n * sizeof *m->items);
    m->groups = mp_arena_alloc(m->scratch, m->n * sizeof *m->groups);
    m->of = mp_arena_alloc(m->scratch, m->n * sizeof *m->of);
    for (uint32_t i = 0; i < m->n; i++) {
        struct mp_match_function *f = &list[i];
        struct item *item = &m->items[i];
        const size_t clone = f->name ? mp_identity_clone(f->name) : 0;

        item->function = f;
        if (!f->name) {
            item->exact = mp_arena_printf(m->scratch, "%s+0x%" PRIx64, f->module_name, f->start);
            item->stem = mp_arena_printf(m->scratch, "[no name in %s]", f->module);
            continue;
        }
        item->exact = clone == 0 ? f->name
                                 : mp_arena_printf(m->scratch, "%.*s", (int)(strlen(f->name) - clone), f->name);
        item->stem = mp_stem_numbers(item->exact, m->scratch);
        f->is_part = is_part(strchr(f->name, '\0') - clone);
    }
    note_builds(m);
}

/* ---------------------------------------------------------------- names */

static int
compare_stems(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int order = strcmp(x->function->sort, y->function->sort);

    if (order == 0)
        order = strcmp(x->stem, y->stem);
    return order ? order : strcmp(x->exact, y->exact);
}

/* Returns the end of the items from FIRST on, before END, with the same name: stem if STEM, else exact. */
static uint32_t
end_of(const struct matcher *m, uint32_t first, uint32_t end, bool stem)
{
    uint32_t i = first + 1;

    while (i < end && strcmp(m->items[i].function->sort, m->items[first].function->sort) == 0 &&
           (stem ? strcmp(m->items[i].stem, m->items[first].stem)
                 : strcmp(m->items[i].exact, m->items[first].exact)) == 0)
        i++;
    return i;
}

/* Returns true if the numbers in the names of a stem are reliable. */
static bool
numbers_count(const struct matcher *m, uint32_t first, uint32_t end)
{
    bool same_build = true, same_numbers = true;

    for (uint32_t i = first, next; i < end; i = next) {
        unsigned sides = 0;

        next = end_of(m, i, end, false);
        for (uint32_t j = i; j < next; j++) {
            sides |= m->items[j].function->sides;
            same_build &= m->items[j].build_sides == BOTH;
        }
        same_numbers &= sides == BOTH;
    }
    return same_build || same_numbers;
}

/* ---------------------------------------------------------------- what distinguishes functions of one name */

/* Compares the runs or, if *DATA, the builds of functions, and then their files from the end. */
static int
compare_files(const void *a, const void *b, void *data)
{
    const struct mp_match_function *x = ((const struct item *)a)->function, *y = ((const struct item *)b)->function;
    const int order = *(const bool *)data ? strcmp(x->build, y->build) : mp_order(x->run, y->run);
    unsigned components;

    return order ? order : mp_text_compare_ends(x->file, y->file, &components);
}

static int
compare_modules(const void *a, const void *b)
{
    return strcmp(((const struct item *)a)->function->module, ((const struct item *)b)->function->module);
}

static bool
is_same_build(const struct mp_match_function *a, const struct mp_match_function *b)
{
    return a->run == b->run || (a->build[0] && strcmp(a->build, b->build) == 0);
}

static int
compare_details(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int order = strcmp(x->parameters, y->parameters);

    if (order == 0)
        order = strcmp(x->where, y->where);
    return order ? order : mp_order(x->start, y->start);
}

/* Sets `where` of the items from FIRST to END, whose files are known: the file, with the folders that distinguish it
 * from others of its name in the same run or build. Folders that differ only from one build to another are left out. */
static void
set_files(struct matcher *m, uint32_t first, uint32_t end)
{
    struct mp_map bases = {.arena = m->scratch};
    unsigned *components = mp_arena_alloc(m->scratch, (end - first) * sizeof *components), needed;

    /* In sorted order, the common end of two paths is longest between neighbours. */
    for (int i = 0; i < 2; i++) {
        bool by_build = i == 1;

        qsort_r(m->items + first, end - first, sizeof *m->items, compare_files, &by_build);
        for (uint32_t j = first; j < end; j++) {
            const struct mp_match_function *f = m->items[j].function, *last = m->items[j > first ? j - 1 : j].function;
            const char *base = mp_text_tail(f->file, 1);
            unsigned *most = &components[mp_map_add(&bases, base, strlen(base))];

            if (!is_same_build(last, f) || mp_text_compare_ends(last->file, f->file, &needed) == 0)
                needed = 1;
            *most = needed > *most ? needed : *most;
        }
    }
    for (uint32_t i = first; i < end; i++) {
        const char *file = m->items[i].function->file, *base = mp_text_tail(file, 1);

        m->items[i].where = mp_text_tail(file, components[mp_map_find(&bases, base, strlen(base))]);
    }
}

/* Sets `where` of the items from FIRST to END, which have one name. An item gets its file if the files of all items in
 * its module are known, or those of all items if the module of one is unknown. Otherwise it gets its module. */
static void
set_where(struct matcher *m, uint32_t first, uint32_t end)
{
    uint32_t with_file = first;

    qsort(m->items + first, end - first, sizeof *m->items, compare_modules);
    for (uint32_t i = first, next; i < end; i = next) {
        bool files = true;

        for (next = i; next < end && (!m->items[first].function->module[0] ||
                                      compare_modules(&m->items[i], &m->items[next]) == 0); next++)
            files &= m->items[next].function->file != NULL;
        for (uint32_t j = i; j < next; j++) {
            const struct item item = m->items[j];

            m->items[j].where = item.function->module;
            if (files) {
                m->items[j] = m->items[with_file];
                m->items[with_file++] = item;
            }
        }
    }
    set_files(m, first, with_file);
}

/* Sets `parameters` and `start` of the items from FIRST to END, which have the same name and place. Parameters are
 * compared if they are known for all. If both sides contain the same builds, and no function is a clone, functions with
 * different addresses are different. */
static void
set_details(struct matcher *m, uint32_t first, uint32_t end)
{
    bool parameters = true, addresses = true;

    for (uint32_t i = first; i < end; i++) {
        const struct item *item = &m->items[i];

        parameters &= item->function->parameters != NULL;
        addresses &= item->build_sides == BOTH && item->function->start != 0 && item->function->name == item->exact;
    }
    for (uint32_t i = first; i < end; i++) {
        m->items[i].parameters = parameters ? m->items[i].function->parameters : "";
        m->items[i].start = addresses ? m->items[i].function->start : 0;
    }
}

static int
compare_where(const void *a, const void *b)
{
    return strcmp(((const struct item *)a)->where, ((const struct item *)b)->where);
}

/* Makes groups of the items from FIRST to END, which have one name. */
static void
set_groups(struct matcher *m, uint32_t first, uint32_t end)
{
    set_where(m, first, end);
    qsort(m->items + first, end - first, sizeof *m->items, compare_where);
    for (uint32_t i = first, next; i < end; i = next) {
        for (next = i + 1; next < end && compare_where(&m->items[i], &m->items[next]) == 0; next++)
            ;
        set_details(m, i, next);
    }
    qsort(m->items + first, end - first, sizeof *m->items, compare_details);
    m->n_groups = 0;
    for (uint32_t i = first; i < end; i++) {
        struct item *item = &m->items[i];
        struct group *group;

        if (i == first || compare_details(&m->items[i - 1], item) != 0)
            m->groups[m->n_groups++] = (struct group){.item = item, .number = MP_NO_ID};
        item->group = m->n_groups - 1;
        group = &m->groups[item->group];
        group->sides |= item->function->sides;
        if (item->function->sides & OTHER)
            group->item = item;
    }
}

/* ---------------------------------------------------------------- numbers */

/* Gives GROUP a new number, unless it has one. */
static void
number_group(struct matcher *m, struct group *group)
{
    if (group->number != MP_NO_ID)
        return;
    m->of[m->n_names] = group->item;
    group->number = m->n_names++;
}

/* If exactly one of the N GROUPS without a number is only on one side, and exactly one only on the other, gives both
 * the same number, unless their parameters are known to differ. */
static void
number_pair(struct matcher *m, struct group *groups, uint32_t n)
{
    struct group *left[BOTH + 1] = {NULL};
    uint32_t count[BOTH + 1] = {0};

    for (uint32_t i = 0; i < n; i++)
        if (groups[i].number == MP_NO_ID) {
            left[groups[i].sides] = &groups[i];
            count[groups[i].sides]++;
        }
    if (count[ONE] != 1 || count[OTHER] != 1)
        return;
    if (left[ONE]->item->parameters[0] && left[OTHER]->item->parameters[0] &&
        strcmp(left[ONE]->item->parameters, left[OTHER]->item->parameters) != 0)
        return;
    number_group(m, left[OTHER]);
    left[ONE]->number = left[OTHER]->number;
}

/* Gives the groups, which have one name, numbers. */
static void
number_groups(struct matcher *m)
{
    struct group *groups = m->groups;
    uint32_t count[BOTH + 1] = {0}, end;

    for (uint32_t i = 0; i < m->n_groups; i++)
        count[groups[i].sides]++;
    if (count[BOTH] + count[ONE] <= 1 && count[BOTH] + count[OTHER] <= 1) {     /* a pair, or only one */
        number_group(m, &groups[m->n_groups - 1]);
        groups[0].number = groups[m->n_groups - 1].number;
    }
    for (uint32_t i = 0; i < m->n_groups; i++)
        if (groups[i].sides == BOTH)
            number_group(m, &groups[i]);
    for (uint32_t i = 0; i < m->n_groups; i = end) {        /* moved to another file */
        for (end = i + 1; end < m->n_groups &&
                          strcmp(groups[end].item->parameters, groups[i].item->parameters) == 0; end++)
            ;
        number_pair(m, &groups[i], end - i);
    }
    number_pair(m, groups, m->n_groups);
    for (uint32_t i = 0; i < m->n_groups; i++)
        number_group(m, &groups[i]);
}

enum { WITH_PARAMETERS = 1, WITH_PLACE = 2, WITH_MODULE = 4, WITH_ADDRESS = 8 };

/* Returns NAME with the parts of ITEM that WHAT selects. */
static const char *
name_with(const struct matcher *m, const char *name, const struct item *item, unsigned what)
{
    const char *where = item->where == item->function->module ? item->function->module_name : item->where;
    const bool place = what & WITH_PLACE && where[0];

    name = mp_arena_printf(m->arena, "%s%s", name, what & WITH_PARAMETERS ? item->parameters : "");
    if (what & WITH_MODULE && item->function->module_name[0])
        name = mp_identity_in_module(item->function->module_name, name, m->arena);
    if (place)
        name = item->function->is_lisp ? mp_lisp_text(name, where, m->arena)
                                       : mp_arena_printf(m->arena, "%s@%s", name, where);
    return what & WITH_ADDRESS && item->start ? mp_arena_printf(m->arena, "%s@%#" PRIx64, name, item->start) : name;
}

/* Sets the names of the numbers from FIRST on, which are all functions of NAME: the shortest that are different. */
static void
name_numbers(struct matcher *m, uint32_t first, const char *name)
{
    static const unsigned forms[] = {0, WITH_PARAMETERS, WITH_PLACE, WITH_PARAMETERS | WITH_PLACE,
                                     WITH_PARAMETERS | WITH_MODULE,
                                     WITH_PARAMETERS | WITH_PLACE | WITH_ADDRESS};

    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
        struct mp_map different = {.arena = m->scratch};

        for (uint32_t i = first; i < m->n_names; i++) {
            m->names[i] = name_with(m, name, m->of[i], forms[form]);
            mp_map_add(&different, m->names[i], strlen(m->names[i]));
        }
        if (different.count == m->n_names - first)
            break;
    }
}

/* Assigns numbers to the items from FIRST to END, which all have the name NAME. */
static void
number_name(struct matcher *m, uint32_t first, uint32_t end, const char *name)
{
    const uint32_t known = m->n_names;

    set_groups(m, first, end);
    number_groups(m);
    name_numbers(m, known, name);
    for (uint32_t i = first; i < end; i++)
        m->items[i].function->match = m->groups[m->items[i].group].number;
}

static void
number_stem(struct matcher *m, uint32_t first, uint32_t end)
{
    if (!numbers_count(m, first, end)) {
        number_name(m, first, end, m->items[first].stem);
        return;
    }
    for (uint32_t i = first, next; i < end; i = next) {
        next = end_of(m, i, end, false);
        number_name(m, i, next, m->items[i].exact);
    }
}

const char **
mp_match(struct mp_match_function list[], uint32_t n, uint32_t *count, struct mp_arena *arena)
{
    struct matcher m = {.n = n, .arena = arena, .scratch = mp_arena_new(),
                        .names = mp_arena_alloc(arena, n * sizeof *m.names)};

    prepare(&m, list);
    qsort(m.items, n, sizeof *m.items, compare_stems);
    for (uint32_t i = 0, end; i < n; i = end) {
        end = end_of(&m, i, n, true);
        number_stem(&m, i, end);
    }
    mp_arena_free(m.scratch);
    *count = m.n_names;
    return m.names;
}
