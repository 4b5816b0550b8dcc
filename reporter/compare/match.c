#include "match.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/map.h"
#include "reporter/base/text.h"

/* ---------------------------------------------------------------- stems of names: clones */

/* Suffixes used by gcc and clang; numbers may follow them. */
static const char *const clone_words[] = {"cold", "constprop", "isra", "llvm", "localalias", "lto_priv",
                                          "part", "sra"};

/* Returns true if FROM to TO is a clone word or a number. Sets *NUMBER if it is a number, else clears it. */
static bool
is_clone_word(const char *from, const char *to, bool *number)
{
    size_t length = (size_t)(to - from);

    *number = length > 0 && strspn(from, "0123456789") >= length;
    for (size_t i = 0; i < sizeof clone_words / sizeof *clone_words; i++)
        if (strlen(clone_words[i]) == length && memcmp(clone_words[i], from, length) == 0)
            return true;
    return *number;
}

/* Returns how many of the first LENGTH bytes of NAME precede its suffixes, such as ".isra.0.cold". */
static size_t
before_suffixes(const char *name, size_t length)
{
    size_t end = length, best = length;
    bool number;

    while (end > 1) {
        size_t dot = end - 1;

        while (dot > 0 && name[dot] != '.')
            dot--;
        if (dot == 0 || !is_clone_word(name + dot + 1, name + end, &number))
            break;
        end = dot;
        if (!number)            /* a number alone may be part of the function's own name */
            best = end;
    }
    return best;
}

/* Returns how many bytes of NAME precede its suffixes. */
static size_t
before_clone(const char *name)
{
    static const char demangled[] = " [clone ";
    const char *clone = strstr(name, demangled);

    return before_suffixes(name, clone ? (size_t)(clone - name) : strlen(name));
}

const char *
mp_stem_clone(const char *name, struct mp_arena *arena)
{
    size_t stem = before_clone(name);

    return name[stem] ? mp_arena_printf(arena, "%.*s", (int)stem, name) : name;
}

bool
mp_stem_is_part(const char *name)
{
    static const char *const words[] = {".part", ".cold"};
    const char *suffixes = name + before_clone(name);

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *at = strstr(suffixes, words[i]); at; at = strstr(at + 1, words[i]))
            if (strchr(".]", at[strlen(words[i])]))     /* also true at the end of the text */
                return true;
    return false;
}

/* ---------------------------------------------------------------- numbers */

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
    const char *place;          /* distinguishes it from others of the same name */
    unsigned build_sides;       /* sides that contain the same build of its module */
};

struct matcher {
    struct item *items;
    uint32_t n;
    const char **names;         /* by number */
    uint32_t n_names;
    struct mp_arena *arena;     /* for names; everything else is in scratch */
    struct mp_arena *scratch;
};

/* ---------------------------------------------------------------- preparing */

/* Returns the name without numbers. For "libfoo.so.1.2+0x123" removes the address, which differs between builds. */
static const char *
stem_of(const char *exact, const struct mp_match_function *function, struct mp_arena *arena)
{
    const char *plus = strrchr(exact, '+');

    if (plus && strncmp(plus, "+0x", 3) == 0 && strspn(plus + 3, "0123456789abcdef") == strlen(plus + 3) &&
        function->module[0])
        return mp_arena_printf(arena, "[no name in %s]", function->module);
    return mp_stem_numbers(exact, arena);
}

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
    for (uint32_t i = 0; i < m->n; i++) {
        struct item *item = &m->items[i];

        item->function = &list[i];
        item->exact = mp_stem_clone(list[i].name, m->scratch);
        item->stem = stem_of(item->exact, &list[i], m->scratch);
    }
    note_builds(m);
}

/* ---------------------------------------------------------------- groups */

static int
compare_stems(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int order = strcmp(x->function->sort, y->function->sort);

    if (order == 0)
        order = strcmp(x->stem, y->stem);
    return order ? order : strcmp(x->exact, y->exact);
}

static int
compare_places(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    return strcmp(x->place, y->place);
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

static unsigned
sides_of(const struct matcher *m, uint32_t first, uint32_t end)
{
    unsigned sides = 0;

    for (uint32_t i = first; i < end; i++)
        sides |= m->items[i].function->sides;
    return sides;
}

/* Returns true if the numbers in the names of a stem are reliable. */
static bool
numbers_count(const struct matcher *m, uint32_t first, uint32_t end)
{
    bool same_build = true, same_numbers = true;

    for (uint32_t i = first, next; i < end; i = next) {
        next = end_of(m, i, end, false);
        same_numbers &= sides_of(m, i, next) == BOTH;
        for (uint32_t j = i; j < next; j++)
            same_build &= m->items[j].build_sides == BOTH;
    }
    return same_build || same_numbers;
}

/* ---------------------------------------------------------------- places */

static void
set_places(struct matcher *m, uint32_t first, uint32_t end)
{
    bool files = true, parameters = true;

    for (uint32_t i = first; i < end; i++) {
        files &= m->items[i].function->file[0] != '\0';
        parameters &= m->items[i].function->parameters[0] != '\0';
    }
    for (uint32_t i = first; i < end; i++) {
        const struct mp_match_function *function = m->items[i].function;

        m->items[i].place = mp_arena_printf(m->scratch, "%s@%s", parameters ? function->parameters : "",
                                            files ? mp_text_basename(function->file) : function->module);
    }
    qsort(m->items + first, end - first, sizeof *m->items, compare_places);
}

static uint32_t
end_of_place(const struct matcher *m, uint32_t first, uint32_t end)
{
    uint32_t i = first + 1;

    while (i < end && strcmp(m->items[i].place, m->items[first].place) == 0)
        i++;
    return i;
}

/* Counts places by the sides that contain them. */
static void
count_places(const struct matcher *m, uint32_t first, uint32_t end, uint32_t count[BOTH + 1])
{
    memset(count, 0, (BOTH + 1) * sizeof *count);
    for (uint32_t i = first, next; i < end; i = next) {
        next = end_of_place(m, i, end);
        count[sides_of(m, i, next)]++;
    }
}

/* ---------------------------------------------------------------- numbers */

static uint32_t
new_number(struct matcher *m, const char *name)
{
    m->names[m->n_names] = mp_arena_strdup(m->arena, name);
    return m->n_names++;
}

/* Returns NAME with PLACE, which distinguishes the function from others of the same name. */
static const char *
name_at(const struct matcher *m, const char *name, const char *place)
{
    const char *at = strchr(place, '\0');

    while (at > place && *at != '@')
        at--;
    return mp_arena_printf(m->scratch, "%s%.*s%s", name, (int)(at - place), place, at[1] ? at : "");
}

/* Assigns numbers to the items from FIRST to END, which all have the name NAME. */
static void
number_name(struct matcher *m, uint32_t first, uint32_t end, const char *name)
{
    uint32_t count[BOTH + 1], rest = MP_NO_ID;
    bool apart, pair;

    set_places(m, first, end);
    count_places(m, first, end, count);
    pair = count[ONE] == 1 && count[OTHER] == 1;
    apart = count[BOTH] + count[ONE] > 1 || count[BOTH] + count[OTHER] > 1;
    for (uint32_t i = first, next; i < end; i = next) {
        bool only;
        uint32_t number;

        next = end_of_place(m, i, end);
        only = sides_of(m, i, next) != BOTH && (pair || !apart);
        number = only && rest != MP_NO_ID
                     ? rest : new_number(m, apart ? name_at(m, name, m->items[i].place) : name);
        if (only)
            rest = number;
        for (uint32_t j = i; j < next; j++)
            m->items[j].function->match = number;
    }
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
