#include "stem.h"

#include <ctype.h>
#include <string.h>

/* ---------------------------------------------------------------- clones */

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
