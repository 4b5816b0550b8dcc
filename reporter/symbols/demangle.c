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
