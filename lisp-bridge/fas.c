/* SPDX-License-Identifier: MIT */
/*
 * fas.c -- names local functions of a compiled Lisp file by its symbol table.
 *
 * Functions with their own function objects (runtime/ecl_c_name.h) get exact names from these; local functions mostly
 * have no object. Functions at one address get keys of their own (find_keys()), and a body gets the name of its entry
 * (hide_entry()). The file is read when it is loaded, because (compile 'f) deletes its file immediately afterwards.
 */
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ecl.h"
#include "fas_file.h"
#include "runtime/ecl_c_name.h"
#include "runtime/format.h"
#include "runtime/language/name.h"
#include "runtime/system/dynamic.h"
#include "runtime/system/program.h"
#include "runtime/system/sandbox.h"

/* Facts about the function of a symbol. */
struct role {
    uintptr_t key;              /* the address under which the monitor knows its name, see find_keys(); 0 if ECL's
                                   compiler did not name it */
    bool hidden;                /* an entry that only passes calls on to its body */
};

/* ------------------------------------------------------------------ functions without a symbol */

/* A C function that ECL created, by the number in its name (runtime/ecl_c_name.h). Numbers start anew in each
 * compilation unit. A number is missing if the function was inlined everywhere, or was folded with an equal one. */
struct numbered {
    uint32_t unit;
    bool own;                   /* whether the function has an object of its own */
    long number;
};

struct numbers {
    const struct mp_fas *fas;
    struct numbered *all;       /* ascending; NULL if memory was lacking, and then no function counts as missing */
    size_t n;
};

static int
by_number(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;

    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Returns whether SYMBOL begins a unit. The symbol table has the name of each file before its local symbols. */
static bool
begins_unit(const Elf64_Sym *symbol)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_FILE;
}

static void
open_numbers(struct numbers *numbers, const struct mp_fas *fas)
{
    uint32_t unit = 0;

    *numbers = (struct numbers){ .fas = fas, .all = calloc(fas->n + 1, sizeof *numbers->all) };
    for (size_t i = 0; numbers->all && i < fas->n; i++) {
        const char *name = mp_fas_name(fas, &fas->symbols[i]);
        bool own = mp_ecl_after_number(name, "L") != NULL;

        unit += begins_unit(&fas->symbols[i]);
        if (own || mp_ecl_after_number(name, "LC"))
            numbers->all[numbers->n++] = (struct numbered){ unit, own, mp_ecl_number(name) };
    }
    if (numbers->n > 0)
        qsort(numbers->all, numbers->n, sizeof *numbers->all, by_number);
}

static uint32_t
unit_of(const struct mp_fas *fas, const Elf64_Sym *symbol)
{
    uint32_t unit = 0;

    for (const Elf64_Sym *each = fas->symbols; each <= symbol; each++)
        unit += begins_unit(each);
    return unit;
}

/* Returns the index of the first function that is not less than WANTED, in the order of by_number(). */
static size_t
find_number(const struct numbers *numbers, const struct numbered *wanted)
{
    size_t low = 0, high = numbers->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (by_number(&numbers->all[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns whether SYMBOL's function contains a local function without a symbol. ECL numbers the local functions after
 * the preceding function with its own object and before the function that contains them, so then a number between
 * these two is missing. */
static bool
lacks_local(const struct numbers *numbers, const Elf64_Sym *symbol)
{
    struct numbered here = { .unit = unit_of(numbers->fas, symbol),
                             .number = mp_ecl_number(mp_fas_name(numbers->fas, symbol)) };

    for (size_t i = find_number(numbers, &here); i-- > 0 && numbers->all[i].unit == here.unit;) {
        if (numbers->all[i].number < here.number - 1)
            return true;
        if (numbers->all[i].own)
            return false;
        here.number = numbers->all[i].number;
    }
    return numbers->all && here.number > 1;
}

/* ------------------------------------------------------------------ references between functions */

#define MAX_REFERRERS 32
#define MAX_DEPTH 64

struct local {
    uintptr_t start;
    const Elf64_Sym *symbol;
    const struct role *role;
    const Elf64_Sym *referrers[MAX_REFERRERS];     /* the first functions that refer to this one */
    unsigned n_referrers;
    const Elf64_Sym *outer;             /* result of outer_function() */
    long number;                        /* number in its C name; see number_lambdas() */
    unsigned lambda;                    /* number of the lambda among those of its function, from 1 on; 0 if it is no
                                           lambda */
    const struct local *asked_for;      /* local function for which look_outwards() last visited this one */
};

struct locals {
    const struct mp_fas *fas;
    const struct role *roles;           /* by index in the symbol table */
    bool has_entries;                   /* LC1foo_va is FOO; see has_entries() */
    struct local *all;                  /* ascending by address */
    size_t n;
    uint64_t examined;                  /* bytes of code examined so far */
    struct numbers numbers;
};

/* Returns the first local function that starts at START, or NULL. */
static struct local *
find_local(const struct locals *locals, uintptr_t start)
{
    size_t low = 0, high = locals->n;

    if (high == 0 || start < locals->all[0].start || start > locals->all[high - 1].start)
        return NULL;
    while (low < high) {
        size_t middle = (low + high) / 2;

        if (locals->all[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return locals->all[low].start == start ? &locals->all[low] : NULL;
}

/* Returns whether the distance at AT belongs to an instruction that calls, jumps to or loads (lea) an address. Other
 * numbers can equal the distance to some function by chance. */
static bool
is_reference(const uint8_t *code, uint64_t at)
{
    if (at >= 3 && (code[at - 3] & 0xfb) == 0x48 && code[at - 2] == 0x8d)
        return (code[at - 1] & 0xc7) == 0x05;
    if (at >= 2 && code[at - 2] == 0x0f && (code[at - 1] & 0xf0) == 0x80)
        return true;
    return at >= 1 && (code[at - 1] == 0xe8 || code[at - 1] == 0xe9);
}

static void
add_referrer(struct local *local, const Elf64_Sym *symbol)
{
    for (unsigned i = 0; i < local->n_referrers; i++)
        if (local->referrers[i] == symbol)
            return;
    if (local->n_referrers < MAX_REFERRERS)
        local->referrers[local->n_referrers++] = symbol;
}

/* Returns the code of SYMBOL in the file. Returns NULL if it is missing, or if symbols overlap so much that the total
 * of examined code exceeds a limit. */
static const uint8_t *
code_of(struct locals *locals, const Elf64_Sym *symbol)
{
    locals->examined += symbol->st_size;
    return locals->examined <= 4 * locals->fas->size
               ? mp_fas_bytes(locals->fas, symbol->st_value, symbol->st_size) : NULL;
}

/* Notes the local functions that SYMBOL's code calls or refers to. */
static void
note_references(struct locals *locals, const Elf64_Sym *symbol)
{
    const uint8_t *code = code_of(locals, symbol);
    uintptr_t start = locals->fas->bias + symbol->st_value;

    for (uint64_t i = 1; code && i + 4 <= symbol->st_size; i++) {
        struct local *local;
        int32_t distance;

        memcpy(&distance, code + i, sizeof distance);
        local = find_local(locals, start + i + 4 + (uintptr_t)(intptr_t)distance);
        if (local && local->symbol != symbol && is_reference(code, i))
            add_referrer(local, symbol);
    }
}

/* Sets *BEST to SYMBOL if SYMBOL is a better candidate for the function that contains ASKED_FOR. ECL numbers functions
 * in the order in which their compilation ends. So among the functions that refer to a local function, the one with the
 * next higher number contains it. Other functions refer to a local function if gcc inlined the outer function into its
 * caller or folded equal local functions. */
static void
consider(const struct locals *locals, const struct local *asked_for, const Elf64_Sym *symbol,
         const Elf64_Sym **best)
{
    long number = mp_ecl_number(mp_fas_name(locals->fas, symbol));

    if (number > mp_ecl_number(mp_fas_name(locals->fas, asked_for->symbol)) &&
        (!*best || number < mp_ecl_number(mp_fas_name(locals->fas, *best))))
        *best = symbol;
}

/* Follows references from LOCAL outwards, through the functions that refer to it, to functions that are not local, and
 * considers these. Visits each local function only once for ASKED_FOR, because local functions may call each other in
 * cycles. */
static void
look_outwards(const struct locals *locals, struct local *local,
              const struct local *asked_for, unsigned depth, const Elf64_Sym **best)
{
    if (depth == MAX_DEPTH || local->asked_for == asked_for)
        return;
    local->asked_for = asked_for;
    for (unsigned i = 0; i < local->n_referrers; i++) {
        const Elf64_Sym *symbol = local->referrers[i];
        struct local *outer = find_local(locals, locals->fas->bias + symbol->st_value);

        if (outer)
            look_outwards(locals, outer, asked_for, depth + 1, best);
        else if (mp_ecl_after_number(mp_fas_name(locals->fas, symbol), "L"))
            consider(locals, asked_for, symbol, best);
        else if (local != asked_for &&
                 !mp_ecl_is_lambda(mp_fas_name(locals->fas, local->symbol)))   /* a method */
            consider(locals, asked_for, local->symbol, best);
    }
}

/* Returns the function with its own object, or the method, that contains LOCAL. Returns NULL if LOCAL is at top
 * level, or if this is unclear. */
static const Elf64_Sym *
outer_function(const struct locals *locals, struct local *local)
{
    const Elf64_Sym *best = NULL;

    look_outwards(locals, local, local, 0, &best);
    return best;
}

/* REFERRER refers to a local function in OUTER. Returns whether REFERRER has an equal local function of its own, which
 * gcc folded with that in OUTER. If gcc only inlined OUTER into REFERRER, then no local function of REFERRER is
 * missing. */
static bool
means_another(const struct locals *locals, const Elf64_Sym *referrer, const Elf64_Sym *outer)
{
    struct local *local = find_local(locals, locals->fas->bias + referrer->st_value);
    const Elf64_Sym *around = local ? outer_function(locals, local) : NULL;

    around = around ? around : referrer;
    return around != outer && lacks_local(&locals->numbers, around);
}

/* ------------------------------------------------------------------ keys, entries and bodies */

struct named {
    const char *name;
    const Elf64_Sym *symbol;
};

/* Sorts by address, functions with an object before local ones, then by position in the symbol table. */
static int
by_address(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    const bool own = mp_ecl_after_number(x->name, "L") != NULL;

    if (x->symbol->st_value != y->symbol->st_value)
        return x->symbol->st_value < y->symbol->st_value ? -1 : 1;
    if (own != (mp_ecl_after_number(y->name, "L") != NULL))
        return own ? -1 : 1;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* Gives each of the N functions in ALL, which is sorted by address, a key. Functions at the same address are equal
 * functions that gcc folded. The key of the first one is this address, and the keys of the others are the next
 * addresses. */
static void
find_keys(const struct mp_fas *fas, const struct named *all, size_t n, struct role *roles)
{
    struct role *last = NULL;

    for (size_t i = 0; i < n; i++) {
        struct role *role = &roles[all[i].symbol - fas->symbols];

        role->key = fas->bias + all[i].symbol->st_value;
        if (last && all[i].symbol->st_value == all[i - 1].symbol->st_value)
            role->key = last->key + 1;
        last = role;
    }
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* Returns the size of the code of ENTRY up to the end of its first instruction that calls or jumps to BODY, or 0 if
 * there is none. */
static uint64_t
passes_on(const struct mp_fas *fas, const Elf64_Sym *entry, const Elf64_Sym *body)
{
    const uint8_t *code = mp_fas_bytes(fas, entry->st_value, entry->st_size);
    int32_t distance;

    for (uint64_t i = 1; code && i + 4 <= entry->st_size; i++) {
        memcpy(&distance, code + i, sizeof distance);
        if (entry->st_value + i + 4 + (uint64_t)(int64_t)distance == body->st_value && is_reference(code, i))
            return i + 4;
    }
    return 0;
}

/* Returns the index of the first function in ALL, which is sorted by name, whose name is not less than NAME. */
static size_t
first_named(const struct named *all, size_t n, const char *name)
{
    size_t low = 0, high = n;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (strcmp(all[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Notes that ENTRY only passes calls on to BODY. KEY is the key under which the monitor knows the function's name. */
static void
hide_entry(const struct mp_fas *fas, const Elf64_Sym *entry, const Elf64_Sym *body, uintptr_t key, struct role *roles)
{
    const uintptr_t code = fas->bias + body->st_value;

    mp_name_passes_on(fas->bias + entry->st_value, key);
    if (key != code)
        mp_name_twin(code, key, MP_TWIN_CALLED);
    roles[entry - fas->symbols].hidden = true;
}

/* Compares the code A with the equal code B, which is located OFFSET bytes after A. If an operand that may differ
 * begins at AT in A, returns its size, otherwise 0. Such an operand is a distance to the same address, or the index of
 * the function's name for the error of a wrong number of arguments. */
static uint64_t
operand_size(const uint8_t *a, const uint8_t *b, uint64_t at, uint64_t size, uint64_t offset)
{
    uint32_t x, y;

    if (at + 4 > size)
        return 0;
    memcpy(&x, a + at, sizeof x);
    memcpy(&y, b + at, sizeof y);
    if (x == y + (uint32_t)offset)
        return sizeof x;
    if (at < 3 || a[at - 3] != 0x48 || a[at - 2] != 0x8b)      /* mov N(%rax),%rdi */
        return 0;
    return a[at - 1] == 0x78 ? 1 : a[at - 1] == 0xb8 ? 4 : 0;
}

/* Returns whether the first SIZE bytes of the code of ENTRY are equal to those of OWN, except for operands that may
 * differ. The last operand is the distance to the body. */
static bool
begins_alike(const struct mp_fas *fas, const Elf64_Sym *entry, const Elf64_Sym *own, uint64_t size)
{
    const uint8_t *a = mp_fas_bytes(fas, own->st_value, size), *b = mp_fas_bytes(fas, entry->st_value, size);
    const uint64_t offset = entry->st_value - own->st_value;
    uint64_t i = 0, same = 1;

    if (!a || !b || entry->st_size < size || !operand_size(a, b, size - 4, size, offset))
        return false;
    for (; i < size && same > 0; i += same) {
        same = operand_size(a, b, i, size, offset);
        if (same == 0 && a[i] == b[i])
            same = 1;
    }
    return i >= size;
}

/* Hides other entries that only pass calls on to BODY, as BODY's own entry OWN does, and for which there is no body
 * with their name. gcc has folded their bodies with BODY, which it then replaced by a clone (L1foo.isra.0). The entry
 * of a function that was inlined into its entry and calls BODY is not hidden: it checks the stack before the call, so
 * its code begins differently. */
static void
hide_equal_entries(const struct mp_fas *fas, const struct named *all, size_t n, const Elf64_Sym *own,
                   const Elf64_Sym *body, struct role *roles)
{
    const uint64_t size = passes_on(fas, own, body);

    for (size_t i = 0; i < n; i++) {
        const Elf64_Sym *entry = all[i].symbol;

        if (entry != own && mp_ecl_is_entry(all[i].name) &&
            (i == 0 || !mp_ecl_is_entry_of(all[i].name, all[i - 1].name)) && begins_alike(fas, entry, own, size))
            hide_entry(fas, entry, body, fas->bias + entry->st_value + 1, roles);
    }
}

/* If ENTRY is an entry, gives its body the same name, and hides the entry if it calls the body. If several files were
 * combined into one, other functions may have the C name of the body. Then the body is the one that the entry calls. */
static void
name_entry(const struct mp_fas *fas, const struct named *all, size_t n, struct named entry, struct role *roles)
{
    const uintptr_t start = fas->bias + entry.symbol->st_value;
    struct mp_function_name name = { "", NULL, -1, MP_NAME_WEAK, start };
    const size_t length = strlen(entry.name);
    char c_name[256];
    const Elf64_Sym *body = NULL;
    unsigned n_bodies = 0;

    if (length >= sizeof c_name || !mp_ecl_is_entry(entry.name))
        return;
    memcpy(c_name, entry.name, length - 3);
    c_name[length - 3] = '\0';
    for (size_t i = first_named(all, n, c_name); i < n && strncmp(all[i].name, c_name, length - 3) == 0; i++) {
        if (!mp_ecl_is_entry_of(entry.name, all[i].name))
            continue;
        if (passes_on(fas, entry.symbol, all[i].symbol)) {
            hide_entry(fas, entry.symbol, all[i].symbol, roles[all[i].symbol - fas->symbols].key, roles);
            if (strchr(all[i].name, '.'))
                hide_equal_entries(fas, all, n, entry.symbol, all[i].symbol, roles);
            return;
        }
        body = all[i].symbol;
        n_bodies++;
    }
    if (n_bodies == 1)
        mp_name_tell(fas->bias + body->st_value, &name);
}

/* Finds the keys of functions. Gives the entry and the body of a function that was compiled to both
 * (runtime/ecl_c_name.h) the same name. Hides entries that pass calls on to their bodies; into the other entries, gcc
 * has inlined the bodies. Returns false if memory was lacking. */
static bool
name_entries(const struct mp_fas *fas, struct role *roles)
{
    struct named *all = calloc(fas->n + 1, sizeof *all);
    size_t n = 0;

    for (size_t i = 0; all && i < fas->n; i++) {
        const char *each = mp_fas_name(fas, &fas->symbols[i]);

        if (mp_ecl_after_number(each, "L") || mp_ecl_after_number(each, "LC"))
            all[n++] = (struct named){ each, &fas->symbols[i] };
    }
    if (n > 0) {
        qsort(all, n, sizeof *all, by_address);
        find_keys(fas, all, n, roles);
        qsort(all, n, sizeof *all, by_name);
    }
    for (size_t i = 0; i < n; i++)
        name_entry(fas, all, n, all[i], roles);
    free(all);
    return all != NULL;
}

/* ------------------------------------------------------------------ names */

/* Sorts by address, then by position in the symbol table. */
static int
by_start(const void *a, const void *b)
{
    const struct local *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* Copies the referrers of the first of several local functions at one address, which is the only one for which they
 * were noted, to the others. */
static void
share_referrers(struct locals *locals)
{
    for (size_t i = 1; i < locals->n; i++) {
        struct local *local = &locals->all[i];

        if (local->start != local[-1].start)
            continue;
        memcpy(local->referrers, local[-1].referrers, sizeof local->referrers);
        local->n_referrers = local[-1].n_referrers;
    }
}

static void
collect(struct locals *locals)
{
    const struct mp_fas *fas = locals->fas;

    for (size_t i = 0; i < fas->n; i++) {
        const Elf64_Sym *symbol = &fas->symbols[i];

        if (mp_ecl_after_number(mp_fas_name(fas, symbol), "LC"))
            locals->all[locals->n++] =
                (struct local){ .start = fas->bias + symbol->st_value, .symbol = symbol, .role = &locals->roles[i] };
    }
    if (!locals->n)
        return;
    qsort(locals->all, locals->n, sizeof *locals->all, by_start);
    for (size_t i = 0; i < fas->n; i++)
        if (mp_fas_name(fas, &fas->symbols[i])[0])
            note_references(locals, &fas->symbols[i]);
    share_referrers(locals);
}

/* Reports functions that were folded with LOCAL, which is in OUTER, and have no symbols. Each is represented by one of
 * the last addresses of LOCAL's code. */
static void
tell_nameless(const struct locals *locals, const struct local *local, const Elf64_Sym *outer)
{
    for (unsigned i = 0; i < local->n_referrers && i < local->symbol->st_size / 2; i++)
        if (means_another(locals, local->referrers[i], outer))
            mp_name_twin(local->start, local->start + local->symbol->st_size - 1 - i,
                         MP_TWIN_CALLED);
}

static int
by_outer(const void *a, const void *b)
{
    const struct local *x = *(struct local *const *)a, *y = *(struct local *const *)b;

    if (x->outer != y->outer)
        return x->outer < y->outer ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Numbers the lambdas of each function from 1 on, in the order in which ECL compiled them. */
static void
number_lambdas(struct locals *locals)
{
    struct local **lambdas = calloc(locals->n + 1, sizeof(struct local *));
    size_t n = 0;

    for (size_t i = 0; lambdas && i < locals->n; i++) {
        struct local *local = &locals->all[i];
        const char *c_name = mp_fas_name(locals->fas, local->symbol);

        local->number = mp_ecl_number(c_name);
        if (mp_ecl_is_lambda(c_name) && !local->role->hidden)
            lambdas[n++] = local;
    }
    if (n > 0)
        qsort(lambdas, n, sizeof(struct local *), by_outer);
    for (size_t i = 0; i < n; i++)
        lambdas[i]->lambda = i > 0 && lambdas[i - 1]->outer == lambdas[i]->outer
                                 ? lambdas[i - 1]->lambda + 1 : 1;
    free(lambdas);
}

/* Returns whether the file's ECL compiles functions to entries and bodies. If so, each global function has an entry,
 * LC1foo_va is the entry of a local function FOO, and a local function FOO-VA is mistaken for FOO. */
static bool
has_entries(const struct mp_fas *fas)
{
    size_t n_entries = 0, n_others = 0;

    for (size_t i = 0; i < fas->n; i++) {
        const char *name = mp_fas_name(fas, &fas->symbols[i]);

        if (mp_ecl_is_entry(name)) {
            if (mp_ecl_is_lambda(name))
                return true;
            n_entries++;
        } else if (mp_ecl_after_number(name, "L") && !strchr(name, '.')) {
            n_others++;
        }
    }
    return n_entries > 0 && n_entries >= n_others;
}

/* Returns "FOO", "LAMBDA", or "LAMBDA #2" if it is not the first. */
static bool
local_name(const struct locals *locals, const struct local *local, char *room, size_t size)
{
    size_t n;

    if (local->lambda > 1) {
        snprintf(room, size, "LAMBDA #%u", local->lambda);
        return true;
    }
    if (!mp_ecl_local_name(mp_fas_name(locals->fas, local->symbol), room, size))
        return false;
    n = strlen(room);
    if (locals->has_entries && n > 3 && strcmp(room + n - 3, "-VA") == 0)
        room[n - 3] = '\0';
    return true;
}

/* Registers the name of LOCAL. A function that is in no other function gets the file PATH. */
static void
name_local(struct locals *locals, struct local *local, const char *path)
{
    const Elf64_Sym *outer = local->outer;
    const uintptr_t key = local->role->key;
    char room[192];
    struct mp_function_name name = { room, outer ? NULL : path, -1, MP_NAME_WEAK,
                                     outer ? locals->roles[outer - locals->fas->symbols].key : 0 };

    if (local->role->hidden || !local_name(locals, local, room, sizeof room))
        return;
    if (strcmp(room, "CALL-NEXT-METHOD") == 0)  /* made by later builds of ECL in each method that calls the next one */
        name.flags |= MP_LIVE_NAME_DISPATCH;
    if (key != local->start) {
        mp_name_twin(local->start, key, MP_TWIN_CALLED);
    } else if (outer) {
        tell_nameless(locals, local, outer);
    }
    mp_name_tell(key, &name);
}

static void
name_locals(const struct mp_fas *fas, const struct role *roles, const char *path)
{
    struct locals locals = { .fas = fas, .roles = roles, .has_entries = has_entries(fas),
                             .all = calloc(fas->n + 1, sizeof *locals.all) };

    if (!locals.all)
        return;
    open_numbers(&locals.numbers, fas);
    collect(&locals);
    for (size_t i = 0; i < locals.n; i++)
        locals.all[i].outer = outer_function(&locals, &locals.all[i]);
    number_lambdas(&locals);
    for (size_t i = 0; i < locals.n; i++)
        name_local(&locals, &locals.all[i], path);
    free(locals.numbers.all);
    free(locals.all);
}

/* Returns whether C_NAME is a function of top-level forms: init_fas_..., or _ecl... in a file combined from several. */
static bool
is_forms(const char *c_name)
{
    return strncmp(c_name, "init_fas_", 9) == 0 || strncmp(c_name, "init_lib_", 9) == 0 ||
           strncmp(c_name, "_ecl", 4) == 0;
}

static void
name_forms(const struct mp_fas *fas, const char *path)
{
    struct mp_function_name name = { "top-level forms", path, -1, MP_NAME_WEAK | MP_NAME_FORMS, 0 };

    for (size_t i = 0; i < fas->n; i++)
        if (is_forms(mp_fas_name(fas, &fas->symbols[i])))
            mp_name_tell(fas->bias + fas->symbols[i].st_value, &name);
}

/* Names FOO.cold like FOO. gcc moves rarely executed parts of a function there. Only parts of ECL's functions
 * are named, because other code may have very many. */
static void
name_cold_parts(const struct mp_fas *fas)
{
    struct mp_function_name name = { "", NULL, -1, MP_NAME_WEAK, 0 };

    for (size_t i = 0; i < fas->n; i++) {
        const char *cold = mp_fas_name(fas, &fas->symbols[i]), *dot = strstr(cold, ".cold");

        if (!dot || dot[5] != '\0' ||
            (!mp_ecl_after_number(cold, "L") && !mp_ecl_after_number(cold, "LC") && !is_forms(cold)))
            continue;
        for (size_t k = 0; k < fas->n; k++) {
            const char *whole = mp_fas_name(fas, &fas->symbols[k]);

            if (strncmp(whole, cold, (size_t)(dot - cold)) == 0 && !whole[dot - cold]) {
                name.outer = fas->bias + fas->symbols[k].st_value;
                mp_name_tell(fas->bias + fas->symbols[i].st_value, &name);
            }
        }
    }
}

/* Makes the monitor write the names of functions that may have been inlined, if the file has debug information. */
static void
ask_for_copies(const struct mp_fas *fas)
{
    for (size_t i = 0; fas->has_debug_info && i < fas->n_segments; i++) {
        const Elf64_Phdr *segment = &fas->segments[i];
        uintptr_t start = fas->bias + segment->p_vaddr;

        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
            mp_name_copies(start, start + segment->p_memsz);
    }
}

static void
name_functions(const struct mp_fas *fas, const char *path)
{
    struct role *roles = calloc(fas->n + 1, sizeof *roles);

    ask_for_copies(fas);
    mp_lisp_find_twins(fas);
    if (roles && name_entries(fas, roles))
        name_locals(fas, roles, path);
    free(roles);
    name_forms(fas, path);
    name_cold_parts(fas);
}

static bool
has_forms(const struct mp_fas *fas)
{
    for (size_t i = 0; i < fas->n; i++)
        if (is_forms(mp_fas_name(fas, &fas->symbols[i])))
            return true;
    return false;
}

/* Names the functions of the file PATH if it contains compiled Lisp. If IS_LISP is false, this is determined by its
 * symbols. */
static void
name_file(const char *path, uintptr_t bias, bool is_lisp)
{
    struct mp_fas fas;

    if (!mp_sandbox_enter())            /* files cannot be read behind a seccomp filter */
        return;
    if (mp_fas_open(&fas, path, bias)) {
        if (mp_ecl.linked_in && bias == mp_ecl.libecl->l_addr) {        /* ECL's own functions have objects */
            fas.left_out = mp_ecl.libecl_code.start - bias;
            fas.left_out_end = fas.left_out + mp_ecl.libecl_code.size;
        }
        if (is_lisp || has_forms(&fas))
            name_functions(&fas, path);
        mp_fas_close(&fas);
    }
    mp_sandbox_leave();
}

void
mp_lisp_name_file(const char *path, uintptr_t bias)
{
    name_file(path, bias, true);
}

/* Returns whether PATH is a compiled Lisp file, by its name. */
static bool
is_module(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strstr(slash ? slash : path, ".fas");

    return dot != NULL;
}

/* Returns whether MAP is linked with libecl. Programs and libraries of compiled Lisp are. Other objects are not
 * examined because some have very many symbols. */
static bool
is_linked_with_ecl(const struct link_map *map)
{
    const char *strings = mp_dynamic_read(map).strings;

    if (mp_ecl.linked_in && map == mp_ecl.libecl)
        return true;
    for (const ElfW(Dyn) *d = map->l_ld; strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && strncmp(strings + d->d_un.d_val, "libecl.so", 9) == 0)
            return true;
    return false;
}

void
mp_lisp_name_files(void)
{
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        const char *path = map == _r_debug.r_map ? mp_program_path() : map->l_name;

        if (is_module(path) || is_linked_with_ecl(map))
            name_file(path, map->l_addr, is_module(path));
    }
}
