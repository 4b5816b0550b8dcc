/* SPDX-License-Identifier: MIT */
#include "demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"

#define A_PIECE     16u         /* bytes that are read or written in a unit of work */

/* Collects the text, which libiberty passes in pieces. A name of a few hundred bytes can expand exponentially
 * through nested substitutions. When the text becomes too long, the collector leaves libiberty by longjmp().
 * Nothing leaks, since libiberty holds only stack memory at that time. */
struct collector {
    jmp_buf too_long;
    size_t length;              /* in bytes of text, without the NUL */
    char text[MP_DEMANGLE_MAX_OUTPUT];
};

static void
collect(const char *piece, size_t length, void *data)
{
    struct collector *collector = data;

    if (length >= sizeof collector->text - collector->length)
        longjmp(collector->too_long, 1);
    if (length > 0)             /* PIECE may be NULL */
        memcpy(collector->text + collector->length, piece, length);
    collector->length += length;
}

#define MOST_IN_PACKS 512u      /* parts in all pack expansions of a name; in real libraries less than a tenth */

/* Returns whether MANGLED may contain a pack expansion, or the size of a pack, whose operand is more than a template
 * parameter or a reference to it. */
static bool
may_have_deep_packs(const char *mangled)
{
    static const char *const codes[] = {"Dp", "sp", "sZ"};

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        for (const char *at = strstr(mangled, codes[i]); at != NULL; at = strstr(at + 1, codes[i])) {
            const char *operand = at + 2 + strspn(at + 2, "OR");
            const char *end = operand + 1 + (*operand == 'T' ? strspn(operand + 1, "0123456789") : 0);

            if (*operand != 'T' || end[0] != '_' || end[1] == 'I')
                return true;
        }
    return false;
}

/* Returns the number of parts of PART, and adds the number of parts in its pack expansions to *IN_PACKS. A part that is
 * used several times counts each time. Numbers above MOST_IN_PACKS become MOST_IN_PACKS + 1. A part of an unknown kind
 * counts as too many. The result for a part is stored in its `d_counting`, which libiberty uses only for printing. */
static unsigned
count_parts(struct demangle_component *part, unsigned *in_packs)
{
    unsigned left = 0, right = 0, count;

    if (part == NULL)
        return 0;
    if (part->d_counting > 0)
        return (unsigned)part->d_counting;
    part->d_counting = 1;
    switch (part->type) {
    case DEMANGLE_COMPONENT_NAME: case DEMANGLE_COMPONENT_SUB_STD: case DEMANGLE_COMPONENT_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_OPERATOR: case DEMANGLE_COMPONENT_CHARACTER: case DEMANGLE_COMPONENT_NUMBER:
    case DEMANGLE_COMPONENT_FUNCTION_PARAM: case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
    case DEMANGLE_COMPONENT_UNNAMED_TYPE: case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
    case DEMANGLE_COMPONENT_CTOR: case DEMANGLE_COMPONENT_DTOR:
        break;
    case DEMANGLE_COMPONENT_LAMBDA: case DEMANGLE_COMPONENT_DEFAULT_ARG:
        left = count_parts(part->u.s_unary_num.sub, in_packs);
        break;
    case DEMANGLE_COMPONENT_QUAL_NAME: case DEMANGLE_COMPONENT_LOCAL_NAME: case DEMANGLE_COMPONENT_TYPED_NAME:
    case DEMANGLE_COMPONENT_TEMPLATE: case DEMANGLE_COMPONENT_TAGGED_NAME: case DEMANGLE_COMPONENT_COMPOUND_NAME:
    case DEMANGLE_COMPONENT_VTABLE: case DEMANGLE_COMPONENT_VTT: case DEMANGLE_COMPONENT_CONSTRUCTION_VTABLE:
    case DEMANGLE_COMPONENT_TYPEINFO: case DEMANGLE_COMPONENT_TYPEINFO_NAME: case DEMANGLE_COMPONENT_TYPEINFO_FN:
    case DEMANGLE_COMPONENT_THUNK: case DEMANGLE_COMPONENT_VIRTUAL_THUNK: case DEMANGLE_COMPONENT_COVARIANT_THUNK:
    case DEMANGLE_COMPONENT_GUARD: case DEMANGLE_COMPONENT_TLS_INIT: case DEMANGLE_COMPONENT_TLS_WRAPPER:
    case DEMANGLE_COMPONENT_REFTEMP: case DEMANGLE_COMPONENT_CLONE:
    case DEMANGLE_COMPONENT_TRANSACTION_CLONE: case DEMANGLE_COMPONENT_NONTRANSACTION_CLONE:
    case DEMANGLE_COMPONENT_RESTRICT: case DEMANGLE_COMPONENT_VOLATILE: case DEMANGLE_COMPONENT_CONST:
    case DEMANGLE_COMPONENT_RESTRICT_THIS: case DEMANGLE_COMPONENT_VOLATILE_THIS: case DEMANGLE_COMPONENT_CONST_THIS:
    case DEMANGLE_COMPONENT_REFERENCE_THIS: case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
    case DEMANGLE_COMPONENT_VENDOR_TYPE_QUAL: case DEMANGLE_COMPONENT_POINTER: case DEMANGLE_COMPONENT_REFERENCE:
    case DEMANGLE_COMPONENT_RVALUE_REFERENCE: case DEMANGLE_COMPONENT_COMPLEX: case DEMANGLE_COMPONENT_IMAGINARY:
    case DEMANGLE_COMPONENT_VENDOR_TYPE: case DEMANGLE_COMPONENT_FUNCTION_TYPE: case DEMANGLE_COMPONENT_ARRAY_TYPE:
    case DEMANGLE_COMPONENT_PTRMEM_TYPE: case DEMANGLE_COMPONENT_VECTOR_TYPE: case DEMANGLE_COMPONENT_ARGLIST:
    case DEMANGLE_COMPONENT_TEMPLATE_ARGLIST: case DEMANGLE_COMPONENT_INITIALIZER_LIST:
    case DEMANGLE_COMPONENT_CAST: case DEMANGLE_COMPONENT_CONVERSION: case DEMANGLE_COMPONENT_NULLARY:
    case DEMANGLE_COMPONENT_UNARY: case DEMANGLE_COMPONENT_BINARY: case DEMANGLE_COMPONENT_BINARY_ARGS:
    case DEMANGLE_COMPONENT_TRINARY: case DEMANGLE_COMPONENT_TRINARY_ARG1: case DEMANGLE_COMPONENT_TRINARY_ARG2:
    case DEMANGLE_COMPONENT_LITERAL: case DEMANGLE_COMPONENT_LITERAL_NEG: case DEMANGLE_COMPONENT_DECLTYPE:
    case DEMANGLE_COMPONENT_NOEXCEPT: case DEMANGLE_COMPONENT_THROW_SPEC: case DEMANGLE_COMPONENT_TRANSACTION_SAFE:
    case DEMANGLE_COMPONENT_PACK_EXPANSION:
        left = count_parts(part->u.s_binary.left, in_packs);
        right = count_parts(part->u.s_binary.right, in_packs);
        break;
    default:
        left = MOST_IN_PACKS;
        *in_packs = MOST_IN_PACKS + 1;
        break;
    }
    count = 1 + left + right < MOST_IN_PACKS + 1 ? 1 + left + right : MOST_IN_PACKS + 1;
    /* an operand of a unary operator may be a pack whose size is wanted */
    if (part->type == DEMANGLE_COMPONENT_PACK_EXPANSION || part->type == DEMANGLE_COMPONENT_UNARY)
        *in_packs = *in_packs + count < MOST_IN_PACKS + 1 ? *in_packs + count : MOST_IN_PACKS + 1;
    part->d_counting = (int)count;
    return count;
}

/* Returns whether the pack expansions in MANGLED are small. To find the pack, libiberty visits all parts of an
 * expansion's operand, again wherever they are used again, so the time can be exponential although no text appears. */
static bool
has_small_packs(const char *mangled, int options)
{
    unsigned in_packs = 0;
    void *memory = NULL;
    struct demangle_component *top = cplus_demangle_v3_components(mangled, options, &memory);
    bool small;

    count_parts(top, &in_packs);
    small = top != NULL && in_packs <= MOST_IN_PACKS && mp_budget_work(1 + in_packs * strlen(mangled) / A_PIECE);
    free(memory);
    return small;
}

/* Demangles MANGLED. Tries Rust first, because legacy Rust names are also valid C++ names, with a hash at the end. */
static bool
unfold(struct collector *collector, const char *mangled, int options)
{
    if (setjmp(collector->too_long) != 0)
        return false;
    /* A Rust name can contain a reference to itself, which libiberty follows as often as its limit allows. */
    if (rust_demangle_callback(mangled, options & ~DMGL_NO_RECURSE_LIMIT, collect, collector))
        return true;
    collector->length = 0;
    if (mangled[1] == 'Z' && may_have_deep_packs(mangled) && !has_small_packs(mangled, options))
        return false;
    return cplus_demangle_v3_callback(mangled, options, collect, collector) != 0;
}

/* Returns the readable form of MANGLED, with parameters and return type if PARAMETERS, else without both. Returns NULL
 * if it is not mangled. */
static char *
demangle(struct collector *collector, const char *mangled, bool parameters)
{
    /* For C++, libiberty's own limit refuses all names over 1024 bytes. MP_DEMANGLE_MAX_INPUT bounds the recursion. */
    int options = DMGL_ANSI | DMGL_NO_RECURSE_LIMIT | (parameters ? DMGL_PARAMS : 0);

    bool mangled_so;

    collector->length = 0;
    mangled_so = unfold(collector, mangled, options);
    /* the text may also have become too long */
    if (!mp_budget_work(1 + (strlen(mangled) + (mangled_so ? collector->length : sizeof collector->text)) / A_PIECE) ||
        !mangled_so || collector->length == 0)
        return NULL;
    return strndup(collector->text, collector->length);
}

/* Removes the return type from FULL, which is NAME with parameters. DMGL_RET_DROP would also remove the return
 * types inside function types, as in std::function<(int)>. */
static void
drop_return_type(char *full, const char *name)
{
    size_t length = strlen(name);

    for (char *place = strstr(full, name); place != NULL; place = strstr(place + 1, name))
        if (place[length] == '(') {
            if (place > full && place[-1] == ' ')
                memmove(full, place, strlen(place) + 1);
            return;
        }
}

/* ------------------------------------------------------------------ D and Ada */

#define MOST_TYPES_AGAIN 12u    /* each may double the text, and libiberty has no limit */

/* Returns the maximum number of types in MANGLED that are back references. A back reference is "Q" and a distance
 * to the base of 26, whose last digit is a small letter. References to identifiers, which begin with a digit, are
 * not counted. */
static unsigned
types_again(const char *mangled)
{
    unsigned n = 0;

    for (const char *q = strchr(mangled, 'Q'); q; q = strchr(q + 1, 'Q')) {
        size_t distance = 0, behind = (size_t)(q - mangled);
        const char *digit = q + 1;

        for (; isupper((unsigned char)*digit) && distance <= behind; digit++)
            distance = distance * 26 + (size_t)(*digit - 'A');
        if (!islower((unsigned char)*digit))
            continue;
        distance = distance * 26 + (size_t)(*digit - 'a');
        n += distance > 0 && distance <= behind && !isdigit((unsigned char)*(q - distance));
    }
    return n;
}

/* Removes the function's parameters and qualifiers from NAME, for example "() const" from "a.S.get() const". The
 * parentheses of "f!(int)" are template arguments and remain. */
static void
drop_parameters(char *name)
{
    char *end = strrchr(name, ')');
    unsigned depth = 1;

    while (end && end > name && depth > 0) {
        end--;
        depth += *end == ')';
        depth -= *end == '(';
    }
    if (end && end > name && *end == '(' && end[-1] != '!')
        *end = '\0';
}

static char *
demangle_d(const char *mangled, bool parameters)
{
    const unsigned again = types_again(mangled);
    char *name = again <= MOST_TYPES_AGAIN && mp_budget_work(1 + (strlen(mangled) << again) / A_PIECE)
                     ? dlang_demangle(mangled, DMGL_PARAMS) : NULL;

    if (name && strnlen(name, MP_DEMANGLE_MAX_OUTPUT) == MP_DEMANGLE_MAX_OUTPUT) {
        free(name);
        return NULL;
    }
    if (name && !parameters)
        drop_parameters(name);
    return name;
}

char *
mp_demangle_ada(const char *encoded)
{
    char *name;

    if ((strncmp(encoded, "_ada_", 5) != 0 && !strstr(encoded, "__")) ||
        strnlen(encoded, MP_DEMANGLE_MAX_INPUT + 1) > MP_DEMANGLE_MAX_INPUT)
        return NULL;
    name = ada_demangle(encoded, 0);
    if (name && (name[0] == '<' || name[0] == '\0')) {         /* ENCODED is not a valid Ada name */
        free(name);
        return NULL;
    }
    return name;
}

char *
mp_demangle(const char *mangled, bool parameters)
{
    struct collector *collector;
    char *name, *full;

    if (mangled[0] != '_' || !strchr("ZRD", mangled[1]) ||
        strnlen(mangled, MP_DEMANGLE_MAX_INPUT + 1) > MP_DEMANGLE_MAX_INPUT)
        return NULL;
    if (mangled[1] == 'D')
        return isdigit((unsigned char)mangled[2]) || strcmp(mangled, "_Dmain") == 0
                   ? demangle_d(mangled, parameters) : NULL;
    collector = malloc(sizeof *collector);
    if (collector == NULL)
        return NULL;
    name = demangle(collector, mangled, false);
    full = name == NULL || !parameters ? NULL : demangle(collector, mangled, true);
    free(collector);
    if (!parameters)
        return name;
    if (full != NULL)
        drop_return_type(full, name);
    free(name);
    return full;
}
