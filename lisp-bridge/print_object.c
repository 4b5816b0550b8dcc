/* SPDX-License-Identifier: MIT */
#include "print_object.h"

#include "ecl.h"
#include "hash_tables.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH    6          /* maximum nesting of lists */
#define MAX_ELEMENTS 32
#define SPECIALIZERS 1          /* depth of the elements of a method's list of specializers */

struct mp_text
mp_text_begin(char *room, size_t size)
{
    room[0] = '\0';
    return (struct mp_text){ room, room + size };
}

/* Appends all of the bytes or none. */
static void
put_bytes(struct mp_text *text, const char *bytes, size_t size)
{
    if (size >= (size_t)(text->end - text->at))
        return;
    memcpy(text->at, bytes, size);
    text->at += size;
    *text->at = '\0';
}

void
mp_text_put(struct mp_text *text, const char *string)
{
    put_bytes(text, string, strlen(string));
}

static void
put_character(struct mp_text *text, uint32_t c)
{
    char utf8[4];
    size_t n = 0;

    if (c < 0x80) {
        utf8[n++] = (char)c;
    } else if (c < 0x800) {
        utf8[n++] = (char)(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        utf8[n++] = (char)(0xe0 | c >> 12);
        utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
    } else {
        utf8[n++] = (char)(0xf0 | c >> 18);
        utf8[n++] = (char)(0x80 | (c >> 12 & 0x3f));
        utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
    }
    if (c >= 0x80)
        utf8[n++] = (char)(0x80 | (c & 0x3f));
    put_bytes(text, utf8, n);
}

/* ------------------------------------------------------------------ strings */

static bool
is_string(cl_object o)
{
    return !ECL_IMMEDIATE(o) && o && (o->d.t == t_base_string || o->d.t == t_string);
}

static size_t
length(cl_object string)
{
    return string->d.t == t_string ? string->string.fillp : string->base_string.fillp;
}

static uint32_t
character(cl_object string, size_t i)
{
    return string->d.t == t_string ? (uint32_t)string->string.self[i]
                                   : (uint32_t)string->base_string.self[i];
}

static void
put_string(struct mp_text *text, cl_object string)
{
    for (size_t i = 0; i < length(string); i++)
        put_character(text, character(string, i));
}

static bool
equals_part(cl_object string, const char *other, size_t n)
{
    if (!is_string(string) || length(string) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (character(string, i) != (unsigned char)other[i])
            return false;
    return true;
}

static bool
equals(cl_object string, const char *other)
{
    return equals_part(string, other, strlen(other));
}

/* ------------------------------------------------------------------ symbols */

static bool
is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

static bool
is_letter(uint32_t c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Returns whether NAME has the syntax of a potential number (2.3.1.1 of the standard), as ECL's write_symbol.d
 * decides. */
static bool
is_potential_number(cl_object name)
{
    size_t n = length(name);
    uint32_t first = n ? character(name, 0) : 0, last = n ? character(name, n - 1) : 0;
    bool digit = is_digit(first);

    if ((!digit && (!first || !strchr("+-^_", (int)first))) || last == '+' || last == '-')
        return false;
    for (size_t i = 1; i < n; i++) {
        uint32_t c = character(name, i);

        if (is_digit(c))
            digit = true;
        else if (c >= 0x80 || (!strchr("+-/.^_", (int)c) &&
                               (!is_letter(c) || (i + 1 < n && is_letter(character(name, i + 1))))))
            return false;
    }
    return digit;
}

/* Returns whether the reader would read NAME as this symbol without bars. */
static bool
is_plain(cl_object name)
{
    bool dots = true;

    for (size_t i = 0; i < length(name); i++) {
        uint32_t c = character(name, i);

        if (c <= ' ' || c == 0x7f || (c < 0x80 && strchr("\"#'(),:;\\`|", (int)c)) ||
            mp_ecl.lower_case((ecl_character)c))
            return false;
        dots &= c == '.';
    }
    return !dots && !is_potential_number(name);
}

/* Prints STRING between QUOTEs, with a backslash before QUOTE and backslashes. */
static void
put_quoted(struct mp_text *text, cl_object string, uint32_t quote)
{
    put_character(text, quote);
    for (size_t i = 0; i < length(string); i++) {
        uint32_t c = character(string, i);

        if (c == quote || c == '\\')
            put_character(text, '\\');
        put_character(text, c);
    }
    put_character(text, quote);
}

static void
put_name(struct mp_text *text, cl_object name)
{
    if (is_plain(name))
        put_string(text, name);
    else
        put_quoted(text, name, '|');
}

struct part {
    const char *text;
    size_t n;
};

static bool
is_part(cl_object name, const void *data)
{
    const struct part *part = data;

    return equals_part(name, part->text, part->n);
}

bool
mp_lisp_exports(const char *package, size_t n, const char *symbol)
{
    const struct part part = { symbol, strlen(symbol) };
    cl_object list = mp_ecl.core->packages;

    while (list && ECL_CONSP(list) && !equals_part(ECL_CONS_CAR(list)->pack.name, package, n))
        list = ECL_CONS_CDR(list);
    return list && ECL_CONSP(list) &&
           mp_lisp_table_any(ECL_CONS_CAR(list)->pack.external, is_part, &part);
}

static bool
same_text(cl_object a, cl_object b)
{
    if (!is_string(a) || !is_string(b) || length(a) != length(b))
        return false;
    for (size_t i = 0; i < length(a); i++)
        if (character(a, i) != character(b, i))
            return false;
    return true;
}

/* Returns whether PACKAGE shadows an inherited symbol called NAME. */
static bool
shadows(cl_object package, cl_object name)
{
    for (cl_object list = package->pack.shadowings; list && ECL_CONSP(list);
         list = ECL_CONS_CDR(list))
        if (mp_lisp_is(ECL_CONS_CAR(list), t_symbol) &&
            same_text(MP_MEMBER(ECL_CONS_CAR(list), symbol_name), name))
            return true;
    return false;
}

/* Returns whether the reader in CL-USER finds SYMBOL by its name. A package has no two symbols with the same name
 * unless one shadows the other. */
static bool
is_visible(cl_object symbol)
{
    cl_object user = mp_ecl.core->user_package, uses;

    if (!mp_lisp_is(user, t_package))
        return false;
    if (MP_MEMBER(symbol, symbol_hpack) == user || mp_lisp_table_has(user->pack.internal, symbol) ||
        mp_lisp_table_has(user->pack.external, symbol))
        return true;
    uses = user->pack.uses;
    while (uses && ECL_CONSP(uses) &&
           !mp_lisp_table_has(ECL_CONS_CAR(uses)->pack.external, symbol))
        uses = ECL_CONS_CDR(uses);
    return uses && ECL_CONSP(uses) && !shadows(user, MP_MEMBER(symbol, symbol_name));
}

static void
put_symbol(struct mp_text *text, cl_object symbol)
{
    cl_object package = MP_MEMBER(symbol, symbol_hpack);

    if (!is_string(MP_MEMBER(symbol, symbol_name)))
        return;
    if (package == mp_ecl.core->keyword_package) {
        mp_text_put(text, ":");
    } else if (ECL_IMMEDIATE(package) || !package || package->d.t != t_package) {
        mp_text_put(text, "#:");
    } else {
        if (!is_visible(symbol) && is_string(package->pack.name)) {
            put_name(text, package->pack.name);
            mp_text_put(text, mp_lisp_table_has(package->pack.external, symbol) ? ":" : "::");
        }
    }
    put_name(text, MP_MEMBER(symbol, symbol_name));
}

/* ------------------------------------------------------------------ objects */

static void print(struct mp_text *text, cl_object o, unsigned depth);

/* Prints lists like (QUOTE X) with their prefix. Returns false for other lists. */
static bool
put_abbreviated(struct mp_text *text, cl_object list, unsigned depth)
{
    cl_object first = ECL_CONS_CAR(list), rest = ECL_CONS_CDR(list);
    const char *prefix = NULL;

    if (ECL_IMMEDIATE(first) || !first || first->d.t != t_symbol || !ECL_CONSP(rest) ||
        ECL_CONS_CDR(rest) != ECL_NIL || MP_MEMBER(first, symbol_hpack) != mp_ecl.core->lisp_package)
        return false;
    if (equals(MP_MEMBER(first, symbol_name), "QUOTE"))
        prefix = "'";
    else if (equals(MP_MEMBER(first, symbol_name), "FUNCTION"))
        prefix = "#'";
    if (!prefix)
        return false;
    mp_text_put(text, prefix);
    print(text, ECL_CONS_CAR(rest), depth + 1);
    return true;
}

static void
put_list(struct mp_text *text, cl_object list, unsigned depth)
{
    unsigned n = 0;

    if (depth == MAX_DEPTH) {
        mp_text_put(text, "#");
        return;
    }
    if (put_abbreviated(text, list, depth))
        return;
    mp_text_put(text, "(");
    /* A list that contains itself many times would take very long, so nothing is printed into a full text. */
    for (; ECL_CONSP(list) && n < MAX_ELEMENTS && text->end - text->at > 1; list = ECL_CONS_CDR(list), n++) {
        if (n)
            mp_text_put(text, " ");
        print(text, ECL_CONS_CAR(list), depth + 1);
    }
    if (ECL_CONSP(list)) {
        mp_text_put(text, " ...");
    } else if (list != ECL_NIL) {
        mp_text_put(text, " . ");
        print(text, list, depth + 1);
    }
    mp_text_put(text, ")");
}

/* Prints O, an element of a list of specializers. Prints a class by its name, and an EQL specializer by its object. */
static void
put_specializer(struct mp_text *text, cl_object o, unsigned depth)
{
    if (o->instance.slots[MP_SPECIALIZER_FLAG] == ECL_NIL && o->instance.length > MP_CLASS_NAME) {
        print(text, o->instance.slots[MP_CLASS_NAME], depth + 1);
    } else if (o->instance.slots[MP_SPECIALIZER_FLAG] != ECL_NIL && o->instance.length > MP_SPECIALIZER_OBJECT) {
        mp_text_put(text, "(EQL ");
        print(text, o->instance.slots[MP_SPECIALIZER_OBJECT], depth + 1);
        mp_text_put(text, ")");
    } else {
        mp_text_put(text, "#<object>");
    }
}

static void
print(struct mp_text *text, cl_object o, unsigned depth)
{
    char number[32];

    if (!o) {
        mp_text_put(text, "#<unbound>");
    } else if (o == ECL_NIL) {
        mp_text_put(text, "NIL");
    } else if (ECL_CONSP(o)) {
        put_list(text, o, depth);
    } else if (ECL_FIXNUMP(o)) {
        snprintf(number, sizeof number, "%ld", (long)ecl_fixnum(o));
        mp_text_put(text, number);
    } else if (ECL_IMMEDIATE(o)) {
        mp_text_put(text, "#\\");
        put_character(text, (uint32_t)ECL_CHAR_CODE(o));
    } else if (o->d.t == t_symbol) {
        put_symbol(text, o);
    } else if (is_string(o)) {
        put_quoted(text, o, '"');
    } else if (o->d.t == t_instance && depth <= SPECIALIZERS && o->instance.slots && o->instance.length > 0) {
        put_specializer(text, o, depth);
    } else {
        mp_text_put(text, "#<object>");
    }
}

void
mp_text_print(struct mp_text *text, cl_object object)
{
    print(text, object, 0);
}

void
mp_text_princ(struct mp_text *text, cl_object object)
{
    if (is_string(object))
        put_string(text, object);
    else if (object && !ECL_IMMEDIATE(object) && object->d.t == t_pathname) {
        mp_text_princ(text, object->pathname.name);
        if (is_string(object->pathname.type)) {
            mp_text_put(text, ".");
            put_string(text, object->pathname.type);
        }
    } else {
        print(text, object, 0);
    }
}
